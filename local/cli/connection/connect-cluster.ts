import { setTimeout } from 'node:timers/promises';
import {
  type ClusterConnection,
  connectCluster as openConnection,
} from '../../../functions/adapters/kubernetes/connect.ts';
import { type IssuedToken, requestToken } from '../../../functions/adapters/kubernetes/service-account-token.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import { product } from '../../../functions/shell/product.ts';
import { accessObjects } from '../../manifests/access.ts';
import { admissionLimitObjects } from '../../manifests/admission-limit.ts';
import type { Account, KubeObject } from '../../manifests/kube-object.ts';
import { accountName, objectYaml } from '../../manifests/manifests.ts';
import type { ExitStatus, Surroundings } from '../command.ts';
import { type PickedCluster, pickCluster } from '../pick-cluster.ts';
import { otherAccounts, otherHomesFor } from './accounts-elsewhere.ts';
import { applyObjects, type Plan, planObjects } from './apply-objects.ts';
import {
  addEntry,
  type ClusterEntry,
  entryYaml,
  namespacesLeftOut,
  requireRoomForEntry,
  requireSameCluster,
} from './configuration-entry.ts';
import { type FoundAccount, findAccount, notedFor, requireOwnOrNew } from './connected-for.ts';
import { type FoundNamespace, findNamespace, requireTrusted, whoElseMayAct } from './existing-namespace.ts';
import { grantedRights } from './granted-rights.ts';
import { keptPools, lostPools, patchesApplications, requireNoPausing } from './kept-rights.ts';
import { type ClusterSight, choosePools, lookAtCluster } from './look-at-cluster.ts';
import { objectName } from './object-path.ts';
import { endingOf, type KnownArgoCd, ownArgoCd } from './own-argocd.ts';
import { isExpected } from './steps.ts';
import { type TokenStore, tokenStore } from './token-store.ts';

export interface ConnectWishes {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly name: string;
  readonly pools: readonly string[];
  readonly pauses: boolean;
  readonly isDryRun: boolean;
  readonly output: 'text' | 'yaml';
  readonly secret: string | undefined;
  readonly tokenFolder: string;
  readonly tokenSeconds: number;
  readonly audience: string | undefined;
  readonly config: string | undefined;
  readonly namespace: string;
  /** The namespace may be there already, made by others. */
  readonly trustsNamespace: boolean;
  /** Argo CD's own; undefined: what the cluster tells. */
  readonly argocdNamespace: string | undefined;
}

type Observed = Omit<ClusterSight, 'argocd'> & { readonly argocd: KnownArgoCd | undefined };

/** Checks, plans and, unless it is a dry run, applies. Throws Misconfigured and Transient. */
export async function connectCluster(asked: ConnectWishes, surroundings: Surroundings): Promise<ExitStatus> {
  const picked = await pickCluster(asked, surroundings);
  try {
    await requireSameCluster(asked, picked.kubeconfig);
    const sight = await lookAtCluster(picked.connection, picked.kubeconfig.server);
    const observed = { ...sight, argocd: await ownArgoCd(asked, sight) };
    const account = { namespace: asked.namespace, name: accountName };
    const home = await findNamespace(picked.connection.client, asked.namespace);
    const store = tokenStore({ name: asked.name, secret: asked.secret, folder: asked.tokenFolder });
    const { installation } = store;
    // What is printed may be of another cluster.
    const found =
      asked.output === 'yaml'
        ? undefined
        : await requireRoom(picked.connection.client, { asked, account, home, installation });
    // What is printed may be all that GitOps keeps there.
    if (!asked.pauses && asked.output !== 'yaml') await requireNoPausing(picked.connection.client, account);
    const kept = asked.pauses && asked.pools.length === 0 ? await keptPools(picked.connection.client, account) : [];
    const wishes = { ...asked, pools: poolsWithKept(asked, observed, kept) };
    await keepNeeded(wishes, observed, picked.connection.client, surroundings);
    const restartsSyncs = await patchesApplications(picked.connection.client, {
      objects: objectsFor(wishes, observed, false),
      namespace: wishes.namespace,
      limits: observed.limitsAdmission,
    });
    const all = objectsFor(wishes, observed, restartsSyncs);
    if (wishes.output === 'yaml') {
      // It may be applied to a cluster that does not have the namespace.
      surroundings.out(all.map(objectYaml).join('---\n'));
      return 0;
    }
    const objects = notedFor(withoutForeignNamespace(all, home), installation);
    const entry = entryOf(wishes, observed, { kubeconfig: picked.kubeconfig, store });
    if (wishes.config !== undefined) await requireRoomForEntry(wishes.config, entry);
    await store.requireWritable();
    const others = home.isThere ? await whoElseMayAct(picked.connection.client, wishes.namespace) : undefined;
    surroundings.out(sightText(wishes, observed, others));
    if (found === 'unnoted') surroundings.out(unnotedText(account));
    surroundings.out(await otherAccountsText(picked.connection.client, account));
    const plan = await planObjects(picked.connection.client, objects, namespacesOfOthers(wishes, observed));
    surroundings.out(planText(plan));
    if (wishes.isDryRun) {
      surroundings.out('\nDry run: nothing was changed.\n');
      return 0;
    }
    const ending = await endingOf(
      picked.connection.client,
      plan.leftOut.map(({ namespace }) => namespace),
    );
    return await halfway(async () => {
      await applyObjects(
        picked.connection.client,
        plan.planned.map(({ object }) => object),
      );
      const argocd = withoutNamespaces(observed.argocd, ending);
      return finish(wishes, { picked, store, entry: { ...entry, argocd: argocdIn(argocd) }, argocd }, surroundings);
    });
  } finally {
    await picked.connection.close();
  }
}

interface Room {
  readonly asked: ConnectWishes;
  readonly account: Account;
  readonly home: FoundNamespace;
  readonly installation: string;
}

/** Refuses a namespace of others, and an account of another installation. Throws Misconfigured and Transient. */
async function requireRoom(
  client: ClusterConnection['client'],
  { asked: { namespace: name, trustsNamespace: isVouchedFor }, account, home, installation }: Room,
): Promise<FoundAccount> {
  await requireTrusted(client, { name, found: home, isVouchedFor });
  const found = await findAccount(client, account);
  const others =
    found === 'unnoted'
      ? await otherHomesFor(client, { namespace: name, rights: await grantedRights(client), installation })
      : [];
  requireOwnOrNew({ account, found, installation, others });
  return found;
}

/** What fails from the first write on has failed halfway, whatever it is. */
async function halfway<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!isExpected(cause)) throw cause;
    throw new Transient(`${cause.message}\nconnect has begun to write, and was broken off: repeat it`, { cause });
  }
}

/** Refuses to take the right to a pool away for which somebody would wait for good, or says so of what is only
 *  printed. */
async function keepNeeded(
  { namespace, pools: named, pauses, output }: ConnectWishes,
  { pools }: Pick<ClusterSight, 'pools'>,
  client: ClusterConnection['client'],
  { note }: Pick<Surroundings, 'note'>,
): Promise<void> {
  if (!pauses) return;
  const account = { namespace, name: accountName };
  const { held, refused } = await lostPools(client, { account, pools, chosen: choosePools(pools, named) });
  const together = 'with --pools, together with the other pools';
  const problems = [
    ...(held.length === 0
      ? []
      : [
          `the account would lose the right to ${listed(held)}, which Poolkeeper holds, and nobody would resume ${themOf(held)}: name ${themOf(held)} ${together}, or resume first`,
        ]),
    ...(refused.length === 0
      ? []
      : [
          `the account would lose the right to ${listed(refused)}, whose changes level admission refuses until somebody pauses ${themOf(refused)}: name ${themOf(refused)} ${together}, or delete the bindings of ValidatingAdmissionPolicy ${namespace}-pause-first that cover ${themOf(refused)} first`,
        ]),
  ];
  if (output !== 'yaml' && problems.length > 0) throw new Misconfigured(problems);
  for (const problem of problems) note(problem);
}

function themOf({ length }: readonly string[]): string {
  return length === 1 ? 'it' : 'them';
}

/** The pools that were named, or else what they are by default and what the account may pause already. */
function poolsWithKept(
  { pools: named }: ConnectWishes,
  { pools }: Pick<ClusterSight, 'pools'>,
  kept: readonly string[],
): readonly string[] {
  const still = kept.filter((name) => pools.some((pool) => pool.name === name));
  return still.length === 0 ? named : unique([...choosePools(pools, []), ...still]).toSorted();
}

/** A namespace that somebody else made gets no label of ours: by it disconnecting knows what it may delete. */
function withoutForeignNamespace(
  objects: readonly KubeObject[],
  { isThere, hasOurLabels }: FoundNamespace,
): readonly KubeObject[] {
  return isThere && !hasOurLabels ? objects.filter(({ kind }) => kind !== 'Namespace') : objects;
}

function objectsFor(
  { namespace, pools: named, pauses, tokenSeconds, audience }: ConnectWishes,
  observed: Observed,
  restartsSyncs: boolean,
): readonly KubeObject[] {
  const account = { namespace, name: accountName };
  const pools = pauses ? choosePools(observed.pools, named) : [];
  if (pauses && pools.length === 0)
    throw new Misconfigured(['no pool may be paused: name one with --pools, or use --observe for read-only access']);
  return [
    ...accessObjects({ account, pauses, pools, argocdNamespaces: argocdNamespaces(observed), restartsSyncs }),
    ...(observed.limitsAdmission
      ? admissionLimitObjects({
          account,
          pauses,
          pools,
          tokenHours: tokenSeconds / 3600,
          audiences: [audience, observed.issuer].filter((each) => each !== undefined),
        })
      : []),
  ];
}

function argocdNamespaces({ argocd }: Observed): readonly string[] {
  return argocd?.namespaces ?? [];
}

/** Whose owners may refuse what is applied there, and keep nobody else by that. */
function namespacesOfOthers({ namespace }: ConnectWishes, { argocd }: Observed): readonly string[] {
  return (argocd?.others ?? []).filter((each) => ![namespace, 'default'].includes(each));
}

function withoutNamespaces(argocd: KnownArgoCd | undefined, names: readonly string[]): KnownArgoCd | undefined {
  if (argocd === undefined) return undefined;
  return { ...argocd, namespaces: argocd.namespaces.filter((each) => !names.includes(each)) };
}

function sightText(
  { name, pools: named, pauses }: ConnectWishes,
  observed: Observed,
  actors: string | undefined,
): string {
  const chosen = pauses ? choosePools(observed.pools, named) : [];
  const others = observed.pools.filter((pool) => !chosen.includes(pool.name)).map((pool) => pool.name);
  const version = [observed.openshift && `OpenShift ${observed.openshift}`, `Kubernetes ${observed.kubernetes}`].filter(
    Boolean,
  );
  const lines = [
    ['Cluster', `${name} at ${observed.server}, ${version.join(', ')}`],
    ...(chosen.length > 0 ? [['May pause', chosen.join(', ')]] : []),
    ...(others.length > 0 ? [['Watches', others.toSorted().join(', ')]] : []),
    ['Argo CD', argocdText(observed)],
    ...(observed.argocd?.doubt === undefined ? [] : [['Note', observed.argocd.doubt]]),
    ...(!observed.limitsAdmission
      ? [['Policy', 'not available below Kubernetes 1.30: only RBAC limits the account']]
      : []),
    ...compactWarning(observed.pools, chosen),
    ...(actors === undefined ? [] : [['Note', `may act as the account, if their role lets them: ${actors}`]]),
  ];
  return `${lines.map(([label, text]) => `${label?.padEnd(11)}${text}`).join('\n')}\n\n`;
}

function argocdText({ argocd }: Observed): string {
  if (argocd === undefined) return 'none found';
  const own = argocd.home === undefined ? '' : `its own namespace is ${argocd.home}; `;
  return `${own}Applications in ${argocd.namespaces.join(', ')}`;
}

/** Who connected with an earlier version, or applied printed manifests, reads it once. */
function unnotedText({ namespace }: Account): string {
  return `The account in namespace ${namespace} is there already, and does not say for which installation: if it is another's than this one's, choose your own with --namespace.\n\n`;
}

/** Another account goes on with all its rights, also where connecting has moved the entry to this one. */
async function otherAccountsText(client: ClusterConnection['client'], { namespace }: Account): Promise<string> {
  const { homes = [] } = await otherAccounts(client, { namespace, rights: await grantedRights(client) });
  return homes
    .map((home) => `Poolkeeper has another account, in namespace ${home}, which keeps its rights.\n\n`)
    .join('');
}

/** Nodes of a compact cluster belong to pool `master`, whatever other roles they have. */
function compactWarning(pools: readonly Pool[], chosen: readonly string[]) {
  const worker = pools.find(({ name }) => name === 'worker');
  if (worker === undefined || worker.counts.machines > 0 || !chosen.includes('worker')) return [];
  return [
    ['Note', 'pool worker has no machines: pausing it protects nothing. In a compact cluster all nodes are in master'],
  ];
}

function planText({ planned, leftOut }: Plan): string {
  const lines = [
    ...planned.map(({ object, change }) => `  ${change.padEnd(8)}${objectName(object)}`),
    ...leftOut.map(
      ({ namespace, why }) => `  left out: namespace ${namespace}, whose Applications are not read: ${why}`,
    ),
  ];
  const unchecked = planned.filter(({ checked }) => !checked).length;
  const said =
    unchecked === 0
      ? `The API server accepted all ${leftOut.length === 0 ? '' : 'other '}objects in a dry run.`
      : `The API server accepted ${planned.length - unchecked} of ${planned.length} objects in a dry run; the others are in a namespace that does not exist yet.`;
  return `${lines.join('\n')}\n${said}\n`;
}

interface Finishing {
  readonly picked: PickedCluster;
  readonly store: TokenStore;
  readonly entry: ClusterEntry;
  readonly argocd: KnownArgoCd | undefined;
}

async function finish(
  wishes: ConnectWishes,
  { picked: { connection, kubeconfig }, store, entry, argocd }: Finishing,
  { out, now }: Surroundings,
) {
  const { namespace, tokenSeconds, audience } = wishes;
  const token = await requestToken(connection.client, {
    namespace,
    name: accountName,
    lifeSeconds: tokenSeconds,
    audience,
  });
  const seen = await tryToken({ kubeconfig, token, clock: now });
  await store.write(token.value);
  out(
    `\nApplied. The service account reads ${seen} pools with its new token, which expires ${minute(token.expiresAt)}.\n`,
  );
  if (hoursOf(token, now()) < (0.9 * tokenSeconds) / 3600) out('The API server issues no longer ones.\n');
  out(`The token is in ${store.where}.\n`);
  await tellEntry(wishes, { entry, argocd, store, out });
  return 0 as const;
}

interface TokenTrial {
  readonly kubeconfig: PickedCluster['kubeconfig'];
  readonly token: IssuedToken;
  readonly clock: () => Date;
}

/** Reads the pools with the new token. New RBAC takes a moment until every API server knows it. */
async function tryToken({ kubeconfig, token, clock }: TokenTrial): Promise<number> {
  const { server, ca, skipTLSVerify, serverName } = kubeconfig;
  const ours: ClusterConnection = openConnection({
    ...{ ...systemRuntime, server, ca, skipTLSVerify, serverName, clock },
    token: async () => token.value,
    userAgent: product,
  });
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await ours.pools.listPools()).items.length;
      } catch (cause) {
        if (!(cause instanceof Transient) || cause.kind !== 'forbidden' || attempt === 10) throw cause;
        await setTimeout(500);
      }
    }
  } finally {
    await ours.close();
  }
}

function entryOf(
  { name }: ConnectWishes,
  { server, argocd }: Observed,
  { kubeconfig, store }: { readonly kubeconfig: PickedCluster['kubeconfig']; readonly store: TokenStore },
): ClusterEntry {
  return {
    name,
    server: server.replace(/\/+$/, ''),
    ca: kubeconfig.ca,
    skipTLSVerify: kubeconfig.skipTLSVerify ?? false,
    tokenSecret: store.tokenSecret,
    argocd: argocdIn(argocd),
  };
}

function argocdIn(argocd: KnownArgoCd | undefined): ClusterEntry['argocd'] {
  return argocd?.home === undefined ? undefined : { home: argocd.home, namespaces: argocd.namespaces };
}

interface EntryTelling {
  readonly entry: ClusterEntry;
  readonly argocd: KnownArgoCd | undefined;
  readonly store: TokenStore;
  readonly out: Surroundings['out'];
}

async function tellEntry({ config }: ConnectWishes, { entry, argocd, store, out }: EntryTelling) {
  if (config === undefined) out(`\nAdd to poolkeeper.yaml:\n\n${entryYaml(entry)}\n`);
  else {
    await addEntry(config, entry);
    out(`The cluster is in ${config}.\n${await unreadText(config, entry, argocd)}`);
  }
  if (store.afterwards !== '') out(`For a Poolkeeper on this machine: ${store.afterwards}\n`);
  if (entry.argocd !== undefined)
    out(
      'To have Argo CD notify Poolkeeper of syncs: poolkeeper manifests --only notifications,argocd-settings --help\n',
    );
}

/** Which Applications the account may read, and nobody does: entries of Argo CDs stay as they are. */
async function unreadText(config: string, { name }: ClusterEntry, argocd: KnownArgoCd | undefined): Promise<string> {
  if (argocd === undefined) return '';
  const { unread, homes } = await namespacesLeftOut(config, name, argocd.used);
  if (unread.length === 0) return '';
  const own = unread.filter((each) => !homes.includes(each) && [argocd.home, ...argocd.controllers].includes(each));
  const more = own.length === 0 ? '' : `; the Argo CD in ${listed(own)} needs an entry of its own`;
  return `Not in argocd[].namespaces of ${config}, so not read: ${listed(unread, 20)}${more}\n`;
}

function hoursOf({ expiresAt }: IssuedToken, now: Date): number {
  return (Date.parse(expiresAt) - now.getTime()) / 3_600_000;
}

function minute(instant: string): string {
  return `${instant.slice(0, 16)}Z`;
}

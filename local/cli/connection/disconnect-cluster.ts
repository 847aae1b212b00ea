import { setTimeout } from 'node:timers/promises';
import { inPieces } from '../../../functions/adapters/in-pieces.ts';
import type { ClusterConnection } from '../../../functions/adapters/kubernetes/connect.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { asWord, listed } from '../../../functions/core/text/phrases.ts';
import { limitNames } from '../../manifests/admission-limit.ts';
import type { KubeObject } from '../../manifests/kube-object.ts';
import { accountName } from '../../manifests/manifests.ts';
import type { ExitStatus, Surroundings } from '../command.ts';
import { pickCluster } from '../pick-cluster.ts';
import { type AccountsElsewhere, accountsElsewhere, otherAccounts, otherHomesFor } from './accounts-elsewhere.ts';
import { removeObjects } from './apply-objects.ts';
import { plannedRemoval, type Removal, removeEntry, requireSameCluster } from './configuration-entry.ts';
import { type FoundAccount, findAccount, requireOwn } from './connected-for.ts';
import { type HeldPools, heldPools, isOurs, release, releaseText } from './disconnect-pools.ts';
import { guardedProjects } from './disconnect-projects.ts';
import { eventSourceLeft } from './event-source-left.ts';
import { foreignRights } from './foreign-bindings.ts';
import { type GrantedRights, grantedRights } from './granted-rights.ts';
import { requireKeepsNoOther } from './in-cluster-process.ts';
import { lookAtCluster } from './look-at-cluster.ts';
import { objectName, objectPath } from './object-path.ts';
import { isBinding, objectsToRemove, pausingAmong } from './objects-to-remove.ts';
import { type OwnObjects, ownOnly } from './own-namespace.ts';
import { pauseFirstBindings, pauseFirstPolicy } from './pause-first-bindings.ts';
import { poolLimits } from './pool-limits.ts';
import { pausedHealthChecks, releaseHealthCheck } from './release-health-checks.ts';
import { secretName } from './secret-name.ts';
import { type SectionLeftovers, sectionLeftovers } from './section-leftovers.ts';
import { isExpected, oneByOne, type Steps } from './steps.ts';
import { callsAtOnce, stillThere } from './still-there.ts';
import { type TokenStore, tokenStore } from './token-store.ts';
import { oursInBoth, type Shares, sharesOf } from './whose.ts';

export interface DisconnectWishes {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly name: string;
  readonly 'dry-run': boolean;
  readonly stage?: string | undefined;
  readonly secret?: string | undefined;
  readonly 'token-dir': string;
  readonly config?: string | undefined;
  readonly namespace: string;
}

/** Removes what `connect` created, or prints it if it is a dry run. Throws Misconfigured and Transient while nothing is
 *  changed yet. */
export async function disconnectCluster(wishes: DisconnectWishes, surroundings: Surroundings): Promise<ExitStatus> {
  const { name, config, namespace } = wishes;
  const { connection, kubeconfig } = await pickCluster(wishes, surroundings);
  try {
    await requireSameCluster(wishes, kubeconfig);
    const store = tokenStore({ name, secret: secretName(name, wishes), folder: wishes['token-dir'] });
    const entry = config === undefined ? 'absent' : await plannedRemoval(config, name);
    const kept = { store, entry, hasToken: await store.mayBeThere() };
    const rights = await grantedRights(connection.client);
    const { installation } = store;
    const homesFor = await otherHomesFor(connection.client, { namespace, rights, installation });
    const account = await ownAccount(connection, { namespace, installation, others: homesFor });
    const elsewhere = await accountsElsewhere(connection.client, { namespace, rights });
    const observed = await lookAtCluster(connection, kubeconfig.server);
    const { server } = kubeconfig;
    await requireKeepsNoOther(connection.client, { name, namespace, config, server, found: account });
    const sharing = { namespace, rights, elsewhere, pools: observed.pools };
    const shares = await sharesAmong(connection, sharing);
    const pauseFirst = await pauseFirstOf(connection, namespace);
    const { policies } = pauseFirst;
    const argocdNamespaces = observed.argocd?.namespaces ?? [];
    const objects = [...pauseFirst.unbound, ...objectsToRemove(namespace, { argocdNamespaces, rights })];
    const found = { elsewhere, homesFor, ...(await lookFor(connection, { shares, name, objects })) };
    const eventSource = await eventSourceLeft(connection.client, rights);
    const foreign = foreignRights(rights, { namespace, objects });
    const steps = oneByOne(surroundings.out);
    if (wishes['dry-run']) {
      const removable = [...policies, ...objects.filter(isBinding), ...found.own.objects];
      const lines = [
        ...standingText(found, surroundings.now()),
        ...(await existing(connection.client, removable)).map((object) => `delete  ${withWhatGoes(object, found.own)}`),
      ];
      surroundings.out(planText([...lines, ...found.own.kept, ...forgottenText(wishes, kept, homesFor)]));
    } else {
      requireNone(foreign.pausing);
      const isPausing = pausingAmong(rights, namespace);
      const taking = { ...wishes, policies, objects, isPausing, sharing, shares, found, store, steps };
      await takeAway(connection, taking, surroundings).catch((cause: unknown) => {
        if (!steps.hasBegun() || !isExpected(cause)) throw cause;
        steps.left.push(`disconnect was broken off, and is to be repeated: ${cause.message}`);
      });
    }
    const { projects, checks, pools, sections, own } = found;
    const undecided = [...pools.stays, ...projects.stays, ...checks.stays, ...sections.undecided, ...foreign.others];
    const left = [...foreign.pausing, ...undecided, ...steps.left];
    const theirs = [...pools.theirs, ...projects.theirs, ...checks.theirs];
    const unread = rights.unread
      .slice(0, 1)
      .map((why) => `rights that the account has in other namespaces cannot be listed, and stay: ${why}`);
    const stays = [
      ...left,
      ...theirs,
      ...found.elsewhere.stays,
      ...keptText(wishes, kept, found.homesFor),
      ...unread,
      ...pauseFirst.unread,
      ...sections.stays,
      ...own.stays,
      ...eventSource,
    ];
    for (const each of stays) surroundings.note(`${each}\n`);
    if (!wishes['dry-run'] && stays.length === 0) surroundings.out(`Nothing of Poolkeeper is left in ${name}.\n`);
    return left.length > 0 ? 1 : 0;
  } finally {
    await connection.close();
  }
}

interface Claiming {
  readonly namespace: string;
  readonly installation: string;
  /** Namespaces of other accounts that are connected for it. */
  readonly others: readonly string[];
}

/** Throws Misconfigured where the account is connected for another installation, and Transient. */
async function ownAccount({ client }: ClusterConnection, { namespace, ...claim }: Claiming): Promise<FoundAccount> {
  const account = { namespace, name: accountName };
  const found = await findAccount(client, account);
  requireOwn({ account, found, ...claim });
  return found;
}

/** What was found last. Until Poolkeeper has lost its rights, it and others may change what was planned by. */
interface Found {
  elsewhere: AccountsElsewhere;
  /** Namespaces of other accounts that are connected for this installation, too. */
  homesFor: readonly string[];
  projects: Awaited<ReturnType<typeof guardedProjects>>;
  checks: Awaited<ReturnType<typeof pausedHealthChecks>>;
  pools: HeldPools;
  sections: SectionLeftovers;
  own: OwnObjects;
}

interface SharingAmong {
  readonly namespace: string;
  readonly rights: GrantedRights;
  readonly elsewhere: AccountsElsewhere;
  readonly pools: Parameters<typeof poolLimits>[1];
}

async function sharesAmong(
  { client }: ClusterConnection,
  { namespace, rights, elsewhere: { homes }, pools }: SharingAmong,
): Promise<Shares> {
  return sharesOf(rights, { namespace, homes, isRefused: await poolLimits(client, pools) });
}

/** What of Poolkeeper waits for it, or makes others wait, and what of it is removed besides bindings. */
async function lookFor(
  connection: ClusterConnection,
  { shares, name, objects }: Pick<Taking, 'shares' | 'name' | 'objects'>,
): Promise<Omit<Found, 'elsewhere' | 'homesFor'>> {
  return {
    projects: await guardedProjects(connection, { shares, name }),
    checks: await pausedHealthChecks(connection.healthChecks, shares),
    pools: await heldPools(connection, shares),
    ...(await lookForObjects(connection, { shares, name, objects })),
  };
}

async function lookForObjects(
  connection: ClusterConnection,
  { shares, name, objects }: Pick<Taking, 'shares' | 'name' | 'objects'>,
): Promise<Pick<Found, 'sections' | 'own'>> {
  const sections = await sectionLeftovers(connection.client, shares, name);
  return { sections, own: await ownOnly(connection, [...sections.objects, ...objects]) };
}

/** Throws Misconfigured with these. */
function requireNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new Misconfigured(problems);
}

/** What would be let go. */
function standingText({ projects, checks, pools }: Found, now: Date): readonly string[] {
  return [
    ...projects.guarding.map(({ said }) => `open    guards of AppProject ${said}`),
    ...checks.ours.map((check) => `unpause MachineHealthCheck ${check.name}`),
    ...pools.held.map((pool) => releaseText(pool, now)),
  ];
}

interface PauseFirst {
  /** The policy and its bindings: without Poolkeeper nobody would pause for it. */
  readonly policies: readonly KubeObject[];
  /** Bindings without their policy: with the next one of its name they would be in force. */
  readonly unbound: readonly KubeObject[];
  /** Lines about bindings that cannot be listed. */
  readonly unread: readonly string[];
}

/** What is there of level admission. */
async function pauseFirstOf({ client }: ClusterConnection, namespace: string): Promise<PauseFirst> {
  const policy = pauseFirstPolicy(namespace);
  const { apiVersion } = policy;
  const isThere = (await client.get(objectPath(policy), { mayBeUnserved: true })) !== undefined;
  const { bound, unread } = await bindingsOf(client, namespace);
  const bindings = bound.map((name) => ({
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
  }));
  return { policies: isThere ? [policy, ...bindings] : [], unbound: isThere ? [] : bindings, unread };
}

/** Names of the bindings. Who may not list them can disconnect all the same, and is told. */
async function bindingsOf(client: ClusterConnection['client'], namespace: string) {
  try {
    return { bound: (await pauseFirstBindings(client, namespace)).map(({ name }) => name), unread: [] };
  } catch (cause) {
    if (!(cause instanceof Transient) || cause.kind !== 'forbidden') throw cause;
    const { name } = pauseFirstPolicy(namespace).metadata;
    return { bound: [], unread: [`bindings of policy ${name} stay, if there are any: ${cause.message}`] };
  }
}

async function existing(
  client: ClusterConnection['client'],
  objects: readonly KubeObject[],
): Promise<readonly KubeObject[]> {
  const found = await inPieces(objects, callsAtOnce, async (object) =>
    (await client.get(objectPath(object), { mayBeUnserved: true })) === undefined ? [] : [object],
  );
  return found.flat();
}

/** Its name, and what goes with it. */
function withWhatGoes(object: KubeObject, { goWithIt }: OwnObjects): string {
  const isHome = object.kind === 'Namespace' && goWithIt.length > 0;
  return `${objectName(object)}${isHome ? `, and with it ${listed(goWithIt)}` : ''}`;
}

function planText(lines: readonly string[]): string {
  const said = lines.length === 0 ? ['nothing of Poolkeeper found in this cluster'] : lines;
  return `${said.map((each) => `  ${each}`).join('\n')}\n\nDry run: nothing was changed.\n`;
}

/** Argo CD puts back what it deploys within a second or two, where it heals itself. */
const untilPutBackMs = 3_000;

interface Taking extends DisconnectWishes {
  /** Of level admission. */
  readonly policies: readonly KubeObject[];
  /** But for what sections have left. */
  readonly objects: readonly KubeObject[];
  /** Whether the account may pause pools by this binding. */
  readonly isPausing: (binding: KubeObject) => boolean;
  /** What the shares were planned by. */
  readonly sharing: SharingAmong;
  readonly shares: Shares;
  readonly found: Found;
  readonly store: TokenStore;
  readonly steps: Steps;
}

/** What is refused is left, and the rest goes on: nobody else would let go of the pools that come after it. */
async function takeAway(connection: ClusterConnection, planned: Taking, surroundings: Surroundings): Promise<void> {
  const { objects, isPausing, namespace, found, steps } = planned;
  const { client } = connection;
  /** Without what was refused. */
  const gone: KubeObject[] = [];
  const remove = async (object: KubeObject) => {
    const refused = steps.left.length;
    await steps.take(`${objectName(object)} stays`, async () => {
      const [removed] = await removeObjects(client, [object]);
      return removed === undefined ? undefined : `deleted ${withWhatGoes(object, found.own)}`;
    });
    if (steps.left.length === refused) gone.push(object);
  };
  if (!(await isNoLongerNeeded(connection, { ...planned, remove, gone }, surroundings))) return;
  const bindings = objects.filter(isBinding);
  if (!(await mayPauseNoMore(client, { bindings: bindings.filter(isPausing), remove, steps }))) return;
  for (const object of bindings.filter((each) => !isPausing(each))) await remove(object);
  // From now on Poolkeeper adds nothing more: what it did until now is found.
  const taking = { ...planned, shares: await sharesNow(connection, planned) };
  const told = await letGo(connection, taking, surroundings);
  await forget(taking);
  Object.assign(found, await lookForObjects(connection, taking));
  const { own } = found;
  for (const each of own.kept) surroundings.out(`  ${each}\n`);
  const nameStanding = async () => {
    await namePausedAgain(connection, taking, told);
    const standing = (await stillThere(client, gone)).map(({ said }) => said);
    steps.left.push(...standing.filter((said) => !steps.left.includes(said)));
  };
  for (const object of own.objects) if (!tellsShares(object)) await remove(object);
  // What is found after the roles are gone may not be repeated any more.
  await nameStanding();
  const kept: KubeObject[] = [];
  for (const object of own.objects.filter(tellsShares))
    if (steps.left.length > 0) kept.push(object);
    else await remove(object);
  if (kept.length === 0) await nameStanding();
  else
    steps.left.push(
      `roles, account and namespace of the Poolkeeper in ${namespace} stay, too, and the policy of its pools, if there is one: by these a repetition knows what was its own`,
    );
}

/** Another installation may have been connected since it was planned: what is not ours alone any more stays. */
async function sharesNow(connection: ClusterConnection, { sharing, shares, found, store }: Taking): Promise<Shares> {
  const { client } = connection;
  const rights = await grantedRights(client);
  const looking = { namespace: sharing.namespace, rights, installation: store.installation };
  found.elsewhere = await otherAccounts(client, looking);
  found.homesFor = await otherHomesFor(client, looking);
  return oursInBoth(shares, await sharesAmong(connection, { ...sharing, rights, elsewhere: found.elsewhere }));
}

type Remove = (object: KubeObject) => Promise<void>;

/** Whether nothing waits for Poolkeeper any more. While the policy of level admission is in force, somebody has to
 *  pause for it: the account keeps its rights until it is gone. */
async function isNoLongerNeeded(
  { client }: ClusterConnection,
  { policies, steps, remove, gone }: Taking & { readonly remove: Remove; readonly gone: readonly KubeObject[] },
  { wait }: Surroundings,
): Promise<boolean> {
  for (const object of policies) await remove(object);
  if (policies.length > 0) await (wait ?? setTimeout)(untilPutBackMs);
  // What was refused, or whose answer was lost, is named already.
  const standing = await stillThere(client, policies);
  if (!standing.some(({ object }) => object.kind === 'ValidatingAdmissionPolicy')) return true;
  steps.left.push(
    ...standing.filter(({ object }) => gone.includes(object)).map(({ said }) => said),
    'the rest stays, too: without an account that pauses for this policy, changes would wait',
  );
  return false;
}

interface PauseTaking {
  /** By which the account may pause. */
  readonly bindings: readonly KubeObject[];
  readonly remove: Remove;
  readonly steps: Steps;
}

/** Takes the right to pause away. Whoever has it still would pause again what is resumed, and nobody would know. */
async function mayPauseNoMore(
  client: ClusterConnection['client'],
  { bindings, remove, steps }: PauseTaking,
): Promise<boolean> {
  const refused = steps.left.length;
  for (const object of bindings) await remove(object);
  const isRefused = steps.left.length > refused;
  const standing = isRefused ? [] : await stillThere(client, bindings);
  if (isRefused || standing.length > 0) {
    steps.left.push(
      ...standing.map(({ said }) => said),
      'the rest stays, too, and no pool is resumed: the account may pause, and would pause it again; repeat disconnect when that binding is gone',
    );
    return false;
  }
  steps.goOn();
  return true;
}

/** What is kept of the cluster elsewhere: nothing that another account of this installation may go on with, as after
 *  it was connected with another namespace. */
async function forget({ name, config, store, steps, found }: Taking): Promise<void> {
  if (found.homesFor.length > 0) return;
  await steps.take(`${store.where} stays`, async () => ((await store.remove()) ? `deleted ${store.where}` : undefined));
  if (config === undefined) return;
  await steps.take(`the entry of ${name} in ${config} stays`, async () => {
    const [said] = entryText(config, name, { done: await removeEntry(config, name), isPlan: false });
    return said;
  });
}

/** What of the cluster is kept elsewhere. */
interface Kept {
  readonly store: TokenStore;
  readonly hasToken: boolean;
  /** What removing its entry does. */
  readonly entry: Removal;
}

/** @param homesFor namespaces of other accounts of this installation */
function forgottenText(
  { config = '', name }: DisconnectWishes,
  { store, hasToken, entry }: Kept,
  homesFor: readonly string[],
): readonly string[] {
  if (homesFor.length > 0) return [];
  const token = hasToken ? [`delete  ${store.where}${store.isSure ? '' : ', if there is one'}`] : [];
  return [...token, ...entryText(config, name, { done: entry, isPlan: true })];
}

/** @param homesFor namespaces of other accounts of this installation */
function keptText(
  { config, name }: DisconnectWishes,
  { store, hasToken, entry }: Kept,
  homesFor: readonly string[],
): readonly string[] {
  const kept = [
    ...(hasToken ? [store.where] : []),
    ...(config === undefined || entry === 'absent' ? [] : [`the entry of ${name} in ${config}`]),
  ];
  if (homesFor.length === 0 || kept.length === 0) return [];
  const [stays, them] = kept.length === 1 ? ['stays', 'it'] : ['stay', 'them'];
  return [
    `${listed(kept)}: ${stays}, because the account in namespace ${listed(homesFor)} is that of ${asWord(store.installation)}, too, and may need ${them}; where it is another's, take ${them} away by hand`,
  ];
}

/** By these, whoever repeats it knows which pools were this installation's, and that it was here: another account may
 *  come until then. */
function tellsShares({ kind, metadata: { name } }: KubeObject): boolean {
  return ['ClusterRole', 'Role', 'ServiceAccount', 'Namespace'].includes(kind) || name.endsWith(`-${limitNames.pools}`);
}

/** One kind after another: where one cannot be listed, the others are let go all the same. Returns the names of the
 *  pools that were refused. */
async function letGo(
  connection: ClusterConnection,
  { steps, shares, found, name: cluster }: Taking,
  surroundings: Surroundings,
): Promise<Set<string>> {
  const { healthChecks } = connection;
  const refused = new Set<string>();
  await steps.take('guards of AppProjects stay', async () => {
    found.projects = await guardedProjects(connection, { shares, name: cluster });
    for (const { said, open } of found.projects.guarding)
      await steps.take(`guards of AppProject ${said} stay`, async () => {
        await open();
        return `guards of AppProject ${said} are open`;
      });
    return undefined;
  });
  await steps.take('MachineHealthChecks that are paused stay so', async () => {
    found.checks = await pausedHealthChecks(healthChecks, shares);
    for (const check of found.checks.ours)
      await steps.take(`MachineHealthCheck ${check.name} stays paused`, () => releaseHealthCheck(healthChecks, check));
    return undefined;
  });
  await steps.take('pools that are held stay so', async () => {
    found.pools = await heldPools(connection, shares);
    for (const { name, paused } of found.pools.held) {
      const before = steps.left.length;
      await steps.take(`pool ${name} ${paused ? 'stays paused' : 'keeps its record'}`, () =>
        release(connection, name, surroundings),
      );
      if (steps.left.length > before) refused.add(name);
    }
    return undefined;
  });
  return refused;
}

/** An API server may know for a moment longer than another that the account may pause.
 *  @param told names of pools that are told already, and then of these, too */
async function namePausedAgain(
  connection: ClusterConnection,
  { steps, shares, found }: Taking,
  told: Set<string>,
): Promise<void> {
  await steps.take('whether a pool was paused meanwhile cannot be read', async () => {
    found.pools = await heldPools(connection, shares);
    for (const pool of found.pools.held.filter((each) => isOurs(each) && !told.has(each.name))) {
      told.add(pool.name);
      steps.left.push(`pool ${pool.name} is paused by Poolkeeper at the end: repeat disconnect, or resume it`);
    }
    return undefined;
  });
}

interface EntryRemoval {
  readonly done: Removal;
  /** It is not done yet. */
  readonly isPlan: boolean;
}

function entryText(file: string, name: string, { done, isPlan }: EntryRemoval): readonly string[] {
  switch (done) {
    case 'removed':
      return [isPlan ? `remove  ${name} from ${file}` : `removed ${name} from ${file}`];
    case 'only':
      return [
        `${name} is the only cluster of ${file}: its entry stays until after \`cdk destroy\`, which reads the file`,
      ];
    case 'absent':
      return [];
    default:
      return done satisfies never;
  }
}

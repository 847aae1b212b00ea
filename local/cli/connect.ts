import { setTimeout } from 'node:timers/promises';
import { type ClusterConnection, connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { type IssuedToken, requestToken } from '../../functions/adapters/kubernetes/service-account-token.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import type { Pool } from '../../functions/core/openshift/pool.ts';
import { Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { product } from '../../functions/shell/product.ts';
import { accessObjects } from '../manifests/access.ts';
import { admissionLimitObjects } from '../manifests/admission-limit.ts';
import type { KubeObject } from '../manifests/kube-object.ts';
import { accountName, objectYaml } from '../manifests/manifests.ts';
import { applyObjects, type PlannedObject, planObjects } from './apply-objects.ts';
import { type Command, isKubernetesName, namesOf, oneOf, readArgs, type Surroundings } from './command.ts';
import { addEntry, type ClusterEntry, entryYaml } from './configuration-entry.ts';
import { type ClusterSight, choosePools, lookAtCluster } from './look-at-cluster.ts';
import { objectName } from './object-path.ts';
import { clusterFlags, clusterFlagsHelp, type PickedCluster, pickCluster } from './pick-cluster.ts';
import { tokenHoursFlag, tokenHoursProblems } from './token-hours.ts';
import { type TokenStore, tokenStore } from './token-store.ts';

const help = `Connects a cluster: checks the requirements, shows what will be created, validates it by a dry run, creates it, and stores a
token that expires. Run again, it applies only what changed and issues a new token.

  npx poolkeeper connect --context admin@prod --name prod-eu --dry-run
  npx poolkeeper connect --context admin@prod --name prod-eu --stage prod --config poolkeeper.yaml
  npx poolkeeper connect --context admin@prod --name prod-eu --output yaml > cluster/poolkeeper.yaml     (for GitOps)

  --name NAME       name of the cluster: lower-case letters, digits, dots, dashes
  --pools a,b       the only pools that may be paused (default: all that no cluster upgrade waits for)
  --observe         read only: nothing may be paused
  --dry-run         check and print; change nothing
  --output yaml     print the manifests and nothing else; change nothing
  --stage S         keep the token in AWS Secrets Manager, as poolkeeper/S/NAME/token
  --secret NAME     the same, under this name
  --token-dir DIR   keep the token in DIR/NAME.token, for this user only (default .poolkeeper, without --stage and --secret)
  --token-hours H   lifetime of the token, 1 to 8760 (default 24); the service renews it after half of that, and a policy
                    refuses the account a longer one
  --audience A      audience of the token (default: the API server's own)
  --config FILE     add the cluster to this poolkeeper.yaml (default: print its entry)
  --namespace N     namespace of the service account (default poolkeeper)
${clusterFlagsHelp}
`;

export const connect: Command = {
  about: 'connect a cluster: service account, RBAC, policy, token, entry in poolkeeper.yaml',
  help,
  run: async (args, surroundings) => {
    const wishes = readWishes(args);
    const picked = await pickCluster(wishes, surroundings);
    try {
      const observed = await lookAtCluster(picked.connection, picked.kubeconfig.server);
      const objects = objectsFor(wishes, observed);
      if (wishes.output === 'yaml') {
        surroundings.out(objects.map(objectYaml).join('---\n'));
        return 0;
      }
      surroundings.out(sightText(wishes, observed, picked.kubeconfig.server));
      const planned = await planObjects(picked.connection.client, objects);
      surroundings.out(planText(planned));
      if (wishes.isDryRun) {
        surroundings.out('\nDry run: nothing was changed.\n');
        return 0;
      }
      await applyObjects(picked.connection.client, objects);
      return await finish(wishes, observed, picked, surroundings);
    } finally {
      await picked.connection.close();
    }
  },
};

const flags = {
  ...clusterFlags,
  name: { type: 'string' },
  pools: { type: 'string' },
  observe: { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  output: { type: 'string', default: 'text' },
  stage: { type: 'string' },
  secret: { type: 'string' },
  'token-dir': { type: 'string', default: '.poolkeeper' },
  'token-hours': tokenHoursFlag,
  audience: { type: 'string' },
  config: { type: 'string' },
  namespace: { type: 'string', default: 'poolkeeper' },
} as const;

interface Wishes {
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
}

function readWishes(args: readonly string[]): Wishes {
  const read = readArgs(args, flags);
  const hours = Number(read['token-hours']);
  const problems = [
    ...nameProblems(read.name),
    ...(isKubernetesName(read.namespace) ? [] : [`--namespace ${read.namespace}: is not a Kubernetes name`]),
    ...tokenHoursProblems(read['token-hours']),
  ];
  if (problems.length > 0) throw new Misconfigured(problems);
  const name = read.name ?? '';
  return {
    kubeconfig: read.kubeconfig,
    context: read.context,
    name,
    pools: namesOf(read.pools, '--pools'),
    pauses: !read.observe,
    isDryRun: read['dry-run'],
    output: oneOf(read.output, ['text', 'yaml'], '--output'),
    secret: secretName(name, read),
    tokenFolder: read['token-dir'],
    tokenSeconds: Math.round(hours * 3600),
    audience: read.audience,
    config: read.config,
    namespace: read.namespace,
  };
}

/** The characters that poolkeeper.yaml allows. */
export function nameProblems(name: string | undefined): readonly string[] {
  if (name === undefined) return ['--name is missing: choose a name for the cluster'];
  if (/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/.test(name)) return [];
  return [`--name ${name}: must be 1 to 63 lower-case letters, digits, dots and dashes`];
}

/** Name of the secret of a cluster's token in Secrets Manager. */
export function secretName(
  name: string,
  { secret, stage }: { readonly secret?: string | undefined; readonly stage?: string | undefined },
): string | undefined {
  if (secret !== undefined) return secret;
  return stage === undefined ? undefined : `poolkeeper/${stage}/${name}/token`;
}

function objectsFor(
  { namespace, pools: named, pauses, tokenSeconds, audience }: Wishes,
  observed: ClusterSight,
): readonly KubeObject[] {
  const account = { namespace, name: accountName };
  const pools = pauses ? choosePools(observed.pools, named) : [];
  if (pauses && pools.length === 0)
    throw new Misconfigured(['no pool may be paused: name one with --pools, or use --observe for read-only access']);
  return [
    ...accessObjects({ account, pauses, pools, argocdNamespaces: argocdNamespaces(observed) }),
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

function argocdNamespaces({ argocd }: ClusterSight): readonly string[] {
  return argocd?.namespaces ?? [];
}

function sightText({ name, pools: named, pauses }: Wishes, observed: ClusterSight, server: string): string {
  const chosen = pauses ? choosePools(observed.pools, named) : [];
  const others = observed.pools.filter((pool) => !chosen.includes(pool.name)).map((pool) => pool.name);
  const version = [observed.openshift && `OpenShift ${observed.openshift}`, `Kubernetes ${observed.kubernetes}`].filter(
    Boolean,
  );
  const lines = [
    ['Cluster', `${name} at ${server}, ${version.join(', ')}`],
    ...(chosen.length > 0 ? [['May pause', chosen.join(', ')]] : []),
    ...(others.length > 0 ? [['Watches', others.toSorted().join(', ')]] : []),
    [
      'Argo CD',
      observed.argocd === undefined ? 'none found' : `Applications in ${observed.argocd.namespaces.join(', ')}`,
    ],
    ...(!observed.limitsAdmission
      ? [['Policy', 'not available below Kubernetes 1.30: only RBAC limits the account']]
      : []),
    ...compactWarning(observed.pools, chosen),
  ];
  return `${lines.map(([label, text]) => `${label?.padEnd(11)}${text}`).join('\n')}\n\n`;
}

/** Nodes of a compact cluster belong to pool `master`, whatever other roles they have. */
function compactWarning(pools: readonly Pool[], chosen: readonly string[]) {
  const worker = pools.find(({ name }) => name === 'worker');
  if (worker === undefined || worker.counts.machines > 0 || !chosen.includes('worker')) return [];
  return [
    ['Note', 'pool worker has no machines: pausing it protects nothing. In a compact cluster all nodes are in master'],
  ];
}

function planText(planned: readonly PlannedObject[]): string {
  const lines = planned.map(({ object, change }) => `  ${change.padEnd(8)}${objectName(object)}`);
  const unchecked = planned.filter(({ checked }) => !checked).length;
  const said =
    unchecked === 0
      ? 'The API server accepted all objects in a dry run.'
      : `The API server accepted ${planned.length - unchecked} of ${planned.length} objects in a dry run; the others are in a namespace that does not exist yet.`;
  return `${lines.join('\n')}\n${said}\n`;
}

async function finish(
  wishes: Wishes,
  observed: ClusterSight,
  { connection, kubeconfig }: PickedCluster,
  { out, now }: Surroundings,
) {
  const { name, namespace, tokenSeconds, audience } = wishes;
  const token = await requestToken(connection.client, {
    namespace,
    name: accountName,
    lifeSeconds: tokenSeconds,
    audience,
  });
  const seen = await tryToken({ kubeconfig, token, clock: now });
  const store = tokenStore({ name, secret: wishes.secret, folder: wishes.tokenFolder });
  await store.write(token.value);
  out(
    `\nApplied. The service account reads ${seen} pools with its new token, which expires ${minute(token.expiresAt)}.\n`,
  );
  if (hoursOf(token, now()) < (0.9 * tokenSeconds) / 3600) out('The API server issues no longer ones.\n');
  out(`The token is in ${store.where}.\n`);
  await tellEntry(wishes, observed, { kubeconfig, store, out });
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
  const ours: ClusterConnection = connectCluster({
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

interface EntryTelling {
  readonly kubeconfig: PickedCluster['kubeconfig'];
  readonly store: TokenStore;
  readonly out: Surroundings['out'];
}

async function tellEntry({ name, config }: Wishes, observed: ClusterSight, { kubeconfig, store, out }: EntryTelling) {
  const entry: ClusterEntry = {
    name,
    server: kubeconfig.server.replace(/\/+$/, ''),
    ca: kubeconfig.ca,
    skipTLSVerify: kubeconfig.skipTLSVerify ?? false,
    tokenSecret: store.tokenSecret,
    argocd: observed.argocd,
  };
  if (config === undefined) out(`\nAdd to poolkeeper.yaml:\n\n${entryYaml(entry)}\n`);
  else {
    await addEntry(config, entry);
    out(`The cluster is in ${config}.\n`);
  }
  if (store.afterwards !== '') out(`For a Poolkeeper on this machine: ${store.afterwards}\n`);
  if (observed.argocd !== undefined)
    out(
      'To have Argo CD notify Poolkeeper of syncs: npx poolkeeper manifests --only notifications,argocd-settings --help\n',
    );
}

function hoursOf({ expiresAt }: IssuedToken, now: Date): number {
  return (Date.parse(expiresAt) - now.getTime()) / 3_600_000;
}

function minute(instant: string): string {
  return `${instant.slice(0, 16)}Z`;
}

import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import { listContexts } from '../../functions/adapters/kubernetes/kubeconfig.ts';
import type { ClusterSettings } from '../../functions/core/configuration/cluster.ts';
import type { ManualChange } from '../../functions/core/holds/manual-hold.ts';
import { isManaged } from '../../functions/core/openshift/managed-pools.ts';
import { isRequiredForUpgrade, type Pool } from '../../functions/core/openshift/pool.ts';
import { BadInput, Misconfigured, Transient } from '../../functions/core/text/errors.ts';
import { listed } from '../../functions/core/text/phrases.ts';
import type { PoolEvent } from '../../functions/ports/cluster.ts';
import { ChangeInDoubt } from './change-in-doubt.ts';
import { type PoolsFlags, scopeOf } from './cluster-flags.ts';
import type { Surroundings } from './command.ts';
import { configurationFile } from './configuration-file.ts';
import { isSameServer } from './connection/configuration-entry.ts';
import { askSelf, kubeconfigFiles } from './pick-cluster.ts';
import { pickNamedCluster } from './pick-named-cluster.ts';
import { writeByHand } from './write-pool.ts';

/** The pools of one cluster, with the person's own permissions. */
export interface ChosenCluster {
  /** Name in poolkeeper.yaml, or of the context. */
  readonly name: string;
  /** The context of the kubeconfig that leads there. */
  readonly context: string;
  /** As the API server knows the person. */
  readonly who: string;
  /** How far its clock is ahead of ours, milliseconds. */
  readonly aheadMs: number;
  readonly connection: ClusterConnection;
  readonly pools: readonly Pool[];
  /** Pools that are left alone on purpose, and why. */
  readonly left: readonly { readonly pool: Pool; readonly why: string }[];
  /** Pools that cannot be changed, because they or their records cannot be read. */
  readonly unread: readonly string[];
}

/** Calls `act` with each cluster that the flags are about, one after the other. Clusters of the fleet that cannot be
 *  reached do not keep the others: they are returned, in words. Throws Misconfigured, and Transient for a single
 *  cluster. */
export async function eachCluster(
  flags: PoolsFlags,
  surroundings: Surroundings,
  act: (cluster: ChosenCluster) => Promise<void>,
): Promise<readonly string[]> {
  if (scopeOf(flags) !== 'fleet') {
    await withCluster({ context: flags.context, settings: undefined }, { flags, surroundings, act });
    return [];
  }
  const missed: string[] = [];
  for (const { name, context, settings } of await fleetContexts(flags, surroundings)) {
    if (context === undefined) missed.push(`${name}: no context of the kubeconfig is for ${settings.api.server}`);
    else
      await withCluster({ context, settings }, { flags, surroundings, act }).catch((cause: unknown) => {
        if (!(cause instanceof Transient) && !(cause instanceof Misconfigured)) throw cause;
        missed.push(`${name}: ${cause.message}`);
      });
  }
  return missed;
}

async function withCluster(
  { context, settings }: { readonly context: string | undefined; readonly settings: ClusterSettings | undefined },
  asked: {
    readonly flags: PoolsFlags;
    readonly surroundings: Surroundings;
    readonly act: (cluster: ChosenCluster) => Promise<void>;
  },
): Promise<void> {
  const { flags, surroundings, act } = asked;
  const { connection, kubeconfig, settings: own } = await pickNamedCluster({ ...flags, context }, surroundings);
  try {
    const self = await askSelf(connection, surroundings);
    const chosen = await choosePools(connection, flags, settings ?? own);
    const name = (settings ?? own)?.name ?? kubeconfig.context;
    await act({ name, context: kubeconfig.context, ...self, connection, ...chosen });
  } finally {
    await connection.close();
  }
}

async function fleetContexts({ config, kubeconfig }: PoolsFlags, surroundings: Surroundings) {
  const { readConfigurationFile } = await import('./configured-clusters.ts');
  const { clusters } = await readConfigurationFile(await configurationFile(config, surroundings));
  const contexts = await listContexts(kubeconfigFiles(kubeconfig, surroundings.environment));
  return clusters.map((settings) => ({
    name: settings.name,
    settings,
    context: contexts.find(({ server }) => isSameServer(server, settings.api.server))?.name,
  }));
}

async function choosePools(
  connection: ClusterConnection,
  { pool: wanted, required }: PoolsFlags,
  settings: ClusterSettings | undefined,
): Promise<Pick<ChosenCluster, 'pools' | 'left' | 'unread'>> {
  const { items, unreadable } = await connection.pools.listPools();
  if (wanted !== undefined) {
    const pool = items.find(({ name }) => name === wanted);
    const known = [...items, ...unreadable].map(({ name }) => name);
    if (pool === undefined)
      throw new Misconfigured([
        known.includes(wanted)
          ? `pool ${wanted} cannot be read`
          : `there is no pool ${wanted}; the cluster has ${known.length === 0 ? 'none' : listed(known.toSorted(), 20)}`,
      ]);
    if (isRequiredForUpgrade(pool) && !required)
      throw new Misconfigured([`cluster upgrades wait for pool ${wanted}; use --required to include it anyway`]);
    return { pools: [pool], left: [], unread: [] };
  }
  const readable = items.filter(({ record }) => record.kind !== 'unreadable');
  const each = readable.map((pool) => ({ pool, why: whyLeft(pool, { required, settings }) }));
  return {
    pools: each.flatMap(({ pool, why }) => (why === undefined ? [pool] : [])),
    left: each.flatMap(({ pool, why }) => (why === undefined ? [] : [{ pool, why }])),
    unread: [...items.filter(({ record }) => record.kind === 'unreadable'), ...unreadable].map(({ name }) => name),
  };
}

function whyLeft(
  pool: Pool,
  { required, settings }: { readonly required: boolean; readonly settings: ClusterSettings | undefined },
): string | undefined {
  if (settings !== undefined && isManaged(settings, pool)) return undefined;
  if (isRequiredForUpgrade(pool)) return required ? undefined : 'cluster upgrades wait for it; --required includes it';
  return settings === undefined ? undefined : 'only observed';
}

/** `worker (only observed), canary (only observed)`. */
export function leftWords(left: ChosenCluster['left']): string {
  return left.map(({ pool, why }) => `${pool.name} (${why})`).join(', ');
}

/** What became of one pool, in words. */
export interface DonePool {
  readonly pool: string;
  readonly said: string;
  readonly failed: boolean;
  readonly change: ManualChange | undefined;
}

/** Writes each pool, or with `isDryRun` only says what would be written. What cannot be written keeps no other pool. */
export async function writeEach(
  { connection, pools }: ChosenCluster,
  {
    decide,
    event,
    isDryRun,
  }: {
    readonly decide: (pool: Pool) => ManualChange;
    readonly event: (done: ManualChange) => PoolEvent;
    readonly isDryRun: boolean;
  },
): Promise<readonly DonePool[]> {
  const done: DonePool[] = [];
  for (const pool of pools) {
    try {
      const change = isDryRun ? decide(pool) : await writeByHand(connection.pools, { pool: pool.name, decide, event });
      done.push({ pool: pool.name, said: change.said, failed: false, change });
    } catch (cause) {
      if (!(cause instanceof Transient) && !(cause instanceof Misconfigured) && !(cause instanceof BadInput))
        throw cause;
      const said =
        cause instanceof ChangeInDoubt ? `did not answer: ${cause.message}` : `was not changed: ${cause.message}`;
      done.push({ pool: pool.name, said, failed: true, change: undefined });
    }
  }
  return done;
}

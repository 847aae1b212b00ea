import type { ObservedNodes, ObservedPool } from '../../core/judge/input.ts';
import {
  type ClusterRollouts,
  type Followed,
  follow,
  type ListedPool,
  nodesToRead,
  noRollouts,
} from '../../core/node-rollouts/follow.ts';
import { lookAtNode, type NodeReading } from '../../core/node-rollouts/node-reading.ts';
import type { PoolMark } from '../../core/node-rollouts/pool-mark.ts';
import { membersOf } from '../../core/openshift/membership.ts';
import { isInFlight, type Node } from '../../core/openshift/node.ts';
import type { NodeRollout } from '../../core/openshift/node-rollout.ts';
import { isRolling, type Pool } from '../../core/openshift/pool.ts';
import type { Cause } from '../../core/openshift/render-cause.ts';
import { Transient } from '../../core/text/errors.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { whyUnread } from '../read/why-unread.ts';
import { inquireAll } from './look-into.ts';

/** Nodes per pool that one pass reads in detail, one or two GETs each. The others are followed by metadata alone. */
const readsPerPool = 5;

/** What is known of a cluster's nodes and pools in this pass. */
export interface Following {
  /** As they were before the nodes were read. */
  readonly stored: ClusterRollouts;
  readonly pools: readonly ObservedPool[];
  /** Pools that cannot be parsed. They exist as well: the rollouts of their nodes stay as they are. */
  readonly unreadablePools: readonly string[];
  /** All nodes of the cluster that can be assigned to a pool, where a sweep read them. */
  readonly everyNode: ObservedNodes;
  /** Names of all of them, and of those that cannot be parsed. */
  readonly names: ReadonlySet<string> | undefined;
  /** Names of nodes that cannot be parsed. */
  readonly unreadableNodes: ReadonlySet<string>;
  /** How the pools stood at the last pass. */
  readonly marks: Readonly<Record<string, PoolMark>>;
  /** Why a pool got a rendered config, as far as known. */
  readonly causesOf: (pool: string, rendered: string) => readonly Cause[];
  readonly now: Date;
}

/** Undefined if they could not be read, which does not stop the judgement. */
export async function loadRollouts(
  cluster: string,
  { nodeRollouts, logger }: Pick<KeepPorts, 'nodeRollouts' | 'logger'>,
): Promise<ClusterRollouts | undefined> {
  try {
    return (await nodeRollouts.load(cluster)) ?? noRollouts(cluster);
  } catch (cause) {
    const why = whyUnread(cause, logger);
    logger.warn('the rollouts of the nodes could not be read', { cluster, why });
    return undefined;
  }
}

/** Advances the rollouts of the nodes that were read; a quiet pass reads nothing. Undefined: nothing was followed, or
 *  it could not be, which does not stop the judgement. Nothing is written here. */
export async function followNodes(
  following: Following,
  cluster: ClusterPorts,
  { logger }: Pick<KeepPorts, 'logger'>,
): Promise<Followed | undefined> {
  try {
    return await followListed(following, cluster);
  } catch (cause) {
    const why = whyUnread(cause, logger);
    logger.warn('the rollouts of the nodes could not be followed', { cluster: following.stored.cluster, why });
    return undefined;
  }
}

async function followListed(following: Following, cluster: ClusterPorts): Promise<Followed | undefined> {
  const { stored, marks, names, unreadableNodes, now } = following;
  const all = following.pools.map(({ pool }) => pool);
  const seen = following.pools.flatMap(({ pool, nodes }) => listed(pool, nodes, following));
  if (seen.length === 0) return undefined;
  const exists = (name: string) => following.unreadablePools.includes(name) || all.some((pool) => pool.name === name);
  const known = { ...stored, open: stored.open.filter(({ pool }) => exists(pool)) };
  const looked = await Promise.all(
    seen.map(async (pool) => ({
      ...pool,
      looks: await lookAt(nodesToRead(known, pool, marks, readsPerPool), pool, { known, cluster, now }),
      causesOf: (rendered: string) => following.causesOf(pool.pool, rendered),
    })),
  );
  return follow(known, looked, {
    readAt: now.toISOString(),
    marks,
    everyNode: names,
    unreadable: unreadableNodes,
  });
}

/** The members of a pool, if they were read for it or by a sweep. */
function listed(pool: Pool, nodes: ObservedNodes, { pools, everyNode }: Following): readonly ListedPool[] {
  const read = nodes.kind === 'seen' ? nodes : everyNode;
  if (read.kind !== 'seen') return [];
  const all = pools.map((each) => each.pool);
  const rollsTo = isRolling(pool) ? { rollsTo: pool.target.name } : {};
  return [{ pool: pool.name, nodes: membersOf(pool, all, read.value), ...rollsTo }];
}

async function lookAt(
  nodes: readonly Node[],
  { rollsTo }: ListedPool,
  { known, cluster, now }: { readonly known: ClusterRollouts; readonly cluster: ClusterPorts; readonly now: Date },
): Promise<ReadonlyMap<string, NodeReading>> {
  const looks = nodes.map(async (node) => {
    const rollout = known.open.find((each) => each.node === node.name);
    // Of a node that is still to be updated only the boot id is of interest.
    const isAwaited =
      rollout === undefined && !isInFlight(node) && rollsTo !== undefined && node.currentConfig !== rollsTo;
    const hasMachine = !isAwaited && rollout?.machine !== 'absent';
    const look = await inquireAll(() => lookAtNode(node, { hasMachine }), cluster.reader, { maxCalls: 2, readAt: now });
    return [node.name, look] as const;
  });
  return new Map(await Promise.all(looks));
}

/** What this pass may publish of the rollouts that it followed. */
export interface Claimed {
  readonly ended: readonly NodeRollout[];
  /** As stored; undefined: not stored, because another pass was faster or the table failed. The next pass arrives at
   *  the same result. */
  readonly rollouts: ClusterRollouts | undefined;
}

/** Stores the rollouts, with those that ended as yet to be published: of passes that overlap, one publishes them, and
 *  if it dies, the next. */
export async function claimRollouts(
  followed: Followed | undefined,
  ports: Pick<KeepPorts, 'nodeRollouts' | 'logger'>,
): Promise<Claimed> {
  if (followed === undefined) return { ended: [], rollouts: undefined };
  const { rollouts, ended } = followed;
  if (!followed.changed) return { ended, rollouts };
  const isStored = await stored(() => ports.nodeRollouts.save(rollouts), rollouts.cluster, ports);
  return isStored
    ? { ended, rollouts: { ...rollouts, version: rollouts.version + 1 } }
    : { ended: [], rollouts: undefined };
}

/** Keeps the rollouts that were published for later questions. False: they may be published once more. */
export async function keepEnded(
  { ended, rollouts }: Claimed,
  ports: Pick<KeepPorts, 'nodeRollouts' | 'logger'>,
): Promise<boolean> {
  if (rollouts === undefined) return false;
  if (ended.length === 0) return true;
  const { untold: _, ...rest } = rollouts;
  const keep = async () => {
    await ports.nodeRollouts.keep(ended);
    return ports.nodeRollouts.save(rest);
  };
  return stored(keep, rollouts.cluster, ports);
}

/** A failure is no reason to repeat the pass. */
async function stored(
  write: () => Promise<boolean>,
  cluster: string,
  { logger }: Pick<KeepPorts, 'logger'>,
): Promise<boolean> {
  try {
    const isFirst = await write();
    if (!isFirst) logger.info('another pass followed the nodes first', { cluster });
    return isFirst;
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('the rollouts of the nodes could not be stored', { cluster, why: cause.message });
    return false;
  }
}

import type { ObservedPool } from '../../core/judge/input.ts';
import { membersOf } from '../../core/judge/members.ts';
import {
  type ClusterRollouts,
  type Followed,
  follow,
  nodesToRead,
  noRollouts,
} from '../../core/node-rollouts/follow.ts';
import { lookAtNode, type NodeReading } from '../../core/node-rollouts/node-reading.ts';
import type { Node } from '../../core/openshift/node.ts';
import type { Cause } from '../../core/openshift/render-cause.ts';
import { Transient } from '../../core/text/errors.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { whyUnread } from '../read/why-unread.ts';
import { inquireAll } from './look-into.ts';

/** Nodes per pool that one pass reads in detail, one or two GETs each. The others are followed by metadata alone. */
const readsPerPool = 5;

export interface Following {
  readonly cluster: string;
  readonly pools: readonly ObservedPool[];
  /** They exist as well: their rollouts stay as they are. */
  readonly unreadablePools: readonly string[];
  /** Why a pool got a rendered config, as far as known. */
  readonly causesOf: (pool: string, rendered: string) => readonly Cause[];
  readonly now: Date;
}

/** Advances the rollouts of the nodes that were read; a quiet pass reads nothing. Undefined: nothing was followed, or
 *  the stored rollouts could not be read, which does not stop the judgement. Nothing is written here. */
export async function followNodes(
  following: Following,
  cluster: ClusterPorts,
  { nodeRollouts, logger }: Pick<KeepPorts, 'nodeRollouts' | 'logger'>,
): Promise<Followed | undefined> {
  const all = following.pools.map(({ pool }) => pool);
  const seen = following.pools.flatMap(({ pool, nodes }) =>
    nodes.kind === 'seen' ? [{ pool: pool.name, nodes: membersOf(pool, all, nodes.value) }] : [],
  );
  if (seen.length === 0) return undefined;
  try {
    const stored = (await nodeRollouts.load(following.cluster)) ?? noRollouts(following.cluster);
    const names = new Set([...all.map((pool) => pool.name), ...following.unreadablePools]);
    const exists = (name: string) => names.has(name);
    const known = { ...stored, open: stored.open.filter(({ pool }) => exists(pool)) };
    const looked = await Promise.all(
      seen.map(async ({ pool, nodes }) => ({
        pool,
        nodes,
        looks: await lookAt(nodesToRead(known, pool, nodes, readsPerPool), known, { cluster, now: following.now }),
        causesOf: (rendered: string) => following.causesOf(pool, rendered),
      })),
    );
    return follow(known, looked, following.now.toISOString());
  } catch (cause) {
    const why = whyUnread(cause, logger);
    logger.warn('the rollouts of the nodes could not be read', { cluster: following.cluster, why });
    return undefined;
  }
}

async function lookAt(
  nodes: readonly Node[],
  { open }: ClusterRollouts,
  { cluster, now }: { readonly cluster: ClusterPorts; readonly now: Date },
): Promise<ReadonlyMap<string, NodeReading>> {
  const looks = nodes.map(async (node) => {
    const hasMachine = open.find((rollout) => rollout.node === node.name)?.machine !== 'absent';
    const look = await inquireAll(() => lookAtNode(node, { hasMachine }), cluster.reader, { maxCalls: 2, readAt: now });
    return [node.name, look] as const;
  });
  return new Map(await Promise.all(looks));
}

/** Stores the rollouts. A failure is no reason to repeat the pass: the next one arrives at the same result. */
export async function keepRollouts(
  followed: Followed | undefined,
  { nodeRollouts, logger }: Pick<KeepPorts, 'nodeRollouts' | 'logger'>,
): Promise<void> {
  if (followed === undefined || !followed.changed) return;
  const { cluster } = followed.rollouts;
  try {
    await nodeRollouts.keep(followed.ended);
    if (!(await nodeRollouts.save(followed.rollouts)))
      logger.info('another pass followed the nodes first', { cluster });
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('the rollouts of the nodes could not be stored', { cluster, why: cause.message });
  }
}

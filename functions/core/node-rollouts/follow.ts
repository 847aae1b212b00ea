import type { Node } from '../openshift/node.ts';
import { type NodeRollout, stepOf } from '../openshift/node-rollout.ts';
import type { Cause } from '../openshift/render-cause.ts';
import { advanceRollout, beginRollout, endRollout } from './advance-rollout.ts';
import type { NodeReading } from './node-reading.ts';
import { noPace, type Pace, withRollout } from './pace.ts';

/** Node state of a cluster kept between passes. */
export interface ClusterRollouts {
  readonly cluster: string;
  /** Optimistic lock; 0: never stored. */
  readonly version: number;
  /** Updates in progress. */
  readonly open: readonly NodeRollout[];
  /** By pool. */
  readonly paces: Readonly<Record<string, Pace>>;
}

export function noRollouts(cluster: string): ClusterRollouts {
  return { cluster, version: 0, open: [], paces: {} };
}

/** One pool whose nodes were read in this pass. */
export interface PoolNodes {
  readonly pool: string;
  readonly nodes: readonly Node[];
  /** By node name, for those that were read in detail. */
  readonly looks: ReadonlyMap<string, NodeReading>;
  /** Why the pool got this rendered config; empty if unknown. */
  readonly causesOf: (rendered: string) => readonly Cause[];
}

export interface Followed {
  readonly rollouts: ClusterRollouts;
  /** Rollouts that ended in this pass. */
  readonly ended: readonly NodeRollout[];
  readonly changed: boolean;
}

/** Applies one pass. Pools whose nodes were not read keep their rollouts. */
export function follow(before: ClusterRollouts, seen: readonly PoolNodes[], readAt: string): Followed {
  const { cluster } = before;
  const read = new Set(seen.map(({ pool }) => pool));
  const untouched = before.open.filter(({ pool }) => !read.has(pool));
  const advanced = seen.flatMap((each) => followPool(before, each, readAt));
  const ended = advanced.filter((rollout) => rollout.ended !== undefined);
  const open = [...untouched, ...advanced.filter((rollout) => rollout.ended === undefined)];
  const paces = ended.reduce<Record<string, Pace>>(
    (all, rollout) => {
      all[rollout.pool] = withRollout(all[rollout.pool] ?? noPace, rollout);
      return all;
    },
    { ...before.paces },
  );
  return {
    rollouts: { cluster, version: before.version, open, paces },
    ended,
    changed: ended.length > 0 || !isSame(before.open, open),
  };
}

function followPool({ cluster, open }: ClusterRollouts, { pool, nodes, looks, causesOf }: PoolNodes, readAt: string) {
  const known = new Map(open.filter((rollout) => rollout.pool === pool).map((rollout) => [rollout.node, rollout]));
  const found = nodes.flatMap((node): readonly NodeRollout[] => {
    const rollout = known.get(node.name);
    known.delete(node.name);
    const observed = { cluster, pool, node, readAt, look: looks.get(node.name), causes: causesOf(node.desiredConfig) };
    const advanced = rollout && advanceRollout(rollout, observed);
    const isOver = advanced === undefined || advanced.ended !== undefined;
    const next = isOver ? beginRollout(observed) : undefined;
    return [advanced, next].filter((each) => each !== undefined);
  });
  const gone = [...known.values()].map((rollout) => endRollout(rollout, 'gone', { at: readAt, told: false }));
  return [...found, ...gone];
}

/** Nodes worth a detailed read: first those at which it settles something (a boot id before and after, the times of an
 *  end), then those that have been updating the longest. */
export function nodesToRead(
  rollouts: ClusterRollouts,
  pool: string,
  nodes: readonly Node[],
  limit: number,
): readonly Node[] {
  const known = new Map(rollouts.open.filter((each) => each.pool === pool).map((each) => [each.node, each]));
  const urgent = (node: Node) => {
    const rollout = known.get(node.name);
    return rollout === undefined || rollout.boots.length === 0 || rollout.step !== stepOf(node) ? 0 : 1;
  };
  const begunAt = (node: Node) => known.get(node.name)?.begun.at ?? '~';
  return nodes
    .filter((node) => stepOf(node) !== undefined || known.has(node.name))
    .toSorted((a, b) => urgent(a) - urgent(b) || compare(begunAt(a), begunAt(b)) || compare(a.name, b.name))
    .slice(0, limit);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function isSame(before: readonly NodeRollout[], after: readonly NodeRollout[]): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

import type { Pool } from '../openshift/pool.ts';
import { isPast, plusSeconds } from '../text/instant.ts';

/** What the last pass of a cluster stored in the places of the budget, so that a pass in which nothing has changed
 *  neither reads nor writes them. */
export interface KeptPlaces {
  /** Pools that rolled. */
  readonly pools: readonly string[];
  /** Nodes of all pools. */
  readonly nodes: number;
  /** ISO instant from which they are written again, although nothing has changed. */
  readonly renewAt: string;
}

/** Seconds: half as long as a place of a rolling pool is kept (places.ts). */
const renewAfterSeconds = 12 * 3600;

export function keptPlaces(rolling: readonly string[], pools: readonly Pool[], now: Date): KeptPlaces {
  return {
    pools: rolling.toSorted(),
    nodes: nodesOf(pools),
    renewAt: plusSeconds(now, renewAfterSeconds),
  };
}

/** Whether nothing has changed since. */
export function areStillKept(before: KeptPlaces | undefined, { pools, nodes }: KeptPlaces, now: Date): boolean {
  if (before === undefined || isPast(before.renewAt, now)) return false;
  return before.nodes === nodes && before.pools.join() === pools.join();
}

export function nodesOf(pools: readonly Pool[]): number {
  return pools.reduce((sum, { counts }) => sum + counts.machines, 0);
}

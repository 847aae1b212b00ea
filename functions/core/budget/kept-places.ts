import { nodesTogether } from '../impact/nodes-at-once.ts';
import type { Pool } from '../openshift/pool.ts';
import { earliest, isPast, plusSeconds } from '../text/instant.ts';
import type { Place } from './place.ts';

/** What the last pass of a cluster stored in the places of the budget, so that a pass in which nothing has changed
 *  neither reads nor writes them. */
export interface KeptPlaces {
  /** Pools that rolled, or may have. */
  readonly pools: readonly string[];
  /** Nodes that each of them takes at once; absent: not known. */
  readonly sizes?: Readonly<Record<string, number>> | undefined;
  /** Nodes of all pools. */
  readonly nodes: number;
  /** ISO instant from which they are written again, although nothing has changed. */
  readonly renewAt: string;
}

/** Seconds: half as long as a place of a rolling pool is kept (places.ts). */
const renewAfterSeconds = 12 * 3600;

/** @param unknown pools that had a place, and of which it is not known whether they roll */
export function keptPlaces(
  { rolling, unknown }: { readonly rolling: readonly Pool[]; readonly unknown: readonly string[] },
  pools: readonly Pool[],
  now: Date,
): KeptPlaces {
  const sizes = rolling.map((pool) => [pool.name, pool.paused ? 0 : nodesTaken(pool)] as const);
  return {
    pools: [...rolling.map(({ name }) => name), ...unknown].toSorted(),
    sizes: Object.fromEntries(sizes),
    nodes: nodesOf(pools),
    renewAt: plusSeconds(now, renewAfterSeconds),
  };
}

/** The same, written again as soon as a place of the cluster may end that nobody uses.
 *  @param after seconds from the taking of such a place */
export function keptUntilUnused(kept: KeptPlaces, places: readonly Place[], after: number): KeptPlaces {
  const unused = places.filter(({ pool }) => !kept.pools.includes(pool));
  const ends = unused.map(({ since }) => plusSeconds(new Date(since), after));
  return { ...kept, renewAt: earliest([kept.renewAt, ...ends]) ?? kept.renewAt };
}

/** Whether nothing has changed since. */
export function areStillKept(before: KeptPlaces | undefined, { pools, nodes, sizes }: KeptPlaces, now: Date): boolean {
  if (before === undefined || isPast(before.renewAt, now)) return false;
  const isSameSize = (pool: string) => before.sizes?.[pool] === sizes?.[pool];
  return before.nodes === nodes && before.pools.join() === pools.join() && pools.every(isSameSize);
}

export function nodesOf(pools: readonly Pool[]): number {
  return pools.reduce((sum, { counts }) => sum + counts.machines, 0);
}

/** Nodes that a pool takes at once: as many as it may, and of those that it has taken the ones that are still away. */
export function nodesTaken({ maxUnavailable, counts }: Pool, taken = counts.machines): number {
  return Math.max(nodesTogether(maxUnavailable, counts.machines), Math.min(taken, counts.unavailable));
}

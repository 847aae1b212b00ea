import { fewHolds } from '../core/timeline/few-holds.ts';
import type { ClusterView } from '../core/timeline/view.ts';
import { cutsOfPools, fewPools, sizeOf } from '../core/timeline/view-cuts.ts';
import type { ClusterStatus } from './status.ts';

/** Bytes of a page for all clusters that are shown with their pools. A Lambda function may answer with 6 MB, and there
 *  are incidents, runs and a timeline besides. */
const roomBytes = 4_000_000;

/** A cluster, and what it is shown of. */
export interface Shown {
  readonly status: ClusterStatus;
  /** Undefined: it was never read. */
  readonly view: ClusterView | undefined;
}

/** Each cluster as far as there is room on the page of all. Whoever has little is shown whole: what one has too much
 *  of, as holds that a tenant makes up, takes room from no other. The first, which needs people most, has at least a
 *  quarter.
 *  @param statusOf what is shown of a view */
export function fitClusters(
  clusters: readonly Shown[],
  statusOf: (view: ClusterView) => ClusterStatus,
): readonly ClusterStatus[] {
  const all = clusters.map((shown) => ({ ...shown, cost: costOf(shown.status) }));
  const [first, ...others] = all;
  if (first === undefined) return [];
  const inRoom = (shown: Costed, bytes: number) => fitted(shown, bytes, statusOf);
  const bySize = others.toSorted((a, b) => a.cost - b.cost);
  const besides = bySize.reduce((sum, { cost }) => sum + cost, 0);
  const found = new Map([[first, inRoom(first, Math.max(roomBytes / 4, roomBytes - besides))]]);
  let left = roomBytes - (found.get(first) ?? first).cost;
  for (const [nth, shown] of bySize.entries()) {
    const fitting = inRoom(shown, left / (bySize.length - nth));
    found.set(shown, fitting);
    left -= fitting.cost;
  }
  return all.map((shown) => (found.get(shown) ?? shown).status);
}

interface Costed extends Shown {
  /** Bytes of the page. */
  readonly cost: number;
}

type Fitted = Pick<Costed, 'status' | 'cost'>;

function fitted({ status, view, cost }: Costed, bytes: number, statusOf: (view: ClusterView) => ClusterStatus): Fitted {
  if (view === undefined || cost <= bytes) return { status, cost };
  const { holders, holdersLeftOut } = status;
  // Those are of all holds, also where a pool does not name them.
  const all = holders !== undefined && sizeOf(holders) <= bytes / 10 ? { holders, holdersLeftOut } : {};
  const inShort = (shorter: ClusterView) => {
    const short = { ...statusOf(shorter), ...all, inShort: true as const };
    return { status: short, cost: costOf(short) };
  };
  let shorter = view;
  for (const cut of [fewerHolds, ...cutsOfPools()]) {
    shorter = cut(shorter);
    // What certainly has no room is not made: it may be large.
    const fitting = isLarger(shorter, bytes / leastCost) ? undefined : inShort(shorter);
    if (fitting !== undefined && fitting.cost <= bytes) return fitting;
  }
  const perViewed = costOf(statusOf(shorter)) / sizeOf(shorter);
  // Those that need people most, which stay, are larger than others.
  for (const part of [0.95, 0.8, 0.5]) {
    const some = inShort(fewPools(shorter, (bytes * part) / perViewed));
    if (some.cost <= bytes) return some;
  }
  return inShort(fewPools(shorter, bytes / mostPerViewed));
}

/** Whether a view has more than so many bytes of JSON. Pool by pool: one that has many times as much is not written
 *  out to its end. */
function isLarger(view: ClusterView, bytes: number): boolean {
  const commas = Math.max(view.pools.length - 1, 0);
  let left = bytes - sizeOf({ ...view, pools: [] }) - commas;
  return (
    left < 0 ||
    view.pools.some((pool) => {
      left -= sizeOf(pool);
      return left < 0;
    })
  );
}

function fewerHolds(view: ClusterView): ClusterView {
  return {
    ...view,
    pools: view.pools.map((pool) => ({ ...pool, holds: fewHolds(pool.holds, { all: 9, people: 9 }) })),
  };
}

/** Bytes of a page for each of JSON. */
const leastCost = 2.6;

/** On the page, and in the answer that has it as a text. Measured: 2.6 bytes for each of its JSON at most, as of pools
 *  at rest, and 4.8 of races. */
function costOf({ pools, ...cluster }: ClusterStatus): number {
  const races = pools.reduce((sum, pool) => sum + JSON.stringify(pool.races).length, 0);
  return leastCost * Buffer.byteLength(JSON.stringify({ pools, ...cluster })) + 2.2 * races;
}

/** Bytes of a page for each of a view that is cut as far as it can be. */
const mostPerViewed = 9;

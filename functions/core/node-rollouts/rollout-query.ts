import type { NodeRollout } from '../openshift/node-rollout.ts';
import type { Cause } from '../openshift/render-cause.ts';

/** Filter for ended rollouts. An omitted field does not restrict it. */
export interface RolloutQuery {
  readonly cluster?: string | undefined;
  readonly pool?: string | undefined;
  readonly node?: string | undefined;
  /** A prefix of a commit. */
  readonly commit?: string | undefined;
  /** At most this many. */
  readonly limit: number;
}

function fitsQuery(rollout: NodeRollout, { cluster, pool, node, commit }: RolloutQuery): boolean {
  return (
    (cluster === undefined || rollout.cluster === cluster) &&
    (pool === undefined || rollout.pool === pool) &&
    (node === undefined || rollout.node === node) &&
    (commit === undefined || rollout.causes.some(({ by }) => commitsOf(by).some((each) => each.startsWith(commit))))
  );
}

/** Ended rollouts that match, the latest begun first. */
export interface FoundRollouts {
  readonly rollouts: readonly NodeRollout[];
  /** More match, and are left out by the limit. Absent: no. */
  readonly isCut?: boolean | undefined;
  /** So many of the newest of all clusters were looked at, and older ones were not. Absent: all of them, or enough for
   *  the limit. */
  readonly searched?: number | undefined;
}

/** Ended rollouts that one query with a filter reads at most, a little more than 1 kB each. */
const mostSearched = 5_000;

/** How many of the newest ended rollouts of all clusters a query looks at: those that it uses, and one that says
 *  whether there are more. */
export function wantedOf(query: RolloutQuery): number {
  return query.limit === 0 ? 0 : usedOf(query) + 1;
}

function usedOf(query: RolloutQuery): number {
  return asksForAll(query) ? query.limit : mostSearched;
}

/** @param newest as many as {@link wantedOf} says, if there are so many, the latest begun first */
export function foundAmong(newest: readonly NodeRollout[], query: RolloutQuery): FoundRollouts {
  const used = usedOf(query);
  const isMore = newest.length > used;
  const fitting = newest.slice(0, used).filter((rollout) => fitsQuery(rollout, query));
  const isCut = fitting.length > query.limit || (isMore && asksForAll(query));
  return {
    rollouts: fitting.slice(0, query.limit),
    isCut,
    searched: isMore && !isCut ? used : undefined,
  };
}

/** No filter except the limit. */
function asksForAll({ cluster, pool, node, commit }: RolloutQuery): boolean {
  return [cluster, pool, node, commit].every((each) => each === undefined);
}

function commitsOf(by: Cause['by']): readonly string[] {
  return by === undefined ? [] : [by.revision, ...(by.oneOf ?? [])];
}

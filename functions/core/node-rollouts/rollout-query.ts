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

export function fitsQuery(rollout: NodeRollout, { cluster, pool, node, commit }: RolloutQuery): boolean {
  return (
    (cluster === undefined || rollout.cluster === cluster) &&
    (pool === undefined || rollout.pool === pool) &&
    (node === undefined || rollout.node === node) &&
    (commit === undefined || rollout.causes.some(({ by }) => commitsOf(by).some((each) => each.startsWith(commit))))
  );
}

/** No filter except the limit. */
export function asksForAll({ cluster, pool, node, commit }: RolloutQuery): boolean {
  return [cluster, pool, node, commit].every((each) => each === undefined);
}

function commitsOf(by: Cause['by']): readonly string[] {
  return by === undefined ? [] : [by.revision, ...(by.oneOf ?? [])];
}

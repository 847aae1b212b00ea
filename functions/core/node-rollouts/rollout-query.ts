import type { NodeRollout } from '../openshift/node-rollout.ts';

/** Which ended stories are asked for. What is left out does not narrow it. */
export interface RolloutQuery {
  readonly cluster?: string | undefined;
  readonly pool?: string | undefined;
  readonly node?: string | undefined;
  /** The beginning of a commit, as long as one likes. */
  readonly commit?: string | undefined;
  /** At most so many. */
  readonly limit: number;
}

export function fitsQuery(rollout: NodeRollout, { cluster, pool, node, commit }: RolloutQuery): boolean {
  return (
    (cluster === undefined || rollout.cluster === cluster) &&
    (pool === undefined || rollout.pool === pool) &&
    (node === undefined || rollout.node === node) &&
    (commit === undefined || rollout.causes.some(({ by }) => by?.revision.startsWith(commit) === true))
  );
}

/** Nothing but the number is asked: every story fits. */
export function asksForAll({ cluster, pool, node, commit }: RolloutQuery): boolean {
  return [cluster, pool, node, commit].every((each) => each === undefined);
}

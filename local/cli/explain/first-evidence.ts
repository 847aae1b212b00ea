import type { Policy } from '../../../functions/core/configuration/policy.ts';
import { toldDegraded } from '../../../functions/core/judge/degraded-alone.ts';
import { lookAfterSeconds, symptomOf } from '../../../functions/core/judge/phases.ts';
import { membersOf } from '../../../functions/core/openshift/membership.ts';
import type { Node } from '../../../functions/core/openshift/node.ts';
import { condition, type Pool } from '../../../functions/core/openshift/pool.ts';
import { isPast, plusSeconds } from '../../../functions/core/text/instant.ts';

/** The judgement examines unready nodes after five minutes; a person who asks has waited long enough. */
const unavailableSeconds = 300;

export interface FirstEvidence {
  /** By the keys of the judgement (core/judge/pool-state.ts). */
  readonly firstSeen: Readonly<Record<string, string>>;
  /** Start times that nothing records: of the look itself, or assumed to be just old enough for a diagnosis. Never
   *  shown. */
  readonly assumed: ReadonlySet<string>;
}

/** Start times that the cluster itself records, for a single look without a history: for a node when it was targeted,
 *  or failed, for a stall when the pool began to update, for what a pool says of itself when it began to say so. Of
 *  each clock of the judgement a test says which that is, or why there is none. */
export function firstEvidence(
  pools: readonly { readonly pool: Pool; readonly nodes: readonly Node[] }[],
  { policy, now }: { readonly policy: Policy; readonly now: Date },
): FirstEvidence {
  const all = pools.map(({ pool }) => pool);
  const assumed = new Set([now.toISOString()]);
  const known = (since: string | undefined, seconds: number) => {
    if (since !== undefined) return since;
    const longEnough = plusSeconds(now, -seconds);
    assumed.add(longEnough);
    return longEnough;
  };
  /** Without a date that cannot be. */
  const recorded = (key: string, since: string | undefined) =>
    since === undefined || !isPast(since, now) ? [] : [[key, since] as const];
  const ofNode = (pool: Pool, node: Node) => {
    const symptom = symptomOf(node);
    if (symptom === undefined) return [];
    const key = [pool.name, symptom, node.name, node.desiredConfig].join('|');
    // Since then at the latest: its daemon has written nothing after it.
    if (symptom === 'failing') return recorded(key, node.reportedAt);
    return [[key, known(node.targetedAt, lookAfterSeconds(symptom, policy.stuckAfter))] as const];
  };
  const firstSeen = Object.fromEntries(
    pools.flatMap(({ pool, nodes }) => {
      const updating = condition(pool, 'Updating');
      const since = updating?.status === 'True' ? updating.since : undefined;
      return [
        ...membersOf(pool, all, nodes).flatMap((node) => ofNode(pool, node)),
        [`${pool.name}|stalled|${pool.target.name}`, known(since, policy.stuckAfter.pickupSeconds)] as const,
        [`${pool.name}|unavailable`, known(undefined, unavailableSeconds)] as const,
        ...recorded(`${pool.name}|build|${pool.target.name}`, since),
        ...recorded(`${pool.name}|pending`, pool.pausedBy?.at),
        ...recorded(`${pool.name}|degraded-alone`, toldDegraded(pool)?.since),
      ];
    }),
  );
  return { firstSeen, assumed };
}

import type { Policy } from '../../../functions/core/configuration/policy.ts';
import { lookAfterSeconds, symptomOf } from '../../../functions/core/judge/phases.ts';
import { membersOf } from '../../../functions/core/openshift/membership.ts';
import type { Node } from '../../../functions/core/openshift/node.ts';
import { condition, type Pool } from '../../../functions/core/openshift/pool.ts';
import { plusSeconds } from '../../../functions/core/text/instant.ts';

/** The judgement examines unready nodes after five minutes; a person who asks has waited long enough. */
const unavailableSeconds = 300;

export interface FirstEvidence {
  /** By the keys of the judgement (core/judge/pool-state.ts). */
  readonly firstSeen: Readonly<Record<string, string>>;
  /** Start times that nothing records, assumed to be just old enough for a diagnosis. Never shown. */
  readonly assumed: ReadonlySet<string>;
}

/** Start times that the cluster itself records, for a single look without a history: for a node when it was targeted,
 *  for a stall when the pool began to update. */
export function firstEvidence(
  pools: readonly { readonly pool: Pool; readonly nodes: readonly Node[] }[],
  { policy, now }: { readonly policy: Policy; readonly now: Date },
): FirstEvidence {
  const all = pools.map(({ pool }) => pool);
  const assumed = new Set<string>();
  const known = (since: string | undefined, seconds: number) => {
    if (since !== undefined) return since;
    const longEnough = plusSeconds(now, -seconds);
    assumed.add(longEnough);
    return longEnough;
  };
  const firstSeen = Object.fromEntries(
    pools.flatMap(({ pool, nodes }) => {
      const updating = condition(pool, 'Updating');
      const since = updating?.status === 'True' ? updating.since : undefined;
      return [
        ...membersOf(pool, all, nodes).flatMap((node) => {
          const symptom = symptomOf(node);
          if (symptom === undefined || symptom === 'failing') return [];
          const key = [pool.name, symptom, node.name, node.desiredConfig].join('|');
          return [[key, known(node.targetedAt, lookAfterSeconds(symptom, policy.stuckAfter))] as const];
        }),
        [`${pool.name}|stalled|${pool.target.name}`, known(since, policy.stuckAfter.pickupSeconds)] as const,
        [`${pool.name}|unavailable`, known(undefined, unavailableSeconds)] as const,
        ...(since === undefined ? [] : [[`${pool.name}|build|${pool.target.name}`, since] as const]),
        ...(pool.pausedBy?.at === undefined ? [] : [[`${pool.name}|pending`, pool.pausedBy.at] as const]),
      ];
    }),
  );
  return { firstSeen, assumed };
}

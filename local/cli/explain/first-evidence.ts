import { plusSeconds } from '../../../functions/core/instant.ts';
import { membersOf } from '../../../functions/core/judge/members.ts';
import { lookAfterSeconds, symptomOf } from '../../../functions/core/judge/phases.ts';
import type { Node } from '../../../functions/core/node.ts';
import type { Policy } from '../../../functions/core/policy.ts';
import { condition, type Pool } from '../../../functions/core/pool.ts';

/** The judgement looks at unready nodes after five minutes; whoever asks has waited long enough. */
const unavailableSeconds = 300;

/** Since when what is seen lasts, as far as the cluster itself tells, for somebody who looks once and has no memory: a node's from when it
 *  was targeted, a standstill from when the pool began to update. Where nothing tells, just long enough to be looked into.
 *  The keys are those that the judgement keeps (core/judge/pool-state.ts). */
export function firstEvidence(
  pools: readonly { readonly pool: Pool; readonly nodes: readonly Node[] }[],
  { policy, now }: { readonly policy: Policy; readonly now: Date },
): Readonly<Record<string, string>> {
  const all = pools.map(({ pool }) => pool);
  const ago = (seconds: number) => plusSeconds(now, -seconds);
  return Object.fromEntries(
    pools.flatMap(({ pool, nodes }) => {
      const updating = condition(pool, 'Updating');
      const sinceUpdating = updating?.status === 'True' ? updating.since : undefined;
      return [
        ...membersOf(pool, all, nodes).flatMap((node) => {
          const symptom = symptomOf(node);
          if (symptom === undefined || symptom === 'failing') return [];
          const since = node.targetedAt ?? ago(lookAfterSeconds(symptom, policy.stuckAfter));
          return [[[pool.name, symptom, node.name, node.desiredConfig].join('|'), since] as const];
        }),
        [`${pool.name}|stalled|${pool.target.name}`, sinceUpdating ?? ago(policy.stuckAfter.pickupSeconds)] as const,
        ...(sinceUpdating === undefined ? [] : [[`${pool.name}|build|${pool.target.name}`, sinceUpdating] as const]),
        [`${pool.name}|unavailable`, ago(unavailableSeconds)] as const,
        ...(pool.pausedBy?.at === undefined ? [] : [[`${pool.name}|pending`, pool.pausedBy.at] as const]),
      ];
    }),
  );
}

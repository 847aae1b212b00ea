import type { PushSeen } from '../../../events/index.ts';
import { collectiveFor } from '../../core/openshift/collective-hold-id.ts';
import { standingHoldsOf } from '../../core/openshift/pool-record.ts';
import type { PausedForPush, PushOutcome } from '../../core/relay/push-outcome.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { PassReport } from '../pass.ts';
import type { Scope } from '../route/scope.ts';

/** One pass over a cluster that the push concerns. */
export interface PassOfPush {
  readonly scope: Scope;
  /** Undefined: it failed, or could not read its cluster. */
  readonly report: PassReport | undefined;
}

/** Stores what the push led to, for the relay that waits for it; without a relay, nothing. Throws Transient: the queue
 *  then redelivers the push, and its passes find everything done.
 *  @param unasked Argo CD instances that could not be asked which Applications the push concerns */
export async function noteOutcome(
  event: PushSeen,
  unasked: PushOutcome['unasked'],
  passes: readonly PassOfPush[],
  { outcomes, clock }: Pick<KeepPorts, 'outcomes' | 'clock'>,
): Promise<void> {
  if (outcomes === undefined) return;
  await outcomes.save({
    delivery: event.data.delivery,
    decidedAt: clock().toISOString(),
    unasked: [...new Set(unasked)],
    unseen: passes.filter(({ report }) => report === undefined).map(({ scope }) => scope.cluster.name),
    paused: passes.flatMap(pausedIn),
  } satisfies PushOutcome);
}

/** Pools that are paused and held for the push. One that a person has resumed in spite of it is not waited for. */
function pausedIn({ scope, report }: PassOfPush): readonly PausedForPush[] {
  if (report === undefined) return [];
  const { snapshot, performed } = report;
  const ids = new Set([...snapshot.pushes.keys(), ...(snapshot.expected ?? []).map(({ id }) => id)]);
  return performed.flatMap(({ pool, plan }) => {
    const rest = (plan.noRoom ?? [])
      .filter((id) => ids.has(id))
      .flatMap((id) => collectiveFor(id, standingHoldsOf(pool)) ?? []);
    return standingHoldsOf(pool)
      .filter((hold) => pool.paused && (ids.has(hold.id) || rest.includes(hold)))
      .map((hold) => ({ cluster: scope.cluster.name, pool: pool.name, hold: hold.id, since: hold.since }));
  });
}

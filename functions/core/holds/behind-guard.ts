import type { ObservedApplication } from '../argocd/application.ts';
import { type Guard, namesNoPool } from '../guard/guard-record.ts';
import { heldBackSync } from '../guard/held-back-sync.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import type { Push } from '../routing/awaited-push.ts';

export interface RecordedGuard {
  readonly guard: Guard;
  /** Id of the hold that its Application has, or would have. */
  readonly hold: string;
  readonly argocd: string;
}

/** What Argo CD would sync by itself if guards did not hold it back, by sync hold id: treated like a push, so that
 *  pools are paused for it. One that is held on each pool of its guard has what it needs. One that has failed is not
 *  held for the next sync: its guard would stay closed for the commit that mends it. */
export function pushesBehindGuards(
  {
    guards,
    applications,
    pools,
  }: {
    readonly guards: readonly RecordedGuard[];
    readonly applications: readonly ObservedApplication[];
    readonly pools: readonly Pool[];
  },
  now: Date,
): readonly (readonly [string, Push])[] {
  const byHold = new Map(guards.map(({ hold, guard }) => [hold, guard]));
  return applications.flatMap((observed) => {
    if (observed.kind !== 'seen') return [];
    const id = syncHoldId(observed.application);
    const guard = byHold.get(id);
    const because =
      guard === undefined || isHeld(id, guard, pools) ? undefined : heldBackSync(observed.application, guard, now);
    return because === undefined
      ? []
      : [[id, { at: now.toISOString(), revision: undefined, because, behindGuard: true as const }] as const];
  });
}

/** A pool that cannot be read is not waited for here. Of pools that its record has no room to name, one stands for
 *  all: they were held together. */
function isHeld(id: string, guard: Guard, pools: readonly Pool[]): boolean {
  const holds = (pool: Pool) => holdsOf(pool).some((hold) => hold.id === id && hold.phase !== 'failed');
  return namesNoPool(guard) ? pools.some(holds) : pools.filter(({ name }) => guard.pools.includes(name)).every(holds);
}

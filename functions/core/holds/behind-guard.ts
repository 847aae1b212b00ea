import type { ObservedApplication } from '../argocd/application.ts';
import type { Guard } from '../guard/guard-record.ts';
import { heldBackSync } from '../guard/held-back-sync.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Push } from '../routing/awaited-push.ts';

export interface RecordedGuard {
  readonly guard: Guard;
  /** Id of the hold that its Application has, or would have. */
  readonly hold: string;
  readonly argocd: string;
}

/** What Argo CD would sync by itself if guards did not hold it back, by sync hold id: treated like a push, so that
 *  pools are paused for it. One that has a hold already has what it needs. */
export function pushesBehindGuards(
  {
    guards,
    applications,
    held,
  }: {
    readonly guards: readonly RecordedGuard[];
    readonly applications: readonly ObservedApplication[];
    readonly held: readonly string[];
  },
  now: Date,
): readonly (readonly [string, Push])[] {
  const byHold = new Map(guards.map(({ hold, guard }) => [hold, guard]));
  return applications.flatMap((observed) => {
    if (observed.kind !== 'seen') return [];
    const id = syncHoldId(observed.application);
    const guard = byHold.get(id);
    const because =
      guard === undefined || held.includes(id) ? undefined : heldBackSync(observed.application, guard, now);
    return because === undefined
      ? []
      : [[id, { at: now.toISOString(), revision: undefined, because, behindGuard: true as const }] as const];
  });
}

import type { Trouble } from '../findings/trouble.ts';
import { applicationOfHold } from '../openshift/hold.ts';
import { runFailed } from './failed-syncs.ts';
import { observedOf, syncHoldsOf } from './held-applications.ts';
import type { JudgeInput } from './input.ts';
import { latePause } from './late-pause.ts';
import type { PoolState } from './pool-state.ts';
import { syncStuck } from './stuck-syncs.ts';
import type { SyncClocks } from './sync-clocks.ts';

/** What is wrong with the syncs that hold a pool. */
export function syncTroubles(
  state: PoolState,
  input: JudgeInput,
  clocks: Pick<SyncClocks, 'clocks'>,
): readonly Trouble[] {
  return [...syncStuck(state, input, clocks), ...runFailed(state, input), ...latePause(state, input)];
}

/** Applications of the holds on this pool that could not be read in this pass: it is unknown whether their syncs are
 *  stuck. */
export function unreadApplications(state: PoolState, { applications }: JudgeInput): readonly string[] {
  return syncHoldsOf(state).flatMap((hold) => {
    if (applicationOfHold(hold.id) === undefined) return [];
    const observed = observedOf(hold, applications);
    return observed === undefined || observed.kind === 'unreadable' ? [hold.who] : [];
  });
}

import type { Trouble } from '../findings/trouble.ts';
import { applicationOfHold } from '../openshift/hold.ts';
import { inTurns } from '../openshift/holders.ts';
import { runFailed } from './failed-syncs.ts';
import { observedOf, syncHoldsOf } from './held-applications.ts';
import type { JudgeInput } from './input.ts';
import { latePause } from './late-pause.ts';
import type { PoolState } from './pool-state.ts';
import { syncStuck } from './stuck-syncs.ts';
import type { SyncClocks } from './sync-clocks.ts';
import type { UndonePauses } from './undone-pauses.ts';

/** What is wrong with the syncs that hold a pool. */
export function syncTroubles(
  state: PoolState,
  input: JudgeInput,
  clocks: Pick<SyncClocks, 'clocks'>,
  { troubles: undone }: Pick<UndonePauses, 'troubles'>,
): readonly Trouble[] {
  return [
    ...syncStuck(state, input, clocks),
    ...runFailed(state, input),
    ...together(undone.get(state.pool.name), latePause(state, input)),
  ];
}

/** A pause that came late and was then taken away is one trouble. */
function together(undone: Trouble | undefined, late: readonly Trouble[]): readonly Trouble[] {
  if (undone === undefined) return late;
  return [
    {
      ...undone,
      findings: [undone, ...late].flatMap(({ findings }) => findings),
      digest: [undone, ...late].map(({ digest }) => digest).join(';'),
    },
  ];
}

/** Applications of the holds on this pool that could not be read in this pass: it is unknown whether their syncs are
 *  stuck. */
export function unreadApplications(state: PoolState, { applications }: JudgeInput): readonly string[] {
  return inTurns(syncHoldsOf(state)).flatMap((hold) => {
    if (applicationOfHold(hold.id) === undefined) return [];
    const observed = observedOf(hold, applications);
    return observed === undefined || observed.kind === 'unreadable' ? [hold.who] : [];
  });
}

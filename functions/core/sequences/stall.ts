import { isPast, plusSeconds } from '../text/instant.ts';
import type { PlannedGate, PlannedStep } from './plan.ts';
import type { SequenceRecord } from './record.ts';

type Items = SequenceRecord['items'];

/** Seconds: as for a step that has begun and is not healthy. */
const stalledAfterSeconds = 4 * 3600;

/** Since when nothing more of the sequence has begun while steps of it wait. Each step and gate has a clock of its own,
 *  which begins anew with each change of its state: two that are unhealthy in turns keep all above waiting, and are
 *  never late. Undefined: nothing waits, or all of it does for somebody's word. */
export function stalledSince(
  { items: before, stalledSince: known }: Pick<SequenceRecord, 'items' | 'stalledSince'>,
  next: Items,
  {
    steps,
    isWaiting,
    now,
  }: { readonly steps: readonly PlannedStep[]; readonly isWaiting: boolean; readonly now: Date },
): string | undefined {
  const isAnyLeft = steps.some(({ id }) => next[id]?.begunAt === undefined);
  if (!isWaiting || !isAnyLeft) return undefined;
  const hasBegun = steps.some(({ id }) => next[id]?.begunAt !== before[id]?.begunAt);
  return hasBegun ? now.toISOString() : (known ?? now.toISOString());
}

/** Since when that is too long; undefined: it is not. As long as a gate that may be waited for has to open, it is not
 *  either.
 *  @param gates of the waves that have begun, whatever their states are now */
export function stalledTooLong(
  since: string | undefined,
  gates: readonly Pick<PlannedGate, 'timing'>[],
  now: Date,
): string | undefined {
  if (since === undefined) return undefined;
  const seconds = gates.reduce((most, { timing }) => Math.max(most, timing.timeoutSeconds), stalledAfterSeconds);
  const end = plusSeconds(new Date(since), seconds);
  return isPast(end, now) ? end : undefined;
}

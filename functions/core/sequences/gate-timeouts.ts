import { isPast, plusSeconds } from '../text/instant.ts';
import type { Turn } from './order.ts';
import type { PlannedGate } from './plan.ts';
import { highestOf, type ItemRecord, type SequenceRecord, wasDoneAt } from './record.ts';
import type { InTurn, ItemReading, Items, SequenceQuestion } from './sequence-question.ts';

/** Of which gates `abort` counts still: of all, until something is let go; from then on only of those that nothing has
 *  gone past, in this look or in any before. By their ids, and those that come in later are not among them: whatever is
 *  renumbered, moved, added or taken out, nothing that began is undone. What an abort has taken back counts again once
 *  its turn has come again. */
export function abortingIn(
  { plan, record }: SequenceQuestion,
  next: Items,
  { order, turns, waves, stop }: Pick<InTurn, 'order' | 'turns' | 'waves'> & { readonly stop: Turn | undefined },
): SequenceRecord['aborting'] {
  if (plan.steps.length === 0) return record.aborting;
  // Of an earlier version, which did not say so, as far as it is known.
  const isEarlier = record.aborting === undefined && Object.keys(record.items).length > 0;
  const known = record.aborting ?? {};
  if (stop !== undefined && !isEarlier) return known;
  const mayGo = (id: string) => isEarlier || turns.get(id)?.mayGo === true;
  const begun = plan.steps.filter(({ id }) => next[id]?.begunAt !== undefined && mayGo(id));
  if (begun.length === 0 && order.letGo.size === 0) return known;
  const begunIds = new Set(begun.map(({ id }) => id));
  const highest = highestOf(begun.map(({ id }) => waves.get(id))) ?? Number.NEGATIVE_INFINITY;
  const isOver = ({ id, of, isBefore }: PlannedGate) =>
    (waves.get(id) ?? highest) < highest || order.letGo.has(id) || (isBefore && begunIds.has(of));
  const counting = plan.gates.filter((gate) => !isOver(gate)).map(({ id }) => id);
  return { only: known.only === undefined ? counting : counting.filter((id) => known.only?.includes(id)) };
}

/** What began is never undone: `abort` counts the first time through, and before the sequence was done. After that it
 *  is an alert, whatever becomes of the others. */
export function gatesAsTheyCount(
  { plan, record }: SequenceQuestion,
  { only }: NonNullable<SequenceRecord['aborting']> = {},
): readonly PlannedGate[] {
  const wasDone = wasDoneAt(record) !== undefined;
  return plan.gates.map((gate) =>
    gate.timing.onTimeout === 'abort' && (wasDone || only?.includes(gate.id) === false)
      ? { ...gate, timing: { ...gate.timing, onTimeout: 'alert' as const } }
      : gate,
  );
}

/** Gates that have been waited for past their timeout, known to be closed or not. */
export function gatesOverdue(gates: readonly PlannedGate[], items: Items, until: Date): readonly PlannedGate[] {
  return gates.filter(({ id, timing }) => {
    const since = items[id]?.waitedSince;
    return since !== undefined && isPast(endOf(since, timing), until);
  });
}

/** It was read just now, and is closed: `proceed` and `abort` count. What cannot be read, may not be, or cannot be
 *  judged passes no gate and fails none: a right that is missing, or an object that somebody made so, neither lets a
 *  step go nor has what was applied deleted. And a step that waits for more than its gate, again, is not let go or
 *  given up for the gate alone. */
export function isPassing(
  { id, isBefore, timing: { onTimeout } }: PlannedGate,
  reading: ItemReading | undefined,
  awaited: ReadonlySet<string>,
): boolean {
  if (onTimeout !== 'proceed' && onTimeout !== 'abort') return false;
  const isClosed = reading?.kind === 'unhealthy' || reading?.isUnknownKind === true;
  return isClosed && (!isBefore || awaited.has(id));
}

/** What was told stays told while it cannot be read; that it cannot be read is told by itself. */
export function isTold({ id, timing }: PlannedGate, passing: readonly PlannedGate[], items: Items): boolean {
  if (timing.onTimeout !== 'alert') return passing.some((each) => each.id === id);
  const item = items[id];
  if (item?.state !== 'unseen') return true;
  return item.waitedSince !== undefined && isPast(endOf(item.waitedSince, timing), new Date(item.since));
}

/** When its time is over. ISO instant. */
export function endOf(waitedSince: string, { timeoutSeconds }: PlannedGate['timing']): string {
  return plusSeconds(new Date(waitedSince), timeoutSeconds);
}

/** The items once those that `proceed` are no longer waited for. */
export function passed(items: Items, passing: readonly PlannedGate[], now: Date): Record<string, ItemRecord> {
  const ids = new Set(passing.filter(({ timing }) => timing.onTimeout === 'proceed').map(({ id }) => id));
  return Object.fromEntries(
    Object.entries(items).map(([id, item]) => [
      id,
      ids.has(id) ? { ...item, passedAt: item.passedAt ?? now.toISOString() } : item,
    ]),
  );
}

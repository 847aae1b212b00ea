import type { Order, OrderedItem, Turn } from './order.ts';
import type { SequenceQuestion } from './sequence-question.ts';

/** Nothing of it may begin. */
export function stopOf({ record, waitsForSequences }: SequenceQuestion): Turn | undefined {
  const { paused, aborted } = record;
  const why =
    (aborted && `aborted by ${aborted.who}: ${aborted.why}`) ??
    (paused && `paused by ${paused.who}: ${paused.why}`) ??
    (waitsForSequences.length > 0 ? `sequence ${waitsForSequences.join(', ')} is not done` : undefined);
  return why === undefined ? undefined : { mayGo: false, why, waitsFor: [] };
}

/** The turn of what is not there, and has no wave in the configuration. */
export const unplaced: Turn = {
  mayGo: false,
  why: 'it is not there yet, and its wave is known by its annotation alone',
  waitsFor: [],
};

/** What each may do now; all wait where something stops the whole sequence. */
export function turnsOf(
  question: SequenceQuestion,
  {
    items,
    order,
    stop,
  }: { readonly items: readonly OrderedItem[]; readonly order: Order; readonly stop: Turn | undefined },
): Order['turns'] {
  return stop === undefined ? turnsThatAreKnown(order.turns, question) : new Map(items.map(({ id }) => [id, stop]));
}

/** What began too early would never be held back again. */
function turnsThatAreKnown(turns: Order['turns'], { readings, record }: SequenceQuestion): Order['turns'] {
  const isUnknown = (id: string) => {
    const { begunAt, wave } = record.items[id] ?? {};
    return readings.get(id)?.isWaveUnknown === true && begunAt === undefined && wave === undefined;
  };
  return new Map([...turns].map(([id, turn]) => [id, turn.mayGo && isUnknown(id) ? unplaced : turn]));
}

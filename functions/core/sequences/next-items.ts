import { given } from '../text/given.ts';
import { clipped } from '../text/phrases.ts';
import type { OrderedItem } from './order.ts';
import { isUnderWay, takingBack } from './ordered-items.ts';
import type { PlannedGate } from './plan.ts';
import { goneAt, type ItemRecord, isStopped } from './record.ts';
import { identityOf } from './same-items.ts';
import type { InTurn, ItemReading, Items, SequenceQuestion } from './sequence-question.ts';
import { poolLacksNodes } from './target-health.ts';

/** What is not planned any more is left out. */
export function nextItems(question: SequenceQuestion, items: readonly OrderedItem[], inTurn: InTurn): Items {
  const gates = new Map(question.plan.gates.map((gate) => [gate.id, gate]));
  const identities = new Map(
    [...question.plan.steps, ...question.plan.gates].map((each) => [each.id, identityOf(each)]),
  );
  const pools = new Set(question.plan.steps.flatMap(({ id, target }) => (target.kind === 'pool' ? [id] : [])));
  const at = question.now.toISOString();
  return Object.fromEntries(
    items.flatMap((item): readonly (readonly [string, ItemRecord])[] => {
      const { id, state } = item;
      if (state === 'unasked') return [];
      const known = question.record.items[id];
      const going = takingBack(id, question);
      if (going !== undefined) return [[id, goneAt(going, 'is being taken back', at)]];
      const gate = gates.get(id);
      const goes = gate === undefined && inTurn.turns.get(id)?.mayGo === true;
      const times = {
        ...begunOf(id, goes, question),
        ...(pools.has(id) ? turnOf(item, goes, known) : {}),
        ...since('waitedSince', gate && waitedSince(gate, item, question, inTurn)),
        ...since('passedAt', known?.passedAt),
      };
      const reading = question.readings.get(id);
      const found = { ...foundOf(reading, known), ...ownedOf(reading, known), ...driftOf(reading, known, at) };
      const isAsBefore = known?.state === state && isLacking(known) === isLacking(found);
      const of = { is: identities.get(id) ?? '', state, since: isAsBefore ? known.since : at };
      const before = gate === undefined && !isLacking(found) ? unhealthySince(state, known) : {};
      return [[id, { ...of, ...before, ...found, ...times }]];
    }),
  );
}

/** A step that is out of sight for a while was closed before, and may be after. */
function unhealthySince(
  state: ItemRecord['state'],
  known: ItemRecord | undefined,
): Pick<ItemRecord, 'unhealthySince'> | Record<never, never> {
  if (known === undefined || known.state === 'healthy' || state === 'healthy') return {};
  const isLost = known.state === 'unhealthy' && state === 'unseen';
  return since('unhealthySince', known.unhealthySince ?? (isLost ? known.since : undefined));
}

/** What a pool lacks once its rollout is over is missing since then, however long that took. */
export function isLacking({ value }: Pick<ItemRecord, 'value'>): boolean {
  return value === poolLacksNodes;
}

/** When it was let go; a pool, for the change that it has. */
function begunOf(id: string, goes: boolean, question: SequenceQuestion): Pick<ItemRecord, 'begunAt' | 'underWay'> {
  const known = question.record.items[id];
  const at = question.now.toISOString();
  const begunAt = known?.begunAt ?? (goes ? at : undefined);
  if (!isUnderWay(id, question)) return since('begunAt', begunAt);
  return { begunAt: known?.underWay === true ? begunAt : at, underWay: true };
}

/** Of a pool that may go. */
function turnOf({ state }: OrderedItem, goes: boolean, known: ItemRecord | undefined): Pick<ItemRecord, 'hadTurn'> {
  const hadTurn = state === 'unseen' ? known?.hadTurn === true : state === 'unhealthy' && goes;
  return hadTurn ? { hadTurn } : {};
}

/** Its time runs from when its step has begun, or waits for it. A lower wave that is unhealthy for a while gives it no
 *  more, and none begins meanwhile. */
function waitedSince(
  gate: PlannedGate,
  item: OrderedItem,
  { record, now }: SequenceQuestion,
  inTurn: InTurn,
): string | undefined {
  const { of, isBefore } = gate;
  const isAsked = isBefore || isAhead(gate, item, inTurn) || record.items[of]?.begunAt !== undefined;
  if (item.state === 'healthy' || !isAsked) return undefined;
  const begins = isTurnOf(gate, item, inTurn) && !isStopped(record);
  return record.items[item.id]?.waitedSince ?? (begins ? now.toISOString() : undefined);
}

function isTurnOf(gate: PlannedGate, item: OrderedItem, inTurn: InTurn): boolean {
  const { order, turns, awaited } = inTurn;
  if (gate.isBefore) return awaited.has(item.id);
  if (isAhead(gate, item, inTurn)) return turns.get(item.id)?.mayGo === true;
  return item.wave <= (order.wave ?? item.wave);
}

/** Of a lower wave than its step, which waits for it. */
function isAhead({ of }: PlannedGate, { wave }: OrderedItem, { waves }: InTurn): boolean {
  return wave < (waves.get(of) ?? wave);
}

function foundOf(reading: ItemReading | undefined, known: ItemRecord | undefined): Pick<ItemRecord, 'value' | 'wave'> {
  const wave = reading?.wave ?? known?.wave;
  const value = clipped(reading?.value ?? known?.value ?? '', 600);
  return wave === undefined ? { value } : { value, wave };
}

/** What we made for it. */
function ownedOf(reading: ItemReading | undefined, known: ItemRecord | undefined): Pick<ItemRecord, 'made' | 'runs'> {
  const made = reading?.made ?? known?.made;
  const runs = reading?.runs ?? known?.runs;
  return { ...given({ made, runs }) };
}

/** What others have done to the object that was made for it. */
function driftOf(
  reading: ItemReading | undefined,
  known: ItemRecord | undefined,
  at: string,
): Pick<ItemRecord, 'unowned' | 'drift' | 'driftedAt'> {
  const isSeen = reading !== undefined && reading.kind !== 'unseen' && reading.kind !== 'refused';
  const { drift: found, unowned } = isSeen ? reading : { ...known };
  const drift = found && clipped(found, 300);
  return {
    ...(unowned === undefined ? {} : { unowned: [...unowned] }),
    ...(drift === undefined ? {} : { drift, driftedAt: known?.driftedAt ?? at }),
  };
}

function since<Key extends 'begunAt' | 'waitedSince' | 'passedAt' | 'unhealthySince'>(
  key: Key,
  at: string | undefined,
): { readonly [key in Key]?: string } | Record<never, never> {
  return at === undefined ? {} : { [key]: at };
}

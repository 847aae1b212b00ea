import type { Sequence } from '../configuration/sequence.ts';
import { given } from '../text/given.ts';
import { isPast, latest, plusSeconds } from '../text/instant.ts';
import { clipped } from '../text/phrases.ts';
import { withFormer } from './former-objects.ts';
import type { StepHealth } from './operator-health.ts';
import { type Order, type OrderedItem, type OrderRules, orderOf, type Turn } from './order.ts';
import type { PlannedGate, PlannedStep, SequencePlan } from './plan.ts';
import {
  type CheckRun,
  goneAt,
  highestOf,
  type ItemRecord,
  type LogEntry,
  type MadeObject,
  type Said,
  type SequenceRecord,
  wasDoneAt,
  withLog,
} from './record.ts';
import { changedItems, identityOf, recordOfPlan } from './same-items.ts';
import { stallAfter, stalledTooLong } from './stall.ts';
import { notComparedLately, poolLacksNodes, poolNotThere } from './target-health.ts';

/** What was found of a step or a gate in this look. */
export interface ItemReading extends StepHealth {
  /** As the object is annotated; absent: not at all, or it was not read. */
  readonly wave?: number | undefined;
  /** Of an Application that is not there yet, and whose annotation would say its wave; absent: it is known. */
  readonly isWaveUnknown?: boolean | undefined;
  /** The object of the step, as it is to be recorded; absent: as it is recorded already. */
  readonly made?: MadeObject | undefined;
  /** The Jobs of the gate; absent: as they are recorded already. */
  readonly runs?: Readonly<Record<string, CheckRun>> | undefined;
  /** Of an object: what others have done to it since it was applied; absent: nothing. */
  readonly drift?: string | undefined;
  /** Of a pool: it was let go for the change that it has now; absent: it was not. */
  readonly underWay?: boolean | undefined;
  /** Of a gate that is refused: because the cluster serves no such kind; absent: for something else. */
  readonly isUnknownKind?: boolean | undefined;
  /** Of an object that is ours: its fields that never were anybody's. */
  readonly unowned?: readonly string[] | undefined;
}

export interface SequenceQuestion {
  readonly plan: SequencePlan;
  readonly rules: OrderRules & Partial<Pick<Sequence, 'onAbort'>>;
  readonly record: SequenceRecord;
  /** By id; absent: not read in this look. */
  readonly readings: ReadonlyMap<string, ItemReading>;
  /** Sequences that must be done first, and are not. */
  readonly waitsForSequences: readonly string[];
  /** Of the configuration of the sequence. */
  readonly fingerprint: string;
  readonly now: Date;
}

/** Something that people have to know. */
export interface SequenceProblem {
  readonly kind: 'timeout' | 'regression' | 'refused' | 'unseen' | 'aborted' | 'drift';
  readonly item: string;
  readonly cluster: string;
  /** ISO instant. */
  readonly since: string;
  readonly why: string;
  /** Who has paused the sequence: to go on would end that, too. Absent: nobody. */
  readonly paused?: Said | undefined;
  /** Of an object that was changed: it was seen to be gone, or about to be. */
  readonly isGone?: true | undefined;
}

/** The same, by its sequence. */
export interface ProblemOfSequence extends SequenceProblem {
  readonly sequence: string;
}

export interface SequenceJudgement {
  /** As it is to be stored, if nothing that is begun now fails. */
  readonly record: SequenceRecord;
  readonly order: Order;
  /** Steps and gates with their waves and states. */
  readonly items: readonly OrderedItem[];
  /** Of each step: what holds it back, or nothing. */
  readonly turns: ReadonlyMap<string, Turn>;
  /** Steps that may go and are not healthy yet, as they were read in this look. */
  readonly go: readonly PlannedStep[];
  /** Ids that have to be read before more can be said. */
  readonly unasked: readonly string[];
  /** Ids that are waited for: of the open wave and below, and not healthy as far as it is known. */
  readonly waitedFor: readonly string[];
  /** As they count when their time is up: `abort` is an alert once it would undo what was let go. */
  readonly gates: readonly PlannedGate[];
  readonly problems: readonly SequenceProblem[];
  readonly isDone: boolean;
}

/** Unseen for so long, it is told. Seconds: five ticks. */
const unseenAfterSeconds = 300;

/** What the clusters and the clock say about a sequence. Level-triggered: what was healthy and is no longer closes what
 *  has not begun. */
export function judgeSequence(asked: SequenceQuestion): SequenceJudgement {
  const question = { ...asked, record: recordOfPlan(asked.plan, asked.record) };
  const { plan, rules, record, readings, now } = question;
  const items = itemsOf(question);
  const order = orderOf(items, rules);
  const stop = stopOf(question);
  const turns = turnsOf(question, { items, order, stop });
  const awaited = stop === undefined ? order.awaitedBefore : new Set<string>();
  const waves = new Map(items.map(({ id, wave }) => [id, wave]));
  const next = nextItems(question, items, { order, turns, awaited, waves });
  // A pause opens no gate that was late before it.
  const until = record.paused === undefined ? now : new Date(record.paused.at);
  const aborting = abortingIn(question, next, { order, turns, waves, stop });
  const gates = gatesAsTheyCount(asked, aborting);
  const overdue = record.aborted === undefined ? gatesOverdue(gates, next, until) : [];
  const passing = isStopped(record) ? [] : overdue.filter((gate) => isPassing(gate, readings.get(gate.id), awaited));
  const giveUp = passing.find(({ timing }) => timing.onTimeout === 'abort');
  const isDone = order.wave === undefined && plan.steps.every(({ id }) => next[id]?.begunAt !== undefined);
  const open = items.filter(({ wave, state }) => wave <= (order.wave ?? wave) && state !== 'healthy');
  const found: SequenceRecord = {
    ...record,
    items: passed(next, passing, now),
    ...(giveUp === undefined
      ? {}
      : { aborted: { who: 'poolkeeper', why: `${giveUp.id} was not open in time`, at: now.toISOString() } }),
    ...donenessOf(asked, isDone),
    ...given({ aborting }),
    stall: stop === undefined && open.length > 0 ? stallOf(question, next, turns) : undefined,
  };
  const judged = withFormer(asked.record, found, { plan, now });
  const problems = [
    ...overdue.filter((gate) => isTold(gate, passing, next)).flatMap((gate) => timeoutProblem(gate, next)),
    ...(judged.aborted === undefined ? regressions(question, items, next) : []),
    ...(isStopped(judged) ? [] : slowSteps(question, items, { next, turns })),
    ...lookProblems(question, next),
    ...(record.aborted === undefined ? drifts(question, next) : []),
    ...(judged.aborted === undefined ? [] : abortProblem(judged.aborted, plan)),
  ];
  const isTellable = !isStopped(judged) && problems.every(({ kind }) => kind === 'drift');
  return {
    record: withLog(judged, [...changesOf(asked), ...newsOf(question, judged)]),
    order,
    items,
    turns,
    go: plan.steps.filter(({ id }) => turns.get(id)?.mayGo === true && isToBegin(readings.get(id))),
    unasked: open.filter(({ state }) => state === 'unasked').map(({ id }) => id),
    waitedFor: open.map(({ id }) => id),
    gates,
    problems: (isTellable ? [...problems, ...stallProblem(question, judged)] : problems).map((problem) => ({
      ...problem,
      paused: judged.paused,
    })),
    isDone,
  };
}

/** Whether a check may be run, before its gate is asked: one that could not be seen at the last look may be by now, and
 *  a Job that could not be made has to be made again. */
export function mayRunCheck(asked: SequenceQuestion, gate: string): boolean {
  const record = recordOfPlan(asked.plan, asked.record);
  const known = record.items[gate];
  const seen = known?.state === 'unseen' ? { [gate]: { ...known, state: 'unhealthy' as const } } : {};
  const question = { ...asked, record: { ...record, items: { ...record.items, ...seen } } };
  const items = itemsOf(question);
  const order = orderOf(items, question.rules);
  return turnsOf(question, { items, order, stop: stopOf(question) }).get(gate)?.mayGo === true;
}

/** What others have changed or deleted is not fought over. */
function isToBegin(reading: ItemReading | undefined): boolean {
  return reading?.kind === 'unhealthy' && reading.drift === undefined;
}

/** That it is done now, and since when it was. A plan without steps is done, and does nothing. */
function donenessOf(
  { plan, record, fingerprint, now }: SequenceQuestion,
  isDone: boolean,
): Pick<SequenceRecord, 'done' | 'firstDoneAt'> {
  const at = now.toISOString();
  const firstDoneAt = wasDoneAt(record);
  if (!isDone) return { done: undefined, firstDoneAt };
  const done = record.done?.of === fingerprint ? record.done : { at, of: fingerprint };
  return { done, firstDoneAt: firstDoneAt ?? (plan.steps.length === 0 ? undefined : at) };
}

/** By somebody, or by one of its gates. */
function isStopped({ paused, aborted }: SequenceRecord): boolean {
  return paused !== undefined || aborted !== undefined;
}

/** Nothing of it may begin. */
function stopOf({ record, waitsForSequences }: SequenceQuestion): Turn | undefined {
  const { paused, aborted } = record;
  const why =
    (aborted && `aborted by ${aborted.who}: ${aborted.why}`) ??
    (paused && `paused by ${paused.who}: ${paused.why}`) ??
    (waitsForSequences.length > 0 ? `sequence ${waitsForSequences.join(', ')} is not done` : undefined);
  return why === undefined ? undefined : { mayGo: false, why, waitsFor: [] };
}

const unplaced: Turn = {
  mayGo: false,
  why: 'it is not there yet, and its wave is known by its annotation alone',
  waitsFor: [],
};

function turnsOf(
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

function itemsOf(question: SequenceQuestion): readonly OrderedItem[] {
  const { plan, record } = question;
  const waves = new Map(plan.steps.map((step) => [step.id, waveOf(step, question)]));
  const before = new Map<string, string[]>();
  for (const { id, of, isBefore } of plan.gates) if (isBefore) before.set(of, [...(before.get(of) ?? []), id]);
  const hasBegun = (id: string) => record.items[id]?.begunAt !== undefined;
  return [
    ...plan.steps.map(({ id, cluster, target }) => ({
      id,
      cluster,
      wave: waves.get(id) ?? 0,
      state: stateOf(id, question),
      // Each change of a pool takes its turn.
      begun: target.kind === 'pool' ? isUnderWay(id, question) || mayHaveGone(id, question) : hasBegun(id),
      before: before.get(id) ?? [],
    })),
    ...plan.gates.map(({ id, of, cluster, wave }) => ({
      id,
      cluster,
      wave: wave ?? waves.get(of) ?? 0,
      state: stateOf(id, question),
      begun: hasBegun(of),
      before: [],
    })),
  ];
}

/** As it was read, or when it was last. */
function isUnderWay(id: string, { readings, record }: SequenceQuestion): boolean {
  const reading = readings.get(id);
  const isRead = reading !== undefined && reading.kind !== 'unseen' && reading.kind !== 'refused';
  return (isRead ? reading.underWay : record.items[id]?.underWay) === true;
}

/** It was let go by a pass over its own cluster, if at all, and is out of sight since: like whatever has begun, it
 *  keeps its place among the clusters that are on their way. */
function mayHaveGone(id: string, { readings, record }: SequenceQuestion): boolean {
  const known = record.items[id];
  return known?.hadTurn === true && (readings.get(id)?.kind ?? known.state) === 'unseen';
}

/** Of the configuration, of the object, or 0. */
function waveOf({ id, wave }: PlannedStep, { readings, record }: SequenceQuestion): number {
  return wave ?? readings.get(id)?.wave ?? record.items[id]?.wave ?? 0;
}

function stateOf(id: string, question: SequenceQuestion): OrderedItem['state'] {
  const { record, readings } = question;
  if (takingBack(id, question) !== undefined) return 'unhealthy';
  if (isLetPass(id, record)) return 'healthy';
  const reading = readings.get(id);
  if (reading === undefined) return record.items[id]?.state ?? 'unasked';
  return reading.kind === 'refused' ? 'unhealthy' : reading.kind;
}

/** What was applied, from when the sequence is aborted until nothing of it is left; undefined: it was not. */
function takingBack(id: string, { record, rules }: SequenceQuestion): ItemRecord | undefined {
  const { aborted, cleanedAt, items } = record;
  const isTakenBack = aborted !== undefined && cleanedAt === undefined && rules.onAbort !== 'keep';
  return isTakenBack && items[id]?.made !== undefined ? items[id] : undefined;
}

type Items = Readonly<Record<string, ItemRecord>>;

/** What may go or is waited for now. */
interface InTurn {
  readonly order: Order;
  readonly turns: ReadonlyMap<string, Turn>;
  /** Gates before steps whose turn it is. */
  readonly awaited: ReadonlySet<string>;
  /** Of steps and gates, by id. */
  readonly waves: ReadonlyMap<string, number>;
}

/** What is not planned any more is left out. */
function nextItems(question: SequenceQuestion, items: readonly OrderedItem[], inTurn: InTurn): Items {
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
function isLacking({ value }: Pick<ItemRecord, 'value'>): boolean {
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

/** Of which gates `abort` counts still: of all, until something that others waited for lets them go, in this look or in
 *  any before; from then on only of those that nothing has gone past yet. By their ids, and those that come in later
 *  are not among them: whatever is renumbered, moved, added or taken out, nothing that began is undone. What an abort
 *  has taken back counts again once its turn has come again. */
function abortingIn(
  { plan, record }: SequenceQuestion,
  next: Items,
  { order, turns, waves, stop }: Pick<InTurn, 'order' | 'turns' | 'waves'> & { readonly stop: Turn | undefined },
): SequenceRecord['aborting'] {
  if (plan.steps.length === 0) return record.aborting;
  // Of an earlier version, which did not say so, as far as it is known.
  const isEarlier = record.aborting === undefined;
  const known = record.aborting ?? {};
  if (stop !== undefined && !isEarlier) return known;
  // A pool may roll by itself, and what an abort has taken back began before it.
  const hasBegun = ({ id, target }: PlannedStep) =>
    turns.get(id)?.mayGo === true || (known.isAnew !== true && (target.kind !== 'pool' || next[id]?.hadTurn === true));
  const begun = plan.steps.filter((step) => next[step.id]?.begunAt !== undefined && (isEarlier || hasBegun(step)));
  const begunIds = new Set(begun.map(({ id }) => id));
  const highest = highestOf(begun.map(({ id }) => waves.get(id))) ?? Number.NEGATIVE_INFINITY;
  const isOver = ({ id, of, isBefore }: PlannedGate) =>
    (waves.get(id) ?? highest) < highest || order.letGo.has(id) || (isBefore && begunIds.has(of));
  const isAny = [...waves.values()].some((wave) => wave < highest) || order.letGo.size > 0 || plan.gates.some(isOver);
  if (known.only === undefined && !isAny) return known;
  const counting = plan.gates.filter((gate) => !isOver(gate)).map(({ id }) => id);
  return { only: known.only === undefined ? counting : counting.filter((id) => known.only?.includes(id)) };
}

/** What began is never undone: `abort` counts the first time through, and before the sequence was done. After that it
 *  is an alert, whatever becomes of the others. */
function gatesAsTheyCount(
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
function gatesOverdue(gates: readonly PlannedGate[], items: Items, until: Date): readonly PlannedGate[] {
  return gates.filter(({ id, timing }) => {
    const since = items[id]?.waitedSince;
    return since !== undefined && isPast(endOf(since, timing), until);
  });
}

/** It was read just now, and is closed: `proceed` and `abort` count. What cannot be read, may not be, or cannot be
 *  judged passes no gate and fails none: a right that is missing, or an object that somebody made so, neither lets a
 *  step go nor has what was applied deleted. And a step that waits for more than its gate, again, is not let go or
 *  given up for the gate alone. */
function isPassing(
  { id, isBefore, timing: { onTimeout } }: PlannedGate,
  reading: ItemReading | undefined,
  awaited: ReadonlySet<string>,
): boolean {
  if (onTimeout !== 'proceed' && onTimeout !== 'abort') return false;
  const isClosed = reading?.kind === 'unhealthy' || reading?.isUnknownKind === true;
  return isClosed && (!isBefore || awaited.has(id));
}

/** What was told stays told while it cannot be read; that it cannot be read is told by itself. */
function isTold({ id, timing }: PlannedGate, passing: readonly PlannedGate[], items: Items): boolean {
  if (timing.onTimeout !== 'alert') return passing.some((each) => each.id === id);
  const item = items[id];
  if (item?.state !== 'unseen') return true;
  return item.waitedSince !== undefined && isPast(endOf(item.waitedSince, timing), new Date(item.since));
}

function endOf(waitedSince: string, { timeoutSeconds }: PlannedGate['timing']): string {
  return plusSeconds(new Date(waitedSince), timeoutSeconds);
}

function passed(items: Items, passing: readonly PlannedGate[], now: Date): Record<string, ItemRecord> {
  const ids = new Set(passing.filter(({ timing }) => timing.onTimeout === 'proceed').map(({ id }) => id));
  return Object.fromEntries(
    Object.entries(items).map(([id, item]) => [
      id,
      ids.has(id) ? { ...item, passedAt: item.passedAt ?? now.toISOString() } : item,
    ]),
  );
}

function timeoutProblem({ id, cluster, timing }: PlannedGate, items: Items): readonly SequenceProblem[] {
  const item = items[id];
  if (item?.waitedSince === undefined) return [];
  return [{ kind: 'timeout', item: id, cluster, since: endOf(item.waitedSince, timing), why: item.value }];
}

function highestBegun(items: readonly OrderedItem[], next: Items): number {
  return items.reduce(
    (most, { id, wave }) => (next[id]?.begunAt === undefined ? most : Math.max(most, wave)),
    Number.NEGATIVE_INFINITY,
  );
}

/** Lower waves that are no longer healthy after a higher one began. Nothing that began is undone. A later commit of a
 *  step, which is on its way, is told only when it takes too long. */
function regressions(
  { readings, now }: SequenceQuestion,
  items: readonly OrderedItem[],
  next: Items,
): readonly SequenceProblem[] {
  const highest = highestBegun(items, next);
  return items.flatMap(({ id, cluster, wave, state }) => {
    const item = next[id];
    if (item === undefined || state !== 'unhealthy' || wave >= highest) return [];
    const { patienceSeconds = 0 } = readings.get(id) ?? {};
    if (!isPast(plusSeconds(new Date(item.since), patienceSeconds), now)) return [];
    return [{ kind: 'regression' as const, item: id, cluster, since: item.since, why: item.value }];
  });
}

/** A step that has begun and is not healthy for so long is told. Seconds: as a gate by default. Pools that are there
 *  have their own limits, by their own pace, unless nothing of them rolls and steps are left. */
const slowAfterSeconds = 4 * 3600;
/** Seconds: half an hour. Argo CD, which is asked each minute, compares an Application within minutes. */
const uncomparedAfterSeconds = 1800;

/** How long it took too long, and what people may look at. */
function slowOf({ value, begunAt }: ItemRecord): { readonly seconds: number; readonly why: string } {
  if (begunAt === undefined) {
    const why = `it is not there after 4 h, and without wave in poolkeeper.yaml nobody knows its turn before: ${value}`;
    return { seconds: slowAfterSeconds, why };
  }
  if (value !== notComparedLately)
    return { seconds: slowAfterSeconds, why: `it began 4 h ago and is not healthy: ${value}` };
  return {
    seconds: uncomparedAfterSeconds,
    why: `it began 30 min ago, and Argo CD, which is asked each minute, has not compared it since: does its application controller run, may Poolkeeper patch the Application, and is that without annotation argocd.argoproj.io/skip-reconcile?`,
  };
}

/** Of a pool, what is no trouble of its own. */
function isSilent(item: ItemRecord, isAnyLeft: boolean): boolean {
  return item.value === poolNotThere || (isLacking(item) && isAnyLeft);
}

/** Of a step: since it has begun, also if it was out of sight meanwhile. */
function closedSince({ begunAt, since, unhealthySince = since }: ItemRecord): string {
  return latest([begunAt, unhealthySince]) ?? since;
}

/** Steps on which everything above waits, and that no gate with a timeout speaks for. */
function slowSteps(
  { plan, now }: SequenceQuestion,
  items: readonly OrderedItem[],
  { next, turns }: { readonly next: Items; readonly turns: Order['turns'] },
): readonly SequenceProblem[] {
  const kinds = new Map(plan.steps.map(({ id, target }) => [id, target.kind]));
  const highest = highestBegun(items, next);
  // Whoever cordons a node for days knows, but not that a sequence waits for it.
  const isAnyLeft = plan.steps.some(({ id }) => next[id]?.begunAt === undefined);
  return items.flatMap(({ id, cluster, wave, state }) => {
    const item = next[id];
    const kind = kinds.get(id);
    if (kind === undefined || item === undefined) return [];
    if (item.begunAt === undefined && turns.get(id) !== unplaced) return [];
    if (kind === 'pool' && !isSilent(item, isAnyLeft)) return [];
    // Of a lower wave it is told as a regression.
    if (state !== 'unhealthy' || wave < highest) return [];
    const from = closedSince(item);
    const { seconds, why } = slowOf(item);
    const since = plusSeconds(new Date(from), seconds);
    return isPast(since, now) ? [{ kind: 'timeout' as const, item: id, cluster, since, why }] : [];
  });
}

/** Absent where no step waits to begin, and while a pool rolls. What has not begun is not what others wait for. */
function stallOf(question: SequenceQuestion, next: Items, turns: Order['turns']): SequenceRecord['stall'] {
  const { plan, record, now } = question;
  const isAnyLeft = plan.steps.some(({ id }) => next[id]?.begunAt === undefined);
  const isClosed = ({ id }: { readonly id: string }) => next[id] !== undefined && next[id].state !== 'healthy';
  const steps = plan.steps.filter(isClosed);
  const gates = plan.gates.filter((gate) => isClosed(gate) && next[gate.id]?.waitedSince !== undefined);
  if (!isAnyLeft || steps.some(({ id }) => next[id]?.underWay === true)) return undefined;
  return stallAfter(record.stall, {
    closedSince: [
      ...steps.flatMap(({ id }) => {
        const item = next[id];
        const isOwed = item?.begunAt !== undefined || turns.get(id) === unplaced;
        return item !== undefined && isOwed ? [closedSince(item)] : [];
      }),
      ...gates.flatMap(({ id }) => next[id]?.waitedSince ?? []),
    ],
    gates,
    hasBegun: plan.steps.some(({ id }) => next[id]?.begunAt !== record.items[id]?.begunAt),
    now,
  });
}

/** Told where nothing else is: what is open has not been so for long, and yet nothing goes on. */
function stallProblem(
  { plan, now }: SequenceQuestion,
  { stall }: Pick<SequenceRecord, 'stall'>,
): readonly SequenceProblem[] {
  const end = stalledTooLong(stall, now);
  const [first] = plan.steps;
  if (first === undefined || stall === undefined || end === undefined) return [];
  const why = `nothing more of it has begun since ${stall.since}, and what it waits for changes again and again: no step and no gate was closed for all of that time`;
  return [{ kind: 'timeout', item: '', cluster: first.cluster, since: end, why }];
}

/** What is refused is told at once, what cannot be seen when it lasts. */
function lookProblems({ readings, now, plan }: SequenceQuestion, next: Items): readonly SequenceProblem[] {
  return [...plan.steps, ...plan.gates].flatMap(({ id, cluster }): readonly SequenceProblem[] => {
    const item = next[id];
    if (item === undefined) return [];
    if (readings.get(id)?.kind === 'refused')
      return [{ kind: 'refused', item: id, cluster, since: item.since, why: item.value }];
    const lasts = item.state === 'unseen' && isPast(plusSeconds(new Date(item.since), unseenAfterSeconds), now);
    return lasts ? [{ kind: 'unseen', item: id, cluster, since: item.since, why: item.value }] : [];
  });
}

/** Whoever skipped a step knows. */
function drifts({ plan, record, readings }: SequenceQuestion, next: Items): readonly SequenceProblem[] {
  return plan.steps.flatMap(({ id, cluster }): readonly SequenceProblem[] => {
    const { drift, driftedAt } = next[id] ?? {};
    if (drift === undefined || driftedAt === undefined || Object.hasOwn(record.skipped, id)) return [];
    const isGone = readings.get(id)?.kind === 'unhealthy' ? { isGone: true as const } : {};
    return [{ kind: 'drift', item: id, cluster, since: driftedAt, why: drift, ...isGone }];
  });
}

/** Of what the configuration leaves out nobody waits for anything. */
function abortProblem({ who, why, at }: Said, { steps }: SequencePlan): readonly SequenceProblem[] {
  const [first] = steps;
  if (first === undefined) return [];
  return [{ kind: 'aborted', item: '', cluster: first.cluster, since: at, why: `aborted by ${who}: ${why}` }];
}

/** It counts as healthy, whatever was found of it. */
function isLetPass(id: string, { skipped, items }: SequenceRecord): boolean {
  return Object.hasOwn(skipped, id) || items[id]?.passedAt !== undefined;
}

/** What is configured otherwise than it was. */
function changesOf({ plan, record, now }: SequenceQuestion): readonly LogEntry[] {
  const at = now.toISOString();
  const what = 'it is configured as something else: what was known of it is forgotten';
  return [...changedItems(plan, record)].map((item) => ({ at, item, what }));
}

/** Of a step whose turn has not come: Argo CD compares it less often than that counts, time and again. */
function onlyAges(was: ItemRecord, { begunAt, value }: Pick<ItemRecord, 'begunAt' | 'value'>): boolean {
  return begunAt === undefined && [was.value, value].includes(notComparedLately);
}

/** What changed, for the timeline. */
function newsOf({ plan, record: before, now }: SequenceQuestion, after: SequenceRecord): readonly LogEntry[] {
  const at = now.toISOString();
  const ofItems = Object.entries(after.items).flatMap(([item, { state, begunAt, value, passedAt, drift }]) => {
    const was = before.items[item];
    return [
      ...(begunAt !== undefined && was?.begunAt === undefined ? [{ at, item, what: 'begun' }] : []),
      ...(passedAt !== undefined && was?.passedAt === undefined
        ? [{ at, item, what: `not open in time, and no longer waited for (last: ${value})` }]
        : []),
      ...(was !== undefined && was.state !== state && !isLetPass(item, after) && !onlyAges(was, { begunAt, value })
        ? [{ at, item, what: `${state}: ${value}` }]
        : []),
      ...(drift !== undefined && was?.drift !== drift && was?.state === state ? [{ at, item, what: drift }] : []),
      ...(drift === undefined && was?.drift !== undefined && state === 'healthy'
        ? [{ at, item, what: 'it is as it was applied' }]
        : []),
    ];
  });
  const done = after.done !== undefined && before.done?.of !== after.done.of;
  const aborted = after.aborted !== undefined && before.aborted === undefined;
  return [
    ...ofItems,
    ...(aborted ? [{ at, item: '', what: `aborted: ${after.aborted?.why}` }] : []),
    ...(done ? [{ at, item: '', what: plan.steps.length === 0 ? 'left out by the configuration' : 'done' }] : []),
  ];
}

import { isPast, plusSeconds } from '../text/instant.ts';
import { clipped } from '../text/phrases.ts';
import type { StepHealth } from './operator-health.ts';
import { type Order, type OrderedItem, type OrderRules, orderOf, type Turn } from './order.ts';
import type { PlannedGate, PlannedStep, SequencePlan } from './plan.ts';
import { type ItemRecord, type LogEntry, type SequenceRecord, withLog } from './record.ts';

/** What was found of a step or a gate in this look. */
export interface ItemReading extends StepHealth {
  /** As the object is annotated; absent: not at all, or it was not read. */
  readonly wave?: number | undefined;
}

export interface SequenceQuestion {
  readonly plan: SequencePlan;
  readonly rules: OrderRules;
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
  readonly kind: 'timeout' | 'regression' | 'refused' | 'unseen' | 'aborted';
  readonly item: string;
  readonly cluster: string;
  /** ISO instant. */
  readonly since: string;
  readonly why: string;
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
  readonly problems: readonly SequenceProblem[];
  readonly isDone: boolean;
}

/** Unseen for so long, it is told. Seconds: five ticks. */
const unseenAfterSeconds = 300;

/** What the clusters and the clock say about a sequence. Level-triggered: what was healthy and is no longer closes what
 *  has not begun. */
export function judgeSequence(question: SequenceQuestion): SequenceJudgement {
  const { plan, rules, record, readings, now } = question;
  const items = itemsOf(question);
  const order = orderOf(items, rules);
  const stop = stopOf(question);
  const turns = stop === undefined ? order.turns : new Map(items.map(({ id }) => [id, stop]));
  const next = nextItems(question, items, { order, turns });
  const timedOut = record.aborted === undefined ? gatesOverdue(plan.gates, next, now) : [];
  const aborting = timedOut.find(({ timing }) => timing.onTimeout === 'abort');
  const isDone = order.wave === undefined && plan.steps.every(({ id }) => next[id]?.begunAt !== undefined);
  const open = items.filter(({ state, wave }) => state !== 'healthy' && wave <= (order.wave ?? wave));
  const judged: SequenceRecord = {
    ...record,
    items: passed(next, timedOut, now),
    ...(aborting === undefined
      ? {}
      : { aborted: { who: 'poolkeeper', why: `${aborting.id} was not open in time`, at: now.toISOString() } }),
    done: isDone ? doneOf(question) : undefined,
  };
  return {
    record: withLog(judged, newsOf(record, judged, now)),
    order,
    items,
    turns,
    go: plan.steps.filter(({ id }) => turns.get(id)?.mayGo === true && readings.get(id)?.kind === 'unhealthy'),
    unasked: open.filter(({ state }) => state === 'unasked').map(({ id }) => id),
    waitedFor: open.map(({ id }) => id),
    problems: [
      ...timedOut.flatMap((gate) => timeoutProblem(gate, next)),
      ...regressions(items, next),
      ...lookProblems(question, next),
      ...(judged.aborted === undefined ? [] : [abortProblem(judged.aborted, plan)]),
    ],
    isDone,
  };
}

function doneOf({ record, fingerprint, now }: SequenceQuestion): SequenceRecord['done'] {
  return record.done?.of === fingerprint ? record.done : { at: now.toISOString(), of: fingerprint };
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

function itemsOf(question: SequenceQuestion): readonly OrderedItem[] {
  const { plan, record } = question;
  const waves = new Map(plan.steps.map((step) => [step.id, waveOf(step, question)]));
  const before = new Map<string, string[]>();
  for (const { id, of, isBefore } of plan.gates) if (isBefore) before.set(of, [...(before.get(of) ?? []), id]);
  const hasBegun = (id: string) => record.items[id]?.begunAt !== undefined;
  return [
    ...plan.steps.map(({ id, cluster }) => ({
      id,
      cluster,
      wave: waves.get(id) ?? 0,
      state: stateOf(id, question),
      begun: hasBegun(id),
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

/** Of the configuration, of the object, or 0. */
function waveOf({ id, wave }: PlannedStep, { readings, record }: SequenceQuestion): number {
  return wave ?? readings.get(id)?.wave ?? record.items[id]?.wave ?? 0;
}

function stateOf(id: string, { record, readings }: SequenceQuestion): OrderedItem['state'] {
  if (Object.hasOwn(record.skipped, id) || record.items[id]?.passedAt !== undefined) return 'healthy';
  const reading = readings.get(id);
  if (reading === undefined) return record.items[id]?.state ?? 'unasked';
  return reading.kind === 'refused' ? 'unhealthy' : reading.kind;
}

type Items = Readonly<Record<string, ItemRecord>>;

/** What is not planned any more is forgotten. */
function nextItems(
  question: SequenceQuestion,
  items: readonly OrderedItem[],
  { order, turns }: { readonly order: Order; readonly turns: ReadonlyMap<string, Turn> },
): Items {
  const gates = new Map(question.plan.gates.map((gate) => [gate.id, gate]));
  const at = question.now.toISOString();
  return Object.fromEntries(
    items.flatMap(({ id, state, wave }): readonly (readonly [string, ItemRecord])[] => {
      if (state === 'unasked') return [];
      const known = question.record.items[id];
      const gate = gates.get(id);
      const isOpen = state === 'healthy' || wave > (order.wave ?? wave);
      const goes = gate === undefined && turns.get(id)?.mayGo === true;
      const waits = gate !== undefined && !isOpen && isAsked(gate, question.record);
      const times = {
        ...since('begunAt', known?.begunAt ?? (goes ? at : undefined)),
        ...since('waitedSince', waits ? (known?.waitedSince ?? at) : undefined),
        ...since('passedAt', known?.passedAt),
      };
      const found = foundOf(question.readings.get(id), known);
      return [[id, { state, since: known?.state === state ? known.since : at, ...found, ...times }]];
    }),
  );
}

/** Its time runs: its step has begun, or waits for it. */
function isAsked({ of, isBefore }: PlannedGate, { items }: SequenceRecord): boolean {
  return isBefore || items[of]?.begunAt !== undefined;
}

function foundOf(reading: ItemReading | undefined, known: ItemRecord | undefined): Pick<ItemRecord, 'value' | 'wave'> {
  const wave = reading?.wave ?? known?.wave;
  const value = clipped(reading?.value ?? known?.value ?? '', 600);
  return wave === undefined ? { value } : { value, wave };
}

function since<Key extends 'begunAt' | 'waitedSince' | 'passedAt'>(
  key: Key,
  at: string | undefined,
): { readonly [key in Key]?: string } | Record<never, never> {
  return at === undefined ? {} : { [key]: at };
}

/** Gates that have been waited for past their timeout. */
function gatesOverdue(gates: readonly PlannedGate[], items: Items, now: Date): readonly PlannedGate[] {
  return gates.filter(({ id, timing }) => {
    const since = items[id]?.waitedSince;
    return since !== undefined && isPast(plusSeconds(new Date(since), timing.timeoutSeconds), now);
  });
}

function passed(items: Items, overdue: readonly PlannedGate[], now: Date): Record<string, ItemRecord> {
  const passing = new Set(overdue.filter(({ timing }) => timing.onTimeout === 'proceed').map(({ id }) => id));
  return Object.fromEntries(
    Object.entries(items).map(([id, item]) => [
      id,
      passing.has(id) ? { ...item, passedAt: item.passedAt ?? now.toISOString() } : item,
    ]),
  );
}

function timeoutProblem({ id, cluster, timing }: PlannedGate, items: Items): readonly SequenceProblem[] {
  const item = items[id];
  if (item?.waitedSince === undefined || timing.onTimeout === 'wait') return [];
  const since = plusSeconds(new Date(item.waitedSince), timing.timeoutSeconds);
  return [{ kind: 'timeout', item: id, cluster, since, why: item.value }];
}

/** Lower waves that are no longer healthy after a higher one began. Nothing that began is undone. */
function regressions(items: readonly OrderedItem[], next: Items): readonly SequenceProblem[] {
  const highest = items.reduce(
    (most, { id, wave }) => (next[id]?.begunAt === undefined ? most : Math.max(most, wave)),
    Number.NEGATIVE_INFINITY,
  );
  return items.flatMap(({ id, cluster, wave, state }) => {
    const item = next[id];
    if (item === undefined || state !== 'unhealthy' || wave >= highest) return [];
    return [{ kind: 'regression' as const, item: id, cluster, since: item.since, why: item.value }];
  });
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

function abortProblem({ who, why, at }: { who: string; why: string; at: string }, plan: SequencePlan): SequenceProblem {
  const cluster = plan.steps[0]?.cluster ?? '';
  return { kind: 'aborted', item: '', cluster, since: at, why: `aborted by ${who}: ${why}` };
}

/** What changed, for the timeline. */
function newsOf(before: SequenceRecord, after: SequenceRecord, now: Date): readonly LogEntry[] {
  const at = now.toISOString();
  const ofItems = Object.entries(after.items).flatMap(([item, { state, begunAt, value, passedAt }]) => {
    const was = before.items[item];
    return [
      ...(begunAt !== undefined && was?.begunAt === undefined ? [{ at, item, what: 'begun' }] : []),
      ...(passedAt !== undefined && was?.passedAt === undefined
        ? [{ at, item, what: `not open in time, and no longer waited for: ${value}` }]
        : []),
      ...(was !== undefined && was.state !== state ? [{ at, item, what: `${state}: ${value}` }] : []),
    ];
  });
  const done = after.done !== undefined && before.done?.of !== after.done.of;
  const aborted = after.aborted !== undefined && before.aborted === undefined;
  return [
    ...ofItems,
    ...(aborted ? [{ at, item: '', what: `aborted: ${after.aborted?.why}` }] : []),
    ...(done ? [{ at, item: '', what: 'done' }] : []),
  ];
}

import { given } from '../text/given.ts';
import { withFormer } from './former-objects.ts';
import { abortingIn, gatesAsTheyCount, gatesOverdue, isPassing, isTold, passed } from './gate-timeouts.ts';
import { nextItems } from './next-items.ts';
import { type Order, type OrderedItem, orderOf, type Turn } from './order.ts';
import { itemsOf } from './ordered-items.ts';
import type { PlannedGate, PlannedStep } from './plan.ts';
import { isStopped, type SequenceRecord, wasDoneAt, withLog } from './record.ts';
import { recordOfPlan } from './same-items.ts';
import { changesOf, newsOf } from './sequence-news.ts';
import {
  abortProblem,
  drifts,
  lookProblems,
  regressions,
  type SequenceProblem,
  slowSteps,
  stallOf,
  stallProblem,
  timeoutProblem,
} from './sequence-problems.ts';
import type { ItemReading, SequenceQuestion } from './sequence-question.ts';
import { stopOf, turnsOf } from './sequence-turns.ts';

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

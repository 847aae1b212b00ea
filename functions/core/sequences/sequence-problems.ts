import { isPast, latest, plusSeconds } from '../text/instant.ts';
import { endOf } from './gate-timeouts.ts';
import { isLacking } from './next-items.ts';
import type { Order, OrderedItem } from './order.ts';
import type { PlannedGate, SequencePlan } from './plan.ts';
import type { ItemRecord, Said, SequenceRecord } from './record.ts';
import type { Items, SequenceQuestion } from './sequence-question.ts';
import { unplaced } from './sequence-turns.ts';
import { stallAfter, stalledTooLong } from './stall.ts';
import { notComparedLately, poolNotThere } from './target-health.ts';

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

/** Unseen for so long, it is told. Seconds: five ticks. */
const unseenAfterSeconds = 300;

/** A gate that was not open in time. */
export function timeoutProblem({ id, cluster, timing }: PlannedGate, items: Items): readonly SequenceProblem[] {
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
export function regressions(
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
export function slowSteps(
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
export function stallOf(question: SequenceQuestion, next: Items, turns: Order['turns']): SequenceRecord['stall'] {
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
export function stallProblem(
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
export function lookProblems({ readings, now, plan }: SequenceQuestion, next: Items): readonly SequenceProblem[] {
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
export function drifts({ plan, record, readings }: SequenceQuestion, next: Items): readonly SequenceProblem[] {
  return plan.steps.flatMap(({ id, cluster }): readonly SequenceProblem[] => {
    const { drift, driftedAt } = next[id] ?? {};
    if (drift === undefined || driftedAt === undefined || Object.hasOwn(record.skipped, id)) return [];
    const isGone = readings.get(id)?.kind === 'unhealthy' ? { isGone: true as const } : {};
    return [{ kind: 'drift', item: id, cluster, since: driftedAt, why: drift, ...isGone }];
  });
}

/** Of what the configuration leaves out nobody waits for anything. */
export function abortProblem({ who, why, at }: Said, { steps }: SequencePlan): readonly SequenceProblem[] {
  const [first] = steps;
  if (first === undefined) return [];
  return [{ kind: 'aborted', item: '', cluster: first.cluster, since: at, why: `aborted by ${who}: ${why}` }];
}

import type { OrderedItem } from './order.ts';
import type { PlannedStep } from './plan.ts';
import { type ItemRecord, isLetPass } from './record.ts';
import type { SequenceQuestion } from './sequence-question.ts';

/** Its steps and gates, with the waves and states by which they are ordered. */
export function itemsOf(question: SequenceQuestion): readonly OrderedItem[] {
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
export function isUnderWay(id: string, { readings, record }: SequenceQuestion): boolean {
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
export function takingBack(id: string, { record, rules }: SequenceQuestion): ItemRecord | undefined {
  const { aborted, cleanedAt, items } = record;
  const isTakenBack = aborted !== undefined && cleanedAt === undefined && rules.onAbort !== 'keep';
  return isTakenBack && items[id]?.made !== undefined ? items[id] : undefined;
}

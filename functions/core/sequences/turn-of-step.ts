import type { Turn } from './order.ts';
import type { SequencePlan } from './plan.ts';
import type { SequenceRecord } from './record.ts';

/** The turn of a step by a look at its sequence; undefined: there is no such step. Nothing of an aborted sequence is
 *  held back any longer, and neither is what was skipped. */
export function turnOfStep(
  id: string,
  {
    plan,
    turns,
    aborted,
    skipped,
  }: Pick<SequenceRecord, 'aborted' | 'skipped'> & {
    readonly plan: SequencePlan;
    readonly turns: ReadonlyMap<string, Turn>;
  },
): Turn | undefined {
  const isFree = (step: string) => aborted !== undefined || Object.hasOwn(skipped, step);
  if (isFree(id)) return { mayGo: true, why: '', waitsFor: [] };
  const cluster = plan.steps.find((step) => step.id === id)?.cluster;
  const isWaiting = (step: string) => !isFree(step) && turns.get(step)?.mayGo === false;
  const poolsWaiting = plan.steps.flatMap((step) =>
    step.cluster === cluster && step.target.kind === 'pool' && isWaiting(step.id) ? [step.target.name] : [],
  );
  const turn = turns.get(id);
  return turn && { ...turn, poolsWaiting };
}

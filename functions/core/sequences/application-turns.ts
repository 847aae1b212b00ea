import type { Sequence } from '../configuration/sequence.ts';
import type { AwaitedTurn } from '../guard/awaited-turn.ts';
import { judgeSequence } from './judge-sequence.ts';
import { planOf, type SequencePlan, type StepTarget } from './plan.ts';
import { emptySequenceRecord, type SequenceRecord } from './record.ts';
import { recordOfPlan } from './same-items.ts';

/** An Application whose turn in its sequence has not come. */
export interface WaitingApplication extends AwaitedTurn {
  readonly target: Extract<StepTarget, { readonly kind: 'application' }>;
}

/** The Applications of a sequence that have not begun, by its record. A sequence without a record has not begun; one
 *  that cannot be read may not have. Pure.
 *  @param record text: why it cannot be read */
export function waitingApplications(
  name: string,
  sequence: Sequence,
  record: SequenceRecord | string | undefined,
  now: Date,
): readonly WaitingApplication[] {
  const plan = planOf(name, sequence);
  if (typeof record === 'string')
    return applicationsOf(plan).map(({ target }) => ({ target, why: unread(name, record), isUnread: true }));
  const known = recordOfPlan(plan, record ?? emptySequenceRecord);
  if (known.aborted !== undefined) return [];
  const question = {
    plan,
    rules: sequence,
    record: known,
    readings: new Map(),
    waitsForSequences: [],
    fingerprint: '',
    now,
  };
  const { turns } = judgeSequence(question);
  return applicationsOf(plan).flatMap(({ id, target }) => {
    if (known.items[id]?.begunAt !== undefined || Object.hasOwn(known.skipped, id)) return [];
    const why = turns.get(id)?.why ?? '';
    return [{ target, why: `sequence ${name} has not come to it${why === '' ? '' : `: ${why}`}` }];
  });
}

/** Whether any step of it is an Application. */
export function hasApplications(sequence: Sequence): boolean {
  return Object.values(sequence.steps).some(({ kind }) => kind === 'application');
}

function applicationsOf(plan: SequencePlan) {
  return plan.steps.flatMap(({ id, target }) => (target.kind === 'application' ? [{ id, target }] : []));
}

function unread(name: string, why: string): string {
  return `sequence ${name} could not be read: ${why}`;
}

import { isPast, plusSeconds } from '../text/instant.ts';
import type { ClosedGate, RunProblem } from './run-question.ts';
import { type RunRecord, withRunLog } from './run-record.ts';

interface GatesJudged {
  readonly record: RunRecord;
  readonly problems: readonly RunProblem[];
  /** Why no node begins; undefined: gates keep none from it. */
  readonly closed: string | undefined;
}

/** What closed gates come to, by how long each has been closed.
 *  @param isWaitedFor nodes are left, and nothing else keeps them from being asked for */
export function judgeGates(
  before: RunRecord,
  {
    gates,
    isWaitedFor,
    now,
  }: { readonly gates: readonly ClosedGate[]; readonly isWaitedFor: boolean; readonly now: Date },
): GatesJudged {
  const { closedGates: known = {}, ...record } = before;
  if (gates.length === 0 || !isWaitedFor) return { record, problems: [], closed: undefined };
  const at = now.toISOString();
  // What it asks for may be away because one of its own nodes is.
  const isAway = Object.values(before.turns).some(
    ({ step }) => step === 'gone' || step === 'cordon' || step === 'after',
  );
  const timed = gates.map((gate) => {
    const since = (isAway ? undefined : known[gate.id]) ?? at;
    return { ...gate, since, isLate: isPast(plusSeconds(new Date(since), gate.timeoutSeconds), now) };
  });
  const kept = isAway
    ? record
    : { ...record, closedGates: Object.fromEntries(timed.map(({ id, since }) => [id, since])) };
  const late = timed.filter(({ isLate }) => isLate);
  const ending = late.find(({ onTimeout }) => onTimeout === 'abort');
  if (ending !== undefined) {
    const why = `${ending.id} has been closed since ${ending.since}: ${ending.why}`;
    const aborted = { ...record, aborted: { who: 'its own gate', why, at } };
    return { record: withRunLog(aborted, [{ at, node: '', what: `aborted: ${why}` }]), problems: [], closed: why };
  }
  const closed = timed.find(({ isLate, onTimeout }) => !isLate || onTimeout !== 'proceed');
  return {
    record: kept,
    problems: late
      .filter(({ onTimeout }) => onTimeout === 'alert')
      .map(({ id, since, why }) => ({ kind: 'gate', node: '', since, why: `${id} is closed: ${why}` })),
    closed: closed && `a gate of the run is closed: ${closed.why}`,
  };
}

import { isPast, plusSeconds } from '../text/instant.ts';
import type { ClosedGate, RunProblem } from './run-question.ts';
import { type RunRecord, unseenSeconds, withRunLog } from './run-record.ts';

interface GatesJudged {
  readonly record: RunRecord;
  readonly problems: readonly RunProblem[];
  /** Why no node begins; undefined: gates keep none from it. */
  readonly closed: string | undefined;
}

/** What closed gates come to, by how long each has been closed. A gate that nobody could look at comes to nothing but
 *  words: no node begins, and it neither ends the run nor counts no longer.
 *  @param isWaitedFor nodes are left, and nothing else keeps them from being asked for */
export function judgeGates(
  before: RunRecord,
  {
    gates,
    isWaitedFor,
    now,
  }: { readonly gates: readonly ClosedGate[]; readonly isWaitedFor: boolean; readonly now: Date },
): GatesJudged {
  const { closedGates: known = {}, unseenGates: blind = {}, ...record } = before;
  if (gates.length === 0 || !isWaitedFor) return { record, problems: [], closed: undefined };
  const at = now.toISOString();
  // What it asks for may be away because one of its own nodes is.
  const isAway = Object.values(before.turns).some(
    ({ step }) => step === 'gone' || step === 'cordon' || step === 'after',
  );
  const unseen = gates
    .filter(({ isUnseen }) => isUnseen)
    .map((gate) => ({ ...gate, since: (isAway ? undefined : blind[gate.id]) ?? at }));
  const timed = gates
    .filter(({ isUnseen }) => !isUnseen)
    .map((gate) => {
      const since = (isAway ? undefined : known[gate.id]) ?? at;
      return { ...gate, since, isLate: isPast(plusSeconds(new Date(since), gate.timeoutSeconds), now) };
    });
  const kept = isAway ? record : { ...record, ...sinceWhen(timed, unseen, known) };
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
    problems: [
      ...unseen.filter(({ since }) => isPast(plusSeconds(new Date(since), unseenSeconds), now)).map(unseenProblem),
      ...late
        .filter(({ onTimeout }) => onTimeout === 'alert')
        .map(({ id, since, why }) => ({ kind: 'gate' as const, node: '', since, why: `${id} is closed: ${why}` })),
    ],
    closed: whyShut(closed, unseen[0]),
  };
}

interface Timed extends ClosedGate {
  /** ISO instant. */
  readonly since: string;
}

/** How long a gate has been closed before nobody could look counts, if it is still closed when somebody can. */
function sinceWhen(
  timed: readonly Timed[],
  unseen: readonly Timed[],
  known: Readonly<Record<string, string>>,
): Pick<RunRecord, 'closedGates' | 'unseenGates'> {
  const before = unseen.flatMap(({ id }) => (known[id] === undefined ? [] : [[id, known[id]] as const]));
  const closedGates = Object.fromEntries([...timed.map(({ id, since }) => [id, since] as const), ...before]);
  if (unseen.length === 0) return { closedGates };
  return { closedGates, unseenGates: Object.fromEntries(unseen.map(({ id, since }) => [id, since])) };
}

function unseenProblem({ id, since, why }: Timed): RunProblem {
  return { kind: 'unseen', node: '', since, why: `${id} could not be looked at since ${since}: ${why}` };
}

function whyShut(closed: Timed | undefined, unseen: Timed | undefined): string | undefined {
  if (closed !== undefined) return `a gate of the run is closed: ${closed.why}`;
  return unseen && `a gate of the run could not be looked at since ${unseen.since}: ${unseen.why}`;
}

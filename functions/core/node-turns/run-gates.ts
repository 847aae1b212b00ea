import { byName } from '../text/by-name.ts';
import { duration } from '../text/durations.ts';
import { isPast, plusSeconds, secondsSince } from '../text/instant.ts';
import type { ClosedGate, RunProblem, RunQuestion } from './run-question.ts';
import { isOver, type RunRecord, type Said, type Turn, unseenSeconds, withRunLog } from './run-record.ts';

interface GatesJudged {
  readonly record: RunRecord;
  readonly problems: readonly RunProblem[];
  /** Why no node begins; undefined: gates keep none from it. */
  readonly closed: string | undefined;
}

interface GatesAsked {
  readonly gates: readonly ClosedGate[];
  /** But for them a node would begin its turn now, or go: their time passes. */
  readonly isAlone: boolean;
  /** A node has had its turn. */
  readonly hasBegun: boolean;
  readonly now: Date;
}

/** What closed gates come to, by how long each has been closed while nothing else kept nodes back. A gate that nobody
 *  could look at comes to nothing but words: no node begins, and it neither ends the run nor counts no longer. Once a
 *  node has had its turn `abort` is an alert: the MCO would take the others at once, without Jobs and past the gate. */
export function judgeGates(before: RunRecord, { gates, isAlone, hasBegun, now }: GatesAsked): GatesJudged {
  const { closedGates: _, unseenGates: blind = {}, waitedGates: __, ...record } = before;
  if (gates.length === 0) return { record, problems: [], closed: undefined };
  const at = now.toISOString();
  // What it asks for may be away because one of its own nodes is.
  const isAway = Object.values(before.turns).some(
    ({ step }) => step === 'gone' || step === 'cordon' || step === 'after',
  );
  const known = isAway ? {} : knownSince(before, now);
  const unseen = gates
    .filter(({ isUnseen }) => isUnseen)
    .map((gate) => ({ ...gate, since: (isAway ? undefined : blind[gate.id]) ?? at }));
  const timed = gates
    .filter(({ isUnseen }) => !isUnseen)
    .map((gate) => {
      const since = known[gate.id] ?? at;
      return { ...gate, since, isLate: isPast(plusSeconds(new Date(since), gate.timeoutSeconds), now) };
    });
  const late = timed.filter(({ isLate }) => isLate);
  const ending = late.find(({ onTimeout }) => onTimeout === 'abort' && isAlone && !hasBegun);
  if (ending !== undefined) {
    const why = `${ending.id} has been closed for ${duration(secondsSince(ending.since, now))}: ${ending.why}`;
    const aborted = { ...record, aborted: { who: ownGate, why, at } };
    return { record: withRunLog(aborted, [{ at, node: '', what: `aborted: ${why}` }]), problems: [], closed: why };
  }
  const closed = timed.find(({ isLate, onTimeout }) => !isLate || onTimeout !== 'proceed');
  return {
    record: isAway ? record : { ...record, ...sinceWhen({ timed, unseen, known, isAlone, now }) },
    problems: [
      ...unseen.filter(({ since }) => isPast(plusSeconds(new Date(since), unseenSeconds), now)).map(unseenProblem),
      ...late
        .filter(({ onTimeout }) => onTimeout === 'alert' || (onTimeout === 'abort' && hasBegun))
        .map(({ id, since, why }) => ({ kind: 'gate' as const, node: '', since, why: `${id} is closed: ${why}` })),
    ],
    closed: whyShut(closed, unseen[0]),
  };
}

const ownGate = 'its own gate';

/** Whether nobody wished so but one of its gates. */
export function isOfOwnGate({ who }: Said): boolean {
  return who === ownGate;
}

/** Whether a node has had its turn since the run took its pools, as far as turns are kept that say so. */
export function hasBegun({ record, pools }: Pick<RunQuestion, 'record' | 'pools'>): boolean {
  const isOfNow = ({ pool, since }: Turn) => {
    const heldSince = byName(pools, pool)?.heldSince;
    return heldSince !== undefined && Date.parse(heldSince) <= Date.parse(since);
  };
  return record.begun === true || Object.values(record.turns).some((turn) => !isOver(turn) || isOfNow(turn));
}

interface Timed extends ClosedGate {
  /** ISO instant. */
  readonly since: string;
}

type Instants = Readonly<Record<string, string>>;

/** Since when each would be closed if nothing else had kept nodes back in between. */
function knownSince({ closedGates = {}, waitedGates = {} }: RunRecord, now: Date): Instants {
  const waited = Object.entries(waitedGates).map(([id, seconds]) => [id, plusSeconds(now, -seconds)] as const);
  return { ...Object.fromEntries(waited), ...closedGates };
}

interface GatesTimed {
  readonly timed: readonly Timed[];
  readonly unseen: readonly Timed[];
  readonly known: Instants;
  readonly isAlone: boolean;
  readonly now: Date;
}

/** How long a gate has been closed before nobody could look counts, if it is still closed when somebody can. */
function sinceWhen({
  timed,
  unseen,
  known,
  isAlone,
  now,
}: GatesTimed): Pick<RunRecord, 'closedGates' | 'unseenGates' | 'waitedGates'> {
  const before = unseen.flatMap(({ id }) => (known[id] === undefined ? [] : [[id, known[id]] as const]));
  const closed = [...timed.map(({ id, since }) => [id, since] as const), ...before];
  const waited = closed.map(([id, since]) => [id, Math.floor(secondsSince(since, now))] as const);
  return {
    ...(isAlone ? { closedGates: Object.fromEntries(closed) } : { waitedGates: Object.fromEntries(waited) }),
    ...(unseen.length === 0 ? {} : { unseenGates: Object.fromEntries(unseen.map(({ id, since }) => [id, since])) }),
  };
}

function unseenProblem({ id, since, why }: Timed): RunProblem {
  return { kind: 'unseen', node: '', since, why: `${id} could not be looked at since ${since}: ${why}` };
}

function whyShut(closed: Timed | undefined, unseen: Timed | undefined): string | undefined {
  if (closed !== undefined) return `a gate of the run is closed: ${closed.why}`;
  return unseen && `a gate of the run could not be looked at since ${unseen.since}: ${unseen.why}`;
}

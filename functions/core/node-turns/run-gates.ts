import { byName } from '../text/by-name.ts';
import { duration } from '../text/durations.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
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
  /** But for them a node would begin its turn now, or go. */
  readonly isAlone: boolean;
  /** A node has had its turn. */
  readonly hasBegun: boolean;
  /** It waits for another run, and no turn of it is under way: nobody is told of its gates before that ends. Absent: it
   *  does not. */
  readonly isQueued?: boolean;
  readonly now: Date;
}

/** Between two looks no more of a gate's own time passes than this: nobody knows what else kept nodes back. */
const lookAtMostMs = 300_000;

/** What closed gates come to. People are told by how long each has been closed. What lets nodes go, past the gate or
 *  without Jobs, counts by how long nothing but gates that do so kept them back, and comes to nothing before each of
 *  these has had its time; the gate is told until then. A gate that nobody could look at comes to nothing but words: no
 *  node begins, and it neither ends the run nor counts no longer. Once a node has had its turn `abort` is an alert: the
 *  MCO would take the others at once, without Jobs and past the gate. While somebody has paused the run, nothing is
 *  told that was not told before. */
export function judgeGates(before: RunRecord, asked: GatesAsked): GatesJudged {
  const { gates, hasBegun, now } = asked;
  const { closedGates = {}, unseenGates: blind = {}, aloneGatesMs = {}, aloneGatesAt, ...record } = before;
  if (gates.length === 0) return { record, problems: [], closed: undefined };
  const at = now.toISOString();
  const letsGo = ({ onTimeout }: ClosedGate) => thenWhat(onTimeout, hasBegun) !== undefined;
  const isAlone = asked.isAlone && gates.every((gate) => !gate.isUnseen && letsGo(gate));
  const until = record.paused === undefined ? now : new Date(record.paused.at);
  // What it asks for may be away because one of its own nodes is.
  const isAway = Object.values(before.turns).some(
    ({ step }) => step === 'gone' || step === 'cordon' || step === 'after',
  );
  const known = isAway ? {} : closedGates;
  const aloneMs = isAway ? {} : withTime(aloneGatesMs, aloneGatesAt, now);
  const all = gates.map((gate) => {
    const isUp = (aloneMs[gate.id] ?? 0) >= gate.timeoutSeconds * 1000;
    return { ...gate, since: known[gate.id] ?? at, isPassed: isUp && gate.onTimeout === 'proceed', isUp };
  });
  const timed = all.filter(({ isUnseen }) => !isUnseen);
  const unseen = all
    .filter(({ isUnseen }) => isUnseen)
    .map((gate) => ({ ...gate, since: (isAway ? undefined : blind[gate.id]) ?? at, closedSince: gate.since }));
  const isOverdue = isAlone && timed.every(({ isUp }) => isUp);
  const ending = isOverdue ? timed.find(({ onTimeout }) => onTimeout === 'abort') : undefined;
  if (ending !== undefined) {
    const closedFor = duration((aloneMs[ending.id] ?? 0) / 1000);
    const others = timed.filter((gate) => gate !== ending).map(({ id }) => id);
    const but = others.length === 0 ? '' : ` but ${listed(others, 3)}`;
    const why = `${ending.id} has been closed for ${closedFor} while nothing else${but} kept nodes back: ${ending.why}`;
    const aborted = { ...record, aborted: { who: ownGate, why, at } };
    return { record: withRunLog(aborted, [{ at, node: '', what: `aborted: ${why}` }]), problems: [], closed: why };
  }
  const shut = timed.filter(({ isPassed }) => !isPassed);
  const since = sinceWhen(timed, unseen, known);
  const counted = gates.filter((gate) => since.closedGates?.[gate.id] !== undefined && letsGo(gate));
  const own = {
    ...(isAlone ? { aloneGatesAt: at } : {}),
    aloneGatesMs: Object.fromEntries(counted.map(({ id }) => [id, aloneMs[id] ?? 0])),
  };
  const kept = { ...record, ...since, ...(counted.length === 0 ? {} : own) };
  return {
    record: isAway ? record : kept,
    problems: asked.isQueued
      ? []
      : [
          ...unseen.flatMap((gate) => unseenProblems(gate, hasBegun, until)),
          ...shut
            .filter((gate) => !isBehind(gate, shut, letsGo))
            .flatMap((gate) => gateProblems(gate, hasBegun, until)),
        ],
    closed: whyShut(shut[0], unseen[0]),
  };
}

/** Its time does not pass: another one, closed for as long, keeps nodes back, and is told when its own time is up. */
function isBehind(gate: Timed, shut: readonly Timed[], letsGo: (gate: ClosedGate) => boolean): boolean {
  return letsGo(gate) && shut.some((other) => !letsGo(other) && other.since <= gate.since);
}

type AloneMs = Readonly<Record<string, number>>;

/** With the time since the last look, if nothing else kept nodes back then. */
function withTime(aloneMs: AloneMs, at: string | undefined, now: Date): AloneMs {
  const elapsedMs = at === undefined ? 0 : Math.max(0, now.getTime() - Date.parse(at));
  const step = Math.min(elapsedMs, lookAtMostMs);
  return Object.fromEntries(Object.entries(aloneMs).map(([id, known]) => [id, known + step]));
}

/** What lets nodes go says by that that the time is up: it is told before only where its own lags well behind. */
function toldAt({ since, timeoutSeconds }: Timed, then: string | undefined): string {
  return plusSeconds(new Date(since), timeoutSeconds + (then === undefined ? 0 : unseenSeconds));
}

function gateProblems(gate: Timed, hasBegun: boolean, until: Date): readonly RunProblem[] {
  const { id, since, why, timeoutSeconds, onTimeout } = gate;
  const then = thenWhat(onTimeout, hasBegun);
  if (onTimeout === 'wait' || !isPast(toldAt(gate, then), until)) return [];
  const alone = `once nothing else has kept nodes back for ${duration(timeoutSeconds)}`;
  const told = `${id} is closed: ${why}`;
  return [{ kind: 'gate', node: '', since, why: then === undefined ? told : `${told}; ${then} ${alone}` }];
}

/** What lets nodes go when its time is up; undefined: they wait on. */
function thenWhat(onTimeout: ClosedGate['onTimeout'], hasBegun: boolean): string | undefined {
  if (onTimeout === 'proceed') return 'a node goes all the same';
  return onTimeout === 'abort' && !hasBegun ? 'the run is aborted' : undefined;
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

/** How long a gate has been closed before nobody could look counts, if it is still closed when somebody can. */
function sinceWhen(
  timed: readonly Timed[],
  unseen: readonly Timed[],
  known: Readonly<Record<string, string>>,
): Pick<RunRecord, 'closedGates' | 'unseenGates'> {
  const before = unseen.flatMap(({ id }) => (known[id] === undefined ? [] : [[id, known[id]] as const]));
  return {
    closedGates: Object.fromEntries([...timed.map(({ id, since }) => [id, since] as const), ...before]),
    ...(unseen.length === 0 ? {} : { unseenGates: Object.fromEntries(unseen.map(({ id, since }) => [id, since])) }),
  };
}

interface Unseen extends Timed {
  readonly isPassed: boolean;
  /** ISO instant: since when it is closed, as far as it was seen. */
  readonly closedSince: string;
}

/** What was told of it before stays told. */
function unseenProblems(gate: Unseen, hasBegun: boolean, until: Date): readonly RunProblem[] {
  const { id, since, closedSince, isPassed, why } = gate;
  const seenUntil = isPast(since, until) ? new Date(since) : until;
  const [before] = isPassed ? [] : gateProblems({ ...gate, since: closedSince }, hasBegun, seenUntil);
  if (before === undefined && !isPast(plusSeconds(new Date(since), unseenSeconds), until)) return [];
  const told = `${id} could not be looked at since ${since}: ${why}`;
  return [{ kind: 'unseen', node: '', since: before?.since ?? since, why: told }];
}

function whyShut(closed: Timed | undefined, unseen: Timed | undefined): string | undefined {
  if (closed !== undefined) return `a gate of the run is closed: ${closed.why}`;
  return unseen && `a gate of the run could not be looked at since ${unseen.since}: ${unseen.why}`;
}

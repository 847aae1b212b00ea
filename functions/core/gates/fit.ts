import { protectionOf } from '../configuration/protection.ts';
import type { Window } from '../configuration/window.ts';
import { durationText } from '../impact/estimate.ts';
import { type NodePace, plannedPace } from '../impact/node-pace.ts';
import { type RolloutTime, rolloutTime } from '../impact/rollout-time.ts';
import { type Observed, seenValue } from '../text/observed.ts';
import { calendarDoubt, calendarFault } from '../windows/calendar-windows.ts';
import { isCalendarUnread } from '../windows/kept-calendars.ts';
import { askWindows, nextOpening, windowsFor } from '../windows/openings.ts';
import type { EvidenceKind } from './evidence.ts';
import { closed, type Gate, type GateAnswer, type GateQuestion, open, unread } from './gate.ts';
import { rolloutOf } from './rollout.ts';
import { window } from './window.ts';

/** The rollout, or the part of it that begins now, ends before the window of the pool closes. */
export const fit: Gate = { name: 'fit', inEmergency: 'passed', ask, timeout: window.timeout };

function ask(question: GateQuestion): GateAnswer {
  const { pool, windows, evidence, now } = question;
  const { overrun } = question.settings;
  const own = windowsFor(windows, pool);
  const rollout = rolloutOf(question);
  if (overrun === 'go' || own.length === 0 || (rollout.kind === 'none' && !letsAnyThrough(question))) return open;
  // A closed window is told by the gate of that name, and so is one that cannot be known.
  if (own.some((each) => isUnknown(each, now))) return open;
  const answer = askWindows(own, now);
  if (!answer.open || answer.until === undefined) return open;
  if (rollout.kind === 'unread') return rollout.answer;
  if (evidence.pace.kind === 'not-asked') return unread('how long its nodes take', 'its rollout fits', 'pace');
  const time = rolloutTime(pool, paceIn(evidence.pace));
  const needed = minutesNeeded(overrun, time);
  const left = minutesUntil(answer.until, now);
  if (needed <= left) return open;
  const { opensAt, none } = nextOpening(own, now, needed);
  return closed({
    why: `${whatOf[overrun]} may take ${durationText(needed)} (${time.text}), and its window closes in ${durationText(left)}`,
    value: durationText(needed),
    threshold: `at most ${durationText(left)}`,
    opens:
      opensAt === undefined
        ? opensNever(none, overrun)
        : `when the next window that is long enough does, at ${opensAt}`,
    who: `${opensAt === undefined ? '' : 'time, by itself; '}whoever may change windows and overrun in poolkeeper.yaml`,
    opensAt,
  });
}

/** A pool that rests resumes for nodes that have just joined, too, and is paused again when its window closes. */
function letsAnyThrough({ settings, evidence: { nodesBehind } }: GateQuestion): boolean {
  return protectionOf(settings).rests && (seenValue(nodesBehind) ?? []).length > 0;
}

const whatOf = { wait: 'the rollout', part: 'the next node' } as const;

function opensNever(none: string, overrun: 'wait' | 'part'): string {
  const other = overrun === 'wait' ? ', or overrun: part' : '';
  return `${none} is long enough: longer windows in poolkeeper.yaml${other}`;
}

/** `part`: only what begins now has to end in time; before the window closes the pool is paused again. */
function minutesNeeded(overrun: 'wait' | 'part', { whole, next }: RolloutTime): number {
  return overrun === 'wait' ? whole : next;
}

/** A window that closes in the middle of a rollout which Poolkeeper let go. */
export type Closing =
  | { readonly kind: 'goes on' }
  /** How long nodes take, or a calendar, has to be read first. */
  | { readonly kind: 'unread'; readonly lacks: EvidenceKind }
  | { readonly kind: 'stops'; readonly why: string };

/** Whether a rolling pool is to be paused, because its window is closed or closes before the next nodes would be
 *  back. */
export function closingOf({
  pool,
  settings: { overrun },
  windows,
  evidence: { pace },
  emergency,
  now,
}: Pick<GateQuestion, 'pool' | 'settings' | 'windows' | 'evidence' | 'emergency' | 'now'>): Closing {
  const own = windowsFor(windows, pool);
  if (overrun === 'go' || own.length === 0 || emergency !== undefined) return { kind: 'goes on' };
  if (own.some(isCalendarUnread)) return { kind: 'unread', lacks: 'calendars' };
  const { machines, updated } = pool.counts;
  const rest = `${updated} of ${machines} nodes are updated, the rest waits for the next opening`;
  const fault = own.map((each) => calendarFault(each, now.getTime())).find((each) => each !== undefined);
  if (fault !== undefined)
    return { kind: 'stops', why: `the calendar of its window cannot be used: ${fault}: ${rest}` };
  const answer = askWindows(own, now);
  if (!answer.open) return { kind: 'stops', why: `its window has closed in mid-rollout: ${rest}` };
  if (answer.until === undefined) return { kind: 'goes on' };
  if (pace.kind === 'not-asked') return { kind: 'unread', lacks: 'pace' };
  const left = minutesUntil(answer.until, now);
  const { next } = rolloutTime(pool, paceIn(pace));
  if (next <= left) return { kind: 'goes on' };
  return {
    kind: 'stops',
    why: `its window closes in ${durationText(left)}, and the next node may take ${durationText(next)}: ${rest}`,
  };
}

function isUnknown(window: Window, now: Date): boolean {
  return isCalendarUnread(window) || calendarDoubt(window, now.getTime()) !== undefined;
}

/** A pace that cannot be read is no reason to wait: the planned one is used. */
function paceIn(pace: Observed<NodePace | undefined>): NodePace {
  return seenValue(pace) ?? plannedPace;
}

function minutesUntil(instant: string, now: Date): number {
  return Math.max(0, Math.floor((Date.parse(instant) - now.getTime()) / 60_000));
}

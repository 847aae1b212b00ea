import type { AlertTarget } from '../configuration/alerts.ts';
import { plusSeconds } from '../text/instant.ts';

/** How fast a channel may be written to, over all senders. One ledger of what was sent, which is never broken, and one
 *  each of turns given out to what is urgent and to the rest, so that whoever must wait comes back once and not every
 *  second. */
export interface Pace {
  /** Optimistic lock; 0: never stored. */
  readonly version: number;
  /** ISO instant from which the channel is at rest: a second after the last message, later after a burst. */
  readonly restsAt: string | undefined;
  /** ISO instant of the last turn that was given out to what is not urgent. */
  readonly lastTurnAt: string | undefined;
  /** ISO instant of the last turn that was given out to what is urgent. Absent: none was. */
  readonly lastUrgentAt?: string | undefined;
}

export const unpaced: Pace = { version: 0, restsAt: undefined, lastTurnAt: undefined };

/** A message that asks for its turn. */
export interface Applicant {
  /** The turn that it was given before; undefined: none. */
  readonly turnAt: string | undefined;
  /** It goes before all that is not: a critical alert does not wait behind two hundred notices. */
  readonly isUrgent: boolean;
}

/** Slack takes one message a second in a channel, and more for a short time. Source: Slack, "Rate limits". */
const secondsPerMessage = 1;
const secondMs = secondsPerMessage * 1000;
/** Messages at once: that of an incident, and the first reply in its thread. */
const burst = 2;

export type Turn =
  /** It may be sent now. */
  | { readonly kind: 'now'; readonly pace: Pace }
  /** Others are before it: come back at that instant, and name it. */
  | { readonly kind: 'later'; readonly at: string; readonly pace: Pace };

/** Seconds ahead that a ledger is believed: longer than any channel is let rest, and than so many messages take. What
 *  is later was written by a clock that was set back since, and would keep the channel silent until that time. */
const furthestSeconds = 20 * 60;

/** Asks for a turn. */
export function takeTurn(stored: Pace, { turnAt, isUrgent }: Applicant, now: Date): Turn {
  const at = now.getTime();
  const pace = believed(stored, now);
  const restsAt = Math.max(at, instantOf(pace.restsAt));
  const freeAt = restsAt - (burst - 1) * secondMs;
  const lastUrgentAt = instantOf(pace.lastUrgentAt);
  // What was given to the urgent ones is theirs for the second that follows, too: they come by a queue.
  const lastAt = isUrgent ? lastUrgentAt : Math.max(instantOf(pace.lastTurnAt), lastUrgentAt + secondMs);
  const hasTurn = turnAt !== undefined && Date.parse(turnAt) <= at && (isUrgent || lastUrgentAt + secondMs <= at);
  const isNext = (turnAt === undefined || isUrgent) && lastAt <= at;
  if ((hasTurn || isNext) && freeAt <= at) {
    return { kind: 'now', pace: { ...pace, restsAt: plusSeconds(new Date(restsAt), secondsPerMessage) } };
  }
  if (turnAt !== undefined && Date.parse(turnAt) > at && !(isUrgent && isAmongRest(pace, turnAt)))
    return { kind: 'later', at: turnAt, pace };
  const next = new Date(Math.max(freeAt, lastAt + secondMs)).toISOString();
  return { kind: 'later', at: next, pace: { ...pace, ...(isUrgent ? { lastUrgentAt: next } : { lastTurnAt: next }) } };
}

/** Whether a turn is one of those that are given out to what is not urgent: what has become urgent gives it up for an
 *  earlier one. One before the last of what is urgent is as good as theirs. */
export function isAmongRest({ lastUrgentAt }: Pace, turnAt: string): boolean {
  return Date.parse(turnAt) > instantOf(lastUrgentAt);
}

/** The channel itself asked to wait: nothing is sent to it until then. */
export function restUntil(pace: Pace, until: string): Pace {
  const restsAt = Date.parse(until) + (burst - 1) * secondMs;
  return instantOf(pace.restsAt) >= restsAt ? pace : { ...pace, restsAt: new Date(restsAt).toISOString() };
}

function believed(pace: Pace, now: Date): Pace {
  const furthest = now.getTime() + furthestSeconds * 1000;
  const soon = (instant: string | undefined) => (instantOf(instant) > furthest ? undefined : instant);
  return {
    ...pace,
    restsAt: soon(pace.restsAt),
    lastTurnAt: soon(pace.lastTurnAt),
    lastUrgentAt: soon(pace.lastUrgentAt),
  };
}

function instantOf(instant: string | undefined): number {
  return instant === undefined ? Number.NEGATIVE_INFINITY : Date.parse(instant);
}

/** What is written to at a limited rate: a channel, whatever targets share it. Undefined: no limit is known, or the
 *  other side says when to wait. */
export function pacedChannel(target: AlertTarget): string | undefined {
  switch (target.kind) {
    case 'slack':
      return `slack/${target.channel}`;
    case 'slack-webhook':
      return `slack-webhook/${target.name}`;
    case 'email':
    case 'pagerduty':
    case 'alertmanager':
    case 'webhook':
    case 'outbox':
      return undefined;
    default:
      return target satisfies never;
  }
}

import { digestPart } from '../../findings/cause-key.ts';
import { rootsOf } from '../../findings/chain.ts';
import type { Finding, Severity, Trouble } from '../../findings/trouble.ts';
import { isMoreSevere, isProgress } from '../../findings/trouble-words.ts';
import { duration, secondsBetween } from '../../text/durations.ts';
import { plusSeconds } from '../../text/instant.ts';
import { isAttended } from '../attention.ts';
import { calmWords, isCalm, isUntold, withTransition, withUntold } from '../flapping.ts';
import { isJoinDue, joinedBy } from '../heard-of.ts';
import { type Incident, type IncidentNote, newIncident } from '../incident.ts';
import { isEndOwed, newestKept, withNote } from '../notes.ts';
import { freshReminders, isReminderDue, nextReminders } from '../reminders.ts';
import { withRingsOf } from '../rings.ts';
import { isBackToStay, isToldSeverity } from '../told-severities.ts';
import { climb, endAttention, overWords, unattended } from './attended.ts';
import { inSight, wasShownStale } from './blind.ts';
import {
  type EvolveContext,
  type Evolved,
  iso,
  isSame,
  noted,
  nothing,
  type PresentTrouble,
  quieted,
  refreshed,
  updated,
} from './step.ts';

/** The trouble was observed. */
export function present(stored: Incident | undefined, observed: PresentTrouble, context: EvolveContext): Evolved {
  const incident = stored ?? newIncident(observed.trouble.key);
  switch (incident.state) {
    case 'ok':
      return isReturn(incident, context)
        ? reopen(incident, observed, context)
        : begin(incident, observed, context, stored);
    case 'pending':
      return ripen(incident, inSight(incident), observed, context);
    case 'firing':
      return stay(incident, observed, context);
    case 'resolving':
      return relapse(incident, observed, context);
    default:
      return incident.state satisfies never;
  }
}

/** Whether the trouble reopens its last incident: if that ended a short while ago, or if its resolution has not reached
 *  everyone. */
function isReturn(incident: Incident, { policy, now, targets }: EvolveContext): boolean {
  if (incident.resolvedAt === undefined || incident.number === 0) return false;
  return secondsBetween(incident.resolvedAt, now) <= policy.reopenWithinSeconds || isEndOwed(incident, targets, now);
}

function begin(
  incident: Incident,
  observed: PresentTrouble,
  context: EvolveContext,
  stored: Incident | undefined,
): Evolved {
  const since = Date.parse(observed.trouble.since) <= context.now.getTime() ? observed.trouble.since : iso(context);
  const begun: Incident = { ...incident, state: 'pending', since, trouble: observed.trouble, inhibitedBy: undefined };
  const next = ripen(begun, begun, observed, context);
  if (next.effect === 'needs-number') return { incident: stored, effect: 'needs-number' };
  return next.effect === 'nothing' ? { incident: begun, effect: 'noted' } : next;
}

/** Waits out the hold-down, unless the trouble cannot heal by itself. */
function ripen(before: Incident, incident: Incident, observed: PresentTrouble, context: EvolveContext): Evolved {
  const { trouble, inhibitedBy } = observed;
  const held = { ...incident, goneSince: undefined, goodReadsGone: 0, inhibitedBy };
  const since = incident.since ?? trouble.since;
  const ripe = trouble.class === 'structural' || secondsBetween(since, context.now) >= context.policy.holdDownSeconds;
  if (ripe && inhibitedBy === undefined) return open(before, held, trouble, context);
  const told = incident.trouble?.digest === trouble.digest && incident.trouble.severity === trouble.severity;
  const next = told ? held : { ...held, trouble };
  return isSame(before, next) ? nothing(before) : { incident: next, effect: 'noted' };
}

/** A new episode with a number of its own. */
function open(before: Incident, incident: Incident, trouble: Trouble, context: EvolveContext): Evolved {
  const { policy, now, nextNumber } = context;
  if (nextNumber === undefined) return { incident: before, effect: 'needs-number' };
  const fresh: Incident = {
    ...incident,
    state: 'firing',
    number: nextNumber,
    trouble,
    openedAt: openedAt(before, trouble, context),
    resolvedAt: undefined,
    outcome: undefined,
    endedBy: undefined,
    attention: undefined,
    wishes: undefined,
    reopened: 0,
    notes: [],
    deliveries: {},
    ...freshReminders(trouble.severity, policy, now),
  };
  const opened = withNote(withTransition(fresh, now), 'opened', trouble.headline, context);
  const known = { ...opened, deliveries: withRingsOf(before.deliveries, opened.deliveries) };
  return { incident: quieted(known, context), effect: 'opened' };
}

/** An incident that was only inhibited opened when it would have without the inhibitor. */
function openedAt(before: Incident, trouble: Trouble, { policy, now }: EvolveContext): string {
  const since = before.since ?? trouble.since;
  if (before.inhibitedBy === undefined) return now.toISOString();
  const ripeAt = plusSeconds(new Date(since), trouble.class === 'structural' ? 0 : policy.holdDownSeconds);
  return Date.parse(ripeAt) < now.getTime() ? ripeAt : now.toISOString();
}

/** Back within the window: same number and same message, with a notification. */
function reopen(incident: Incident, { trouble, inhibitedBy }: PresentTrouble, context: EvolveContext): Evolved {
  const { policy, now } = context;
  const away = duration(secondsBetween(incident.resolvedAt ?? iso(context), now));
  const back: Incident = {
    ...inSight(incident),
    state: 'firing',
    since: incident.since ?? trouble.since,
    trouble,
    inhibitedBy,
    resolvedAt: undefined,
    outcome: undefined,
    endedBy: undefined,
    attention: isAttended({ ...incident, trouble }, now) ? incident.attention : undefined,
    goneSince: undefined,
    goodReadsGone: 0,
    reopened: incident.reopened + 1,
    ...freshReminders(trouble.severity, policy, now),
  };
  const told = withNote(
    withTransition(back, now),
    'reopened',
    `Firing again after ${away}: ${trouble.headline}`,
    context,
  );
  return { incident: quieted(told, context), effect: 'opened' };
}

function stay(stored: Incident, observed: PresentTrouble, context: EvolveContext): Evolved {
  const incident = inSight(stored);
  if (observed.inhibitedBy !== undefined) return muted(stored, incident, observed.inhibitedBy, context);
  const loud = incident.inhibitedBy === undefined ? incident : { ...incident, inhibitedBy: undefined };
  const steps = [settleDown, tellChange, tellJoined, endAttention, remind, climb, refresh];
  for (const step of steps) {
    const next = step(loud, observed.trouble, context);
    if (next !== undefined) return next;
  }
  if (wasShownStale(stored) && incident !== stored) return refreshed(loud, context);
  return loud === stored ? nothing(stored) : { incident: loud, effect: 'noted' };
}

/** Inhibited: no reminders, no replies; the resolution is still owed. */
function muted(stored: Incident, incident: Incident, inhibitedBy: string, context: EvolveContext): Evolved {
  if (incident.inhibitedBy === inhibitedBy && !wasShownStale(stored)) {
    return incident === stored ? nothing(stored) : noted(incident);
  }
  return refreshed({ ...incident, inhibitedBy }, context);
}

/** Flapping ends when there was no transition for long enough. What is news at this look is told as such: the end of
 *  flapping pages nobody. */
function settleDown(incident: Incident, trouble: Trouble, context: EvolveContext): Evolved | undefined {
  if (!incident.flapping || !isCalm(incident, context.policy, context.now)) return undefined;
  if (withUntold(incident, trouble) !== undefined)
    return tellNews({ ...incident, ...calmed }, newsOf(incident, trouble, context), context);
  const over = overWords(incident, trouble, context.now);
  const text = `No longer flapping, still firing: ${trouble.headline}. It ${calmWords(incident)}.${over === undefined ? '' : ` ${over}.`}`;
  const going =
    over === undefined
      ? { ...incident, trouble, ...reminded(incident, trouble, context) }
      : unattended(incident, trouble, context);
  const calm: Incident = { ...going, ...calmed };
  return updated(withNote(calm, over === undefined ? 'flapping' : 'unattended', text, context));
}

const calmed = { flapping: false, flappingFor: undefined, flappingAt: undefined, transitions: [] } as const;

/** Other causes, nodes or blockers, or a higher severity. */
function tellChange(incident: Incident, trouble: Trouble, context: EvolveContext): Evolved | undefined {
  const isBack = isBackUntold(incident, trouble, context.now);
  const isSameTrouble = incident.trouble?.digest === trouble.digest && worseThan(incident, trouble) === undefined;
  if (isSameTrouble && !isBack) return undefined;
  const news = newsOf(incident, trouble, context);
  const heard = incident.flapping ? withUntold(incident, trouble) : undefined;
  if (isBack && heard === undefined) return tellWorse(incident, `Severity ${trouble.severity} again`, trouble, context);
  if (!incident.flapping) return tellNews(incident, news, context);
  return (
    (heard && tellNews(heard, news, context)) ??
    tellJoined(incident, trouble, context) ??
    endAttention(incident, trouble, context) ??
    remind(incident, trouble, context) ??
    refreshed({ ...incident, trouble }, context)
  );
}

/** Causes of others that joined lately, and that not everybody was told of yet. */
function tellJoined(incident: Incident, trouble: Trouble, context: EvolveContext): Evolved | undefined {
  if (!isJoinDue(incident, trouble, context)) return undefined;
  return tellOther(incident, newsOf(incident, trouble, context), context);
}

/** As severe again for minutes as it was when people were told, and nobody who has taken it has seen that. */
function isBackUntold(incident: Incident, trouble: Trouble, now: Date): boolean {
  return !isAttended({ ...incident, trouble }, now) && isBackToStay(incident, trouble.severity, now);
}

/** The severity at the last look, where it is higher now; undefined: it is not. */
function worseThan({ trouble: before }: Incident, trouble: Trouble): Severity | undefined {
  return before !== undefined && isMoreSevere(trouble.severity, before.severity) ? before.severity : undefined;
}

function tellNews(incident: Incident, news: News, context: EvolveContext): Evolved {
  const { trouble } = news;
  const before = worseThan(incident, trouble);
  if (before === undefined) return tellOther(incident, news, context);
  const what = `Severity up from ${before} to ${trouble.severity}`;
  return isToldSeverity(incident, trouble.severity, context.now)
    ? tellOther(incident, { ...news, what: `${what} again` }, context)
    : tellWorse(incident, what, trouble, context);
}

/** A change that is told. */
function tellOther(incident: Incident, news: News, context: EvolveContext): Evolved {
  const { trouble } = news;
  const over = overWords(incident, trouble, context.now);
  if (over !== undefined) {
    const text = `${changeWords(news)} ${over}.`;
    return updated(withNote(unattended(incident, trouble, context), 'escalated', text, context));
  }
  // Those who leave it alone are to hear of others' causes as well, by mail and pager, too.
  if (isJoinDue(incident, trouble, context)) {
    const next: Incident = { ...incident, trouble, ...reminded(incident, trouble, context) };
    return updated(withNote(next, 'escalated', changeWords(news), context));
  }
  // A reminder that is due follows it: causes that alternate at every look would take the place of each one.
  const changed = withNote({ ...incident, trouble }, 'changed', changeWords(news), context);
  return remind(changed, trouble, context) ?? updated(changed);
}

/** Worse than at the last look. Who took it has seen as much as this where it had only eased in between: what was
 *  acknowledged counts. */
function tellWorse(incident: Incident, what: string, trouble: Trouble, context: EvolveContext): Evolved {
  const next: Incident = { ...incident, trouble };
  const text = `${what}: ${trouble.headline}`;
  if (isAttended(next, context.now)) return updated(withNote(next, 'changed', text, context));
  const over = overWords(incident, trouble, context.now);
  const news = over === undefined ? text : `${text}. ${over}.`;
  return updated(withNote(unattended(next, trouble, context), 'escalated', news, context));
}

function changeWords({ trouble, cause, what = 'Now' }: News): string {
  return cause === undefined ? `${what}: ${trouble.headline}` : `${what}: ${trouble.headline}. ${cause.sentence}`;
}

interface News {
  readonly trouble: Trouble;
  readonly cause: Finding | undefined;
  /** What is told of it; absent: how it is now. */
  readonly what?: string | undefined;
}

/** With the first cause that was not there at the last look, and before that one of somebody who has joined, and while
 *  it flaps one that nobody was told of: the others may be many, and come before it. */
function newsOf(incident: Incident, trouble: Trouble, context: EvolveContext): News {
  const known = new Set(incident.trouble?.digest.split(';'));
  const causes = trouble.findings.flatMap((found) =>
    rootsOf(found).map((root) => ({ root, part: digestPart(found, root) })),
  );
  const fresh = causes.filter(({ part }) => !known.has(part));
  const untold = fresh.find(({ root }) => isUntold(incident, root.subject));
  const joined = new Set(joinedBy(incident, trouble, context).map(({ part }) => part));
  const unheard = causes.find(({ part }) => joined.has(part));
  return { trouble, cause: (untold ?? unheard ?? fresh[0] ?? causes[0])?.root };
}

/** A message that all are sent when a reminder is due counts as the reminder. */
function reminded(incident: Incident, trouble: Trouble, { policy, now }: EvolveContext): Partial<Incident> {
  const due = isReminderDue(incident, now) && !isAttended({ ...incident, trouble }, now);
  return due ? nextReminders(incident, trouble.severity, policy, now) : {};
}

function remind(incident: Incident, trouble: Trouble, context: EvolveContext): Evolved | undefined {
  const { policy, now } = context;
  if (isProgress(trouble.key.kind)) return undefined;
  if (!isReminderDue(incident, now) || isAttended({ ...incident, trouble }, now)) return undefined;
  const last = incident.notes.findLast(({ kind }) => kind === 'reminder')?.seq ?? 0;
  const news = incident.flapping ? 'It comes and goes' : changesWords(incident.notes.filter(({ seq }) => seq > last));
  const text = `Still firing after ${duration(secondsBetween(trouble.since, now))}: ${trouble.headline}. ${news}.`;
  const next: Incident = { ...incident, trouble, ...nextReminders(incident, trouble.severity, policy, now) };
  return updated(withNote(next, 'reminder', text, context));
}

/** From so many notes on as are kept there may have been more. */
function changesWords(notes: readonly IncidentNote[]): string {
  const changes = notes.filter(({ kind }) => kind === 'changed').length;
  if (changes === 0) return 'No change since the last message';
  const least = notes.length < newestKept ? '' : 'At least ';
  return `${least}${changes} ${changes === 1 ? 'change' : 'changes'} since the last reminder`;
}

/** Updates durations and progress now and then. */
function refresh(incident: Incident, trouble: Trouble, context: EvolveContext): Evolved | undefined {
  const { policy, now } = context;
  if (isProgress(trouble.key.kind))
    return incident.trouble?.headline === trouble.headline ? undefined : refreshed({ ...incident, trouble }, context);
  const last = incident.lastEditAt ?? incident.openedAt;
  const passed = last === undefined ? Number.POSITIVE_INFINITY : secondsBetween(last, now);
  if (passed === 0 || passed < policy.editEverySeconds) return undefined;
  return refreshed({ ...incident, trouble }, context);
}

/** Observed again before its resolution was sent. */
function relapse(incident: Incident, { trouble, inhibitedBy }: PresentTrouble, context: EvolveContext): Evolved {
  const firing: Incident = {
    ...withTransition(inSight(incident), context.now),
    state: 'firing',
    inhibitedBy,
    goneSince: undefined,
    goodReadsGone: 0,
    endedBy: undefined,
  };
  const quiet = quieted(firing, context);
  if (quiet !== firing) return relapseQuietly(quiet, trouble, context);
  if (inhibitedBy !== undefined) return refreshed(firing, context);
  return (
    tellChange(firing, trouble, context) ??
    endAttention(firing, trouble, context) ??
    remind(firing, trouble, context) ??
    refreshed({ ...firing, trouble }, context)
  );
}

/** It begins to flap. While it is muted, what it was last seen for stays, so that what is new is told afterwards. */
function relapseQuietly(quiet: Incident, trouble: Trouble, context: EvolveContext): Evolved {
  if (quiet.inhibitedBy !== undefined) return updated(quiet);
  const heard = withUntold(quiet, trouble);
  return (
    (heard && tellNews(heard, newsOf(quiet, trouble, context), context)) ??
    tellJoined(quiet, trouble, context) ??
    endAttention(quiet, trouble, context) ??
    updated({ ...quiet, trouble, ...reminded(quiet, trouble, context) })
  );
}

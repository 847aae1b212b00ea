import { duration, secondsBetween } from '../../text/durations.ts';
import { calmWords, withTransition } from '../flapping.ts';
import type { Incident } from '../incident.ts';
import { withNote } from '../notes.ts';
import { inSight, wasShownStale } from './blind.ts';
import {
  type AbsentTrouble,
  type EvolveContext,
  type Evolved,
  iso,
  isSame,
  noted,
  nothing,
  quieted,
  refreshed,
  updated,
} from './step.ts';

/** A successful read without the trouble. */
export function absent(stored: Incident, observed: AbsentTrouble, context: EvolveContext): Evolved {
  switch (stored.state) {
    case 'ok':
      return nothing(stored);
    case 'pending':
      return passOver(stored, context);
    case 'firing':
      return recover(stored, observed, context);
    case 'resolving':
      return finish(stored, observed, context);
    default:
      return stored.state satisfies never;
  }
}

/** It never fired: dropped silently after two successful reads. */
function passOver(stored: Incident, context: EvolveContext): Evolved {
  const { goneSince, goodReadsGone } = countedRead(stored, context);
  if (goodReadsGone < 2) {
    if (stored.goneSince === goneSince) return nothing(stored);
    return noted({ ...inSight(stored), goneSince, goodReadsGone });
  }
  return noted(dismissed(stored, context));
}

function dismissed(stored: Incident, { now }: EvolveContext): Incident {
  return {
    ...withTransition(inSight(stored), now),
    state: 'ok',
    since: undefined,
    goneSince: undefined,
    goodReadsGone: 0,
    inhibitedBy: undefined,
  };
}

/** The condition is gone: wait to see whether it stays away. */
function recover(stored: Incident, { endedBy }: AbsentTrouble, context: EvolveContext): Evolved {
  const counted = countedRead(stored, context);
  return refreshed({ ...inSight(stored), ...counted, state: 'resolving', endedBy }, context);
}

/** Two successful reads at different times count; the same read twice counts once. */
function countedRead(incident: Incident, { now }: EvolveContext): Pick<Incident, 'goneSince' | 'goodReadsGone'> {
  const { goneSince } = incident;
  if (goneSince === undefined) return { goneSince: now.toISOString(), goodReadsGone: 1 };
  return { goneSince, goodReadsGone: now.getTime() > Date.parse(goneSince) ? 2 : incident.goodReadsGone };
}

function finish(stored: Incident, observed: AbsentTrouble, context: EvolveContext): Evolved {
  const { policy, now } = context;
  const counted = countedRead(stored, context);
  const next: Incident = { ...inSight(stored), ...counted, endedBy: observed.endedBy ?? stored.endedBy };
  const gone = secondsBetween(counted.goneSince ?? now.toISOString(), now);
  const patience = stored.flapping ? policy.flapCalmSeconds : policy.keepFiringSeconds;
  if (next.goodReadsGone >= 2 && gone >= patience) {
    const outcome = observed.outcome ?? 'fixed';
    return gone >= policy.flapCalmSeconds ? over(next, outcome, context) : close(next, outcome, context);
  }
  if (wasShownStale(stored) && stored.staleSince !== undefined) return refreshed(next, context);
  return isSame(stored, next) ? nothing(stored) : noted(next);
}

/** With too many recent transitions it starts flapping instead of resolving once more. */
function close(incident: Incident, outcome: Outcome, context: EvolveContext): Evolved {
  const turned = withTransition(incident, context.now);
  const quiet = quieted(turned, context);
  return quiet === turned ? over(incident, outcome, context) : updated(quiet);
}

/** Everyone who was alerted gets the resolution. */
function over(incident: Incident, outcome: Outcome, context: EvolveContext): Evolved {
  const turned = incident.flapping ? incident : withTransition(incident, context.now);
  return { incident: closed(turned, outcome, context), happening: 'resolved' };
}

type Outcome = NonNullable<Incident['outcome']>;

function closed(incident: Incident, outcome: Outcome, context: EvolveContext): Incident {
  const lasted = duration(secondsBetween(incident.openedAt ?? iso(context), context.now));
  const why = incident.endedBy === undefined ? '' : ` ${incident.endedBy}`;
  const summary = incident.flapping ? ` It ${calmWords(incident)}.` : '';
  const ended: Incident = {
    ...incident,
    state: 'ok',
    since: undefined,
    resolvedAt: iso(context),
    outcome,
    goneSince: undefined,
    goodReadsGone: 0,
    inhibitedBy: undefined,
    nextReminderAt: undefined,
    flapping: false,
    transitions: incident.flapping ? [] : incident.transitions,
  };
  return withNote(ended, 'resolved', `Resolved after ${lasted}.${why}${summary}`, context);
}

/** Its subject no longer exists: nothing left to wait for. */
export function removed(stored: Incident, why: string, context: EvolveContext): Evolved {
  switch (stored.state) {
    case 'ok':
      return nothing(stored);
    case 'pending':
      return noted(dismissed(stored, context));
    case 'firing':
    case 'resolving':
      return over({ ...inSight(stored), endedBy: why }, 'subject-removed', context);
    default:
      return stored.state satisfies never;
  }
}

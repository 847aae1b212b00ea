import { duration, secondsBetween } from '../../text/durations.ts';
import { calmWords, withTransition } from '../flapping.ts';
import { type Incident, lastsSince } from '../incident.ts';
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
      return dismissIfGone(stored, context);
    case 'firing':
      return startResolving(stored, observed, context);
    case 'resolving':
      return resolveIfGone(stored, observed, context);
    default:
      return stored.state satisfies never;
  }
}

/** It never fired: dismissed without a message after two successful reads. */
function dismissIfGone(stored: Incident, context: EvolveContext): Evolved {
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
function startResolving(stored: Incident, { endedBy }: AbsentTrouble, context: EvolveContext): Evolved {
  const counted = countedRead(stored, context);
  return refreshed({ ...inSight(stored), ...counted, state: 'resolving', endedBy }, context);
}

/** Two successful reads at different times count; the same read twice counts once. */
function countedRead(incident: Incident, { now }: EvolveContext): Pick<Incident, 'goneSince' | 'goodReadsGone'> {
  const { goneSince } = incident;
  if (goneSince === undefined) return { goneSince: now.toISOString(), goodReadsGone: 1 };
  return { goneSince, goodReadsGone: now.getTime() > Date.parse(goneSince) ? 2 : incident.goodReadsGone };
}

/** Resolves it once it has stayed away for long enough: for longer while it flaps. What stayed away for as long as ends
 *  flapping is resolved in any case. */
function resolveIfGone(stored: Incident, observed: AbsentTrouble, context: EvolveContext): Evolved {
  const { policy, now } = context;
  const counted = countedRead(stored, context);
  const next: Incident = { ...inSight(stored), ...counted, endedBy: observed.endedBy ?? stored.endedBy };
  const gone = secondsBetween(counted.goneSince ?? now.toISOString(), now);
  const waitSeconds = stored.flapping ? policy.flapCalmSeconds : policy.keepFiringSeconds;
  if (next.goodReadsGone >= 2 && gone >= waitSeconds) {
    const outcome = observed.outcome ?? 'fixed';
    return gone >= policy.flapCalmSeconds ? resolve(next, outcome, context) : resolveOrFlap(next, outcome, context);
  }
  if (wasShownStale(stored) && stored.staleSince !== undefined) return refreshed(next, context);
  return isSame(stored, next) ? nothing(stored) : noted(next);
}

/** Resolves it; with too many recent transitions it starts flapping instead of resolving once more. */
function resolveOrFlap(incident: Incident, outcome: Outcome, context: EvolveContext): Evolved {
  const turned = withTransition(incident, context.now);
  const quiet = quieted(turned, context);
  return quiet === turned ? resolve(incident, outcome, context) : updated(quiet);
}

/** Everyone who was alerted gets the resolution. */
function resolve(incident: Incident, outcome: Outcome, context: EvolveContext): Evolved {
  const turned = incident.flapping ? incident : withTransition(incident, context.now);
  return { incident: resolved(turned, outcome, context), effect: 'resolved' };
}

type Outcome = NonNullable<Incident['outcome']>;

function resolved(incident: Incident, outcome: Outcome, context: EvolveContext): Incident {
  const lasted = duration(secondsBetween(lastsSince(incident) ?? iso(context), context.now));
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
    flappingFor: undefined,
    flappingAt: undefined,
    transitions: incident.flapping ? [] : incident.transitions,
  };
  return withNote(ended, 'resolved', `Resolved after ${lasted}.${why}${summary}`, context);
}

/** A successful read that shows that the pool or node no longer exists: there is nothing left to wait for. */
export function removed(stored: Incident, why: string, context: EvolveContext): Evolved {
  switch (stored.state) {
    case 'ok':
      return nothing(stored);
    case 'pending':
      return noted(dismissed(stored, context));
    case 'firing':
    case 'resolving':
      return resolve({ ...inSight(stored), endedBy: why }, 'subject-removed', context);
    default:
      return stored.state satisfies never;
  }
}

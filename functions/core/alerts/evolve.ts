import type { Trouble } from '../findings/trouble.ts';
import { secondsBetween } from '../text/durations.ts';
import { withEarlier } from './earlier-causes.ts';
import { withJoined } from './flapping.ts';
import { hearing } from './heard-of.ts';
import type { Incident } from './incident.ts';
import { withKeptProjects } from './kept-projects.ts';
import { absent, removed } from './life/absent.ts';
import { endAttention } from './life/attended.ts';
import { unseen } from './life/blind.ts';
import { present } from './life/present.ts';
import { type EvolveContext, type Evolved, iso, nothing, type ObservedTrouble } from './life/step.ts';
import { withToldSeverities } from './told-severities.ts';

export type { EvolveContext, Evolved, ObservedTrouble, StepEffect } from './life/step.ts';

/** One step in the life of an incident. Idempotent: repeating a step changes nothing. Never resolved without a
 *  successful read, never by time alone. */
export function evolve(stored: Incident | undefined, observed: ObservedTrouble, context: EvolveContext): Evolved {
  const seen =
    observed.kind === 'true' ? { ...observed, trouble: withKeptProjects(observed.trouble, stored) } : observed;
  const evolved = step(stored, seen, context);
  const { incident, effect } = evolved;
  if (incident?.state !== 'firing' || seen.kind !== 'true') return evolved;
  const caused = stored === undefined ? incident : keepingCause(stored, incident, context);
  const heard = withJoined(stored, hearing(stored, caused, seen.trouble, context));
  const kept = withEarlier(stored, withToldSeverities(stored, heard, context.now), context.now);
  return { incident: kept, effect: kept !== incident && effect === 'nothing' ? 'noted' : effect };
}

function step(stored: Incident | undefined, observed: ObservedTrouble, context: EvolveContext): Evolved {
  switch (observed.kind) {
    case 'true':
      return withWarning(present(stored, observed, context), observed.trouble, context);
    case 'false':
      return stored === undefined ? nothing(stored) : absent(stored, observed, context);
    case 'removed':
      return stored === undefined ? nothing(stored) : removed(stored, observed.why, context);
    case 'unseen':
      return stored === undefined ? nothing(stored) : unseen(stored, observed.why, context);
    default:
      return observed satisfies never;
  }
}

/** Who took it is warned of the end of that with what is told anyway, not in a message of its own a moment later. */
function withWarning(told: Evolved, trouble: Trouble, context: EvolveContext): Evolved {
  const { incident, effect } = told;
  if (incident === undefined || incident.inhibitedBy !== undefined) return told;
  if (incident.attention === undefined || (effect !== 'opened' && effect !== 'updated')) return told;
  const warned = endAttention(incident, trouble, context);
  return warned === undefined ? told : { incident: warned.incident, effect };
}

/** What people were told is what the message of the end names, not the way in which it faded: a blocked drain ends in
 *  a moment in which its budget allows an eviction again and nothing blocks any more, or only the pod that shuts down.
 *  Another cause takes its place with the first message about it, or once it has lasted as long as a condition must
 *  before an alert is sent. */
function keepingCause(stored: Incident, incident: Incident, context: EvolveContext): Incident {
  const before = stored.number === incident.number ? (stored.cause ?? stored.trouble) : undefined;
  const { trouble } = incident;
  if (!isExplained(before)) return withCause(incident, undefined, undefined);
  if (!isExplained(trouble)) return withCause(incident, before, undefined);
  if (trouble.headline === before.headline) return withCause(incident, undefined, undefined);
  // While another incident explains it, nobody hears of it.
  if (incident.inhibitedBy !== undefined) return withCause(incident, before, undefined);
  if (isAnnounced(stored, incident)) return withCause(incident, undefined, undefined);
  const isSeenAgain = stored.trouble?.headline === trouble.headline;
  const since = (isSeenAgain ? stored.otherCauseSince : undefined) ?? iso(context);
  const lasts = secondsBetween(since, context.now) >= context.policy.holdDownSeconds;
  return lasts ? withCause(incident, undefined, undefined) : withCause(incident, before, since);
}

function withCause(incident: Incident, cause: Trouble | undefined, otherCauseSince: string | undefined): Incident {
  if (cause === incident.cause && otherCauseSince === incident.otherCauseSince) return incident;
  return { ...incident, cause, otherCauseSince };
}

/** This step tells of the incident in a message of its own, with its present headline. A note of a change alone is a
 *  reply in a thread. */
function isAnnounced(stored: Incident, incident: Incident): boolean {
  return incident.notes.some(({ seq, kind }) => seq > stored.seq && kind !== 'changed');
}

function isExplained(trouble: Trouble | undefined): trouble is Trouble {
  return trouble !== undefined && (trouble.class === 'structural' || trouble.class === 'external');
}

import type { Trouble } from '../findings/trouble.ts';
import type { Incident } from './incident.ts';
import { absent, removed } from './life/absent.ts';
import { endAttention } from './life/attended.ts';
import { unseen } from './life/blind.ts';
import { present } from './life/present.ts';
import { type EvolveContext, type Evolved, nothing, type ObservedTrouble } from './life/step.ts';

export type { EvolveContext, Evolved, ObservedTrouble, StepEffect } from './life/step.ts';

/** One step in the life of an incident. Idempotent: repeating a step changes nothing. Never resolved without a
 *  successful read, never by time alone. */
export function evolve(stored: Incident | undefined, observed: ObservedTrouble, context: EvolveContext): Evolved {
  const { incident, effect } = step(stored, observed, context);
  return { incident: incident && keepingCause(stored, incident), effect };
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

/** A blocked drain ends in a moment in which its budget allows an eviction again and nothing blocks any more; the
 *  message of its end should name what had blocked it. */
function keepingCause(stored: Incident | undefined, incident: Incident): Incident {
  const isSameEpisode = stored?.number === incident.number;
  const before = isSameEpisode ? (stored.cause ?? stored.trouble) : undefined;
  const fades = !isExplained(incident.trouble) && isExplained(before);
  const cause = fades ? before : undefined;
  return cause === incident.cause ? incident : { ...incident, cause };
}

function isExplained(trouble: Trouble | undefined): boolean {
  return trouble !== undefined && (trouble.class === 'structural' || trouble.class === 'external');
}

import type { Incident } from './incident.ts';
import { absent, removed } from './life/absent.ts';
import { present } from './life/present.ts';
import { type EvolveContext, type Evolved, nothing, type Sight } from './life/step.ts';
import { unseen } from './life/unseen.ts';

export type { EvolveContext, Evolved, Happening, Sight } from './life/step.ts';

/** The life of an incident, one step: what it becomes when this is seen. The same step taken twice changes nothing the second time.
 *  Source: table of states in the facts of the alert life; never resolved without a good read, never by time alone. */
export function evolve(stored: Incident | undefined, sight: Sight, context: EvolveContext): Evolved {
  switch (sight.kind) {
    case 'true':
      return present(stored, sight, context);
    case 'false':
      return stored === undefined ? nothing(stored) : absent(stored, sight, context);
    case 'removed':
      return stored === undefined ? nothing(stored) : removed(stored, sight.why, context);
    case 'unseen':
      return stored === undefined ? nothing(stored) : unseen(stored, sight.why, context);
    default:
      return sight satisfies never;
  }
}

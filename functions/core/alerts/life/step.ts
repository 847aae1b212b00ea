import type { AlertingPolicy } from '../../configuration/policy.ts';
import type { Trouble } from '../../findings/trouble.ts';
import type { Audience } from '../audience.ts';
import { flappingWords, isFlapping } from '../flapping.ts';
import type { Incident } from '../incident.ts';
import { withNote, withRefresh } from '../notes.ts';

/** What one pass has to say about one incident. */
export type ObservedTrouble =
  /** It is wrong now. `inhibitedBy`: and something else that people know of already explains it. */
  | { readonly kind: 'true'; readonly trouble: Trouble; readonly inhibitedBy?: string | undefined }
  /** A good read shows that it is not, or no longer. */
  | {
      readonly kind: 'false';
      readonly endedBy?: string | undefined;
      readonly outcome?: 'fixed' | 'superseded' | undefined;
    }
  /** The read failed or was partial: nothing follows from it. */
  | { readonly kind: 'unseen'; readonly why: string }
  /** A good read proves that the pool or node is no more. */
  | { readonly kind: 'removed'; readonly why: string };

export interface EvolveContext {
  readonly policy: AlertingPolicy;
  readonly now: Date;
  /** A number from the atomic counter, for the case that this incident opens. Without one it stays as it is and the
   *  answer is `needs-number`: draw one and ask again. A number drawn and not used is only a gap. */
  readonly nextNumber: number | undefined;
  readonly targets: Audience;
}

export interface Evolved {
  /** The same object as given when nothing changed. */
  readonly incident: Incident | undefined;
  readonly happening: StepOutcome;
}

/** `noted`: to be stored, nobody is told. `refreshed`: standing messages are edited. `opened`, `updated`,
 *  `resolved`: people are told. */
export type StepOutcome = 'nothing' | 'needs-number' | 'noted' | 'refreshed' | 'opened' | 'updated' | 'resolved';

export type PresentTrouble = Extract<ObservedTrouble, { kind: 'true' }>;
export type AbsentTrouble = Extract<ObservedTrouble, { kind: 'false' }>;

export function nothing(incident: Incident | undefined): Evolved {
  return { incident, happening: 'nothing' };
}

export function noted(incident: Incident): Evolved {
  return { incident, happening: 'noted' };
}

export function updated(incident: Incident): Evolved {
  return { incident, happening: 'updated' };
}

/** Standing messages are brought up to date without a word. */
export function refreshed(incident: Incident, context: EvolveContext): Evolved {
  return { incident: withRefresh(incident, context), happening: 'refreshed' };
}

export function iso({ now }: EvolveContext): string {
  return now.toISOString();
}

/** Enters the quiet mode if it comes and goes too often. */
export function quieted(incident: Incident, context: EvolveContext): Incident {
  if (incident.flapping || !isFlapping(incident.transitions, context.policy, context.now)) return incident;
  return withNote({ ...incident, flapping: true }, 'flapping', flappingWords(incident, context.policy), context);
}

/** Shallow: every field is the same value or the same object. */
export function isSame(a: Incident, b: Incident): boolean {
  const fields = new Map<string, unknown>(Object.entries(a));
  return Object.entries(b).every(([name, value]) => fields.get(name) === value);
}

import type { AlertingPolicy } from '../../configuration/policy.ts';
import type { Trouble } from '../../findings/trouble.ts';
import { mayFlap } from '../../findings/trouble-words.ts';
import type { Audience } from '../audience.ts';
import { flappingWords, isFlapping, toldWhileFlapping } from '../flapping.ts';
import type { Incident } from '../incident.ts';
import { withNote, withRefresh } from '../notes.ts';

/** What one pass observed of one incident. */
export type ObservedTrouble =
  /** True now. `inhibitedBy`: explained by another incident that was already alerted. */
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
  /** A number from the atomic counter, in case this incident opens. Without one the incident stays as it is and the
   *  answer is `needs-number`: draw one and retry. A drawn number that is not used only leaves a gap. */
  readonly nextNumber: number | undefined;
  readonly targets: Audience;
}

export interface Evolved {
  /** The same object as given if nothing changed. */
  readonly incident: Incident | undefined;
  readonly effect: StepEffect;
}

/** `noted`: stored without an alert. `refreshed`: existing messages are edited. `opened`, `updated`, `resolved`: an
 *  alert is sent. */
export type StepEffect = 'nothing' | 'needs-number' | 'noted' | 'refreshed' | 'opened' | 'updated' | 'resolved';

export type PresentTrouble = Extract<ObservedTrouble, { kind: 'true' }>;
export type AbsentTrouble = Extract<ObservedTrouble, { kind: 'false' }>;

export function nothing(incident: Incident | undefined): Evolved {
  return { incident, effect: 'nothing' };
}

export function noted(incident: Incident): Evolved {
  return { incident, effect: 'noted' };
}

export function updated(incident: Incident): Evolved {
  return { incident, effect: 'updated' };
}

/** Edits existing messages without a notification. */
export function refreshed(incident: Incident, context: EvolveContext): Evolved {
  return { incident: withRefresh(incident, context), effect: 'refreshed' };
}

export function iso({ now }: EvolveContext): string {
  return now.toISOString();
}

/** Starts flapping if there were too many transitions. */
export function quieted(incident: Incident, context: EvolveContext): Incident {
  if (
    incident.flapping ||
    !mayFlap(incident.key.kind) ||
    !isFlapping(incident.transitions, context.policy, context.now)
  )
    return incident;
  const flapping: Incident = { ...incident, flapping: true, ...toldWhileFlapping(incident) };
  return withNote(flapping, 'flapping', flappingWords(incident, context.policy), context);
}

/** Shallow: every field is the same value or the same object. */
export function isSame(a: Incident, b: Incident): boolean {
  const fields = new Map<string, unknown>(Object.entries(a));
  return Object.entries(b).every(([name, value]) => fields.get(name) === value);
}

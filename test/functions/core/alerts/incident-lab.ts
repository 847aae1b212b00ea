import type { Audience } from '../../../../functions/core/alerts/audience.ts';
import {
  type Evolved,
  evolve,
  type ObservedTrouble,
  type StepEffect,
} from '../../../../functions/core/alerts/evolve.ts';
import { type Incident, newDelivery } from '../../../../functions/core/alerts/incident.ts';
import { type AlertingPolicy, defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import type { Trouble } from '../../../../functions/core/findings/trouble.ts';
import { aTrouble } from '../../../fakes/index.ts';

export const start = new Date('2026-03-02T10:00:00.000Z');

/** Minutes after the start of the story. */
export function minute(minutes: number): Date {
  return new Date(start.getTime() + minutes * 60_000);
}

/** A trouble that began at the start of the story and may heal by itself. */
export function passing(change: Partial<Trouble> = {}): Trouble {
  return aTrouble({ class: 'self-healing', since: start.toISOString(), ...change });
}

/** A trouble that never heals by waiting. */
export function lasting(change: Partial<Trouble> = {}): Trouble {
  return aTrouble({ class: 'structural', since: start.toISOString(), ...change });
}

export interface Story {
  /** What is seen at this minute, and what came of it. */
  at(minutes: number, observed: ObservedTrouble): StepEffect;
  /** The same with a good read of no trouble. */
  gone(minutes: number, endedBy?: string): StepEffect;
  wrong(minutes: number, trouble: Trouble, inhibitedBy?: string): StepEffect;
  blind(minutes: number): StepEffect;
  /** What somebody else made of it. */
  replace(incident: Incident): void;
  /** The target has been told everything. */
  settled(target: string): void;
  /** Undefined until something was seen. */
  readonly incident: Incident | undefined;
  readonly now: Incident;
  /** Kinds of the notes in order. */
  readonly notes: readonly string[];
  /** Numbers drawn so far. */
  readonly numbers: number;
}

/** An incident that lives through sights; numbers are drawn when they are asked for. */
export function aStory(
  options: {
    readonly policy?: Partial<AlertingPolicy>;
    readonly targets?: readonly string[];
    /** Who hears of it at this minute; instead of `targets`. */
    readonly audience?: (minutes: number) => Audience;
  } = {},
): Story {
  const policy = { ...defaultPolicy.alerting, ...options.policy };
  const targets = { hear: options.targets ?? ['ops'], all: options.targets ?? ['ops'] };
  let incident: Incident | undefined;
  let numbers = 0;

  function step(minutes: number, observed: ObservedTrouble): Evolved {
    const context = { policy, now: minute(minutes), targets: options.audience?.(minutes) ?? targets };
    const first = evolve(incident, observed, { ...context, nextNumber: undefined });
    if (first.effect !== 'needs-number') return first;
    numbers += 1;
    return evolve(incident, observed, { ...context, nextNumber: numbers });
  }

  const story: Story = {
    at(minutes, observed) {
      const evolved = step(minutes, observed);
      incident = evolved.incident;
      return evolved.effect;
    },
    gone: (minutes, endedBy) => story.at(minutes, { kind: 'false', endedBy }),
    wrong: (minutes, trouble, inhibitedBy) => story.at(minutes, { kind: 'true', trouble, inhibitedBy }),
    blind: (minutes) => story.at(minutes, { kind: 'unseen', why: 'API unreachable' }),
    replace(changed) {
      incident = changed;
    },
    settled(target) {
      const { deliveries, seq } = story.now;
      const delivery = { ...(deliveries[target] ?? newDelivery(seq)), deliveredSeq: seq, threadSeq: seq };
      incident = { ...story.now, deliveries: { ...deliveries, [target]: delivery } };
    },
    get incident() {
      return incident;
    },
    get now() {
      if (incident === undefined) throw new Error('nothing was seen yet');
      return incident;
    },
    get notes() {
      return (incident?.notes ?? []).map(({ kind }) => kind);
    },
    get numbers() {
      return numbers;
    },
  };
  return story;
}

import type { AlertSettings } from '../configuration/alerts.ts';
import type { AlertingPolicy } from '../configuration/policy.ts';
import { keyText, type Trouble, type TroubleKey } from '../findings/trouble.ts';
import { secondsSince } from '../text/instant.ts';
import { isAttended } from './attention.ts';
import type { Audience } from './audience.ts';
import { type Evolved, evolve, type ObservedTrouble } from './evolve.ts';
import { type Incident, openSince } from './incident.ts';
import { inhibitorOf, isSameKey, type Merged, mergeChildren } from './inhibit.ts';
import { audienceOfFailure, notifyFailing } from './notify-failing.ts';
import { isDue } from './plan-delivery.ts';
import { type PublishedIncident, publishedIncident } from './published.ts';
import { audienceOf, type Waiting } from './targets.ts';

/** What one pass over a cluster knows about its incidents. */
export interface SettleInput {
  readonly cluster: string;
  /** Everything that is wrong now. */
  readonly troubles: readonly Trouble[];
  /** Every stored incident of the cluster. */
  readonly incidents: readonly Incident[];
  /** Why this key could not be observed in this pass; undefined: it was, and without an entry in `troubles` it is
   *  over. */
  readonly unseen: (key: TroubleKey) => string | undefined;
  /** Why the subject of an incident no longer exists, by a successful read; undefined: it exists. */
  readonly removed?: ((incident: Incident) => string | undefined) | undefined;
  /** What ended it, from the evidence: `web-b became Ready on worker-6 at 14:41`. */
  readonly endedBy?: ((incident: Incident) => string | undefined) | undefined;
  readonly policy: AlertingPolicy;
  readonly alerts: AlertSettings;
  readonly now: Date;
  /** Drawn from the counter. Pass none first; if `numbersMissing` is not 0, draw that many and call again. */
  readonly numbers: readonly number[];
}

export interface Settled {
  /** To be saved, each under its own version. Publish a change only after its save succeeded. */
  readonly changes: readonly IncidentChange[];
  /** To be requested of send-alerts after the saves: incidents with a target that can be updated now. */
  readonly due: readonly TroubleKey[];
  /** Incidents that would open but had no number; not among the changes. */
  readonly numbersMissing: number;
}

export interface IncidentChange {
  readonly incident: Incident;
  readonly told: PublishedIncident | undefined;
}

/** Brings the incidents of a cluster in line with what a pass found. Idempotent: with its own changes stored, the same
 *  input changes nothing more. */
export function settle(input: SettleInput): Settled {
  const merged = mergeChildren(firstOfEach(input.troubles.filter(({ key }) => key.kind !== 'notify-failing')));
  const failing = notifyFailing(input);
  const troubles = failing === undefined ? merged.troubles : [...merged.troubles, failing];
  const numbers = [...input.numbers];
  const outcomes = observations(input, troubles, merged).map(([key, observed]) => {
    const stored = input.incidents.find((incident) => isSameKey(incident.key, key));
    const evolved = evolve(stored, observed, {
      policy: input.policy,
      now: input.now,
      nextNumber: numbers[0],
      targets: audience(input, stored, observed),
    });
    if (isNumberUsed(stored, evolved, numbers[0])) numbers.shift();
    return { stored, evolved };
  });
  return summary(input, outcomes);
}

interface Outcome {
  readonly stored: Incident | undefined;
  readonly evolved: Evolved;
}

function summary({ alerts, incidents, now }: SettleInput, outcomes: readonly Outcome[]): Settled {
  const changes = outcomes.flatMap(({ evolved: { incident, effect } }) => {
    if (incident === undefined || effect === 'nothing' || effect === 'needs-number') return [];
    return [{ incident, told: publishedIncident(incident, effect) }];
  });
  const changed = changes.map(({ incident }) => incident);
  const unchanged = incidents.filter((stored) => !changed.some(({ key }) => isSameKey(key, stored.key)));
  return {
    changes,
    due: [...changed, ...unchanged].filter((incident) => isDue(incident, alerts, now)).map(({ key }) => key),
    numbersMissing: outcomes.filter(({ evolved }) => evolved.effect === 'needs-number').length,
  };
}

/** One trouble per key: of two, the first. */
function firstOfEach(troubles: readonly Trouble[]): readonly Trouble[] {
  const byKey = new Map<string, Trouble>();
  for (const trouble of troubles) if (!byKey.has(keyText(trouble.key))) byKey.set(keyText(trouble.key), trouble);
  return [...byKey.values()];
}

/** What was observed of every key that is or was wrong. */
function observations(
  input: SettleInput,
  troubles: readonly Trouble[],
  merged: Merged,
): readonly (readonly [TroubleKey, ObservedTrouble])[] {
  const now = troubles.map(({ key }) => key);
  const present = troubles.map(
    (trouble) => [trouble.key, { kind: 'true', trouble, inhibitedBy: inhibitorOf(trouble.key, now) }] as const,
  );
  const gone = input.incidents
    .filter(({ key, state }) => state !== 'ok' && !troubles.some((trouble) => isSameKey(trouble.key, key)))
    .map((incident) => [incident.key, absence(input, incident, merged)] as const);
  return [...present, ...gone];
}

/** No trouble for this key: either nothing is wrong, or it could not be observed. */
function absence(input: SettleInput, incident: Incident, { absorbed }: Merged): ObservedTrouble {
  const { key } = incident;
  const into = absorbed.find((each) => isSameKey(each.key, key))?.into;
  if (into !== undefined) return { kind: 'false', outcome: 'superseded', endedBy: 'It is part of the blocked drain.' };
  const hidden = key.kind === 'notify-failing' ? undefined : unseenWhy(input, key);
  if (hidden !== undefined) return { kind: 'unseen', why: hidden };
  const removed = input.removed?.(incident);
  if (removed !== undefined) return { kind: 'removed', why: removed };
  return { kind: 'false', endedBy: input.endedBy?.(incident) };
}

/** Being unreadable ends only when something was read. */
function unseenWhy({ unseen }: SettleInput, key: TroubleKey): string | undefined {
  return unseen(key.kind === 'watcher-blind' ? { ...key, kind: 'no-progress' } : key);
}

function audience(input: SettleInput, stored: Incident | undefined, observed: ObservedTrouble): Audience {
  const trouble = observed.kind === 'true' ? observed.trouble : stored?.trouble;
  if (trouble === undefined) return { hear: [], all: input.alerts.targets.map(({ name }) => name) };
  if (trouble.key.kind === 'notify-failing') {
    return audienceOfFailure(input.alerts, trouble, input.incidents, input.now);
  }
  return audienceOf(input.alerts, trouble, waitingOf(stored, trouble, input.now));
}

function waitingOf(stored: Incident | undefined, trouble: Trouble, now: Date): Waiting {
  const since = stored?.state === 'firing' ? openSince(stored) : undefined;
  if (stored === undefined || since === undefined) return {};
  return {
    openForSeconds: secondsSince(since, now),
    attended: isAttended({ ...stored, trouble }, now),
  };
}

function isNumberUsed(stored: Incident | undefined, { incident }: Evolved, number: number | undefined): boolean {
  return number !== undefined && incident?.number === number && stored?.number !== number;
}

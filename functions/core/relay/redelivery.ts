import type { GithubHook } from '../configuration/github.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { byTurns } from '../text/rounds.ts';

/** One attempt of GitHub to deliver a webhook. A redelivery is another attempt with the same GUID. */
export interface DeliveryAttempt {
  /** GitHub's; as text, because it has 64 bits. */
  readonly id: string;
  readonly guid: string;
  /** GitHub's number of the repository that was pushed to; undefined: it does not say. */
  readonly repository: string | undefined;
  /** When GitHub tried it, ISO instant. */
  readonly at: string;
  readonly event: string;
  readonly succeeded: boolean;
}

/** What GitHub lists of its attempts. */
export interface ListedAttempts {
  readonly attempts: readonly DeliveryAttempt[];
  /** How many more there are that may be of a push and cannot be read. */
  readonly unreadable: number;
}

/** Seconds. What an older push changed was found by a sweep long ago (every 5 min by default), and a hold for it would
 *  only be in the way. */
const lookBackSeconds = 1800;
/** Redeliveries of one hook per run; the rest follow in the next. GitHub throttles redeliveries in bursts. */
export const redeliveriesPerRun = 20;

/** Which attempts GitHub may be asked to repeat: the newest one of every push that has not arrived, the oldest push of
 *  each repository first, then the next of each: whoever pushes what is always refused to one repository of an
 *  organization takes the place of no other. Those that were asked for before are among them. */
export function planRedelivery(attempts: readonly DeliveryAttempt[], now: Date): readonly DeliveryAttempt[] {
  const oldest = new Date(now.getTime() - lookBackSeconds * 1000);
  const arrived = new Set(attempts.filter(({ succeeded }) => succeeded).map(({ guid }) => guid));
  const lost = attempts
    .filter(({ event, guid, at }) => event === 'push' && !arrived.has(guid) && !isPast(at, oldest))
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const newest = lost.filter((attempt, index) => lost.findIndex(({ guid }) => guid === attempt.guid) === index);
  return byTurns(newest.toReversed(), ({ repository = '' }) => repository);
}

/** Since when attempts have to be listed. */
export function lookBackFrom(now: Date): Date {
  return new Date(plusSeconds(now, -lookBackSeconds));
}

/** Milliseconds between two runs. */
const runEveryMs = 300_000;

/** The hooks in the order of a run, each of which begins at another: where GitHub is slow, a run does not reach all. */
export function hooksInTurn(hooks: readonly GithubHook[], now: Date): readonly GithubHook[] {
  const first = Math.floor(now.getTime() / runEveryMs) % Math.max(hooks.length, 1);
  return [...hooks.slice(first), ...hooks.slice(0, first)];
}

export function ownerOf({ repository, organization }: GithubHook): string {
  return (repository ?? organization ?? '').replace(/\/.*/s, '').toLowerCase();
}

/** Names a hook in the table and in the log. */
export function hookName({ repository, organization, id }: GithubHook): string {
  return `${repository ?? organization}/${id}`;
}

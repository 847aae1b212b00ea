import { ownerOfHold } from '../openshift/hold.ts';
import { isPast, latest, plusSeconds } from '../text/instant.ts';
import { roundsOf } from '../text/rounds.ts';
import { isSettled, type Race, type RaceKey } from './race.ts';

/** Seconds that a lost race counts as recent: one day. */
const recentSeconds = 24 * 3600;
/** Races of one kind that are followed. */
const followedAtMost = 50;

/** The pause did not protect: nodes were targeted before it was confirmed, or it never was. */
export function isLost({ verdict }: Pick<Race, 'verdict'>): boolean {
  return verdict === 'late' || verdict === 'unprotected';
}

/** Lost within the last day. */
function isLostLately(race: Race, now: Date): boolean {
  return isLost(race) && !isPast(plusSeconds(new Date(lastTimeOf(race)), recentSeconds), now);
}

/** When it was judged, or the last time that is known of it: an ISO instant. */
function lastTimeOf({ judgedAt, since, pausedAt, confirmedAt, firstTargetedAt }: Race): string {
  return judgedAt ?? latest([since, pausedAt, confirmedAt, firstTargetedAt]) ?? since;
}

/** Races of one pool that were lost within the last day, and when the last of them was. */
export interface LostRaces {
  readonly verdict: 'late' | 'unprotected';
  readonly count: number;
  readonly lastAt: string;
}

/** Of all races that are known, not only of those that are shown. Empty: none was lost. */
export function lostRaces(races: readonly Race[], now: Date): readonly LostRaces[] {
  const lost = races.filter((race) => isLostLately(race, now));
  return (['late', 'unprotected'] as const).flatMap((verdict) => {
    const own = lost.filter((race) => race.verdict === verdict);
    const lastAt = latest(own.map(lastTimeOf));
    return lastAt === undefined ? [] : [{ verdict, count: own.length, lastAt }];
  });
}

/** Those of which the last was lost within a day of now. */
export function lostStill(lost: readonly LostRaces[], now: Date): readonly LostRaces[] {
  return lost.filter(({ lastAt }) => !isPast(plusSeconds(new Date(lastAt), recentSeconds), now));
}

/** Races without a hold that the next passes need all the same, however many newer ones there are: those that are not
 *  judged yet, and those that were lost lately. */
export function racesToFollow(races: readonly Race[], now: Date): readonly Race[] {
  return [
    ...inTurns(races.filter((race) => !isSettled(race))).slice(0, followedAtMost),
    ...inTurns(races.filter((race) => isLostLately(race, now))).slice(0, followedAtMost),
  ];
}

/** Those of which a pass could not tell what it found, as far as the next one does: whoever makes many hides none of
 *  others. */
export function racesToTell(keys: readonly RaceKey[]): readonly RaceKey[] {
  return inTurns(keys).slice(0, followedAtMost);
}

/** Races that are looked up by name before a pause: a hundred pools held by five Applications each. */
const neededAtMost = 500;

/** Those that a pass reads first of all that it needs: whoever may write Applications can make thousands of them, and
 *  the pause of somebody else's sync would wait for all. */
export function racesToRead(keys: readonly RaceKey[]): readonly RaceKey[] {
  return inTurns(keys).slice(0, neededAtMost);
}

/** As many as are shown, newest first: up to half of them lost ones, and of each kind those of every holder before
 *  further ones of any. */
export function racesToShow(races: readonly Race[], atMost: number): readonly Race[] {
  const lost = new Set(inTurns(races.filter(isLost)).slice(0, Math.ceil(atMost / 2)));
  const others = inTurns(races.filter((race) => !lost.has(race)));
  return newestFirst([...lost, ...others.slice(0, atMost - lost.size)]);
}

/** The newest of each namespace, then the next of each, and within a namespace so by Application: whoever makes many
 *  hides none of others. */
function inTurns<Key extends Pick<RaceKey, 'hold' | 'since'>>(races: readonly Key[]): readonly Key[] {
  const ofNamespaces = Map.groupBy(races, ({ hold }) => ownerOfHold({ id: hold }));
  return inRounds([...ofNamespaces.values()].map(byApplication));
}

function byApplication<Key extends Pick<RaceKey, 'hold' | 'since'>>(races: readonly Key[]): readonly Key[] {
  return inRounds([...Map.groupBy(races, ({ hold }) => hold).values()].map(newestFirst));
}

function inRounds<Key extends Pick<RaceKey, 'since'>>(lists: readonly (readonly Key[])[]): readonly Key[] {
  return roundsOf(lists).flatMap(newestFirst);
}

function newestFirst<Key extends Pick<RaceKey, 'since'>>(races: readonly Key[]): readonly Key[] {
  return races.toSorted((a, b) => Date.parse(b.since) - Date.parse(a.since));
}

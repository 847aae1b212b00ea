import type { Severity } from '../../../../functions/core/findings/trouble.ts';
import { isMoreSevere, severities, severityRank } from '../../../../functions/core/findings/trouble-words.ts';
import type { Place, TargetName } from './course.ts';
import { type Look, minute, type Played, type Taken } from './play.ts';
import { isChat, type Sent } from './sides.ts';

/** One incident, as a look found it, and one target. */
export interface Point {
  readonly nth: number;
  readonly look: Look;
  readonly place: Place;
  readonly number: number;
  readonly target: TargetName;
}

/** A course, with what each target was told of each incident. */
export interface Telling extends Played {
  readonly of: (target: TargetName, number: number) => readonly Sent[];
  /** Whether it may take nothing, at each look. */
  readonly barred: ReadonlyMap<TargetName, readonly boolean[]>;
}

export function tellingOf(played: Played): Telling {
  const kept = new Map<string, readonly Sent[]>();
  return {
    ...played,
    barred: new Map(played.course.targets.map((target) => [target, barredOf(played, target)])),
    of: (target, number) => {
      const key = `${target} ${number}`;
      const told = kept.get(key) ?? played.sent.filter((each) => each.target === target && each.shown.has(number));
      kept.set(key, told);
      return told;
    },
  };
}

export function numbersOf({ sent }: Played): readonly number[] {
  return [...new Set(sent.flatMap(({ shown }) => [...shown.keys()]))];
}

/** `10:21:00`. */
export function clockOf(at: number): string {
  return new Date(at).toISOString().slice(11, 19);
}

export function isAtLeast(severity: Severity | undefined, least: Severity): boolean {
  return severity !== undefined && severityRank(severity) <= severityRank(least);
}

/** Its cluster could be read, and nothing explained it. */
export function isSeen({ isUnread, isBlind }: Look, place: Place): boolean {
  return place === 'dev' || (!isUnread && !isBlind);
}

/** A look finds it, whether or not another one explains it. */
export function isFound({ isUnread, sights }: Look, place: Place): boolean {
  return sights[place].isWrong && (place === 'dev' || !isUnread);
}

/** Whether all of so many looks, this one the last, are so; not if there were fewer. */
export function lasts(
  played: Played,
  { nth }: Point,
  count: number,
  isSo: (look: Look, nth: number) => boolean,
): boolean {
  const first = nth - count + 1;
  return first >= 0 && played.looks.slice(first, nth + 1).every((look, k) => isSo(look, first + k));
}

/** Minutes after the end of an illness in which the next attempt may still be to come: a quarter of an hour, and an
 *  hour and a fifth for who refused, or whose answers cannot be looked up. */
const recovery = { away: 20, busy: 20, mute: 75, silent: 75, dead: 75 } as const;

/** Whether the target may take nothing, at each look. */
function barredOf({ looks }: Played, target: TargetName): readonly boolean[] {
  let until = 0;
  return looks.map(({ at, isSlow, ill }) => {
    const illness = ill[target];
    const minutes = Math.max(isSlow ? 6 : 0, illness === undefined ? 0 : recovery[illness]);
    if (minutes > 0) until = Math.max(until, at + minutes * minute);
    return at <= until;
  });
}

/** Nothing stands in the way of a message of this severity. */
export function isInReach({ looks, barred }: Telling, target: TargetName, severity: Severity, nth: number): boolean {
  const at = looks[nth]?.at ?? 0;
  if (target === 'mail' && isMoreSevere('high', severity) && /^(?:11:|12:0[01])/.test(clockOf(at))) return false;
  return barred.get(target)?.[nth] !== true;
}

/** Its filter lets the incident through, or it has heard of it before. */
export function hears(told: Telling, { place, number, target }: Point, look: Look): boolean {
  const { severity, causes } = look.sights[place];
  if (target === 'channel' || target === 'mail') return true;
  // When it climbs there, and what a list shows of it by then, is not judged.
  if (target === 'lead') return false;
  if (target === 'pager' && isAtLeast(severity, 'high')) return true;
  if (target === 'team' && causes.includes('store')) return true;
  return told.of(target, number).some(({ at }) => at < look.at);
}

/** Whether it could not be known if a message arrived. */
export function isDoubtful({ looks }: Played, target: TargetName, at: number): boolean {
  return looks.some((look) => look.at <= at && ['mute', 'silent'].includes(look.ill[target] ?? ''));
}

/** As far as looks have shown, it came and went four times in three hours, the last within one: it may count as
 *  flapping. */
export function mayFlap({ looks }: Played, { place, nth, look: { at } }: Point): boolean {
  const read = looks.slice(0, nth + 1).filter(({ isUnread }) => place === 'dev' || !isUnread);
  const isWrongAt = (k: number) => read[k]?.sights[place].isWrong === true;
  const turns = read.filter((look, k) => isWrongAt(k) !== isWrongAt(k - 1) && at - look.at <= 180 * minute);
  const last = turns.at(-1);
  return turns.length >= 4 && last !== undefined && at - last.at <= 62 * minute;
}

export function isTakenAt(
  { taken }: Played,
  number: number,
  at: number,
  isCovered: (taken: Taken) => boolean,
): boolean {
  const isOf = (each: Taken) => each.number === number && each.at <= at && at <= each.until + 2 * minute;
  return taken.some((each) => isOf(each) && isCovered(each));
}

/** When its last end was told. */
export function endBefore(told: readonly Sent[], { number, look: { at } }: Point): number {
  return told.findLast((each) => each.at < at && each.shown.get(number)?.isOver === true)?.at ?? 0;
}

/** It notifies people, or is the first to show the incident firing in a list. */
export function isNotice(told: readonly Sent[], number: number, sent: Sent): boolean {
  const first = told.find(({ part, shown }) => part !== 'reply' && shown.get(number)?.severity !== undefined);
  return sent.isAloud || (isChat(sent.target) && first === sent);
}

/** The severity that readers find with it: of a reply, also that of the message above it. */
export function severityIn(told: readonly Sent[], number: number, sent: Sent): Severity | undefined {
  const heads = told.filter(({ at, id, part }) => at <= sent.at && id === sent.id && part !== 'reply');
  const shown = sent.shown.get(number) ?? heads.at(-1)?.shown.get(number);
  const named = sent.words.matchAll(/Severity (?:up from \w+ to )?(critical|high|warning|info)/g);
  const all: readonly (string | undefined)[] = [shown?.severity, ...[...named].map(([, each]) => each)];
  return severities.find((each) => all.includes(each));
}

/** Some message there, or the last one, shows it as open. */
export function isShownOpen(
  told: readonly Sent[],
  { number, target }: Pick<Point, 'number' | 'target'>,
  until: number,
): boolean {
  const heads = told.filter(({ at, part }) => at < until && (part !== 'reply' || !isChat(target)));
  const last = new Map(heads.map((each) => [isChat(target) ? each.id : '', each.shown.get(number)]));
  return [...last.values()].some((shown) => shown?.isOver === false);
}

import { isMoreSevere } from '../../../../functions/core/findings/trouble-words.ts';
import { type Cause, causes, places, type TargetName } from './course.ts';
import { type Look, minute, ownerOf, type Played, type Taken } from './play.ts';
import { isChat, type Sent } from './sides.ts';
import {
  clockOf,
  endBefore,
  hears,
  isAtLeast,
  isDoubtful,
  isFound,
  isInReach,
  isNotice,
  isSeen,
  isShownOpen,
  isTakenAt,
  lasts,
  mayFlap,
  numbersOf,
  type Point,
  severityIn,
  type Telling,
  tellingOf,
} from './telling.ts';

/** In minutes, by docs/alerts.md: what is worse is told at once, and what comes back within the hour once it has lasted
 *  for ten; who joins with others, ten minutes after those who did before, and who comes in place of others, after an
 *  hour at most. A look, and what is on its way, take two more. */
const toldWithin = 12;
const inPlaceWithin = 62;
/** What is over is told after five minutes, and after an hour where it came and went. */
const endedWithin = 8;
const calmWithin = 66;
/** Messages that one incident may cost one target in an hour, whatever happens. */
const mostAnHour = 20;
/** For so long the same is not told in the same words. */
const repeatedAfter = 10;

/** What was not as docs/alerts.md has it, in sentences; none if all was. */
export function verdictOf(played: Played): readonly string[] {
  const told = tellingOf(played);
  return played.course.targets.flatMap((target) => [
    ...pointsOf(played, target).flatMap((point) => [
      ...severityUntold(told, point),
      ...ownersUntold(told, point),
      ...endUntold(told, point),
    ]),
    ...numbersOf(played).flatMap((number) => [
      ...endsUntrue(told, target, number),
      ...tooMany(told, target, number),
      ...repeated(told, target, number),
      ...vanished(told, target, number),
    ]),
    ...played.taken.flatMap((taken) => pagedThough(told, target, taken)),
  ]);
}

function pointsOf({ looks }: Played, target: TargetName): readonly Point[] {
  return looks.flatMap((look, nth) =>
    places.flatMap((place) => {
      const number = look.numbers[place];
      return number === undefined ? [] : [{ nth, look, place, number, target }];
    }),
  );
}

/** 1. A severity that lasts is in a message, unless somebody has taken one as high. */
function severityUntold(told: Telling, point: Point): readonly string[] {
  const { look, place, number, target } = point;
  const { severity } = look.sights[place];
  const isSo = lasts(told, point, toldWithin, (each, nth) => {
    const sight = each.sights[place];
    return (
      sight.isWrong &&
      sight.severity === severity &&
      isToBeTold(told, point, each, nth) &&
      !isTakenAt(told, number, each.at, ({ seen }) => isAtLeast(seen.severity, severity))
    );
  });
  if (!isSo) return [];
  const all = told.of(target, number);
  const from = Math.max(risenAt(told, point), endBefore(all, point) + 1);
  const isTold = all.some(
    (each) =>
      each.at >= from &&
      each.at < look.at + minute &&
      isNotice(all, number, each) &&
      isAtLeast(severityIn(all, number, each), severity),
  );
  return isTold
    ? []
    : [`${target}: PK-${number} is ${severity} from ${clockOf(from)} on, and untold at ${clockOf(look.at)}`];
}

/** It is of the same episode, was seen, and can reach the target, which is to hear of it. */
function isToBeTold(told: Telling, point: Point, look: Look, nth: number): boolean {
  const { place, number, target } = point;
  const { severity } = look.sights[place];
  return (
    look.numbers[place] === number &&
    isSeen(look, place) &&
    hears(told, point, look) &&
    isInReach(told, target, severity, nth)
  );
}

/** The first look of those at which it is as severe, dips of two looks aside, in this episode. */
function risenAt({ looks }: Played, { nth, place, number, look }: Point): number {
  let [from, lower] = [look.at, 0];
  for (const each of looks.slice(0, nth + 1).toReversed()) {
    if (lower > 2 || (each.numbers[place] ?? number) !== number) break;
    if (!isFound(each, place)) continue;
    const isAsSevere = isAtLeast(each.sights[place].severity, look.sights[place].severity);
    if (isAsSevere) from = each.at;
    // While another one explains it, it may be told, but need not.
    if (isSeen(each, place)) lower = isAsSevere ? 0 : lower + 1;
  }
  return from;
}

/** 2. Who joins, and stays, is named in a message: in a channel by one to all, unless it was there from the first. */
function ownersUntold(told: Telling, point: Point): readonly string[] {
  const { look, place, number, target } = point;
  return look.sights[place].causes.flatMap((cause) => {
    const isThere = ({ sights, numbers }: Look) =>
      sights[place].isWrong && sights[place].causes.includes(cause) && numbers[place] === number;
    const within = isBeside(told, point, cause) ? toldWithin : inPlaceWithin;
    const isSo = lasts(told, point, within, (each, nth) => {
      return isThere(each) && isToBeTold(told, point, each, nth) && !isTakenAt(told, number, each.at, () => true);
    });
    if (!isSo) return [];
    const all = told.of(target, number);
    const from = joinedAt(told, point, isThere);
    const after = Math.max(from, endBefore(all, point) + 1);
    const isFirst = from <= (all.find(({ at }) => at >= after)?.at ?? from);
    const owner = ownerOf(place, cause);
    const named = all.filter(({ at, words }) => at >= after && at < look.at + minute && names(words, owner));
    const isTold = isChat(target) && !isFirst ? named.some(({ isAloud }) => isAloud) : named.length > 0;
    return isTold
      ? []
      : [`${target}: PK-${number} has ${owner} from ${clockOf(from)} on, unnamed at ${clockOf(look.at)}`];
  });
}

/** Somebody of whom the target was told, at the opening or aloud, has been there all the time, and was when the last
 *  target joined: what is gone then is news for all. */
function isBeside(told: Telling, point: Point, cause: Cause): boolean {
  const { look, place, number, target } = point;
  const before = look.at - (toldWithin + 2) * minute;
  return look.sights[place].causes.some((other) => {
    if (other === cause) return false;
    const isThere = ({ sights }: Look) => sights[place].isWrong && sights[place].causes.includes(other);
    const owner = ownerOf(place, other);
    const anew = told.course.targets
      .map((each) => told.of(each, number)[0]?.at ?? 0)
      .filter((at) => {
        const joined = told.looks.findLast((each) => each.at <= at);
        return joined !== undefined && !isThere(joined);
      });
    const all = told.of(target, number);
    const isHeard = ({ at, isAloud }: Sent) => !isChat(target) || isAloud || at === all[0]?.at;
    const isTold = (sent: Sent) =>
      sent.at < before && anew.every((each) => each < sent.at) && isHeard(sent) && names(sent.words, owner);
    return lasts(told, point, toldWithin + 2, isThere) && all.some(isTold);
  });
}

function names(words: string, owner: string): boolean {
  return new RegExp(`\\b${owner}\\b`).test(words);
}

/** The first look of those with it, with less than an hour between: the first one without it is a minute later. */
function joinedAt({ looks }: Played, { nth, place, number }: Point, isThere: (look: Look) => boolean): number {
  let from = looks[nth]?.at ?? 0;
  for (const look of looks.slice(0, nth + 1).toReversed()) {
    if (from - look.at > 60 * minute || look.numbers[place] !== number) break;
    if (isThere(look)) from = look.at;
  }
  return from;
}

/** 3. What is over is shown as over to whom it was told, after a while. */
function endUntold(told: Telling, point: Point): readonly string[] {
  const { look, place, number, target } = point;
  const within = mayFlap(told, point) ? calmWithin : endedWithin;
  const isSo = lasts(told, point, within, (each, nth) => {
    return !each.sights[place].isWrong && isSeen(each, place) && isInReach(told, target, 'info', nth);
  });
  const isOpen = isSo && isShownOpen(told.of(target, number), point, look.at + minute);
  return isOpen ? [`${target}: PK-${number} is over, and open there at ${clockOf(look.at)}`] : [];
}

/** 3. Whatever was told is over in the end; before that nothing is that is not, or that nobody was told of, or of which
 *  the end was told. */
function endsUntrue(told: Telling, target: TargetName, number: number): readonly string[] {
  const all = told.of(target, number).filter(({ part }) => part !== 'reply' || !isChat(target));
  const isOver = (sent: Sent | undefined) => sent?.shown.get(number)?.isOver === true;
  const isLeft = isShownOpen(all, { number, target }, Number.POSITIVE_INFINITY);
  const wrong = all.filter(isOver).filter(({ at }) => !isTrulyOver(told, number, at));
  const twice = all.filter((each, nth) => {
    const before = isChat(target) ? all.slice(0, nth).find(({ id }) => id === each.id) : all[nth - 1];
    const isNews = before !== undefined && (isChat(target) || !isOver(before));
    return isOver(each) && !isNews && !isDoubtful(told, target, each.at);
  });
  return [
    ...(isLeft ? [`${target}: PK-${number} is open there for ever`] : []),
    ...wrong.map(({ at }) => `${target}: PK-${number} is told as over at ${clockOf(at)}, and is not`),
    ...twice.map(({ at }) => `${target}: PK-${number} is told as over at ${clockOf(at)}, which is no news`),
  ];
}

/** Looks had not shown it for five minutes. */
function isTrulyOver({ looks }: Played, number: number, at: number): boolean {
  const place = places.find((each) => looks.some(({ numbers }) => numbers[each] === number));
  if (place === undefined) return true;
  const seen = looks.findLast((look) => look.at <= at && isFound(look, place));
  return seen === undefined || at - seen.at >= 5 * minute;
}

/** What is told of what somebody has: that it comes back, ends, flaps or not, and that this soon ends. */
const allowed = /Firing again|only until|Flapping|No longer flapping|Resolved after/;

/** 4. What somebody has taken is told nobody, as long as it is no more than that. */
function pagedThough(told: Telling, target: TargetName, taken: Taken): readonly string[] {
  const { number, at } = taken;
  const later = told.taken.filter((each) => each.number === number && each.at > at).map((each) => each.at);
  const end = Math.min(
    ...later,
    ...told.looks.filter((look) => look.at > at && isMore(look, taken)).map((look) => look.at),
  );
  const all = told.of(target, number);
  const aloud = all.filter((each) => each.isAloud && each.at >= at + 2 * minute && each.at < end);
  return aloud
    .filter((each) => {
      // A return, of which an incoming webhook has no words.
      if (all[all.indexOf(each) - 1]?.shown.get(number)?.isOver === true) return false;
      const nth = told.looks.findLastIndex((look) => look.at <= each.at);
      const isPage = target === 'pager' ? each.pager.at(-1) === 'trigger' : each.shown.get(number)?.isOver !== true;
      return isPage && !allowed.test(each.words) && isInReach(told, target, 'info', nth);
    })
    .map(
      (each) => `${target}: PK-${number} is taken at ${clockOf(at)}, and told at ${clockOf(each.at)}: ${each.words}`,
    );
}

/** More than what was taken, its end, or another episode. */
function isMore({ at, sights, numbers }: Look, { place, number, seen, until }: Taken): boolean {
  const { isWrong, severity, causes } = sights[place];
  if (at >= until || numbers[place] !== number) return true;
  return isWrong && (isMoreSevere(severity, seen.severity) || causes.some((each) => !seen.causes.includes(each)));
}

/** 5. */
function tooMany(told: Telling, target: TargetName, number: number): readonly string[] {
  const aloud = told.of(target, number).filter(({ isAloud }) => isAloud);
  const anHour = aloud.map(({ at }) => aloud.filter((each) => each.at > at - 60 * minute && each.at <= at).length);
  const most = Math.max(0, ...anHour);
  return most > mostAnHour ? [`${target}: PK-${number} cost ${most} messages in an hour`] : [];
}

/** 6. The same words again, but for reminders, where it was not known whether they had arrived, and where somebody else
 *  is told from then on, for whom all begins anew. */
function repeated(told: Telling, target: TargetName, number: number): readonly string[] {
  const aloud = told.of(target, number).filter(({ isAloud }) => isAloud);
  return aloud.flatMap((each, nth) => {
    const before = aloud[nth - 1];
    if (before === undefined || plain(before) !== plain(each) || each.at - before.at >= repeatedAfter * minute)
      return [];
    const isAllowed = /Still firing/.test(each.words) || isDoubtful(told, target, each.at);
    const isAnew = told.course.targets.some((other) => (told.of(other, number)[0]?.at ?? 0) >= before.at);
    return isAllowed || isAnew ? [] : [`${target}: PK-${number} told twice at ${clockOf(each.at)}: ${each.words}`];
  });
}

/** Without what the time alone changes. */
function plain({ words, pager }: Sent): string {
  const lasting = words.replace(/<!date[^>]*>|"(?:delivery|For)":"[^"]*"|WHAT HAPPENED[\s\S]*/g, '');
  return `${lasting.replace(/\d+:\d+:\d+ UTC|\d+ (?:h|min|s|d)\b/g, '')} ${pager.join(' ')}`;
}

/** 7. Whom a message in a channel names when it is posted is named there for as long as it is open, or in its thread,
 *  though he may be gone: nobody is told of him again. So is who joined before that, of whom others were told. */
function vanished(told: Telling, target: TargetName, number: number): readonly string[] {
  const place = places.find((each) => told.looks.some(({ numbers }) => numbers[each] === number));
  if (place === undefined || !isChat(target)) return [];
  const all = told.of(target, number);
  const heads = all.filter(({ part }) => part !== 'reply');
  const firsts = heads.filter((each, nth) => heads.findIndex(({ id }) => id === each.id) === nth);
  return firsts.flatMap((first) => {
    // Evidence in the thread of one alone is without its number.
    const own = told.sent.filter(({ id, at, shown }) => {
      return id === first.id && at >= first.at && (shown.has(number) || shown.has(Number.NaN));
    });
    const end = own.findIndex(({ shown }) => shown.get(number)?.isOver === true);
    const open = end < 0 ? own : own.slice(0, end);
    const head = open.findLast(({ part }) => part !== 'reply');
    const stands = [head, ...open.filter(({ part }) => part === 'reply')].map((each) => each?.words).join('\n');
    const joined = joinedBefore(told, number, first.at);
    return causes
      .map((cause) => ownerOf(place, cause))
      .filter((owner) => head !== undefined && (names(first.words, owner) || names(joined, owner)))
      .filter((owner) => !names(stands, owner))
      .map((owner) => `${target}: PK-${number} was told with ${owner} at ${clockOf(first.at)}, who is named no more`);
  });
}

/** The names of those of whom all others were told by then that they joined, since it began or came back. */
function joinedBefore(told: Telling, number: number, at: number): string {
  const others = told.course.targets.map((target) => told.of(target, number).filter((each) => each.at < at));
  return others
    .flatMap((sent) => {
      const isBeginning = ({ shown, words }: Sent) => shown.get(number)?.isOver === true || /Firing again/.test(words);
      const since = sent.slice(sent.findLastIndex(isBeginning) + 1).filter(({ isAloud }) => isAloud);
      return since.flatMap(({ words }) => [...words.matchAll(/Joined: ([^.]*)\./g)].map(([, joined]) => joined));
    })
    .join(' ');
}

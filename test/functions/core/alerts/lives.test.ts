import { describe, expect, test } from 'vitest';
import { isAttended } from '../../../../functions/core/alerts/attention.ts';
import { severityRank } from '../../../../functions/core/findings/trouble-words.ts';
import { type Depth, depth } from '../../../property.ts';
import {
  type Act,
  type Cause,
  isPossible,
  kindOf,
  next,
  over,
  readBack,
  type State,
  settled,
  start,
  type Told,
} from './lives.ts';

interface Life {
  readonly acts: readonly Act[];
  readonly last: State;
}

const everything: readonly Act[] = [
  ...(['begin', 'end', 'remove', 'next node', 'one node less', 'join', 'replace', 'leave'] as const),
  ...(['disk', 'no disk', 'pod', 'no pod', 'worse', 'milder'] as const),
  ...(['acknowledge', 'snooze', 'late press', 'late command', 'refuse', 'take', 'night', 'day'] as const),
  ...(['blind', 'sighted', 'unread', 'read', 'minute', 'half hour', 'two hours', 'a day'] as const),
];
const causesAndTakers: readonly Act[] = ['join', 'leave', 'replace', 'next node', 'acknowledge', 'two hours'];

/** Every life that goes on after these acts for at most that long. */
function* lives(first: readonly Act[], acts: readonly Act[], { goesOn }: Depth, from: State = start): Generator<Life> {
  yield* goOn({ acts: first, last: first.reduce((state, act) => next(act, state), from) });

  function* goOn(life: Life): Generator<Life> {
    yield life;
    if (!goesOn(life.acts.length - first.length)) return;
    for (const act of acts.filter((each) => isPossible(each, life.last)))
      yield* goOn({ acts: [...life.acts, act], last: next(act, life.last) });
  }
}

/** A few of the lives that are not as they should be, in words. */
function wrongOf(tried: Iterable<Life>, sentences: Readonly<Record<string, (life: Life) => boolean>>) {
  const wrong: string[] = [];
  for (const life of tried) {
    for (const [name, isWrong] of Object.entries(sentences))
      if (isWrong(life)) wrong.push(`${name}: ${life.acts.join('; ')}`);
    if (wrong.length >= 5) break;
  }
  return wrong;
}

/** But for whom has refused for a day, who is given up. */
function isEndUntold({ acts, last }: Life): boolean {
  if (acts.includes('refuse') && acts.includes('a day')) return false;
  const { told, ringing } = over(last);
  return ringing.length > 0 || Object.values(told).some((each) => each.at(-1)?.isOver === false);
}

/** Who was told that it is over, or nothing, is told no end, nor anybody while it stands; but for whom the return of it
 *  was sent, and refused, who may have heard of it all the same. */
function isEndUntrue({ acts, last: { told } }: Life): boolean {
  return Object.values(told).some((each) =>
    each.some(({ at, isOver, isTrulyOver }, nth) => {
      const before = each.slice(0, nth).findLast((one) => one.at < at || !one.isOver);
      return (
        isOver && (!isTrulyOver || (before?.isOver !== false && !(before !== undefined && acts.includes('refuse'))))
      );
    }),
  );
}

/** What stands for more than two hours, with nothing in the way: a channel shows it, a mailbox and a pager had a
 *  message with it, of its owner, since the last end that they were told of, and one that was as severe. */
function isCauseUntold({ last }: Life): boolean {
  const { at, causes, incident, severity, told } = settled(last);
  if (causes.length === 0) return false;
  if (incident?.state !== 'firing') return true;
  if (isAttended(incident, new Date(at))) return false;
  const sinceEnd = (name: string) => {
    const all = told[name] ?? [];
    return all.slice(all.findLastIndex(({ isOver }) => isOver) + 1);
  };
  const inChat = causes.includes('worker-3 store') ? ['all', 'store'] : ['all'];
  const byMessage = ['mail', ...(severity === 'warning' ? [] : ['pager']), ...(last.hasLead ? ['lead'] : [])];
  return (
    inChat.some((name) => causes.some((each) => sinceEnd(name).at(-1)?.causes.includes(each) !== true)) ||
    byMessage.some((name) => isAnyUntold(causes, severity, sinceEnd(name)))
  );
}

function isAnyUntold(causes: readonly Cause[], severity: State['severity'], told: readonly Told[]): boolean {
  const heard = told.filter(({ isAloud, isRinging }) => isAloud || isRinging);
  const kinds = heard.flatMap((each) => each.causes.map(kindOf));
  const worst = heard.some((each) => severityRank(each.severity) <= severityRank(severity));
  return !worst || causes.some((each) => !kinds.includes(kindOf(each)));
}

function isSilenced({ last: { looks } }: Life): boolean {
  return looks.some(({ isTaken, isCovered }) => isTaken && isCovered === false);
}

function isForgotten({ last: { looks } }: Life): boolean {
  return looks.some(({ isTaken, isCovered }) => !isTaken && isCovered === true);
}

function isRepeated({ last }: Life): boolean {
  return Object.entries(last.told).some(([name, each]) => {
    const aloud = each.filter(({ isAloud }) => isAloud);
    return aloud.some((now, nth) => {
      const earlier = aloud.slice(0, nth);
      const before = earlier.at(-1);
      if (before === undefined || now.isOver || before.isOver) return false;
      return now.occasion === 'unattended' ? !isUnattended(earlier, now, last) : !isNews(name, before, now, last);
    });
  });
}

/** Once for each time that somebody has had it. */
function isUnattended(earlier: readonly Told[], now: Told, { takes }: State): boolean {
  const last = takes.findLast((at) => at <= now.at);
  return last !== undefined && !earlier.some(({ at, occasion }) => at > last && occasion === 'unattended');
}

/** What may be told after a message with the same causes, as severe: reminders at their pace, that it flaps or no
 *  longer does, that it climbs to others, and that what may heal has lasted. And a channel that is told of a cause
 *  before all are, as its filter names it, hears of that once more. */
function isNews(name: string, before: Told, now: Told, { climbs, looks }: State): boolean {
  const isSince = (at: number) => at >= before.at && at <= now.at;
  switch (now.occasion) {
    case 'flapping':
      return true;
    case 'reminder':
      return before.occasion !== 'reminder' || now.at - before.at >= 29 * 60_000;
    default:
  }
  const isOfFilter = name === 'store' && before.occasion === 'opened' && before.at < now.at;
  const mayHeal = now.causes.some((each) => each === 'worker-4 disk' || each === 'worker-5 pod');
  if (before.occasion === 'flapping' || isOfFilter || mayHeal || climbs.some(isSince)) return true;
  const seen = looks.filter(({ at }) => isSince(at) && at > before.at).map(textOf);
  return [...seen, textOf(now)].some((each) => each !== textOf(before));
}

function textOf({ causes, severity, isTaken }: Pick<Told, 'causes' | 'severity' | 'isTaken'>): string {
  return [...causes.toSorted(), severity, isTaken].join(' ');
}

function isReadBackOtherwise({ last: { incident } }: Life): boolean {
  return incident !== undefined && sorted(readBack(incident)) !== sorted(incident);
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

const atEveryLook = {
  'an end is told that is none, or that nobody began to hear of': isEndUntrue,
  'what nobody has taken is silenced': isSilenced,
  'who has taken it is forgotten': isForgotten,
  'the same is told again': isRepeated,
};
const atTheEnd = {
  'the end is not told': isEndUntold,
  'a cause is not told': isCauseUntold,
  'it is read back otherwise than it was stored': isReadBackOtherwise,
};

/** Four openings and ends within two hours. */
const flapping: readonly Act[] = ['begin', 'end', 'half hour', 'begin', 'end', 'half hour', 'begin'];

describe('an incident, in every course of causes, takers, targets and what can be seen', () => {
  test.each<[string, readonly Act[], Depth]>([
    ['it has begun', ['begin'], depth(2, 3)],
    ['somebody has it', ['begin', 'acknowledge'], depth(2, 3)],
    ['somebody had less', ['begin', 'snooze', 'next node', 'snooze', 'one node less'], depth(1, 3)],
    ['it came back', ['begin', 'join', 'end', 'half hour', 'begin'], depth(2, 3)],
    ['it flaps', flapping, depth(2, 3)],
    ['it flaps out of sight', [...flapping, 'unread', 'worse'], depth(1, 3)],
    ['its cluster is out of sight', ['begin', 'blind', 'join'], depth(2, 3)],
    ['it came back at night', ['begin', 'end', 'half hour', 'milder', 'night', 'begin'], depth(2, 3)],
    ['nobody can be told', ['begin', 'milder', 'night', 'replace', 'refuse'], depth(1, 3)],
  ])(
    '[S1-13] [N-18] [N-29] [N-30] after %s, is told once to whom it concerns, and so is its end',
    (_, first, count) => {
      const wrong = wrongOf(lives(first, everything, count), { ...atEveryLook, ...atTheEnd });

      expect(wrong).toEqual([]);
    },
  );

  test.each<[string, readonly Act[], Depth]>([
    ['it has begun', ['begin'], depth(1, 3)],
    ['another cause took its place', ['begin', 'replace'], depth(2, 3)],
    ['it flaps', flapping, depth(2, 3)],
    ['it flaps, and somebody has it', [...flapping, 'acknowledge', 'join'], depth(1, 3)],
  ])('[S1-13] [N-18] [N-29] [N-30] after %s, so it is to who is told of what nobody has taken', (_, first, count) => {
    const withLead = { ...start, hasLead: true };

    const wrong = wrongOf(lives(first, everything, count, withLead), { ...atEveryLook, ...atTheEnd });

    expect(wrong).toEqual([]);
  });

  test('[S1-13] [N-29] [N-30] stays with who has taken it, and is told anew when it is more than that', () => {
    const wrong = wrongOf(lives(['begin', 'join'], causesAndTakers, depth(4, 6)), atEveryLook);

    expect(wrong).toEqual([]);
  });
});

import { type GuardProblem, type GuardsLook, guardProblemKey } from '../guard/guard-problem.ts';
import { secondsSince } from '../text/instant.ts';
import { byTurns } from '../text/rounds.ts';
import type { JudgeInput } from './input.ts';
import { type LostClocks, lostClocks } from './lost-guards.ts';

type FirstSeen = JudgeInput['firstSeen'];

export interface GuardClocks {
  /** Since when each problem has been seen; those without are not timed. */
  readonly since: ReadonlyMap<GuardProblem, string>;
  /** Where somebody takes guards away whenever they are put back. */
  readonly lost: LostClocks['told'];
  /** Why the absence of a problem was not seen in this pass; undefined: it was. */
  readonly unseen: string | undefined;
  /** To be stored until the next pass. */
  readonly firstSeen: FirstSeen;
}

/** No pool can have this name. */
const prefix = '*|guard|';

/** Of guards that somebody had taken away, one for each time. */
const lostPrefix = `${prefix}lost|`;

/** Guards that wait, and are open or exposed, at most: whoever can make up Applications can make up any number. */
const clocksAtMost = 100;

/** Seconds. A project that could not be written is tried again by the next ticks, which have to list all Applications
 *  for it; later by the usual sweeps. */
const triedAgainFor = 150;

export function isGuardClock(key: string): boolean {
  return key.startsWith(prefix);
}

/** Since when the Application has been seen to wait for its guard. */
export function guardWaitsSince(firstSeen: FirstSeen, application: string): string | undefined {
  return firstSeen[`${prefix}closed|${application}`];
}

/** Whether all Applications are to be listed once more, because a guard could not be set up a moment ago. */
export function isGuardTriedAgain(firstSeen: FirstSeen, now: Date): boolean {
  return Object.entries(firstSeen).some(
    ([key, since]) => isGuardClock(key) && isOfSetUp(key) && secondsSince(since, now) < triedAgainFor,
  );
}

/** Of Applications that may have no guard yet: other passes do not read them. */
function isOfSetUp(key: string): boolean {
  return !['exposed', 'closed', 'unanswered', 'open', 'same-name', 'lost'].some((kind) =>
    key.startsWith(`${prefix}${kind}|`),
  );
}

/** Which clocks of Applications run on unseen: of those that were not read, or of all where nobody knows. */
function whatIsUnseen({ unseen, unread }: GuardsLook): (key: string) => boolean {
  const missing = unread && new Set(unread);
  return (key) => {
    if (isOfSetUp(key)) return false;
    return missing === undefined ? unseen !== undefined : missing.has(key.slice(key.lastIndexOf('|') + 1));
  };
}

/** Reads and advances the clocks of what is wrong with guards. Of what could not be seen they run on. */
export function guardClocks({ guards, firstSeen: before, now }: JudgeInput): GuardClocks {
  const ofGuards = Object.entries(before).filter(([key]) => isGuardClock(key));
  if (guards === undefined) return { since: new Map(), lost: [], unseen: undefined, firstSeen: {} };
  if (guards.kind !== 'seen') {
    const unseen = guards.kind === 'unreadable' ? guards.why : 'not looked at in this pass';
    return { since: new Map(), lost: [], unseen, firstSeen: Object.fromEntries(ofGuards) };
  }
  const isOfLost = (key: string) => key.startsWith(lostPrefix);
  const known = ofGuards.filter(([key]) => !isOfLost(key));
  const losses = Object.fromEntries(ofGuards.filter(([key]) => isOfLost(key)));
  const lost = lostClocks(losses, guards.value.lost, { prefix: lostPrefix, now });
  const { problems, unseen, isComplete } = guards.value;
  const isUnseen = whatIsUnseen(guards.value);
  const all = problems.map((problem) => ({ problem, key: `${prefix}${guardProblemKey(problem)}` }));
  const keys = new Set(all.map(({ key }) => key));
  const unknown = known.filter(([key]) => !keys.has(key));
  const setUp = unknown.filter(([key]) => isOfSetUp(key) && !isComplete);
  const unread = unknown.filter(([key]) => isUnseen(key));
  const running = new Set([...unread, ...known].map(([key]) => key));
  const timed = inTime(
    [...unread.map(([key]) => key), ...keys].filter((key) => !isOfSetUp(key)),
    running,
    new Map(all.map(({ key, problem }) => [key, 'application' in problem ? problem.project : undefined])),
  );
  const clocks = all
    .filter(({ key }) => isOfSetUp(key) || timed.has(key))
    .map(({ problem, key }) => ({ problem, key, since: before[key] ?? now.toISOString() }));
  const kept = [...setUp, ...unread.filter(([key]) => timed.has(key))];
  return {
    lost: lost.told,
    since: new Map(clocks.map(({ problem, since }) => [problem, since])),
    unseen: unseen ?? (setUp.length === 0 ? undefined : 'not all Applications were listed in this pass'),
    firstSeen: {
      ...Object.fromEntries([...kept, ...clocks.map(({ key, since }) => [key, since] as const)]),
      ...lost.firstSeen,
    },
  };
}

/** Those that are timed: what lets syncs through first, and of each owner or AppProject one after the other, those
 *  that are timed already first. Whoever can make up any number hides none of others. */
function inTime(
  keys: readonly string[],
  running: ReadonlySet<string>,
  projects: ReadonlyMap<string, string | undefined>,
): ReadonlySet<string> {
  const [old, fresh] = [keys.filter((key) => running.has(key)), keys.filter((key) => !running.has(key))];
  const whose = (key: string) => `${ownerOf(key)}/${projects.get(key) ?? ''}`;
  const ofKind = Map.groupBy([...old, ...fresh], (key) => (key.startsWith(`${prefix}exposed|`) ? 'exposed' : 'others'));
  const inTurns = (['exposed', 'others'] as const).flatMap((kind) => byTurns(ofKind.get(kind) ?? [], whose));
  return new Set(inTurns.slice(0, clocksAtMost));
}

/** The namespace of its Application, or its AppProject. */
function ownerOf(key: string): string {
  const about = key.slice(key.lastIndexOf('|') + 1);
  return about.split('/')[0] ?? about;
}

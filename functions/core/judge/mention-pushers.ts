import { identitiesOf } from '../configuration/approve.ts';
import type { Trouble, TroubleKind } from '../findings/trouble.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import { earliest, isEarlierSecond, plusSeconds } from '../text/instant.ts';
import { type Observed, seenValue } from '../text/observed.ts';
import { unique } from '../text/unique.ts';
import type { ObservedPool } from './input.ts';

/** What a push may have caused. */
const ofAPush: ReadonlySet<TroubleKind> = new Set([
  'drain-blocked',
  'node-degraded',
  'no-progress',
  'render-failed',
  'paused-too-long',
  'sync-stuck',
  'run-failed',
  'late-pause',
  'approval-needed',
]);

/** Of these, what began before a push is of something else. The others are about the wait itself. */
const datedKinds: ReadonlySet<TroubleKind> = new Set([
  'drain-blocked',
  'node-degraded',
  'no-progress',
  'render-failed',
]);

/** How long before its end a sync may have caused what is wrong. Seconds. */
const beforeEndSeconds = 30 * 60;

/** Mentions in one message. */
const mentionedAtMost = 5;

/** The troubles of a pool with who pushed what it is held for or rolls out, where the configuration says who that is in
 *  Slack. Only ids of the configuration get into them: no login, and nothing from Git or from a cluster. */
export function mentioningPushers(
  troubles: readonly Trouble[],
  pools: Observed<readonly ObservedPool[]>,
): readonly Trouble[] {
  const byName = new Map((seenValue(pools) ?? []).map((each) => [each.pool.name, each]));
  return troubles.map((trouble) => {
    const of = ofAPush.has(trouble.key.kind) ? byName.get(trouble.key.pool) : undefined;
    const mentions = of === undefined ? [] : pushersInSlack(of, trouble);
    return mentions.length === 0 ? trouble : { ...trouble, mentions };
  });
}

function pushersInSlack({ pool, people = [] }: ObservedPool, trouble: Trouble): readonly string[] {
  const logins = new Set(pushersOf(pool, trouble).map((login) => `github:${login.toLowerCase()}`));
  const theirs = people.map(identitiesOf).filter((person) => person.some((each) => logins.has(each.toLowerCase())));
  const ids = theirs.flatMap((person) => person.filter((each) => each.startsWith('slack:')));
  return unique(ids.map((each) => each.slice('slack:'.length))).slice(0, mentionedAtMost);
}

/** By their GitHub logins. Of a resume, as long as what it let go rolls out, and nothing that was rendered later. */
function pushersOf(pool: Pool, { key, since }: Trouble): readonly string[] {
  if (pool.record.kind !== 'record') return [];
  const mayBeOf = (at: string) => !datedKinds.has(key.kind) || !isEarlierSecond(since, at);
  const { holds, release, last } = pool.record.record;
  const ofHolds = holds.filter((hold) => mayBeOf(earliest([hold.since, hold.pushedAt]) ?? hold.since));
  const isOfRelease = release !== undefined && mayBeOf(plusSeconds(new Date(release.since), -beforeEndSeconds));
  const isRollingOut = last?.did === 'resumed' && last.asked === pool.target.name && hasPendingChange(pool);
  return [
    ...ofHolds.flatMap(({ pushers = [] }) => pushers),
    ...(isOfRelease ? (release.pushers ?? []) : []),
    ...(isRollingOut && mayBeOf(last.at) ? (last.pushers ?? []) : []),
  ];
}

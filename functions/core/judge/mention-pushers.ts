import { identitiesOf } from '../configuration/approve.ts';
import type { Trouble, TroubleKind } from '../findings/trouble.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import { type Observed, seenValue } from '../text/observed.ts';
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

/** Mentions in one message. */
const mentionedAtMost = 5;

/** The troubles of a pool with who pushed what it is held for or rolls out, where the configuration says who that is in
 *  Slack. Only ids of the configuration get into them: no login, and nothing from Git or from a cluster. */
export function mentioningPushers(
  troubles: readonly Trouble[],
  pools: Observed<readonly ObservedPool[]>,
): readonly Trouble[] {
  const ids = new Map((seenValue(pools) ?? []).map((each) => [each.pool.name, pushersInSlack(each)]));
  return troubles.map((trouble) => {
    const mentions = ofAPush.has(trouble.key.kind) ? (ids.get(trouble.key.pool) ?? []) : [];
    return mentions.length === 0 ? trouble : { ...trouble, mentions };
  });
}

function pushersInSlack({ pool, people = [] }: ObservedPool): readonly string[] {
  const logins = new Set(pushersOf(pool).map((login) => `github:${login.toLowerCase()}`));
  const theirs = people.map(identitiesOf).filter((person) => person.some((each) => logins.has(each.toLowerCase())));
  const ids = theirs.flatMap((person) => person.filter((each) => each.startsWith('slack:')));
  return [...new Set(ids.map((each) => each.slice('slack:'.length)))].slice(0, mentionedAtMost);
}

/** By their GitHub logins. Of a resume, as long as something rolls out. */
function pushersOf(pool: Pool): readonly string[] {
  if (pool.record.kind !== 'record') return [];
  const { holds, release, last } = pool.record.record;
  const resumed = last?.did === 'resumed' && hasPendingChange(pool) ? (last.pushers ?? []) : [];
  return [...holds.flatMap(({ pushers = [] }) => pushers), ...(release?.pushers ?? []), ...resumed];
}

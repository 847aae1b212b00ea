import type { Application } from '../argocd/application.ts';
import type { Policy } from '../configuration/policy.ts';
import { type Hold, syncHoldId } from '../openshift/hold.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { earliest, isEarlierSecond, isPast, latest, plusSeconds, secondsSince } from '../text/instant.ts';
import { counted, listed } from '../text/phrases.ts';
import { lastSync } from './answers.ts';

/** What the record of a pool has no room for is held together, as one hold for each Argo CD instance, by time alone: a
 *  push is seen once, and a running sync only when its Application is read. Its id is of the form of an ApplicationSet
 *  that will generate something, so that every version ends it at its time; no ApplicationSet is without a
 *  namespace. */
function collectiveHoldId(argocd: string): string {
  return `set/${argocd}//others`;
}

/** Whether it is such a hold. */
export function isCollective({ id }: Pick<Hold, 'id'>): boolean {
  return id === collectiveHoldId(argocdOf(id));
}

/** The hold that stands for this one where it has no room. */
export function collectiveFor<Each extends Pick<Hold, 'id'>>(id: string, holds: readonly Each[]): Each | undefined {
  return holds.find((hold) => hold.id === collectiveHoldId(argocdOf(id)));
}

/** `sync/hub/team-a/nodes` and `set/hub/team-a/fleet` -> `hub`. */
function argocdOf(id: string): string {
  return id.split('/')[1] ?? '';
}

/** The holds for what has no room now, or had none a short time ago. */
export function collectiveHolds(
  before: readonly Hold[],
  leftOut: readonly Hold[],
  policy: Pick<Policy, 'expectSyncWithinSeconds' | 'sweepEverySeconds'>,
  now: Date,
): readonly Hold[] {
  const byInstance = Map.groupBy(leftOut, ({ id }) => argocdOf(id));
  const known = before.filter(isCollective);
  const instances = new Set([...known.map(({ id }) => argocdOf(id)), ...byInstance.keys()]);
  return [...instances].flatMap((argocd) => {
    const hold = known.find(({ id }) => id === collectiveHoldId(argocd));
    const all = byInstance.get(argocd) ?? [];
    if (all.length > 0) return [renewed(argocd, hold, { all, policy, now })];
    return hold === undefined || isPast(hold.until, now) ? [] : [hold];
  });
}

/** Every Application is read in a sweep: what has no room must not be forgotten between two of them. */
const sweepsAtLeast = 3;

/** Written rarely: for a push that it does not cover, and when half of its time is over. */
function renewed(
  argocd: string,
  hold: Hold | undefined,
  {
    all,
    policy,
    now,
  }: {
    readonly all: readonly Hold[];
    readonly policy: Pick<Policy, 'expectSyncWithinSeconds' | 'sweepEverySeconds'>;
    readonly now: Date;
  },
): Hold {
  const seconds = Math.max(policy.expectSyncWithinSeconds, sweepsAtLeast * policy.sweepEverySeconds);
  const pushed = latest(all.map(({ phase, until }) => (phase === 'expected' ? until : undefined)));
  const isFresh = hold !== undefined && -secondsSince(hold.until, now) >= seconds / 2;
  const isCovered = pushed === undefined || (hold !== undefined && Date.parse(pushed) <= Date.parse(hold.until));
  if (isFresh && isCovered) return hold;
  const until = plusSeconds(now, seconds);
  const names = listed(
    all.slice(0, 5).map(({ who }) => who.slice(0, 120)),
    3,
  );
  return {
    id: collectiveHoldId(argocd),
    kind: 'sync',
    who: `more Applications of ${argocd}`,
    why: `the record of the pool has no room for ${counted(all.length, 'hold')}, such as ${names}`,
    since: earliest([hold?.since, ...all.map(({ since }) => since)]) ?? now.toISOString(),
    until: latest([until, pushed, hold?.until]) ?? until,
    phase: 'expected',
  };
}

/** The hold that a failed sync would have had if there had been room for it while it ran. Undefined: it did not fail,
 *  or was over before, or a person has resumed the pool and so has decided about it, or the policy has. */
export function unrecordedFailure(
  application: Application,
  { holds, pause }: PoolRecord,
  { onSyncFailure, failedAtMostSeconds }: Policy,
  now: Date,
): Hold | undefined {
  if (pause === 'overridden') return undefined;
  const id = syncHoldId(application);
  const rest = collectiveFor(id, holds);
  const operation = lastSync(application);
  if (rest === undefined || operation?.finishedAt === undefined) return undefined;
  if (!['Failed', 'Error'].includes(operation.phase) || isEarlierSecond(operation.finishedAt, rest.since))
    return undefined;
  const lasts = plusSeconds(new Date(operation.finishedAt), failedAtMostSeconds);
  if (onSyncFailure === 'resume' && isPast(lasts, now)) return undefined;
  return {
    id,
    kind: 'sync',
    who: `${application.namespace}/${application.name}`,
    why: '',
    since: rest.since,
    until: rest.until,
    phase: 'syncing',
    uid: application.uid,
    startedAt: operation.startedAt,
  };
}

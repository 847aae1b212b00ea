import type { Application } from '../argocd/application.ts';
import type { Policy } from '../configuration/policy.ts';
import { argocdOf, collectiveFor, collectiveHoldId, isCollective } from '../openshift/collective-hold-id.ts';
import { type Hold, syncHoldId } from '../openshift/hold.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { given } from '../text/given.ts';
import {
  earliest,
  isEarlierSecond,
  isLaterSecond,
  isPast,
  latest,
  plusSeconds,
  secondsSince,
} from '../text/instant.ts';
import { counted, listed } from '../text/phrases.ts';
import { lastSync } from './answers.ts';
import { isDecided } from './overruled.ts';

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
  const overruled = overruledTogether(hold, all);
  if (isFresh && isCovered && overruled === hold.overruled) return hold;
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
    ...given({ overruled }),
  };
}

/** What a person has decided about all of them. Nothing, as soon as one is among them that came later. */
function overruledTogether(hold: Hold | undefined, all: readonly Hold[]): Hold['overruled'] {
  const newest = latest(all.map(({ overruled }) => overruled?.at));
  const mark = hold === undefined ? all.find(({ overruled }) => overruled?.at === newest)?.overruled : hold.overruled;
  if (mark === undefined) return undefined;
  return all.every((each) => each.overruled !== undefined || isDecided(each, mark.at)) ? mark : undefined;
}

/** The hold that a failed sync would have had if there had been room for it while it ran. Undefined: it did not fail,
 *  or was over before, or a person has resumed the pool and so has decided about it, or the policy has. */
export function unrecordedFailure(
  application: Application,
  { holds }: PoolRecord,
  { onSyncFailure, failedAtMostSeconds }: Policy,
  now: Date,
): Hold | undefined {
  const operation = lastSync(application);
  if (operation?.finishedAt === undefined || !['Failed', 'Error'].includes(operation.phase)) return undefined;
  const id = syncHoldId(application);
  const rest = collectiveFor(id, holds);
  if (rest === undefined || isEarlierSecond(operation.finishedAt, rest.since)) return undefined;
  if (rest.overruled !== undefined && !isLaterSecond(operation.startedAt, rest.overruled.at)) return undefined;
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
    // Others may have failed before it.
    afterFailure: true,
    uid: application.uid,
    startedAt: operation.startedAt,
  };
}

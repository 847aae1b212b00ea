import { type Application, isParked, isRunning, isSyncing } from '../argocd/application.ts';
import { isComparedForSync } from '../impact/pools-affected-by-sync.ts';
import { collectiveFor } from '../openshift/collective-hold-id.ts';
import { everyCommit, type Hold, syncHoldId } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { standingHoldsOf } from '../openshift/pool-record.ts';
import { whoResumed } from '../openshift/who-resumed.ts';
import { ifGiven } from '../text/if-given.ts';
import { isLaterSecond, latest, plusSeconds } from '../text/instant.ts';
import type { GuardQuestion } from './guard-question.ts';
import { namesNoPool } from './guard-record.ts';

/** One condition: the reasons, for people, why the window stays closed by it. Empty: it is met. */
export type GuardCondition = (question: GuardQuestion) => readonly string[];

/** What every sync has to wait for. One more is one more function here. */
const ofEverySync: readonly GuardCondition[] = [turnHasCome];

/** What a sync has to wait for that may affect a pool. */
const ofPools: readonly GuardCondition[] = [poolsAreConfirmedPaused, namesakesArePaused, isCompared, pushIsCompared];

/** Why the window of an Application that wants to sync stays closed. Empty: it may be opened.
 *  @param isHarmless all that the sync would change is known, and affects no pool */
export function staysClosed(question: GuardQuestion, isHarmless: boolean): readonly string[] {
  const conditions = isHarmless ? ofEverySync : [...ofEverySync, ...ofPools];
  return conditions.flatMap((condition) => condition(question));
}

/** One window is for its pools and its sequence: two would be opened by turns, and a sync begin between them. */
function turnHasCome({ notItsTurn }: GuardQuestion): readonly string[] {
  return ifGiven(notItsTurn);
}

/** Each pool that it affects is paused, the MCO has confirmed it, and it is this Application's own hold that keeps
 *  it so, or the one that stands for it where the record has no room: a pause for another reason may end at any
 *  time, and a hold that a person has overruled keeps nothing paused. */
function poolsAreConfirmedPaused({ application, affected, pools }: GuardQuestion): readonly string[] {
  const id = syncHoldId(application);
  return affected.flatMap((name) => {
    const pool = pools.get(name);
    if (pool === undefined) return [`pool ${name} cannot be read`];
    const why = notConfirmedPaused(pool);
    if (why !== undefined) return [why];
    const holds = standingHoldsOf(pool);
    const isHeld = holds.some((hold) => hold.id === id) || collectiveFor(id, holds) !== undefined;
    return isHeld ? [] : [`pool ${name} is paused, but not for this Application`];
  });
}

/** Who asks for a sync at once is faster than Argo CD's comparison: until there is one, nobody knows which pools the
 *  sync affects besides. */
function isCompared(question: GuardQuestion): readonly string[] {
  return isToBeCompared(question) ? ['Argo CD has not compared it since its sync was asked for'] : [];
}

/** What a push brings that nobody could read, only the comparison shows: pools that it adds are not paused before. */
function pushIsCompared(question: GuardQuestion): readonly string[] {
  return pushToBeCompared(question) === undefined ? [] : ['Argo CD has not compared it since the push'];
}

/** ISO instant of the push that its sync is awaited for and that Argo CD, which is to be asked for it, has not compared
 *  yet; undefined: there is none. */
export function pushToBeCompared(question: Pick<GuardQuestion, 'application' | 'pools' | 'push'>): string | undefined {
  const { application } = question;
  return latest(
    awaitedPushes(question)
      .filter(isNotCompared(application))
      .map(({ pushedAt }) => pushedAt),
  );
}

interface AwaitedPush extends Pick<Hold, 'revision' | 'from'> {
  readonly pushedAt: string;
}

/** Of its holds, which may be of several pushes; where no record has room for one, what came in this pass. */
function awaitedPushes({
  application,
  pools,
  push,
}: Pick<GuardQuestion, 'application' | 'pools' | 'push'>): readonly AwaitedPush[] {
  const id = syncHoldId(application);
  const holds = [...pools.values()].flatMap(standingHoldsOf);
  const own = holds.filter((hold) => hold.id === id);
  if (own.length === 0 && push !== undefined && collectiveFor(id, holds) !== undefined)
    return [{ pushedAt: push.at, revision: push.revision }];
  return own.flatMap(({ phase, pushedAt, revision, from, via, behindGuard }) => {
    // What its writer brings, or what a guard has held back, is judged by what was compared before.
    const isOfWriter = via !== undefined && revision === undefined;
    if (phase !== 'expected' || pushedAt === undefined || isOfWriter || behindGuard === true) return [];
    return [{ pushedAt, revision, from }];
  });
}

/** Seconds for which Argo CD compares with the commit that it knows, unless it is asked: what it has compared since the
 *  push may be the one before. Source: argo-cd v3.2 controller/appcontroller.go, needRefreshAppStatus; default of
 *  --revision-cache-expiration of its repo server. */
const knownForSeconds = 180;

function isNotCompared({ sync, reconciledAt }: Application): (push: AwaitedPush) => boolean {
  return ({ pushedAt, revision, from = [] }) => {
    if (!['Synced', 'OutOfSync'].includes(sync.status)) return true;
    const wasThere = revision === undefined || from.includes(revision) || from.includes(everyCommit);
    if (!wasThere && sync.revisions.includes(revision)) return false;
    const isAtEarlier = !wasThere && sync.revisions.every((commit) => from.includes(commit));
    const since = isAtEarlier ? plusSeconds(new Date(pushedAt), knownForSeconds) : pushedAt;
    return reconciledAt === undefined || !isLaterSecond(reconciledAt, since);
  };
}

/** Whether its sync has to wait for a comparison, which Argo CD is to be asked for. Also one that Argo CD has not taken
 *  up yet, or has and not yet found its window: its state shows the operation before. One that nothing holds back waits
 *  for nothing. */
export function isToBeCompared({
  application,
  isHeldBack = false,
}: Pick<GuardQuestion, 'application' | 'isHeldBack'>): boolean {
  const { operation } = application;
  if (!isSyncing(application)) return false;
  if (operation === undefined || !isRunning(operation)) return true;
  return (isHeldBack || isParked(operation)) && !isComparedForSync(application);
}

/** One window is for every Application of its name in the project. */
function namesakesArePaused({ alsoAffected, cluster, pools }: GuardQuestion): readonly string[] {
  return alsoAffected.flatMap((other) => {
    const { application, isOfNamesake = false } = other;
    if (other.cluster !== cluster || isOfNamesake)
      return [
        `${application} of ${isOfNamesake ? 'another ' : ''}cluster ${other.cluster} has the same name in this project`,
      ];
    if (namesNoPool(other))
      return [`${other.application}, which has the same name, affects more pools than the record has room for`];
    return other.pools.flatMap((name) => {
      const pool = pools.get(name);
      const why = pool === undefined ? `pool ${name} cannot be read` : notConfirmedPaused(pool);
      return why === undefined ? [] : [`${why}, and ${other.application}, which has the same name, affects it`];
    });
  });
}

function notConfirmedPaused(pool: Pool): string | undefined {
  const { name, paused, generation, observedGeneration, record } = pool;
  if (record.kind === 'unreadable') return `pool ${name} cannot be paused: ${record.why}`;
  if (!paused) {
    const isRespected = record.kind === 'record' && record.record.pause === 'overridden';
    return isRespected
      ? `pool ${name} was resumed by ${whoResumed(pool)}, which is respected`
      : `pool ${name} is not paused yet`;
  }
  return observedGeneration >= generation ? undefined : `the pause of pool ${name} is not confirmed yet`;
}

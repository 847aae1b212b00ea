import {
  type Application,
  type Elsewhere,
  elsewhereText,
  isRunning,
  isSyncing,
  type Operation,
  projectOf,
  wasTerminated,
} from '../argocd/application.ts';
import { refusedSync, wasRefused } from '../argocd/refused-sync.ts';
import { isTrackedBy } from '../argocd/tracking.ts';
import { appliedMachineConfigs } from '../impact/affected-pools.ts';
import { isComparedForSync } from '../impact/pools-affected-by-sync.ts';
import type { Hold } from '../openshift/hold.ts';
import type { Push } from '../routing/awaited-push.ts';
import { isEarlierSecond, isLaterSecond, isPast, latest, plusSeconds, secondsSince } from '../text/instant.ts';
import { asWord, listed } from '../text/phrases.ts';
import {
  answers,
  endOfParent,
  isAllRendered,
  isLeftFailed,
  isOfOldSpec,
  isRecreated,
  isSyncedAt,
  isSyncedSince,
  lastSync,
} from './answers.ts';
import { expectedUntil, expectedWhy, isFollowed, withPush } from './expected-sync.ts';
import { waitForWriter } from './long-writer.ts';
import {
  type LeftFailed,
  leftAfter,
  objectText,
  rememberedFailure,
  withLeft,
  withoutFailure,
  withUnknownEnd,
} from './left-failed.ts';
import { type HoldQuestion, released, type Step } from './step.ts';

/** One step in the life of a sync hold: from the current hold and what is observed to the next hold.
 *  Level-triggered: repeating it changes nothing, and every step is reached without any event. */
export function nextStep(question: HoldQuestion): Step {
  const { observed, policy } = question;
  const hold = afterElsewhere(question);
  if (hold === undefined || policy.onSyncFailure !== 'resume-after-approval')
    return withProject(stepOf({ ...question, hold }), question);
  const known = isEndUnseen(hold, question) ? withUnknownEnd(hold) : hold;
  const step = withProject(stepOf({ ...question, hold: known }), question);
  const isOutOfReach = observed.kind !== 'seen' && mayHaveBegun(hold) && !isOverruledByPerson(hold);
  // However it ends: whoever may delete the Application, or make it unreadable, is not who approves.
  const isFailed = hasFailed(known) || isOutOfReach || isSplit(hold, question);
  return isFailed && step.kind === 'release' && step.endsFailure !== true ? { ...step, needsApproval: true } : step;
}

/** The hold of an Application that is pointed here again. What ran elsewhere in between may have written a part there,
 *  and here: it has failed once another sync has followed. */
function afterElsewhere({ hold, observed }: HoldQuestion): Hold | undefined {
  if (hold?.ranElsewhere === undefined || observed.kind !== 'seen') return hold;
  const operation = lastSync(observed.application);
  if (operation === undefined || !isLaterSecond(operation.startedAt, hold.ranElsewhere)) return hold;
  const { ranElsewhere: _, ...known } = hold;
  return known.phase === 'failed' ? withoutFailure(known) : withUnknownEnd(known);
}

/** A push has come since a sync was seen running elsewhere, and its own is still to come. */
function isPushAwaited({ phase, pushedAt, ranElsewhere, until }: Hold, now: Date): boolean {
  if (!isLaterSecond(pushedAt ?? '', ranElsewhere ?? '')) return false;
  return phase === 'syncing' || (phase === 'expected' && !isPast(until, now));
}

/** The sync that ran elsewhere has ended while its Application is pointed here. That Argo CD has found it Synced may be
 *  of the other cluster. */
function isSplit(hold: Hold, { observed }: HoldQuestion): boolean {
  if (hold.ranElsewhere === undefined || observed.kind !== 'seen') return false;
  const { application } = observed;
  return lastSync(application)?.startedAt === hold.ranElsewhere && !isSyncing(application);
}

/** Whose it is, noted where the hold changes anyway: an AppProject alone is nothing to write a pool for. */
function withProject(step: Step, { hold, observed }: HoldQuestion): Step {
  if (step.kind !== 'hold' || observed.kind !== 'seen') return step;
  const isSame = hold?.phase === step.hold.phase && hold?.startedAt === step.hold.startedAt;
  const project = projectOf(observed.application);
  return isSame || project === undefined ? step : { kind: 'hold', hold: { ...step.hold, project } };
}

function stepOf(question: HoldQuestion): Step {
  const { hold, observed } = question;
  if (observed.kind === 'unreadable') {
    if (hold === undefined) return { kind: 'nothing', why: observed.why };
    if (observed.isForGood !== true) return { kind: 'hold', hold };
    const application = observed.heirs?.find(({ uid }) => uid === hold.uid);
    if (application !== undefined) return stepOf({ ...question, observed: { kind: 'seen', application } });
    return withoutInstance(hold, { ...question, why: observed.why });
  }
  if (observed.kind === 'gone') {
    if (hold === undefined) return { kind: 'nothing', why: 'the Application is gone' };
    const { elsewhere } = observed;
    if (elsewhere !== undefined) return pointedAway(hold, elsewhere, question);
    return released(`the Application was deleted${inMidSync(hold)}`);
  }
  return seenStep(question, observed.application);
}

function seenStep(question: HoldQuestion, application: Application): Step {
  const { hold } = question;
  if (isSyncing(application)) return { kind: 'hold', hold: syncing(question, application) };
  if (hold !== undefined && isSplit(hold, question)) {
    const why = `a sync of ${hold.who} may have written a part on another cluster, to which it was pointed meanwhile`;
    const base = withPush(question, application);
    if (isPushAwaited(base, question.now) && isFollowed(base, application))
      return stillExpected(question, application, base);
    return failedElsewhere(base, { ...question, why });
  }
  const step = atRest(question, application);
  return hold === undefined && step.kind === 'release' ? { kind: 'nothing', why: step.why } : step;
}

/** Its Application is never read again: the hold must not outlive its `until`. A failed sync stays failed all the same:
 *  what it left half applied rolls out by the policy, or by a person. */
function withoutInstance(hold: Hold, { policy, now, why }: HoldQuestion & { readonly why: string }): Step {
  if (!isPast(hold.until, now)) return { kind: 'hold', hold };
  if (hold.phase !== 'failed' || policy.onSyncFailure !== 'keep') return released(why);
  return { kind: 'hold', hold: { ...hold, until: plusSeconds(now, policy.failedAtMostSeconds) } };
}

/** Its Application was replaced in the middle of its sync, by another one of its name or together with its status:
 *  nobody knows how that ended. Behind a dry run it has ended, and what shows how well is waited for first. */
function isEndUnseen(hold: Hold, { observed, now }: HoldQuestion): boolean {
  if (hold.phase !== 'syncing' || observed.kind !== 'seen' || isOverruledByPerson(hold)) return false;
  const { application } = observed;
  if (hold.uid !== undefined && hold.uid !== application.uid) return true;
  const { startedAt } = hold;
  if (startedAt === undefined || shownSince(application, startedAt) !== undefined) return false;
  return !isBehindDryRun(application, startedAt) || (!isSyncing(application) && isPast(hold.until, now));
}

/** A person has resumed the pool in the middle of it, and so has decided about it. */
function isOverruledByPerson({ overruled }: Hold): boolean {
  return overruled !== undefined && overruled.byProgram !== true;
}

/** Its last sync, if that is the one that began then or a later one. */
function shownSince(application: Application, startedAt: string): Operation | undefined {
  const operation = lastSync(application);
  return operation === undefined || isEarlierSecond(operation.startedAt, startedAt) ? undefined : operation;
}

/** A dry run is shown in place of the sync that began then. */
function isBehindDryRun({ operation }: Application, startedAt: string): boolean {
  return operation?.dryRun === true && !isEarlierSecond(operation.startedAt, startedAt);
}

/** Its syncs are those of another cluster now, and say nothing of this one. But one that runs holds the pool until it
 *  ends: it may have begun here, and one operation may write on both clusters, as Argo CD resolves the destination
 *  anew whenever it goes on with it. What may have begun here and did not certainly end well here has failed, or was
 *  cut off. What that has left stays, or rolls out by the policy. Where it deploys to no cluster of the configuration,
 *  that may be this one by another address: then a sync is awaited as long as any.
 *  Source: argo-cd controller/sync.go, SyncAppState. */
function pointedAway(hold: Hold, elsewhere: Elsewhere, question: HoldQuestion): Step {
  const where = `it ${elsewhereText(elsewhere)}`;
  const shown = shownElsewhere(hold, elsewhere);
  if (shown === 'queued' || (shown !== undefined && isRunning(shown)))
    return runsElsewhere(hold, shown, where, question);
  const gone = `${hold.who}: ${where}`;
  if (hasEndedWell(shown, hold, question) || hasSucceededBefore(shown, elsewhere, hold, question)) {
    const results = shown?.startedAt === hold.startedAt ? shown?.results : undefined;
    return { kind: 'release', why: gone, machineConfigs: appliedMachineConfigs(results ?? []), endsFailure: true };
  }
  if (mayHaveBegun(hold) || hasFailed(hold)) {
    const known = mayHaveBegun(hold) ? withLeft(hold, leftOf(shown, elsewhere, hold)) : hold;
    return failedElsewhere(known, { ...question, why: `a sync of ${hold.who} failed or was cut off, and ${where}` });
  }
  return elsewhere.cluster === undefined ? withoutInstance(hold, { ...question, why: gone }) : released(gone);
}

function runsElsewhere(hold: Hold, shown: Operation | 'queued', where: string, question: HoldQuestion): Step {
  const ran = shown === 'queued' ? {} : { ranElsewhere: shown.startedAt };
  const isFailed = hold.phase === 'failed';
  // What had begun here and ran elsewhere is not shown any more.
  const hadRun = hold.startedAt !== undefined && hold.ranElsewhere === hold.startedAt;
  const isLost = !isFailed && hadRun && ran.ranElsewhere !== hold.startedAt;
  const why = isFailed ? hold.why : `Argo CD syncs ${hold.who}, and ${where}`;
  const until = isFailed ? hold.until : renewed(hold, question);
  return { kind: 'hold', hold: { ...hold, ...ran, ...(isLost ? { afterFailure: true } : {}), why, until } };
}

function failedElsewhere(hold: Hold, question: HoldQuestion & { readonly why: string }): Step {
  const { policy, now, why } = question;
  if (policy.onSyncFailure === 'resume-after-approval') return released(why);
  const { afterFailure: _, startedAt, ...known } = hold;
  const until = hold.phase === 'failed' ? hold.until : plusSeconds(now, policy.failedAtMostSeconds);
  // What was requested here counts as begun here.
  const began = hold.phase === 'syncing' ? (startedAt ?? hold.ranElsewhere) : startedAt;
  const isUnseen = isUnseenHere(hold) && question.observed.kind === 'gone';
  const here = isUnseen || began === undefined ? {} : { startedAt: began };
  return withoutInstance({ ...known, ...here, phase: 'failed', why, until }, question);
}

/** The last sync of an Application that is pointed away, or the one that was requested here and has not begun. An
 *  Application that was made again in the middle of a sync shows none that has begun here. */
function shownElsewhere(hold: Hold, { application }: Elsewhere): Operation | 'queued' | undefined {
  const isAnother = hold.uid !== undefined && hold.uid !== application.uid;
  if (isAnother && hold.phase !== 'expected') return undefined;
  const operation = lastSync(application);
  if (isRunning(operation)) return operation;
  return application.operationQueued && hold.phase === 'syncing' && hold.startedAt === undefined ? 'queued' : operation;
}

/** Of an Application that is pointed away: what had begun here has succeeded before anybody saw it run there. So has
 *  what nobody has seen here, for all that is known: such is the first sync after a push that points it there. Where no
 *  approval depends on it, that may be in whatever try, or a later full sync. */
function hasEndedWell(shown: Operation | undefined, hold: Hold, { policy }: HoldQuestion): boolean {
  if (shown?.phase !== 'Succeeded') return false;
  const isStrict = policy.onSyncFailure === 'resume-after-approval';
  if (isUnseenHere(hold) && !isStrict)
    return hold.phase === 'failed' ? !shown.partial : hold.ranElsewhere === shown.startedAt;
  if (shown.retryCount > 0 || shown.partial || hasFailed(hold)) return false;
  const isSeenElsewhere = hold.ranElsewhere === shown.startedAt;
  return hold.phase === 'expected' ? isSeenElsewhere : hold.startedAt === shown.startedAt && !isSeenElsewhere;
}

/** By the history of its Application: it was seen here alone, and what has followed since ran elsewhere, and well where
 *  an approval depends on it. */
function hasSucceededBefore(
  shown: Operation | undefined,
  { application }: Elsewhere,
  hold: Hold,
  { policy }: HoldQuestion,
): boolean {
  const { phase, startedAt, ranElsewhere } = hold;
  if (phase !== 'syncing' || hasFailed(hold) || startedAt === undefined || ranElsewhere === startedAt) return false;
  if (shown === undefined || application.succeeded?.includes(startedAt) !== true) return false;
  if (policy.onSyncFailure !== 'resume-after-approval') return true;
  return isLaterSecond(shown.startedAt, startedAt) && shown.phase === 'Succeeded' && shown.retryCount === 0;
}

/** A sync was awaited, and ran only where its Application had been pointed: unlikely to have begun here. An earlier one
 *  may have. */
function isUnseenHere({ phase, startedAt, ranElsewhere, afterFailure }: Hold): boolean {
  if (ranElsewhere === undefined || afterFailure === true) return false;
  return phase === 'expected' ? startedAt !== ranElsewhere : phase === 'failed' && startedAt === undefined;
}

/** What is left of a sync that may have begun here and has ended elsewhere: of all that it was to write, nobody knows
 *  where it has written it. */
function leftOf(shown: Operation | undefined, { application }: Elsewhere, hold: Hold): LeftFailed {
  if (shown === undefined || shown.startedAt !== (hold.ranElsewhere ?? hold.startedAt)) return 'everything';
  return leftAfter({ ...shown, phase: 'Failed', results: [] }, application, hold);
}

/** A sync was seen running, or requested, here, or running where its Application had been pointed. */
function mayHaveBegun({ phase, ranElsewhere }: Hold): boolean {
  return phase === 'syncing' || ranElsewhere !== undefined;
}

/** A sync of its Application failed, and none has succeeded since. */
function hasFailed(hold: Hold | undefined): boolean {
  return hold?.phase === 'failed' || hold?.afterFailure === true;
}

/** A manual or rollout hold ends at its `until` and for no other reason. */
export function nextTimedStep(hold: Hold, now: Date): Step {
  return isPast(hold.until, now) ? released(`the hold of ${hold.who} has expired`) : { kind: 'hold', hold };
}

function syncing(question: HoldQuestion, application: Application): Hold {
  const { policy, now } = question;
  const operation = isRunning(application.operation) ? application.operation : undefined;
  const base = withPush(question, application);
  // A queued operation has no `startedAt` yet: that is no transition, and nothing to write on every pass.
  const isSame = base.phase === 'syncing' && (operation === undefined || base.startedAt === operation.startedAt);
  return {
    ...base,
    phase: 'syncing',
    uid: application.uid,
    ...rememberedFailure(base),
    ...(operation === undefined ? {} : { startedAt: operation.startedAt }),
    why: `Argo CD syncs ${application.namespace}/${application.name}`,
    until: isSame ? renewed(base, question) : plusSeconds(now, policy.syncAtMostSeconds),
  };
}

/** The end of a hold whose sync goes on: not written anew on every pass. */
function renewed({ until }: Hold, { policy, now }: HoldQuestion): string {
  const isFresh = -secondsSince(until, now) > policy.syncAtMostSeconds / 4;
  return isFresh ? until : plusSeconds(now, policy.syncAtMostSeconds);
}

function inMidSync({ phase }: Hold): string {
  return phase === 'syncing' ? ' in the middle of its sync' : '';
}

function atRest(question: HoldQuestion, application: Application): Step {
  const { hold, push, policy, now } = question;
  const isAwaited = push !== undefined && isFollowed(push, application);
  const isRefused = refusedSync(application, policy, now) !== undefined;
  if (hold === undefined && !isAwaited && !isRefused) return { kind: 'nothing', why: notAwaited(push) };
  if (hold !== undefined && isRecreated(application, hold))
    return released(`the Application was deleted and recreated${inMidSync(hold)}`);

  const base = unlessMended(withPush(question, application), application);
  if (base.via !== undefined) return afterParent(question, application, base);
  if (base.behindGuard === true && application.sync.status === 'Synced') {
    return afterSync(application, 'the Application is Synced');
  }
  if (isSyncedAt(application, base)) {
    return afterSync(application, 'the Application is Synced at that commit');
  }
  const operation = shownSync(question, application, base);
  if (operation === undefined || !answers(operation, base)) return stillExpected(question, application, base);
  // No hold yet and the sync is already over: the push is repeated or late, and a pause would protect nothing.
  if (hold === undefined && !isRefused) return { kind: 'nothing', why: 'the sync that answers this push has ended' };
  return operation.phase === 'Succeeded' ? succeeded(question, application, base) : failed(question, application, base);
}

/** A full sync has succeeded since the one that failed, whatever else is awaited. */
function unlessMended(base: Hold, application: Application): Hold {
  if (base.phase === 'failed' || base.afterFailure !== true || base.startedAt === undefined) return base;
  const operation = shownSince(application, base.startedAt);
  return operation?.phase === 'Succeeded' && !operation.partial ? withoutFailure(base) : base;
}

/** A writer writes when it pleases until its sync ends: what began before that may be by the old spec. */
function beganAfter({ startedAt }: Operation, parentEnded: string): boolean {
  return parentEnded === '' || !isEarlierSecond(startedAt, parentEnded);
}

/** Held because of a parent Application: only the parent's sync shows whether this one has anything to sync. */
function afterParent(question: HoldQuestion, application: Application, base: Hold): Step {
  const ownFailure = leftFailed(question, application, base);
  if (ownFailure !== undefined) return ownFailure;
  const parentEnded = endOfParent(question, base);
  if (parentEnded === undefined) return stillExpected(question, application, base);
  const operation = shownSync(question, application, base);
  const isAnswer = operation !== undefined && answers(operation, { ...base, revision: undefined });
  if (isAnswer && beganAfter(operation, parentEnded) && !isOfOldSpec(operation, question, base)) {
    if (question.hold === undefined) return { kind: 'nothing', why: 'the sync that answers this push has ended' };
    return operation.phase === 'Succeeded'
      ? succeeded(question, application, base)
      : failed(question, application, base);
  }
  const isCompared = parentEnded === '' || isLaterSecond(application.reconciledAt ?? '', parentEnded);
  // A push to its own repository may have come before or since: its commit is awaited as well.
  const isSynced = base.revision === undefined ? application.sync.status === 'Synced' : isSyncedAt(application, base);
  // What it manages goes while it is shown as Synced.
  const isGoing = application.isBeingDeleted === true;
  if (!isSynced || !isCompared || isGoing) return stillExpected(question, application, base);
  const why = `${whatWrote(base.via)}, and this Application had nothing to sync`;
  if (isAnswer) return afterSync(application, why);
  return { kind: 'release', why, machineConfigs: [], endsFailure: true };
}

/** A time that is over does not show that a writer has synced. */
function whatWrote(via: Hold['via']): string {
  const isTimed = via?.until !== undefined && via.marked !== true;
  return `${via?.namespace}/${via?.name} has ${isTimed ? 'had its time to write it' : 'synced'}`;
}

/** Its own sync failed during this hold, or is not shown any more: that is told whatever else is awaited, and holds the
 *  pool as well. Undefined: it did not, or that is no reason to hold the pool any more. */
function leftFailed(question: HoldQuestion, application: Application, base: Hold): Step | undefined {
  if (isNotShown(question, application, base)) {
    const step = outOfSight(question, application, base);
    return step.kind === 'hold' ? step : undefined;
  }
  if (question.hold === undefined || !isLeftFailed(application, base)) return undefined;
  const step = failed(question, application, base);
  return step.kind === 'hold' && step.hold.phase === 'failed' ? step : undefined;
}

function notAwaited(push: Push | undefined): string {
  return push === undefined ? 'no sync is running' : 'automated sync is off: no sync will follow by itself';
}

function succeeded(question: HoldQuestion, application: Application, base: Hold): Step {
  const { operation } = application;
  const left = operation === undefined ? [] : leftAfter(operation, application, base);
  if (isPartOfFailed(application, left)) return stillFailed(question, application, withLeft(base, left));
  const isAnotherCommit = base.revision !== undefined && !operation?.revisions.includes(base.revision);
  const isPart = base.revision !== undefined && operation?.partial === true;
  const isInStep = application.sync.status !== 'OutOfSync' && isComparedForSync(application);
  const syncsAgain = isFollowed(base, application) && !isInStep;
  if ((isAnotherCommit || isPart) && syncsAgain) {
    const step = stillExpected(question, application, base);
    return step.kind === 'hold' ? { kind: 'hold', hold: withoutFailure(step.hold) } : step;
  }
  return afterSync(application, `Argo CD synced ${application.namespace}/${application.name}`);
}

/** A sync failed, and what has succeeded since was of other parts: the rest is as half applied as before. */
function isPartOfFailed(application: Application, left: LeftFailed): boolean {
  const { operation } = application;
  if (operation === undefined || (left !== 'everything' && left.length === 0)) return false;
  return !isAllRendered(application, operation) && !isSyncedSince(application, operation);
}

function stillFailed(question: HoldQuestion, application: Application, base: Hold): Step {
  const { policy, now } = question;
  const who = `${application.namespace}/${application.name}`;
  const why =
    base.leftFailed === undefined
      ? `the sync of ${who} failed or was cut off, and since then only a part of it was synced`
      : `a sync of ${who} failed, and these have not been synced since: ${listed(base.leftFailed.map(objectText), 3)}`;
  const until = base.phase === 'failed' ? base.until : plusSeconds(now, policy.failedAtMostSeconds);
  return outOfSight(question, application, { ...base, phase: 'failed', why, until });
}

function failed(question: HoldQuestion, application: Application, base: Hold): Step {
  const { policy, now } = question;
  const operation = application.operation;
  if (operation === undefined) return stillExpected(question, application, base);
  if (isAllRendered(application, operation)) {
    return afterSync(
      application,
      'the sync failed, but everything that the Machine Config Operator renders was applied',
    );
  }
  if (isSyncedSince(application, operation)) {
    return afterSync(application, 'the sync failed, but the Application has become Synced since');
  }
  if (wasRefused(operation)) return refused(question, application, base);
  const isKnown = base.phase === 'failed' && base.startedAt === operation.startedAt;
  if (isKnown && isPast(base.until, now) && policy.onSyncFailure === 'resume') {
    return afterSync(
      application,
      `the sync failed ${policy.failedAtMostSeconds} s ago; policy onSyncFailure is resume`,
    );
  }
  if (isKnown && isPast(base.until, now) && policy.onSyncFailure === 'resume-after-approval') {
    const released = afterSync(application, `the sync failed ${policy.failedAtMostSeconds} s ago`);
    return released.kind === 'release' ? { ...released, needsApproval: true } : released;
  }
  const isFresh = isKnown && !isPast(base.until, now);
  const why = wasTerminated(operation) ? 'was terminated' : 'failed';
  return {
    kind: 'hold',
    hold: {
      ...withLeft(base, leftAfter(operation, application, base)),
      phase: 'failed',
      uid: application.uid,
      startedAt: operation.startedAt,
      why: `the sync of ${application.namespace}/${application.name} ${why}${failedResources(operation)}`,
      until: isFresh ? base.until : plusSeconds(now, policy.failedAtMostSeconds),
    },
  };
}

/** The admission level refused all of it because pools were not paused yet: it has not failed, it has not begun. Its
 *  pools are held for the retry, as they are held for the sync that follows a push. */
function refused({ policy, now }: HoldQuestion, application: Application, base: Hold): Step {
  const operation = refusedSync(application, policy, now);
  if (operation === undefined) return released('the sync was refused by the admission level, and nobody retried it');
  const { until, pools } = operation;
  return {
    kind: 'hold',
    hold: {
      ...base,
      ...rememberedFailure(base),
      phase: 'expected',
      uid: application.uid,
      startedAt: operation.startedAt,
      why: `the sync of ${application.namespace}/${application.name} was refused because ${pools.join(', ')} was not paused yet; it is waiting to be retried`,
      until,
    },
  };
}

/** No operation answers the push yet: wait for it, but not forever. */
function stillExpected(question: HoldQuestion, application: Application, base: Hold): Step {
  const { policy, now } = question;
  if (base.via === undefined && isNotShown(question, application, base)) return outOfSight(question, application, base);
  if (base.pushedAt === undefined) return withoutPush(question, application, base);
  // Whoever may write an Application may say that it writes others: only what Argo CD has written waits longer.
  const isWritten = base.via !== undefined && isTrackedBy(application, base.via);
  const writer = isWritten ? waitForWriter(question, base) : undefined;
  const usual = expectedUntil(base, application, policy, now);
  const until = latest([usual, writer?.until]) ?? usual;
  if (isPast(until, now)) {
    if (isLeftFailed(application, base)) return failed(question, application, base);
    return released(writer?.over ?? 'no sync followed');
  }
  const why = `${expectedWhy(application, base)}${writer?.words ?? ''}`;
  const known = withFailureSeen(base, application);
  return { kind: 'hold', hold: { ...known, ...rememberedFailure(known), phase: 'expected', why, until } };
}

/** Its sync has just failed while another is awaited: wherever the Application is pointed meanwhile, that stays so. */
function withFailureSeen(base: Hold, application: Application): Hold {
  const operation = lastSync(application);
  if (operation === undefined || base.phase !== 'syncing' || !isLeftFailed(application, base)) return base;
  return { ...withLeft(base, leftAfter(operation, application, base)), afterFailure: true };
}

function withoutPush({ now }: HoldQuestion, application: Application, base: Hold): Step {
  if (isPast(base.until, now)) return released('Argo CD no longer shows its operation');
  const wasDryRun = application.operation?.dryRun === true && application.sync.status === 'Synced';
  return wasDryRun ? released('only a dry run ran, and the Application is Synced') : { kind: 'hold', hold: base };
}

/** The operation that it is held for has been seen, and is not shown any more: a dry run has taken its place, or
 *  somebody has replaced the Application with its status, or by an earlier state of it. Nothing has answered since. */
function isNotShown({ hold }: HoldQuestion, application: Application, { phase, startedAt }: Hold): boolean {
  if (startedAt === undefined || shownSince(application, startedAt) !== undefined) return false;
  return phase === hold?.phase && (phase === 'syncing' || phase === 'failed');
}

/** The newest sync; undefined where one has been seen that began later. */
function shownSync(question: HoldQuestion, application: Application, base: Hold): Operation | undefined {
  return isNotShown(question, application, base) ? undefined : lastSync(application);
}

/** That it is not shown says nothing of how it ended: what was failed stays so, until the policy lets it go or Argo CD
 *  has compared the Application since and finds it Synced. */
function outOfSight(question: HoldQuestion, application: Application, base: Hold): Step {
  if (base.phase === 'syncing') return ranOutOfSight(question, application, base);
  const { policy, now } = question;
  if (isComparedAfter(application, base) && application.sync.status === 'Synced')
    return withoutSync('the sync failed, but the Application has become Synced since');
  if (!isPast(base.until, now)) return { kind: 'hold', hold: base };
  const why = `the sync failed ${policy.failedAtMostSeconds} s ago`;
  switch (policy.onSyncFailure) {
    case 'resume':
      return withoutSync(`${why}; policy onSyncFailure is resume`);
    case 'resume-after-approval':
      return released(why);
    case 'keep':
      return { kind: 'hold', hold: { ...base, until: plusSeconds(now, policy.failedAtMostSeconds) } };
    default:
      return policy.onSyncFailure satisfies never;
  }
}

/** What ran is waited for as long as if it were still running, and until Argo CD has compared the Application since. */
function ranOutOfSight({ policy, now }: HoldQuestion, application: Application, base: Hold): Step {
  const isOver = isPast(base.until, now);
  const isDone = isOver && isComparedAfter(application, base);
  if (isSyncedSinceDryRun(application, base) || (isDone && isSyncedBehind(application)))
    return withoutSync('the Application is Synced since its sync has ended');
  const why = notShownWhy(application, base);
  if (isDone) return released(why);
  const hold = isBehindDryRun(application, base.startedAt ?? '') ? base : { ...base, why };
  return { kind: 'hold', hold: isOver ? { ...hold, until: plusSeconds(now, policy.syncAtMostSeconds) } : hold };
}

function isComparedAfter({ sync: { status }, reconciledAt = '' }: Application, { startedAt = '' }: Hold): boolean {
  return status !== '' && status !== 'Unknown' && isLaterSecond(reconciledAt, startedAt);
}

/** Synced, by a comparison that was made since the dry run, if one is shown: in the middle of the sync before it, that
 *  may have been of an earlier commit. */
function isSyncedBehind({ operation, sync, reconciledAt = '' }: Application): boolean {
  if (sync.status !== 'Synced') return false;
  return operation?.dryRun !== true || isLaterSecond(reconciledAt, operation.startedAt);
}

/** Its failure is over, and no sync is shown that ended it. */
function withoutSync(why: string): Step {
  return { kind: 'release', why, machineConfigs: [], endsFailure: true };
}

function notShownWhy(application: Application, { who, startedAt = '' }: Hold): string {
  const isBehind = isBehindDryRun(application, startedAt);
  const how = isBehind ? 'a dry run has taken its place' : 'its Application was replaced in the middle of its sync';
  return `Argo CD does not show how the sync of ${who} ended: ${how}`;
}

/** Argo CD runs one operation at a time: the sync had ended when the dry run began that it shows instead. A push that
 *  is awaited besides is answered only at its commit. */
function isSyncedSinceDryRun(
  { operation, sync, reconciledAt }: Application,
  { startedAt = '', pushedAt, via }: Hold,
): boolean {
  if (operation === undefined || pushedAt !== undefined || via !== undefined) return false;
  if (!isLaterSecond(operation.startedAt, startedAt)) return false;
  return sync.status === 'Synced' && isLaterSecond(reconciledAt ?? '', operation.startedAt);
}

function failedResources(operation: Operation): string {
  const failures = operation.results.filter((result) => result.status === 'SyncFailed');
  if (failures.length === 0) return operation.message === '' ? '' : `: ${operation.message.slice(0, 200)}`;
  const named = failures.slice(0, 3).map(({ kind, name }) => `${asWord(kind)} ${asWord(name)}`);
  const more = failures.length > named.length ? ` and ${failures.length - named.length} more` : '';
  return `: ${named.join(', ')}${more}`;
}

function afterSync({ operation }: Application, why: string): Step {
  const machineConfigs = appliedMachineConfigs(operation?.results ?? []);
  return { kind: 'release', why, machineConfigs, endsFailure: true };
}

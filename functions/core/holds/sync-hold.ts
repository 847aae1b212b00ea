import {
  type Application,
  isRunning,
  isSyncing,
  type Operation,
  projectOf,
  wasTerminated,
} from '../argocd/application.ts';
import { refusedSync, wasRefused } from '../argocd/refused-sync.ts';
import { isTrackedBy } from '../argocd/tracking.ts';
import { appliedMachineConfigs } from '../impact/affected-pools.ts';
import { isComparedForSync, renderedWritten } from '../impact/pools-affected-by-sync.ts';
import type { Hold } from '../openshift/hold.ts';
import type { Push } from '../routing/awaited-push.ts';
import { isEarlierSecond, isLaterSecond, isPast, latest, plusSeconds } from '../text/instant.ts';
import { asWord, listed } from '../text/phrases.ts';
import {
  answers,
  endOfParent,
  isAllRendered,
  isLeftFailed,
  isOfOldSpec,
  isRecreated,
  isRenderedSyncedSince,
  isSyncedAt,
  isSyncedSince,
  lastSync,
} from './answers.ts';
import { expectedUntil, expectedWhy, isFollowed, runningUntil, unfollowedWords, withPush } from './expected-sync.ts';
import {
  type LeftFailed,
  leftAfter,
  objectText,
  rememberedFailure,
  withLeft,
  withoutFailure,
  withUnknownEnd,
} from './left-failed.ts';
import { waitForWriter } from './long-writer.ts';
import {
  isEndUnseen,
  isNotShown,
  isOverruledByPerson,
  outOfSight,
  shownSince,
  shownSync,
  withBelievedStart,
  withoutInstance,
} from './out-of-sight.ts';
import {
  afterElsewhere,
  failedElsewhere,
  hasFailed,
  isPushAwaited,
  isSplit,
  mayHaveBegun,
  pointedAway,
} from './pointed-away.ts';
import { type HoldQuestion, released, type Step } from './step.ts';

/** One step in the life of a sync hold: from the current hold and what is observed to the next hold.
 *  Level-triggered: repeating it changes nothing, and every step is reached without any event. */
export function nextStep(question: HoldQuestion): Step {
  const { observed, policy } = question;
  const hold = withBelievedStart(afterElsewhere(question), question);
  if (hold === undefined || policy.onSyncFailure !== 'resume-after-approval')
    return withProject(stepOf({ ...question, hold }), question);
  const known = isEndUnseen(hold, question) ? withUnknownEnd(hold) : hold;
  const step = withProject(stepOf({ ...question, hold: known }), question);
  const isOutOfReach = observed.kind !== 'seen' && mayHaveBegun(hold) && !isOverruledByPerson(hold);
  // However it ends: whoever may delete the Application, or make it unreadable, is not who approves.
  const isFailed = hasFailed(known) || isOutOfReach || isSplit(hold, question);
  return isFailed && step.kind === 'release' && step.endsFailure !== true ? { ...step, needsApproval: true } : step;
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
    until: isSame ? runningUntil(base, question) : plusSeconds(now, policy.syncAtMostSeconds),
  };
}

function inMidSync({ phase }: Hold): string {
  return phase === 'syncing' ? ' in the middle of its sync' : '';
}

function atRest(question: HoldQuestion, application: Application): Step {
  const { hold, push, refusing, policy, now } = question;
  const isAwaited = push !== undefined && isFollowed(push, application);
  const isRefused = refusedSync(application, refusing, policy, now) !== undefined;
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
  if (!hasFailed(base) || base.startedAt === undefined) return base;
  const operation = shownSince(application, base.startedAt);
  return operation?.phase === 'Succeeded' && !operation.partial ? mended(base) : base;
}

/** The hold of the sync that has ended its failure. */
function mended(base: Hold): Hold {
  const known = withoutFailure(base);
  return base.phase === 'failed' ? { ...known, phase: 'syncing' } : known;
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
  if ((isAnotherCommit || isPart) && syncsAgain) return stillExpected(question, application, mended(base));
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
  if (isRenderedSyncedSince(application, operation)) {
    return afterSync(
      application,
      'the sync failed, but everything that the Machine Config Operator renders is Synced since',
    );
  }
  const untilRetried = refused(question, application, base);
  if (untilRetried !== undefined) return untilRetried;
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

/** The admission level refused it because pools were not paused yet, and nothing else failed. Its pools are held for
 *  the retry, as they are held for the sync that follows a push. Undefined: it was not refused, or nobody retried it
 *  and it counts as failed: a part that came after the pause is written, or a sync before it had failed. */
function refused({ refusing, policy, now }: HoldQuestion, application: Application, base: Hold): Step | undefined {
  const { operation } = application;
  if (operation === undefined || !wasRefused(operation, refusing)) return undefined;
  const known = hasNotBegun(operation, refusing)
    ? { ...base, ...rememberedFailure(base) }
    : withFailureOf(operation, application, base);
  const awaited = refusedSync(application, refusing, policy, now);
  if (awaited === undefined) {
    return hasFailed(known)
      ? undefined
      : released(
          `the sync was refused by the admission level, and ${wasTerminated(operation) ? 'terminated' : 'nobody retried it'}`,
        );
  }
  const { until, pools } = awaited;
  return {
    kind: 'hold',
    hold: {
      ...known,
      phase: 'expected',
      uid: application.uid,
      startedAt: operation.startedAt,
      why: `the sync of ${application.namespace}/${application.name} was refused because ${pools.join(', ')} was not paused yet; it is waiting to be retried`,
      until,
    },
  };
}

/** The admission level refused all of it that the MCO renders: it has not failed, it has not begun. */
function hasNotBegun(operation: Operation, refusing: readonly string[]): boolean {
  return wasRefused(operation, refusing) && renderedWritten(operation).length === 0;
}

/** The hold, which waits for another sync, once this one has failed. */
function withFailureOf(operation: Operation, application: Application, base: Hold): Hold {
  return { ...withLeft(base, leftAfter(operation, application, base)), afterFailure: true };
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
    return unfollowed(question, application, base, writer?.over ?? 'no sync followed');
  }
  const why = `${expectedWhy(application, base)}${writer?.words ?? ''}${unfollowedWords(base, policy)}`;
  const known = withFailureSeen(question, application, base);
  return { kind: 'hold', hold: { ...known, ...rememberedFailure(known), phase: 'expected', why, until } };
}

/** What it waited for has not come: a sync that failed before stays so. */
function unfollowed(question: HoldQuestion, application: Application, base: Hold, why: string): Step {
  const isKept = hasFailed(base) && question.policy.onSyncFailure === 'keep';
  return isKept ? stillFailed(question, application, base) : released(why);
}

/** A sync of it has just failed while another is awaited: wherever it is pointed meanwhile, that stays so. */
function withFailureSeen({ refusing }: HoldQuestion, application: Application, base: Hold): Hold {
  const operation = lastSync(application);
  const isKnown = base.phase === 'failed' || base.afterFailure === true;
  if (operation === undefined || isKnown || !isLeftFailed(application, base)) return base;
  if (hasNotBegun(operation, refusing)) return base;
  return { ...withFailureOf(operation, application, base), startedAt: operation.startedAt };
}

function withoutPush(question: HoldQuestion, application: Application, base: Hold): Step {
  if (isPast(base.until, question.now))
    return unfollowed(question, application, base, 'Argo CD no longer shows its operation');
  const wasDryRun = application.operation?.dryRun === true && application.sync.status === 'Synced';
  return wasDryRun ? released('only a dry run ran, and the Application is Synced') : { kind: 'hold', hold: base };
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

import {
  type Application,
  isParked,
  isRunning,
  isSyncing,
  type ObservedApplication,
  type Operation,
  waitsForRetry,
  wasTerminated,
} from '../argocd/application.ts';
import { refusedSync, wasRefused } from '../argocd/refused-sync.ts';
import type { Policy } from '../configuration/policy.ts';
import { appliedMachineConfigs, renderedResources } from '../impact/affected-pools.ts';
import { type Hold, syncHoldId } from '../openshift/hold.ts';
import type { Push } from '../routing/awaited-push.ts';
import {
  earliest,
  isEarlierSecond,
  isLaterSecond,
  isPast,
  latest,
  plusSeconds,
  secondsSince,
} from '../text/instant.ts';

/** What becomes of an Application's hold on a pool. */
export type Step =
  | { readonly kind: 'hold'; readonly hold: Hold }
  | {
      readonly kind: 'release';
      readonly why: string;
      /** End of the operation that let go, by Argo CD's clock; undefined when there was none. */
      readonly finishedAt?: string | undefined;
      readonly machineConfigs: readonly string[];
    }
  | { readonly kind: 'nothing'; readonly why: string };

export interface HoldQuestion {
  readonly hold: Hold | undefined;
  readonly observed: ObservedApplication;
  readonly push: Push | undefined;
  /** The Application that the hold is held by way of, where it was looked at. */
  readonly parent?: ObservedApplication | undefined;
  readonly policy: Policy;
  readonly now: Date;
}

/** The life of a sync hold, one step: from what is held and what is seen to what shall be held.
 *  Level-triggered: repeating it changes nothing, and every step is reached without any event. */
export function nextStep(question: HoldQuestion): Step {
  const { hold, observed, now } = question;
  if (observed.kind === 'unreadable') {
    if (hold === undefined) return { kind: 'nothing', why: observed.why };
    // Past its end a hold that nobody can ever end by a read must not keep the pool for ever.
    return observed.isForGood === true && isPast(hold.until, now) ? released(observed.why) : { kind: 'hold', hold };
  }
  if (observed.kind === 'gone') {
    return hold === undefined
      ? { kind: 'nothing', why: 'the Application is gone' }
      : released('the Application was deleted');
  }
  if (isSyncing(observed.application)) return { kind: 'hold', hold: syncing(question, observed.application) };
  const step = atRest(question, observed.application);
  return hold === undefined && step.kind === 'release' ? { kind: 'nothing', why: step.why } : step;
}

/** A manual or rollout hold ends at its `until`, nothing else. */
export function nextTimedStep(hold: Hold, now: Date): Step {
  return isPast(hold.until, now) ? released(`the hold of ${hold.who} ended as agreed`) : { kind: 'hold', hold };
}

function syncing(question: HoldQuestion, application: Application): Hold {
  const { policy, now } = question;
  const operation = isRunning(application.operation) ? application.operation : undefined;
  const base = withPush(question, application);
  // While it is only queued there is no new identity yet; that is no transition, and nothing to write again and again.
  const isSame = base.phase === 'syncing' && (operation === undefined || base.startedAt === operation.startedAt);
  const isFresh = isSame && -secondsSince(base.until, now) > policy.syncAtMostSeconds / 4;
  return {
    ...base,
    phase: 'syncing',
    uid: application.uid,
    ...(operation === undefined ? {} : { startedAt: operation.startedAt }),
    why: `Argo CD syncs ${application.namespace}/${application.name}`,
    until: isFresh ? base.until : plusSeconds(now, policy.syncAtMostSeconds),
  };
}

function atRest(question: HoldQuestion, application: Application): Step {
  const { hold, push, policy, now } = question;
  const isAwaited = push !== undefined && application.automated;
  const isRefused = refusedSync(application, policy, now) !== undefined;
  if (hold === undefined && !isAwaited && !isRefused) return { kind: 'nothing', why: notAwaited(push) };
  if (hold !== undefined && isMadeAnew(application, hold)) return released('the Application was deleted and made anew');

  const base = withPush(question, application);
  if (base.via !== undefined) return byWayOf(question, application, base);
  if (base.revision !== undefined && isSyncedAt(application, base.revision)) {
    return afterSync(application, 'the Application is Synced at that commit');
  }
  const operation = lastSync(application);
  if (operation === undefined || !answers(operation, base)) return stillExpected(question, application, base);
  // Nothing is held and the sync is over already: a repeated or late push, or a pause that would protect nothing.
  if (hold === undefined && !isRefused) return { kind: 'nothing', why: 'the sync that answers this push has ended' };
  return operation.phase === 'Succeeded' ? succeeded(question, application, base) : failed(question, application, base);
}

/** Held because of another Application: whether this one has anything to sync is known only after that one's sync. */
function byWayOf(question: HoldQuestion, application: Application, base: Hold): Step {
  const parentEnded = endOfParent(question, base);
  if (parentEnded === undefined) return stillExpected(question, application, base);
  const operation = lastSync(application);
  if (operation !== undefined && answers(operation, { ...base, revision: undefined })) {
    if (question.hold === undefined) return { kind: 'nothing', why: 'the sync that answers this push has ended' };
    return operation.phase === 'Succeeded'
      ? succeeded(question, application, base)
      : failed(question, application, base);
  }
  const isCompared = parentEnded === '' || isLaterSecond(application.reconciledAt ?? '', parentEnded);
  // A push of its own may have come since, or before: that commit is waited for as well.
  const isSynced =
    base.revision === undefined ? application.sync.status === 'Synced' : isSyncedAt(application, base.revision);
  return isSynced && isCompared
    ? released(`${base.via?.namespace}/${base.via?.name} has synced, and nothing of this Application had to be`)
    : stillExpected(question, application, base);
}

/** When the sync of the parent that answers the push ended; empty when it had nothing to sync, or is gone; undefined
 *  while it is not known. */
export function endOfParent(
  { parent, now }: Pick<HoldQuestion, 'parent' | 'now'>,
  { via, pushedAt }: Hold,
): string | undefined {
  if (via?.until !== undefined) return isPast(via.until, now) ? '' : undefined;
  if (parent?.kind === 'gone') return '';
  if (parent?.kind !== 'seen' || via === undefined || isSyncing(parent.application)) return undefined;
  const operation = lastSync(parent.application);
  const isAnswer =
    operation !== undefined &&
    ((via.revision !== undefined && operation.revisions.includes(via.revision)) ||
      (pushedAt !== undefined &&
        isLaterSecond(operation.startedAt, pushedAt) &&
        !(via.before !== undefined && operation.revisions.includes(via.before))));
  if (isAnswer) return operation.finishedAt;
  return via.revision !== undefined && isSyncedAt(parent.application, via.revision) ? '' : undefined;
}

/** The newest operation that wrote anything, or may have. */
function lastSync({ operation }: Application): Operation | undefined {
  return operation?.dryRun === true ? undefined : operation;
}

/** Another Application has the name now: the run that was held for went with the old one. A push it may still follow
 *  is waited for. */
function isMadeAnew(application: Application, hold: Hold): boolean {
  if (hold.uid === undefined || hold.uid === application.uid) return false;
  return hold.phase === 'failed' || hold.pushedAt === undefined;
}

function notAwaited(push: Push | undefined): string {
  return push === undefined ? 'no sync runs' : 'automated sync is off: no sync will follow by itself';
}

function succeeded(question: HoldQuestion, application: Application, base: Hold): Step {
  const { operation } = application;
  const isAnotherCommit = base.revision !== undefined && !operation?.revisions.includes(base.revision);
  const isPart = base.revision !== undefined && operation?.partial === true;
  const followsByItself = application.automated && application.sync.status === 'OutOfSync';
  if ((isAnotherCommit || isPart) && followsByItself) return stillExpected(question, application, base);
  return afterSync(application, `Argo CD synced ${application.namespace}/${application.name}`);
}

function failed(question: HoldQuestion, application: Application, base: Hold): Step {
  const { policy, now } = question;
  const operation = application.operation;
  if (operation === undefined) return stillExpected(question, application, base);
  if (isAllRendered(application, operation)) {
    return afterSync(application, 'the sync failed, but everything the Machine Config Operator renders was applied');
  }
  if (isSyncedSince(application, operation)) {
    return afterSync(application, 'the sync failed, but the Application has become Synced since');
  }
  if (wasRefused(operation)) return refused(question, application, base);
  const isKnown = base.phase === 'failed' && base.startedAt === operation.startedAt;
  if (isKnown && isPast(base.until, now) && policy.onSyncFailure === 'resume') {
    return afterSync(
      application,
      `the sync failed and held for ${policy.failedAtMostSeconds} s; policy onSyncFailure is resume`,
    );
  }
  const isFresh = isKnown && !isPast(base.until, now);
  const why = wasTerminated(operation) ? 'was terminated' : 'failed';
  return {
    kind: 'hold',
    hold: {
      ...base,
      phase: 'failed',
      uid: application.uid,
      startedAt: operation.startedAt,
      why: `the sync of ${application.namespace}/${application.name} ${why}${failedResources(operation)}`,
      until: isFresh ? base.until : plusSeconds(now, policy.failedAtMostSeconds),
    },
  };
}

/** The admission level let nothing of it through, because pools were not paused yet: it did not fail, it has not
 *  begun. Its pools wait for the sync that somebody starts, as they wait for the one that follows a push. */
function refused({ policy, now }: HoldQuestion, application: Application, base: Hold): Step {
  const operation = refusedSync(application, policy, now);
  if (operation === undefined)
    return released('the sync was refused by the admission level, and nobody started it again');
  const { until, pools } = operation;
  return {
    kind: 'hold',
    hold: {
      ...base,
      phase: 'expected',
      uid: application.uid,
      startedAt: operation.startedAt,
      why: `the sync of ${application.namespace}/${application.name} was refused because ${pools.join(', ')} was not paused yet; it waits to be started again`,
      until,
    },
  };
}

/** No operation answers the push yet: wait for it, but not for ever. */
function stillExpected(question: HoldQuestion, application: Application, base: Hold): Step {
  const { policy, now } = question;
  if (base.pushedAt === undefined) {
    if (isPast(base.until, now)) return released('its operation can no longer be seen');
    const wasDryRun = application.operation?.dryRun === true && application.sync.status === 'Synced';
    return wasDryRun ? released('only a dry run ran, and the Application is Synced') : { kind: 'hold', hold: base };
  }
  const until = expectedUntil(base, application, policy);
  if (isPast(until, now)) {
    return isLeftFailed(application, base) ? failed(question, application, base) : released('no sync came');
  }
  return { kind: 'hold', hold: { ...base, phase: 'expected', why: expectedWhy(application, base), until } };
}

/** One operation runs at a time: the sync of a push can begin only when the one before it has ended, so it is waited
 *  for from then on. Syncs of earlier commits that go on beginning after the push (a self-heal that loops) put it
 *  off by `syncAtMost` at most. */
function expectedUntil(base: Hold, application: Application, policy: Policy): string {
  const pushedAt = base.pushedAt ?? base.since;
  const before = lastSync(application);
  const endedAt =
    before !== undefined && isLaterSecond(before.startedAt, pushedAt)
      ? earliest([before.finishedAt, plusSeconds(new Date(pushedAt), policy.syncAtMostSeconds)])
      : before?.finishedAt;
  const from = latest([pushedAt, endedAt]) ?? pushedAt;
  const until = plusSeconds(new Date(from), policy.expectSyncWithinSeconds);
  return (base.phase === 'expected' ? latest([base.until, until]) : undefined) ?? until;
}

/** A sync failed while this hold stood, and no later one made it good: the push that came in between does not change
 *  that. */
function isLeftFailed(application: Application, hold: Hold): boolean {
  const operation = lastSync(application);
  if (operation === undefined || !['Failed', 'Error'].includes(operation.phase)) return false;
  return hold.startedAt === operation.startedAt || !isEarlierSecond(operation.startedAt, hold.since);
}

function withPush(question: HoldQuestion, application: Application): Hold {
  const { hold, push, policy, now } = question;
  // Where nobody syncs by itself a push is no reason to forget what is waited for.
  const isAwaited = hold === undefined || application.automated;
  const isNews =
    push !== undefined &&
    isAwaited &&
    (hold?.pushedAt === undefined || push.at > hold.pushedAt) &&
    (push.revision === undefined || push.revision !== hold?.revision);
  const news = isNews ? newsOf(question, application, push) : {};
  if (hold === undefined) {
    const fresh: Hold = {
      id: syncHoldId(application),
      kind: 'sync',
      who: `${application.namespace}/${application.name}`,
      why: '',
      since: now.toISOString(),
      until: plusSeconds(push === undefined ? now : new Date(push.at), policy.expectSyncWithinSeconds),
      phase: 'expected',
      uid: application.uid,
      ...news,
    };
    return { ...fresh, why: expectedWhy(application, fresh) };
  }
  if (!isNews) return hold;
  const renewed: Hold = { ...hold, ...news };
  if (hold.phase === 'syncing') return renewed;
  const expected: Hold = { ...renewed, phase: 'expected', until: plusSeconds(now, policy.expectSyncWithinSeconds) };
  return { ...expected, why: expectedWhy(application, expected) };
}

function newsOf(question: HoldQuestion, application: Application, push: Push): Partial<Hold> {
  const { hold } = question;
  const { at, revision, because, via } = push;
  const isWriterOver = hold?.via !== undefined && endOfParent(question, hold) !== undefined;
  return {
    pushedAt: at,
    ...(revision === undefined ? {} : { revision, from: earlierCommits(hold, application, push) }),
    ...(because === undefined ? {} : { because }),
    ...(via === undefined && !isWriterOver ? {} : { via }),
  };
}

/** How many commits a hold remembers as not the one it waits for. */
const commitsKept = 10;

/** What the Application stood on, and what an earlier push wanted, before this push. What it was synced to by an
 *  operation that began after the push is not among them: that may be a newer commit, when the news of this one came
 *  late. */
function earlierCommits(hold: Hold | undefined, application: Application, push: Push): string[] {
  const last = lastSync(application);
  const stoodOn = last !== undefined && isLaterSecond(last.startedAt, push.at) ? [] : application.sync.revisions;
  const ofPush = push.before === undefined ? [] : [push.before];
  const ofHold = hold?.revision === undefined ? [] : [hold.revision];
  const earlier = [...(hold?.from ?? []), ...ofHold, ...ofPush, ...stoodOn];
  return [...new Set(earlier)].filter((commit) => commit !== push.revision).slice(-commitsKept);
}

function expectedWhy(application: Application, { revision = '', via, because = '' }: Hold): string {
  const commit = via === undefined ? revision : (via.revision ?? '');
  const push = commit === '' ? 'a push' : `a push of ${commit.slice(0, 8)}`;
  return `${push} will make Argo CD sync ${application.namespace}/${application.name}${because === '' ? '' : `: ${because}`}`;
}

/** Does this finished operation answer the push (or the run) that the hold waits for? It does when it synced that
 *  commit, began in a later second than the push and synced no earlier commit, or is the run that was seen. Argo CD
 *  may begin a sync of the commit that it knew before it hears of the next. */
function answers(operation: Operation, hold: Hold): boolean {
  if (hold.revision !== undefined && operation.revisions.includes(hold.revision)) return true;
  if (hold.pushedAt !== undefined)
    return isLaterSecond(operation.startedAt, hold.pushedAt) && !isOfEarlierCommit(operation, hold);
  return hold.startedAt === undefined || !isLaterSecond(hold.startedAt, operation.startedAt);
}

function isOfEarlierCommit({ revisions }: Operation, { from = [] }: Hold): boolean {
  return revisions.length > 0 && revisions.every((commit) => from.includes(commit));
}

/** Compared with Git after the operation ended, everything was found as it should be: a commit that takes the change
 *  back needs no sync. Whole seconds, and in a later one, because what stood there before the operation may have
 *  been Synced as well. */
function isSyncedSince({ sync, reconciledAt }: Application, { finishedAt }: Operation): boolean {
  if (sync.status !== 'Synced' || reconciledAt === undefined || finishedAt === undefined) return false;
  return isLaterSecond(reconciledAt, finishedAt);
}

function isSyncedAt(application: Application, revision: string): boolean {
  return application.sync.status === 'Synced' && application.sync.revisions.includes(revision);
}

function isAllRendered(application: Application, operation: Operation): boolean {
  const rendered = renderedResources(application);
  if (operation.results.length === 0 || rendered.length === 0) return false;
  return rendered.every((resource) => {
    const result = operation.results.find(
      (each) => each.hookType === '' && each.kind === resource.kind && each.name === resource.name,
    );
    if (result !== undefined) return ['Synced', 'Pruned'].includes(result.status);
    return application.resources.some(
      (each) => each.kind === resource.kind && each.name === resource.name && each.status === 'Synced',
    );
  });
}

function failedResources(operation: Operation): string {
  const failures = operation.results.filter((result) => result.status === 'SyncFailed');
  if (failures.length === 0) return operation.message === '' ? '' : `: ${operation.message.slice(0, 200)}`;
  const named = failures.slice(0, 3).map((result) => `${result.kind} ${result.name}`);
  const more = failures.length > named.length ? ` and ${failures.length - named.length} more` : '';
  return `: ${named.join(', ')}${more}`;
}

function afterSync({ operation }: Application, why: string): Step {
  const machineConfigs = appliedMachineConfigs(operation?.results ?? []);
  return { kind: 'release', why, finishedAt: operation?.finishedAt, machineConfigs };
}

/** Lets go, with nothing written. */
export function released(why: string): Step {
  return { kind: 'release', why, machineConfigs: [] };
}

/** What a running operation waits for, in words; empty when it simply runs. */
export function operationDetail(operation: Operation): string {
  if (isParked(operation)) return 'parked by a sync window';
  if (waitsForRetry(operation)) return `waits for retry ${operation.retryCount}`;
  return operation.phase === 'Terminating' ? 'is being terminated' : '';
}

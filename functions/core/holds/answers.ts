import { type Application, isSameApplication, isSyncing, type Operation, refOf } from '../argocd/application.ts';
import { objectKey } from '../argocd/object-key.ts';
import { renderedResources } from '../impact/affected-pools.ts';
import { mayDiffer } from '../impact/may-differ.ts';
import { comparedAtSync, isComparedForSync } from '../impact/pools-affected-by-sync.ts';
import { everyCommit, type Hold } from '../openshift/hold.ts';
import { isRendered, type ResourceName, setsDisruption } from '../openshift/rendered-kinds.ts';
import { isEarlierSecond, isLaterSecond, isPast } from '../text/instant.ts';
import { oncePer } from '../text/once-per.ts';
import { writtenStatuses } from './left-failed.ts';
import type { HoldQuestion } from './step.ts';

/** When the parent's sync that answers the push ended; empty when the parent had nothing to sync or is gone; undefined
 *  while unknown. */
export function endOfParent(
  { parent, now }: Pick<HoldQuestion, 'parent' | 'now'>,
  { via, pushedAt }: Hold,
): string | undefined {
  if (via?.until !== undefined && !isPast(via.until, now)) return undefined;
  if (via?.until !== undefined && via.marked !== true) return '';
  // A push of another one that claims to be the writer may come with that one.
  if (via?.marked === true && parent !== undefined && !isSameApplication(refOf(parent), via)) return undefined;
  if (parent?.kind === 'gone') return '';
  if (parent?.kind !== 'seen' || via === undefined || isSyncing(parent.application)) return undefined;
  const operation = lastSync(parent.application);
  if (operation !== undefined && isOfPush(operation, { via, pushedAt })) return operation.finishedAt;
  return isSyncedAt(parent.application, { ...via, pushedAt }) ? '' : undefined;
}

/** Since when its writer may have written what the push brought, as `endOfParent` says it, or since its sync began. */
export function writtenSince(question: Pick<HoldQuestion, 'parent' | 'now'>, hold: Hold): string | undefined {
  const { parent } = question;
  const operation = parent?.kind === 'seen' ? lastSync(parent.application) : undefined;
  const isRunning = operation?.phase === 'Running' && hold.via?.until === undefined && isOfPush(operation, hold);
  return isRunning ? operation.startedAt : endOfParent(question, hold);
}

/** Whether an operation began before that of the parent, which writes the spec that is awaited: it was of the old
 *  one. */
export function isOfOldSpec(operation: Operation, { parent }: Pick<HoldQuestion, 'parent'>, hold: Hold): boolean {
  if (parent?.kind !== 'seen' || hold.via === undefined) return false;
  if (hold.via.until !== undefined && hold.via.marked !== true) return false;
  if (!isSameApplication(parent.application, hold.via)) return false;
  const writing = lastSync(parent.application);
  return writing !== undefined && isOfPush(writing, hold) && isEarlierSecond(operation.startedAt, writing.startedAt);
}

/** Whether the operation of a parent is, or was, the one that the push leads to. */
function isOfPush(operation: Operation, { via, pushedAt }: Pick<Hold, 'via' | 'pushedAt'>): boolean {
  if (via === undefined) return false;
  if (isOfCommit(operation, { ...via, pushedAt })) return true;
  const isLater = pushedAt !== undefined && isLaterSecond(operation.startedAt, pushedAt);
  const earlier = [...(via.from ?? []), via.before].filter((commit) => commit !== undefined);
  return isLater && !earlier.includes(everyCommit) && !operation.revisions.some((commit) => earlier.includes(commit));
}

/** A commit that is waited for, since when, and which ones are not it. */
type Awaited = Partial<Pick<Hold, 'revision' | 'pushedAt' | 'from'>>;

/** The commit was there before the push, which brought it back or to another branch: what stood at it before, or still
 *  stands at another one, says nothing. */
function wasThereBefore({ revision = '', from = [] }: Awaited): boolean {
  return from.includes(everyCommit) || from.includes(revision);
}

/** Whether it synced the awaited commit, since it is awaited. */
export function isOfCommit(operation: Operation, awaited: Awaited): boolean {
  return includesAwaited(operation.revisions, awaited) && isSincePush(operation.startedAt, awaited);
}

/** Whether these are the revisions of the sources once the awaited commit is there. */
function includesAwaited(revisions: readonly string[], awaited: Awaited): boolean {
  const { revision, from = [] } = awaited;
  if (revision === undefined || !revisions.includes(revision)) return false;
  return !wasThereBefore(awaited) || revisions.every((commit) => commit === revision || !from.includes(commit));
}

function isSincePush(instant: string | undefined, awaited: Awaited): boolean {
  const { pushedAt } = awaited;
  if (pushedAt === undefined || !wasThereBefore(awaited)) return true;
  return instant !== undefined && isLaterSecond(instant, pushedAt);
}

/** The newest operation that wrote anything, or may have. */
export function lastSync({ operation }: Application): Operation | undefined {
  return operation?.dryRun === true ? undefined : operation;
}

/** Another Application has the name now, and the operation held for is gone with the old one. A hold for a push stays:
 *  the new Application may still sync it. */
export function isRecreated(application: Application, hold: Hold): boolean {
  if (hold.uid === undefined || hold.uid === application.uid) return false;
  return hold.phase === 'failed' || hold.pushedAt === undefined;
}

/** A sync failed during this hold and no later one succeeded; a push in between does not change that. */
export function isLeftFailed(application: Application, hold: Hold): boolean {
  const operation = lastSync(application);
  if (operation === undefined || !['Failed', 'Error'].includes(operation.phase)) return false;
  return hold.startedAt === operation.startedAt || !isEarlierSecond(operation.startedAt, hold.since);
}

/** Does this finished operation answer the push (or the operation) that the hold waits for? It does when it synced
 *  that commit, when it began in a later second than the push and synced no earlier commit, or when it is the observed
 *  operation. Argo CD may start a sync of the commit it knows before it learns of the next one. */
export function answers(
  operation: Operation,
  hold: Partial<Pick<Hold, 'revision' | 'pushedAt' | 'startedAt' | 'from'>>,
): boolean {
  if (isOfCommit(operation, hold)) return true;
  if (hold.pushedAt !== undefined)
    return isLaterSecond(operation.startedAt, hold.pushedAt) && !isOfEarlierCommit(operation, hold);
  return hold.startedAt === undefined || !isLaterSecond(hold.startedAt, operation.startedAt);
}

function isOfEarlierCommit({ revisions }: Operation, { from = [], revision }: Awaited): boolean {
  if (revisions.length === 0) return false;
  return from.includes(everyCommit) || revisions.every((commit) => commit === revision || from.includes(commit));
}

/** Argo CD compared it with Git after the operation ended and found it Synced: a commit that reverts the change needs
 *  no sync. It must be a later whole second, because the state before the operation may have been Synced as well. */
export function isSyncedSince({ sync, reconciledAt }: Application, { finishedAt }: Operation): boolean {
  if (sync.status !== 'Synced' || reconciledAt === undefined || finishedAt === undefined) return false;
  return isLaterSecond(reconciledAt, finishedAt);
}

/** An operation has ended without a word of what it did, and Argo CD has since found all that the MCO renders Synced at
 *  its commit: nothing of that is left to write. */
export function isRenderedSyncedSince(application: Application, { finishedAt, results }: Operation): boolean {
  const { resources, reconciledAt } = application;
  if (results.length > 0 || reconciledAt === undefined || finishedAt === undefined) return false;
  if (!comparedAtSync(application)) return false;
  const counted = resources.filter((each) => isRendered(each) || setsDisruption(each));
  if (counted.length === 0 || !isLaterSecond(reconciledAt, finishedAt)) return false;
  return counted.every((each) => !mayDiffer(each, application));
}

/** Whether Argo CD has found it Synced at the awaited commit, since it is awaited. */
export function isSyncedAt({ sync, reconciledAt }: Application, awaited: Awaited): boolean {
  return sync.status === 'Synced' && includesAwaited(sync.revisions, awaited) && isSincePush(reconciledAt, awaited);
}

/** Whether an operation has written everything that the MCO renders, and what says how its nodes take that. What it may
 *  not prune it leaves for good. Before Argo CD has compared the commit, what it shows as Synced is so at an earlier
 *  one, and what the commit adds is not shown. Once it has compared a later one, as after a revert, what of this one
 *  was never written may be Synced there: then all of it is to be. */
export function isAllRendered(application: Application, operation: Operation): boolean {
  return allRendered(application)(operation);
}

/** Once for all pools that it holds: both lists may be thousands long. */
const allRendered = oncePer(
  (application: Application) =>
    oncePer((operation: Operation) => findAllRendered(application, operation), new WeakMap()),
  new WeakMap(),
);

function findAllRendered(application: Application, operation: Operation): boolean {
  const rendered = renderedResources(application);
  if (operation.results.length === 0 || rendered.length === 0 || !isComparedForSync(application)) return false;
  const results = Map.groupBy(operation.results, objectKey);
  const synced = new Set(application.resources.filter(({ status }) => status === 'Synced').map(objectKey));
  const isSynced = (resource: ResourceName) => synced.has(objectKey(resource));
  const isWhole = comparedAtSync(application) || rendered.every(isSynced);
  const disrupting = [...application.resources, ...operation.results].filter(setsDisruption);
  return [...rendered, ...disrupting].every((resource) => {
    const own = results.get(objectKey(resource));
    if (own === undefined) return isWhole && isSynced(resource);
    return own.every(({ status }) => writtenStatuses.includes(status));
  });
}

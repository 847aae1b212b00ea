import { type Application, isSyncing, type Operation } from '../argocd/application.ts';
import { mayHaveBeen } from '../argocd/clock-skew.ts';
import type { Hold } from '../openshift/hold.ts';
import { isEarlierSecond, isLaterSecond, isPast, plusSeconds } from '../text/instant.ts';
import { lastSync } from './answers.ts';
import { type HoldQuestion, released, type Step } from './step.ts';

/** Its Application is never read again: the hold must not outlive its `until`. A failed sync stays failed all the same:
 *  what it left half applied rolls out by the policy, or by a person. */
export function withoutInstance(hold: Hold, { policy, now, why }: HoldQuestion & { readonly why: string }): Step {
  if (!isPast(hold.until, now)) return { kind: 'hold', hold };
  if (hold.phase !== 'failed' || policy.onSyncFailure !== 'keep') return released(why);
  return { kind: 'hold', hold: { ...hold, until: plusSeconds(now, policy.failedAtMostSeconds) } };
}

/** Its Application was replaced in the middle of its sync, by another one of its name or together with its status:
 *  nobody knows how that ended. Behind a dry run it has ended, and what shows how well is waited for first. */
export function isEndUnseen(hold: Hold, { observed, now }: HoldQuestion): boolean {
  if (hold.phase !== 'syncing' || observed.kind !== 'seen' || isOverruledByPerson(hold)) return false;
  const { application } = observed;
  if (hold.uid !== undefined && hold.uid !== application.uid) return true;
  const { startedAt } = hold;
  if (startedAt === undefined || shownSince(application, startedAt) !== undefined) return false;
  return !isBehindDryRun(application, startedAt) || (!isSyncing(application) && isPast(hold.until, now));
}

/** A person has resumed the pool in the middle of it, and so has decided about it. */
export function isOverruledByPerson({ overruled }: Hold): boolean {
  return overruled !== undefined && overruled.byProgram !== true;
}

/** The hold of an operation that is dated ahead and not shown any more: whoever may write an Application may write any
 *  date, and no sync would come later. It began before now, or before a person decided about it. */
export function withBelievedStart(hold: Hold | undefined, { observed, now }: HoldQuestion): Hold | undefined {
  if (hold?.startedAt === undefined || observed.kind !== 'seen') return hold;
  const isShown = lastSync(observed.application)?.startedAt === hold.startedAt;
  if (isShown || mayHaveBeen(hold.startedAt, now)) return hold;
  return { ...hold, startedAt: hold.overruled?.at ?? now.toISOString() };
}

/** Its last sync, if that is the one that began then or a later one. */
export function shownSince(application: Application, startedAt: string): Operation | undefined {
  const operation = lastSync(application);
  return operation === undefined || isEarlierSecond(operation.startedAt, startedAt) ? undefined : operation;
}

/** A dry run is shown in place of the sync that began then. */
function isBehindDryRun({ operation }: Application, startedAt: string): boolean {
  return operation?.dryRun === true && !isEarlierSecond(operation.startedAt, startedAt);
}

/** The operation that it is held for has been seen, and is not shown any more: a dry run has taken its place, or
 *  somebody has replaced the Application with its status, or by an earlier state of it. Nothing has answered since. */
export function isNotShown({ hold }: HoldQuestion, application: Application, { phase, startedAt }: Hold): boolean {
  if (startedAt === undefined || shownSince(application, startedAt) !== undefined) return false;
  return phase === hold?.phase && (phase === 'syncing' || phase === 'failed');
}

/** The newest sync; undefined where one has been seen that began later. */
export function shownSync(question: HoldQuestion, application: Application, base: Hold): Operation | undefined {
  return isNotShown(question, application, base) ? undefined : lastSync(application);
}

/** That it is not shown says nothing of how it ended: what was failed stays so, until the policy lets it go or Argo CD
 *  has compared the Application since and finds it Synced. */
export function outOfSight(question: HoldQuestion, application: Application, base: Hold): Step {
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

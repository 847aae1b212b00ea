import { type Application, isSyncing, type Operation } from '../argocd/application.ts';
import { isLaterSecond, isPast, plusSeconds } from '../text/instant.ts';
import { commitsMark, type Guard } from './guard-record.ts';

/** Why Argo CD would sync the Application by itself, now, if its window were open: no operation shows that, because
 *  none is made. Undefined: it would not, or it did not when it could. */
export function heldBackSync(application: Application, guard: Guard, now: Date): string | undefined {
  const tried = guard.tried !== undefined && !isPast(guard.tried.until, now) ? guard.tried.revisions : [];
  if (guard.open !== undefined || tried.includes(commitsMark(application.sync.revisions))) return undefined;
  return wouldSync(application, now) ? 'it is OutOfSync' : undefined;
}

/** Argo CD would sync it by itself, if no window were there. Not while it is being deleted, nor where it would only
 *  prune and may not. Source: argo-cd controller/appcontroller.go, autoSync. */
export function wouldSync(application: Application, now: Date): boolean {
  const { automated, sync, operation, reconciledAt, isBeingDeleted = false, leftToPrune = false } = application;
  if (!automated || isBeingDeleted || leftToPrune || sync.status !== 'OutOfSync' || isSyncing(application))
    return false;
  const last = operation?.dryRun === true ? undefined : operation;
  if (last?.finishedAt !== undefined && isBefore(reconciledAt, last.finishedAt, now)) return false;
  return last === undefined || !isSame(last.revisions, sync.revisions) || wouldRepeat(application, last);
}

/** Seconds. Argo CD compares within a second or two after a sync. */
const comparesWithinSeconds = 10;

/** What the status says may be of the time before the operation ended. `reconciledAt` moves with comparisons with Git
 *  alone: one that finds an edit in the cluster leaves it as it is. */
function isBefore(reconciledAt: string | undefined, finishedAt: string, now: Date): boolean {
  const isCompared = reconciledAt !== undefined && isLaterSecond(reconciledAt, finishedAt);
  return !isCompared && !isPast(plusSeconds(new Date(finishedAt), comparesWithinSeconds), now);
}

/** Argo CD makes one automated sync of a commit. Another one only to heal, and only if that one succeeded. Source:
 *  argo-cd controller/appcontroller.go, autoSync. */
function wouldRepeat({ selfHeal }: Application, { phase }: Operation): boolean {
  return selfHeal === true && phase === 'Succeeded';
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each) => others.includes(each));
}

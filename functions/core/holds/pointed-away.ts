import {
  type Elsewhere,
  elsewhereText,
  isParked,
  isRunning,
  isSyncing,
  type Operation,
} from '../argocd/application.ts';
import { appliedMachineConfigs } from '../impact/affected-pools.ts';
import type { Hold } from '../openshift/hold.ts';
import { isLaterSecond, isPast, plusSeconds } from '../text/instant.ts';
import { lastSync } from './answers.ts';
import { runningUntil } from './expected-sync.ts';
import { type LeftFailed, leftAfter, withLeft, withoutFailure, withUnknownEnd } from './left-failed.ts';
import { withoutInstance } from './out-of-sight.ts';
import { type HoldQuestion, released, type Step } from './step.ts';

/** The hold of an Application that is pointed here again. What ran elsewhere in between may have written a part there,
 *  and here: it has failed once another sync has followed. */
export function afterElsewhere({ hold, observed }: HoldQuestion): Hold | undefined {
  if (hold?.ranElsewhere === undefined || observed.kind !== 'seen') return hold;
  const operation = lastSync(observed.application);
  if (operation === undefined || !isLaterSecond(operation.startedAt, hold.ranElsewhere)) return hold;
  const { ranElsewhere: _, ...known } = hold;
  return known.phase === 'failed' ? withoutFailure(known) : withUnknownEnd(known);
}

/** A push has come since a sync was seen running elsewhere, and its own is still to come. */
export function isPushAwaited({ phase, pushedAt, ranElsewhere, until }: Hold, now: Date): boolean {
  if (!isLaterSecond(pushedAt ?? '', ranElsewhere ?? '')) return false;
  return phase === 'syncing' || (phase === 'expected' && !isPast(until, now));
}

/** The sync that ran elsewhere has ended while its Application is pointed here. That Argo CD has found it Synced may be
 *  of the other cluster. */
export function isSplit(hold: Hold, { observed }: HoldQuestion): boolean {
  if (hold.ranElsewhere === undefined || observed.kind !== 'seen') return false;
  const { application } = observed;
  return lastSync(application)?.startedAt === hold.ranElsewhere && !isSyncing(application);
}

/** Its syncs are those of another cluster now, and say nothing of this one. But one that runs holds the pool until it
 *  ends: it may have begun here, and one operation may write on both clusters, as Argo CD resolves the destination
 *  anew whenever it goes on with it. What may have begun here and did not certainly end well here has failed, or was
 *  cut off. What that has left stays, or rolls out by the policy. Where it deploys to no cluster of the configuration,
 *  that may be this one by another address: then a sync is awaited as long as any.
 *  Source: argo-cd controller/sync.go, SyncAppState. */
export function pointedAway(hold: Hold, elsewhere: Elsewhere, question: HoldQuestion): Step {
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
  if (shown !== 'queued' && isHeldBack(hold, shown))
    return { kind: 'hold', hold: heldBack(hold, shown, { ...question, where }) };
  const ran = shown === 'queued' ? {} : { ranElsewhere: shown.startedAt };
  const isFailed = hold.phase === 'failed';
  // What had begun here and ran elsewhere is not shown any more.
  const hadRun = hold.startedAt !== undefined && hold.ranElsewhere === hold.startedAt;
  const isLost = !isFailed && hadRun && ran.ranElsewhere !== hold.startedAt;
  const why = isFailed ? hold.why : `Argo CD syncs ${hold.who}, and ${where}`;
  const until = isFailed ? hold.until : runningUntil(hold, question);
  return { kind: 'hold', hold: { ...hold, ...ran, ...(isLost ? { afterFailure: true } : {}), why, until } };
}

/** A sync window has held it back since it was asked for: it has written nothing yet, here or there. */
function isHeldBack({ ranElsewhere }: Hold, shown: Operation): boolean {
  if (shown.startedAt === ranElsewhere) return false;
  return isParked(shown) && shown.results.length === 0 && shown.retryCount === 0;
}

/** The hold while it is held back. One that was asked for here has not begun. */
function heldBack(hold: Hold, shown: Operation, question: HoldQuestion & { readonly where: string }): Hold {
  if (hold.phase === 'failed') return hold;
  const why = `a sync window holds back the sync of ${hold.who}, and ${question.where}`;
  const renewed = { ...hold, why, until: runningUntil(hold, question) };
  if (hold.phase !== 'syncing' || hold.startedAt !== shown.startedAt) return renewed;
  const { startedAt: _, ...known } = renewed;
  return { ...known, phase: 'expected' };
}

export function failedElsewhere(hold: Hold, question: HoldQuestion & { readonly why: string }): Step {
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
  if (shown === undefined || application.succeeded?.some((each) => each.startedAt === startedAt) !== true) return false;
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
export function mayHaveBegun({ phase, ranElsewhere }: Hold): boolean {
  return phase === 'syncing' || ranElsewhere !== undefined;
}

/** A sync of its Application failed, and none has succeeded since. */
export function hasFailed(hold: Hold | undefined): boolean {
  return hold?.phase === 'failed' || hold?.afterFailure === true;
}

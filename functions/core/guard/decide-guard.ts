import { type Application, isParked, isRunning, isSyncing } from '../argocd/application.ts';
import { collectiveFor } from '../openshift/collective-hold-id.ts';
import type { Hold } from '../openshift/hold.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { holdsOf } from '../openshift/pool-record.ts';
import { given } from '../text/given.ts';
import { isEarlierSecond, isLaterSecond, isPast, plusSeconds } from '../text/instant.ts';
import { clipped } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';
import type { GuardQuestion } from './guard-question.ts';
import { commitsMark, type Guard } from './guard-record.ts';
import { heldBackSync, wouldSync } from './held-back-sync.ts';
import { isToBeCompared, pushToBeCompared, staysClosed } from './stays-closed.ts';

/** What is to become of one guard. */
export interface GuardDecision {
  /** As its AppProject should have it; undefined: it is not guarded. */
  readonly guard: Guard | undefined;
  /** Why it changes, for people. */
  readonly why: string;
  /** A sync of it runs, and its windows are left as they are. */
  readonly isMidSync: boolean;
  /** It certainly needs no guard. */
  readonly isFree: boolean;
  /** A sync wants to go, and waits for this; empty: none does, or it may. */
  readonly waitsFor: readonly string[];
  /** A sync would go, but did not come when it could: ISO instant until which it is not tried again. */
  readonly triedUntil?: string | undefined;
  /** It is open for a sync that has not begun, or waits for a comparison: Argo CD is to look at it. */
  readonly awaitsLook?: AwaitedLook | undefined;
}

export interface AwaitedLook {
  /** ISO instant of the opening of its guard, or of the push that is to be compared; undefined: a sync waits that
   *  somebody asked for. */
  readonly since: string | undefined;
}

/** Seconds until a guard is opened once more for commits that Argo CD did not sync while it was open: its pools must
 *  not be paused again and again for an Application that never syncs. */
const tryAgainAfterSeconds = 3600;

/** Characters of the reason why a guard is open: it may quote what others write. */
const whyAtMost = 300;

/** Decides about one guard. Pure and level-triggered: of its own result, written, it decides the same.
 *  Open only while a sync wants to go and nothing speaks against it; never changed while one runs. */
export function decideGuard(question: GuardQuestion): GuardDecision {
  const { guard, isGuarded } = question;
  const isMidSync = isSyncRunning(question.application);
  const decision = { guard, why: '', isMidSync, isFree: false, waitsFor: [] };
  if (!isGuarded) return notGuarded(question, decision);
  if (isMidSync && guard?.open !== undefined) return decision;
  const known = guard ?? newGuard(question);
  const wanted = whyWanted(question);
  const waitsFor = wanted === undefined ? [] : staysClosed(question, wanted.harmless !== undefined);
  if (wanted === undefined || waitsFor.length > 0) {
    const why = wanted === undefined ? whyNotWanted(known) : waitsFor.join('; ');
    const triedUntil = wanted === undefined ? heldBackUntil(question) : undefined;
    const awaitsLook = wanted === undefined ? undefined : awaitedComparison(question);
    return { ...decision, guard: closed(known, question, waitsFor), why, waitsFor, triedUntil, awaitsLook };
  }
  const opened = open(known, wanted, question);
  const awaitsLook = isMidSync ? undefined : { since: opened.open?.since };
  return { ...decision, guard: opened, why: wanted.why, awaitsLook };
}

function awaitedComparison(question: GuardQuestion): AwaitedLook | undefined {
  if (isToBeCompared(question)) return { since: undefined };
  const since = pushToBeCompared(question);
  return since === undefined ? undefined : { since };
}

/** A sync that has been held back since its beginning has written nothing: only such a one is not running. One that was
 *  caught in the middle looks the same, and is let on as soon as its pools are paused. */
function isSyncRunning(application: Application): boolean {
  const { operation } = application;
  const isHeldBack = operation !== undefined && isRunning(operation) && isParked(operation);
  return isSyncing(application) && !isHeldBack;
}

/** Nothing of it is rendered for a pool with the level: any more, or by a status that Argo CD has not compared yet. One
 *  that waits for its turn in a sequence is held back by its guard until then: the sequence has no window beside it.
 *  Who waits for the turn of another one of its name needs none for that: the window is there for the other. */
function notGuarded(question: GuardQuestion, decision: GuardDecision): GuardDecision {
  const { application, guard, notItsTurn, isTurnOfNamesake } = question;
  const isCompared = ['Synced', 'OutOfSync'].includes(application.sync.status);
  if (decision.isMidSync || !isCompared) return decision;
  if (guard === undefined) return { ...decision, isFree: true };
  if (notItsTurn !== undefined && isTurnOfNamesake !== true) {
    const waitsFor = isSyncing(application) ? [notItsTurn] : [];
    return { ...decision, guard: closed(guard, question, [notItsTurn]), why: notItsTurn, waitsFor };
  }
  return { ...decision, guard: undefined, isFree: true, why: 'it affects no pool with protection guard any more' };
}

function newGuard({ application, cluster, affected }: GuardQuestion): Guard {
  return { application: `${application.namespace}/${application.name}`, cluster, pools: [...affected] };
}

interface Wanted {
  readonly why: string;
  readonly harmless?: NonNullable<Guard['open']>['harmless'];
}

/** Why it should be open; undefined: no sync of it is expected, asked for or held back. */
function whyWanted(question: GuardQuestion): Wanted | undefined {
  const { application } = question;
  if (isSyncing(application)) {
    const remark = earlierResults(application);
    const why = `Argo CD syncs ${application.namespace}/${application.name}`;
    return { why: remark === undefined ? why : `${why}; ${remark}` };
  }
  const hold = ownHold(question);
  if (hold?.phase === 'expected' || hold?.phase === 'syncing') return { why: hold.why };
  return hold === undefined ? (harmless(question) ?? heldWithOthers(question)) : undefined;
}

/** The records of its pools have no room for a hold of its own, so that none says whether a sync is awaited: the push,
 *  or that Argo CD would sync it, does, and then the time since its guard was opened. */
function heldWithOthers(question: GuardQuestion): Wanted | undefined {
  const { application, affected, guard, pools, push, now } = question;
  const id = syncHoldId(application);
  const isHeld = affected.some((name) => collectiveFor(id, holdsIn(pools.get(name))) !== undefined);
  if (!isHeld || !application.automated) return undefined;
  const open = guard?.open;
  if (open !== undefined && open.harmless === undefined)
    return isAnswered(question, open.since) ? undefined : { why: open.why };
  if (push !== undefined && push.harmless === undefined) return { why: 'a push' };
  const because = guard && heldBackSync(application, guard, now);
  return because === undefined ? undefined : { why: because };
}

function holdsIn(pool: Pool | undefined): readonly Hold[] {
  return pool === undefined ? [] : holdsOf(pool);
}

/** Its sync has ended, Argo CD has compared it and found it Synced, or none came in time. */
function isAnswered({ application, expectSyncWithinSeconds, now }: GuardQuestion, since: string): boolean {
  const { reconciledAt, sync } = application;
  const isSynced = sync.status === 'Synced' && reconciledAt !== undefined && isLaterSecond(reconciledAt, since);
  return (
    isSynced || hasEndedSince(application, since) || isPast(plusSeconds(new Date(since), expectSyncWithinSeconds), now)
  );
}

/** One that has waited since its beginning has no results of its own. Argo CD writes its state by a merge, which leaves
 *  those of the operation before in it, and reads them as its own when it goes on. Source: argo-cd v3.2.11
 *  controller/appcontroller.go, setOperationState, and sync.go, SyncAppState; measured. */
function earlierResults({ operation }: Application): string | undefined {
  if (operation === undefined || !isParked(operation) || operation.results.length === 0) return undefined;
  return 'it shows results of an earlier operation, and Argo CD may end it as Succeeded without applying anything: look at its sync status';
}

/** Its hold on any pool: that a sync is awaited is written there, and nowhere else. */
function ownHold({ application, pools }: GuardQuestion): Hold | undefined {
  const id = syncHoldId(application);
  const holds = [...pools.values()].flatMap(holdsOf).filter((hold) => hold.id === id);
  return holds.find(({ phase }) => phase !== 'failed') ?? holds[0];
}

/** A commit that affects no pool: it needs no pause. Another push, whatever it is, ends that. */
function harmless(question: GuardQuestion): Wanted | undefined {
  const { application, guard, push, alsoAffected, expectSyncWithinSeconds, now } = question;
  // What is harmless for this one is not for those of its name, which one window lets through together.
  if (alsoAffected.length > 0) return undefined;
  if (push !== undefined) {
    if (push.harmless === undefined || push.revision === undefined || !application.automated) return undefined;
    const until = plusSeconds(new Date(push.at), expectSyncWithinSeconds);
    if (isPast(until, now) || isDone(application, push.revision)) return undefined;
    return { why: push.harmless, harmless: { revision: push.revision, until } };
  }
  const before = guard?.open;
  if (before?.harmless === undefined || isPast(before.harmless.until, now)) return undefined;
  if (isDone(application, before.harmless.revision) || hasEndedSince(application, before.since)) return undefined;
  return { why: before.why, harmless: before.harmless };
}

function isDone({ sync, operation }: Application, revision: string): boolean {
  const isSynced = sync.status === 'Synced' && sync.revisions.includes(revision);
  return isSynced || (operation?.finishedAt !== undefined && operation.revisions.includes(revision));
}

/** One that waited for its window began before it was opened. */
function hasEndedSince({ operation }: Application, since: string): boolean {
  if (operation === undefined || operation.dryRun) return false;
  return !isEarlierSecond(operation.finishedAt ?? operation.startedAt, since);
}

function open(guard: Guard, { why, harmless: until }: Wanted, question: GuardQuestion): Guard {
  const { affected, alsoAffected, now } = question;
  const { tried: _, ...rest } = guard;
  const isSame = guard.open?.harmless?.revision === until?.revision;
  const since = guard.open?.since ?? now.toISOString();
  return {
    ...rest,
    pools: until === undefined ? unique([...affected, ...alsoAffected.flatMap(({ pools }) => pools)]) : [],
    open: {
      since,
      why: (isSame ? guard.open?.why : undefined) ?? clipped(why, whyAtMost),
      ...(until === undefined ? {} : { harmless: (isSame ? guard.open?.harmless : undefined) ?? until }),
    },
  };
}

/** Only an Application that is not Synced has not been synced, and only when nothing else has closed its guard has it
 *  had its time. */
function closed(guard: Guard, question: GuardQuestion, waitsFor: readonly string[]): Guard {
  const { application, affected, now } = question;
  const { open: opened, tried, unanswered: _, ...rest } = guard;
  const hadItsTime = waitsFor.length === 0 && application.sync.status !== 'Synced';
  const next = { ...rest, pools: [...affected], ...unanswered(guard, question, hadItsTime) };
  if (opened === undefined) {
    const isOver = tried === undefined || isPast(tried.until, now);
    return isOver ? next : { ...next, tried };
  }
  if (!hadItsTime || hasEndedSince(application, opened.since)) return next;
  return {
    ...next,
    tried: { revisions: [commitsMark(application.sync.revisions)], until: plusSeconds(now, tryAgainAfterSeconds) },
  };
}

/** A sync that has ended since, whoever asked for it, is an answer, and so is that nothing is left to sync. Opened for
 *  a commit that affects no pool it does not count: no pool was paused for that. */
function unanswered(
  { unanswered: before, open: opened }: Guard,
  { application, now }: GuardQuestion,
  hadItsTime: boolean,
): Pick<Guard, 'unanswered'> {
  const since = before?.since ?? opened?.since;
  if (since === undefined || application.sync.status === 'Synced' || hasEndedSince(application, since)) return {};
  const wasForPools = opened !== undefined && opened.harmless === undefined;
  const isOnceMore = wasForPools && hadItsTime && wouldSync(application, now);
  return isOnceMore ? { unanswered: { times: (before?.times ?? 0) + 1, since } } : given({ unanswered: before });
}

function heldBackUntil({ application, guard, now }: GuardQuestion): string | undefined {
  if (guard?.tried === undefined || heldBackSync(application, guard, now) !== undefined) return undefined;
  const { tried, ...rest } = guard;
  return heldBackSync(application, rest, now) === undefined ? undefined : tried.until;
}

function whyNotWanted({ open: opened }: Guard): string {
  return opened === undefined ? 'every sync of it has to wait until its pools are paused' : 'no sync of it is awaited';
}

import { type Application, isSameApplication } from '../argocd/application.ts';
import { mayHaveBeen } from '../argocd/clock-skew.ts';
import type { Policy } from '../configuration/policy.ts';
import { everyCommit, type Hold, syncHoldId } from '../openshift/hold.ts';
import type { Push } from '../routing/awaited-push.ts';
import { given } from '../text/given.ts';
import { ifGiven } from '../text/if-given.ts';
import { earliest, isLaterSecond, latest, plusSeconds, secondsSince } from '../text/instant.ts';
import { endOfParent, isLeftFailed, lastSync } from './answers.ts';
import { commitsKept, followsTwoBranches, isAtOtherBranch, syncedTo } from './earlier-commits.ts';
import { rememberedFailure } from './left-failed.ts';
import type { HoldQuestion } from './step.ts';
import { withBoth, withEarlierVia } from './with-both.ts';

/** Argo CD runs one operation at a time: the sync for a push can start only when the one before it has ended, so the
 *  wait counts from then. Syncs of earlier commits that keep starting after the push (a self-heal loop) extend the
 *  wait by `syncAtMost` at most. */
export function expectedUntil(base: Hold, application: Application, policy: Policy, now: Date): string {
  const pushedAt = base.pushedAt ?? base.since;
  const before = lastSync(application);
  const isBelieved = before?.finishedAt !== undefined && mayHaveBeen(before.finishedAt, now);
  const finishedAt = isBelieved ? before.finishedAt : undefined;
  const endedAt =
    before !== undefined && isLaterSecond(before.startedAt, pushedAt)
      ? earliest([finishedAt, plusSeconds(new Date(pushedAt), policy.syncAtMostSeconds)])
      : finishedAt;
  const from = latest([pushedAt, endedAt]) ?? pushedAt;
  const until = plusSeconds(new Date(from), policy.expectSyncWithinSeconds);
  return (base.phase === 'expected' ? latest([base.until, until]) : undefined) ?? until;
}

/** Whether a sync follows the push, or what a hold waits for, by itself. */
export function isFollowed(
  push: Pick<Push | Hold, 'isFollowed'>,
  { automated }: Pick<Application, 'automated'>,
): boolean {
  return automated || push.isFollowed === true;
}

export function withPush(question: HoldQuestion, application: Application): Hold {
  const { hold, push, policy, now } = question;
  // Without automated sync no sync follows the push, so it does not replace what the hold waits for.
  const isAwaited = hold === undefined || (push !== undefined && isFollowed(push, application));
  const isNews =
    push !== undefined &&
    isAwaited &&
    isLaterThan(hold, push) &&
    (hold === undefined || isOtherPush(push, hold) || followsTwoBranches(application));
  if (isNews && hold !== undefined && staysFailed(hold, application, push)) return untilPushIsOver(hold, push, policy);
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
  if (!isNews) {
    const isGivenLater = isAwaited && push?.isGivenLater === true && isLaterThan(hold, push);
    return isGivenLater ? awaitedAnew(hold, application, push, question) : withEarlierPush(hold, push, question);
  }
  const renewed = ofPush({ ...hold, ...news }, push);
  if (hold.phase === 'syncing') return renewed;
  const expected: Hold = {
    ...renewed,
    ...rememberedFailure(renewed),
    phase: 'expected',
    until: plusSeconds(now, policy.expectSyncWithinSeconds),
  };
  return { ...expected, why: expectedWhy(application, expected) };
}

function isLaterThan(hold: Hold | undefined, push: Push): boolean {
  return hold?.pushedAt === undefined || push.at > hold.pushedAt;
}

/** The awaited push, which Argo CD gets only now: its sync is awaited as long as that of a new one. */
function awaitedAnew(hold: Hold, application: Application, push: Push, question: HoldQuestion): Hold {
  if (hold.phase !== 'expected') return hold;
  const { revision: _, from: __, ...news } = newsOf(question, application, push);
  const until = plusSeconds(question.now, question.policy.expectSyncWithinSeconds);
  return { ...hold, ...news, until: latest([hold.until, until]) ?? until };
}

/** Each push begins the wait anew, however often, because Argo CD may be behind. Who looks for the newest push alone is
 *  told how long that goes on once the first one's time would be over. */
export function unfollowedWords({ since, pushedAt, startedAt }: Hold, { expectSyncWithinSeconds }: Policy): string {
  const isShort = pushedAt === undefined || secondsSince(since, new Date(pushedAt)) < expectSyncWithinSeconds;
  if (isShort || (startedAt !== undefined && !isLaterSecond(since, startedAt))) return '';
  return `; pushes have held it since ${since.slice(0, 19)}Z, and no sync followed`;
}

/** Without what only the push before it said. A real push takes the place of what a guard holds back, and that is
 *  another commit than the one that failed. */
function ofPush(hold: Hold, push: Push): Hold {
  const renewed = { ...hold };
  if (push.behindGuard === true) delete renewed.revision;
  else delete renewed.behindGuard;
  if (push.isFollowed !== true) delete renewed.isFollowed;
  return renewed;
}

/** Not the awaited push, delivered once more. That of the same commit from one that nobody has heard of brings it back:
 *  what that one brought may be synced in between. */
function isOtherPush({ revision, before }: Push, { revision: awaited, from = [] }: Hold): boolean {
  if (revision === undefined || revision !== awaited) return true;
  return before !== undefined && before !== revision && !from.includes(before) && !from.includes(everyCommit);
}

/** A push that concerns it only through its writer does not change that its sync has failed: whoever may write an
 *  Application may claim that it writes others, and would silence their failures. While another sync is expected, the
 *  push counts, and the failure is told with it. */
function staysFailed(hold: Hold, application: Application, { via }: Push): boolean {
  if (via === undefined || hold.phase === 'expected') return false;
  return hold.phase === 'failed' || isLeftFailed(application, hold);
}

/** Unless policy `onSyncFailure` is `keep`, a failed sync holds the pool for a time: no less than until the push is
 *  over. */
function untilPushIsOver(hold: Hold, push: Push, { onSyncFailure, expectSyncWithinSeconds }: Policy): Hold {
  if (onSyncFailure === 'keep') return hold;
  return {
    ...hold,
    until: latest([hold.until, plusSeconds(new Date(push.at), expectSyncWithinSeconds)]) ?? hold.until,
  };
}

function newsOf(question: HoldQuestion, application: Application, push: Push): Partial<Hold> {
  const { hold } = question;
  const { at, revision, because, via, behindGuard, isFollowed: follows } = push;
  const isWriterOver =
    hold?.via !== undefined && judgesWriter(hold.via, via) && endOfParent(question, hold) !== undefined;
  return {
    pushedAt: at,
    ...(behindGuard === true ? { behindGuard } : {}),
    ...(follows === true ? { isFollowed: follows } : {}),
    ...(revision === undefined ? {} : { revision, from: earlierCommits(hold, application, push) }),
    ...given({ because }),
    ...(via === undefined && !isWriterOver ? {} : { via: isWriterOver ? via : withBoth(hold?.via, push, question) }),
  };
}

/** Whether the parent that was read for a push is the writer that the hold waits for: what another Application did says
 *  nothing of it. A time needs no parent. */
function judgesWriter(awaited: NonNullable<Hold['via']>, via: Hold['via']): boolean {
  const isTimed = awaited.until !== undefined && awaited.marked !== true;
  return isTimed || via === undefined || isSameApplication(awaited, via);
}

/** Commits the Application was synced to, or that earlier pushes brought, before this push. */
function earlierCommits(hold: Hold | undefined, application: Application, push: Push): string[] {
  const { revision, before, forced } = push;
  const known = hold?.from ?? [];
  const ofHold = hold?.revision === undefined ? known : [...known, hold.revision];
  const isBack = forced === true || (revision !== undefined && ofHold.includes(revision));
  const all = [...ofHold, ...ifGiven(before), ...syncedTo(application, push.at)];
  return commitsKept(all, revision, { wasThere: isBack || isAtOtherBranch(application, revision) });
}

export function expectedWhy(application: Application, { revision = '', via, because = '', behindGuard }: Hold): string {
  const who = `${application.namespace}/${application.name}`;
  if (behindGuard === true) return `Argo CD is to sync ${who}, which its guard holds back: ${because}`;
  const commit = via === undefined ? revision : (via.revision ?? '');
  const push = commit === '' ? 'a push' : `a push of ${commit.slice(0, 8)}`;
  return `${push} will make Argo CD sync ${who}${because === '' ? '' : `: ${because}`}`;
}

/** A push that was received before the one that the hold waits for, but is read after it. Or that one once more, as
 *  when another Argo CD, which has its writer, answers later than the Application's own. */
function withEarlierPush(hold: Hold, push: Push | undefined, question: HoldQuestion): Hold {
  if (push === undefined || hold.pushedAt === undefined || push.at > hold.pushedAt) return hold;
  const { revision, via } = push;
  const isOther = hold.revision !== undefined && revision !== undefined && revision !== hold.revision;
  const from = isOther ? { from: withEarlierCommit(hold, revision) } : {};
  return { ...hold, ...from, ...(via === undefined ? {} : { via: withEarlierVia(hold.via, via, question) }) };
}

function withEarlierCommit({ from = [], revision = '' }: Hold, earlier: string): string[] {
  return commitsKept([...from, earlier], revision, { wasThere: from.includes(revision) });
}

/** The end of a hold whose sync goes on: not written anew on every pass. */
export function runningUntil({ until }: Hold, { policy, now }: HoldQuestion): string {
  const isFresh = -secondsSince(until, now) > policy.syncAtMostSeconds / 4;
  return isFresh ? until : plusSeconds(now, policy.syncAtMostSeconds);
}

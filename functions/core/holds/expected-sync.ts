import type { Application } from '../argocd/application.ts';
import type { Policy } from '../configuration/policy.ts';
import { type Hold, syncHoldId } from '../openshift/hold.ts';
import type { Push } from '../routing/awaited-push.ts';
import { earliest, isLaterSecond, latest, plusSeconds } from '../text/instant.ts';
import { endOfParent, lastSync } from './answers.ts';
import type { HoldQuestion } from './step.ts';

/** One operation runs at a time: the sync of a push can begin only when the one before it has ended, so it is waited
 *  for from then on. Syncs of earlier commits that go on beginning after the push (a self-heal that loops) put it
 *  off by `syncAtMost` at most. */
export function expectedUntil(base: Hold, application: Application, policy: Policy): string {
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

export function withPush(question: HoldQuestion, application: Application): Hold {
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

export function expectedWhy(application: Application, { revision = '', via, because = '' }: Hold): string {
  const commit = via === undefined ? revision : (via.revision ?? '');
  const push = commit === '' ? 'a push' : `a push of ${commit.slice(0, 8)}`;
  return `${push} will make Argo CD sync ${application.namespace}/${application.name}${because === '' ? '' : `: ${because}`}`;
}

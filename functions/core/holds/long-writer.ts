import { isRunning, isSameApplication, type Operation } from '../argocd/application.ts';
import type { Hold } from '../openshift/hold.ts';
import { earliest, plusSeconds, secondsSince } from '../text/instant.ts';
import { isOfCommit, lastSync } from './answers.ts';
import type { HoldQuestion } from './step.ts';

/** The wait for what a writer syncs, and brings to other Applications only then. */
export interface WriterWait {
  /** ISO instant until which the hold waits. */
  readonly until: string;
  /** What to add to the reason of the hold where it waits for longer than usual; else empty. */
  readonly words: string;
  /** Why it is no longer waited for; undefined: another reason. */
  readonly over?: string | undefined;
}

/** An Application syncs what its writer brings only once that has synced, so the wait counts from the end of that sync,
 *  which is waited for until `syncAtMost` after the push. Undefined: the writer does not sync what was pushed. */
export function waitForWriter(
  { parent, policy, now }: Pick<HoldQuestion, 'parent' | 'policy' | 'now'>,
  hold: Hold,
): WriterWait | undefined {
  const { via, pushedAt } = hold;
  const operation = syncOfWriter(parent, hold);
  if (operation === undefined || pushedAt === undefined) return undefined;
  const name = `${via?.namespace}/${via?.name}`;
  const { expectSyncWithinSeconds, syncAtMostSeconds } = policy;
  const after = (instant: string) => plusSeconds(new Date(instant), expectSyncWithinSeconds);
  const atMost = plusSeconds(new Date(pushedAt), syncAtMostSeconds);
  if (!isRunning(operation)) return { until: after(earliest([operation.finishedAt, atMost]) ?? atMost), words: '' };
  // Written rarely: when half of its time is over.
  const isFresh = -secondsSince(hold.until, now) > expectSyncWithinSeconds / 2;
  const until = isFresh ? hold.until : after(earliest([now.toISOString(), atMost]) ?? atMost);
  const isLonger = Date.parse(until) > Date.parse(after(pushedAt));
  return {
    until,
    words: isLonger ? `; ${name} is still syncing it` : '',
    over: `${name} has been syncing for longer than policy.syncAtMost, and is no longer waited for`,
  };
}

/** Of one writer alone: where others claim to be it, a time is waited for unless Argo CD's mark names it. */
function syncOfWriter(parent: HoldQuestion['parent'], { via, pushedAt }: Hold): Operation | undefined {
  if (via === undefined || parent?.kind !== 'seen') return undefined;
  if (via.until !== undefined && via.marked !== true) return undefined;
  const operation = isSameApplication(parent.application, via) ? lastSync(parent.application) : undefined;
  return operation !== undefined && isOfCommit(operation, { ...via, pushedAt }) ? operation : undefined;
}

import { isSameApplication } from '../argocd/application.ts';
import type { Hold } from '../openshift/hold.ts';
import type { Push } from '../routing/awaited-push.ts';
import { latest, plusSeconds } from '../text/instant.ts';
import { commitsKept, isAtOtherBranch, syncedTo } from './earlier-commits.ts';
import type { HoldQuestion } from './step.ts';

type Via = NonNullable<Hold['via']>;

/** What a hold waits for of a writer once another push came. An Application has one writer. Where another one claims to
 *  be it, before the first has synced, neither is believed to be the last: as long as a sync may be waited for is
 *  waited. Of the one writer, no commit that it had before is the awaited one. */
export function withBoth(
  before: Hold['via'],
  push: Push,
  question: Pick<HoldQuestion, 'policy' | 'now' | 'parent'>,
): Hold['via'] {
  const { via } = push;
  if (via === undefined) return undefined;
  if (before !== undefined && !isSameWriter(before, via)) return disputed(before, via, question);
  return via.until === undefined ? withEarlierCommits(before, via, push, question) : via;
}

/** The same for a push that was received before the one that is waited for, but is read after it. */
export function withEarlierVia(
  awaited: Hold['via'],
  earlier: Via,
  question: Pick<HoldQuestion, 'policy' | 'now'>,
): Hold['via'] {
  if (awaited === undefined) return earlier;
  if (!isSameApplication(awaited, earlier)) return disputed(awaited, earlier, question);
  const { until, from = [], revision = '' } = awaited;
  if (until !== undefined || earlier.revision === undefined || earlier.revision === revision) return awaited;
  return {
    ...awaited,
    from: commitsKept([...from, earlier.revision], revision, { wasThere: from.includes(revision) }),
  };
}

function isSameWriter(before: Via, via: Via): boolean {
  const isTimed = before.until !== undefined && via.until === undefined;
  return isSameApplication(before, via) && !isTimed;
}

function disputed(before: Via, via: Via, { policy, now }: Pick<HoldQuestion, 'policy' | 'now'>): Via {
  const until = plusSeconds(now, policy.expectSyncWithinSeconds);
  return { ...via, until: latest([before.until, via.until, until]) ?? until };
}

function withEarlierCommits(
  before: Hold['via'],
  via: Via,
  { at, forced }: Push,
  { parent }: Pick<HoldQuestion, 'parent'>,
): Via {
  const writer = parent?.kind === 'seen' && isSameApplication(parent.application, via) ? parent.application : undefined;
  // Of several sources those that were not pushed to stay as they are, and say nothing.
  const stoodAt = writer === undefined || writer.sources.length > 1 ? [] : syncedTo(writer, at);
  const known = [...(before?.from ?? []), before?.before].filter((commit) => commit !== undefined);
  const ofHold = before?.revision === undefined ? known : [...known, before.revision];
  const isBack = forced === true || (via.revision !== undefined && known.includes(via.revision));
  const wasThere = isBack || (writer !== undefined && isAtOtherBranch(writer, via.revision));
  const from = commitsKept([...ofHold, ...stoodAt], via.revision, { wasThere });
  const others = from.filter((commit) => commit !== via.before || commit === via.revision);
  return others.length === 0 ? via : { ...via, from: others };
}

import { isSameApplication, type ObservedApplication } from '../argocd/application.ts';
import { isTrackedBy } from '../argocd/tracking.ts';
import type { Hold } from '../openshift/hold.ts';
import type { Push } from '../routing/awaited-push.ts';
import { latest, plusSeconds } from '../text/instant.ts';
import { commitsKept, isAtOtherBranch, syncedTo } from './earlier-commits.ts';
import type { HoldQuestion } from './step.ts';

type Via = NonNullable<Hold['via']>;

type Asked = Pick<HoldQuestion, 'policy' | 'now' | 'parent'> & Partial<Pick<HoldQuestion, 'observed'>>;

/** The push as one of the writer that Argo CD's own mark on the Application names, if several claim to be it. Whoever
 *  may write an Application may claim to write others, and would make theirs no longer wait for their writer. */
export function withMarkedWriter(push: Push | undefined, observed: ObservedApplication): Push | undefined {
  const via = push?.claimants?.find((each) => isMarkedIn(observed, each));
  return push === undefined || via === undefined ? push : { ...push, via: { ...via, marked: true } };
}

/** The mark has no name of an Argo CD: one of the same name elsewhere is another one. */
function isMarkedIn(observed: ObservedApplication | undefined, via: Via): boolean {
  if (observed?.kind !== 'seen') return false;
  const { application } = observed;
  return application.argocd === via.argocd && isTrackedBy(application, via);
}

/** What a hold waits for of a writer once another push came. An Application has one writer. Where another one claims to
 *  be it, before the first has synced, neither is believed to be the last: as long as a sync may be waited for is
 *  waited. Of the one writer, no commit that it had before is the awaited one. */
export function withBoth(before: Hold['via'], push: Push, question: Asked): Hold['via'] {
  const { via } = push;
  if (via === undefined) return undefined;
  if (before === undefined || isSameWriter(before, via))
    return isTimed(via) ? via : withEarlierCommits(before, via, push, question);
  const known = isSameApplication(before, via) ? before : undefined;
  const isOfMarked = isMarkedIn(question.observed, via);
  return disputed(before, isOfMarked ? withEarlierCommits(known, via, push, question) : via, question);
}

/** The same for a push that was received before the one that is waited for, but is read after it. */
export function withEarlierVia(awaited: Hold['via'], earlier: Via, question: Asked): Hold['via'] {
  if (awaited === undefined) return earlier;
  if (!isSameApplication(awaited, earlier)) return disputed(awaited, earlier, question);
  const { from = [], revision = '' } = awaited;
  if (isTimed(awaited) || earlier.revision === undefined || earlier.revision === revision) return awaited;
  return {
    ...awaited,
    from: commitsKept([...from, earlier.revision], revision, { wasThere: from.includes(revision) }),
  };
}

/** A time is waited for, and nothing else. */
function isTimed({ until, marked }: Via): boolean {
  return until !== undefined && marked !== true;
}

function isSameWriter(before: Via, via: Via): boolean {
  return isSameApplication(before, via) && !(before.until !== undefined && via.until === undefined);
}

function disputed(before: Via, via: Via, { policy, now, observed }: Asked): Via {
  const usual = plusSeconds(now, policy.expectSyncWithinSeconds);
  const until = latest([before.until, via.until, usual]) ?? usual;
  const marked = [via, before].find((each) => isMarkedIn(observed, each));
  return marked === undefined ? { ...via, until } : { ...marked, until, marked: true };
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

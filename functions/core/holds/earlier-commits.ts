import type { Application, Operation } from '../argocd/application.ts';
import { everyCommit } from '../openshift/hold.ts';
import { repositoriesOf } from '../routing/repository.ts';
import { isEarlierSecond, isLaterSecond } from '../text/instant.ts';
import { unique } from '../text/unique.ts';
import { lastSync } from './answers.ts';

/** How many earlier commits, which are not the one it waits for, a hold remembers. */
const keptAtMost = 10;

/** Characters. A commit has 40 or 64; whoever may write an Application chooses what it says that it was synced to. */
const commitAtMost = 128;

/** Commits of which a sync is not the awaited one, as a hold remembers them. The awaited one is among them if it was
 *  there before the push: then only what happens after the push counts. */
export function commitsKept(
  earlier: readonly string[],
  awaited: string | undefined,
  { wasThere }: { readonly wasThere: boolean },
): string[] {
  if (earlier.includes(everyCommit)) return [everyCommit];
  const others = earlier.filter((commit) => commit !== awaited && commit.length <= commitAtMost);
  const all = unique([...others, ...(wasThere && awaited !== undefined ? [awaited] : [])]);
  return all.length > keptAtMost ? [everyCommit] : all;
}

/** Commits that it was synced to when the push came. Not the revisions of an operation that began after the push: when
 *  the webhook was late, that may be a newer commit. */
export function syncedTo(application: Application, pushedAt: string): readonly string[] {
  const last = lastSync(application);
  return last !== undefined && isLaterSecond(last.startedAt, pushedAt) ? [] : application.sync.revisions;
}

/** What each source of an operation was at before that, and before the instant, by the history of its Application.
 *  Empty: that is not known. */
export function stoodBefore(
  { succeeded = [] }: Application,
  { revisions, startedAt }: Operation,
  instant = startedAt,
): readonly string[] {
  const before = isEarlierSecond(startedAt, instant) ? startedAt : instant;
  const stood = succeeded.findLast((each) => isEarlierSecond(each.startedAt, before))?.revisions ?? [];
  return stood.length === revisions.length ? stood : [];
}

/** Two of its sources are of one repository, and follow different branches or tags of it. */
export function followsTwoBranches({ sources }: Application): boolean {
  return sources.some((source, index) => {
    const repositories = repositoriesOf(source.repoURL);
    const others = sources.slice(index + 1).filter(({ targetRevision }) => targetRevision !== source.targetRevision);
    return others.some(({ repoURL }) => repositoriesOf(repoURL).some((each) => repositories.includes(each)));
  });
}

/** One branch was moved to a commit that another one may have: that it is synced there shows nothing. */
export function isAtOtherBranch(application: Application, commit: string | undefined): boolean {
  return commit !== undefined && application.sync.revisions.includes(commit) && followsTwoBranches(application);
}

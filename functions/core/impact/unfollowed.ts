import type { Application } from '../argocd/application.ts';
import type { Change } from '../openshift/manifest.ts';
import type { FilesRead } from '../routing/changed-file.ts';
import { isFollowing } from '../routing/is-concerned.ts';
import { namesOf, type RoutedPush, shortRevision } from '../routing/push.ts';
import { isForPeople, mayBringRendered, type Unjudged } from './unjudged.ts';

/** Whether any of these Applications is of the repository and revision that is pushed to, whatever it deploys of it. */
export function isFollowed(applications: readonly Pick<Application, 'sources'>[], push: RoutedPush): boolean {
  return applications.some(({ sources }) => sources.some((source) => isFollowing(source, push)));
}

/** What is not judged of a change where no Application that was read follows what it is pushed to, though it was only
 *  assumed which repository and branch that is, and others than these Applications may deploy it: all of it, if it has
 *  or may render anything that changes a pool.
 *  @param whole what is not known of the change where all of it counts */
export function unjudgedUnfollowed(
  push: RoutedPush,
  read: FilesRead,
  whole: { readonly unknown: Change['unknown']; readonly unjudged: readonly Unjudged[] },
): readonly Unjudged[] {
  const mayBring = mayBringRendered(read) || whole.unjudged.some((each) => each.mayBring);
  const isRendered = whole.unknown.some(({ path }) => !isForPeople(path));
  if (!mayBring && !isRendered) return [];
  const [repository = 'this repository'] = namesOf(push);
  return [{ path: `branch ${shortRevision(push.ref)} of ${repository}`, why: followsNone, isFile: false, mayBring }];
}

const followsNone =
  'no Application that was read follows it, and whether anything deploys this is not known (--branch, --url or --everything)';

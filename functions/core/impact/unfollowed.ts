import type { Application, ApplicationSource } from '../argocd/application.ts';
import type { Warning } from '../machine-config/disruption.ts';
import type { Change } from '../openshift/manifest.ts';
import type { FilesRead } from '../routing/changed-file.ts';
import { isFollowing, isOfRepository } from '../routing/is-concerned.ts';
import { namesOf, type RoutedPush, shortRevision } from '../routing/push.ts';
import { followingOf } from '../routing/revision.ts';
import { shown } from '../routing/words.ts';
import { listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';
import { isForPeople, mayBringRendered, type Unjudged } from './unjudged.ts';

/** What a change is pushed to, as far as it was named. */
export interface NamedPush extends RoutedPush {
  /** Its branch was named; otherwise it is the one that a change is usually merged into. */
  readonly isBranchNamed: boolean;
  /** Its repository was named; otherwise it is where the files come from, which may be a fork. */
  readonly isRepositoryNamed: boolean;
  /** It is known which branch is the default one; otherwise that is taken for the pushed one, or for a usual one. */
  readonly isDefaultKnown: boolean;
  /** What to do if it is another one. */
  readonly headRemedy: string;
}

/** What is told of a change because no Application follows what it is pushed to, or may only seem to. */
export interface Unfollowed {
  readonly unjudged: readonly Unjudged[];
  readonly warnings: readonly Warning[];
}

const nothing: Unfollowed = { unjudged: [], warnings: [] };

/** Of a change where no Application that was read follows what it is pushed to, whatever it deploys of it, though the
 *  change has or may render anything that changes a pool: not judged where it was only assumed which repository and
 *  branch that is. Where both are known, no Application deploys it, which is told. So is what HEAD was taken for, where
 *  Applications of the repository follow it and that is not known.
 *  @param wholeOf what is not known of the change where all of it counts */
export function unfollowedOf(
  applications: readonly Pick<Application, 'sources'>[],
  push: NamedPush,
  read: FilesRead,
  wholeOf: () => { readonly unknown: Change['unknown']; readonly unjudged: readonly Unjudged[] },
): Unfollowed {
  const sources = applications.flatMap((each) => each.sources);
  const isFollowed = sources.some((source) => isFollowing(source, push));
  const others = sources.filter((source) => isOfRepository(source, push));
  const isHeadTaken = !push.isDefaultKnown && others.some(isOfHead);
  if (isFollowed && !isHeadTaken) return nothing;
  const whole = wholeOf();
  const mayBring = mayBringRendered(read) || whole.unjudged.some((each) => each.mayBring);
  const isRendered = whole.unknown.some(({ path }) => !isForPeople(path));
  if (!mayBring && !isRendered) return nothing;
  if (isFollowed) return { unjudged: [], warnings: [headTaken(push)] };
  const [repository = 'this repository'] = namesOf(push);
  const path = `branch ${shortRevision(push.ref)} of ${repository}`;
  const assumed = [
    ...(push.isBranchNamed ? [] : ['--branch']),
    ...(push.isRepositoryNamed || others.length > 0 ? [] : ['--url']),
  ];
  if (assumed.length === 0) {
    const followed = unique(others.map(({ targetRevision }) => shownRevision(targetRevision, push)));
    const ofHead = others.some(isOfHead) ? `; if HEAD is another branch, ${push.headRemedy}` : '';
    const rest = followed.length === 0 ? 'none is of it' : `those of it follow ${listed(followed)}`;
    return {
      unjudged: [],
      warnings: [{ code, text: `No Application that was read follows ${path}; ${rest}`, remedy: `${remedy}${ofHead}` }],
    };
  }
  const flags = `${assumed.join(', ')} or --everything`;
  return { unjudged: [{ path, why: `${followsNone} (${flags})`, isFile: false, mayBring }], warnings: [] };
}

function isOfHead({ targetRevision }: ApplicationSource): boolean {
  return followingOf(targetRevision).kind === 'head';
}

function headTaken({ defaultBranch, ref, headRemedy }: NamedPush): Warning {
  const pushed = shortRevision(ref) === defaultBranch ? ', the branch that is pushed to' : '';
  const why = 'which one is the default branch is not known';
  return {
    code: 'head-assumed',
    text: `HEAD, which Applications follow, was taken for ${shown(defaultBranch)}${pushed}: ${why}`,
    remedy: `If it is another one, ${headRemedy}`,
  };
}

/** What HEAD was taken for is said: it may be another one. */
function shownRevision(targetRevision: string, { defaultBranch }: RoutedPush): string {
  const following = followingOf(targetRevision);
  return following.kind === 'head' ? `HEAD (${shown(defaultBranch)})` : shown(following.name);
}

const code = 'not-followed';
const remedy = 'If one does, correct --branch or --url';
const followsNone = 'no Application that was read follows it, and whether anything deploys this is not known';

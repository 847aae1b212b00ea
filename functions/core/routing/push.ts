import type { PushSeen } from '../../../events/seen.ts';
import { repositoryOf } from './repository.ts';

/** The part of a push that determines which Applications it concerns. */
export interface RoutedPush {
  readonly htmlUrl: string;
  /** Other names of the repository, as `repositoryOf` has them: what it was called before. Absent: none is known. */
  readonly otherNames?: readonly string[] | undefined;
  readonly defaultBranch: string;
  /** `refs/heads/...` or `refs/tags/...`. */
  readonly ref: string;
  /** The branch or tag is gone; absent: it is not. */
  readonly deleted?: boolean | undefined;
  readonly files: PushedFiles;
}

/** What changed. Unknown is a match: any path of the repository may have changed. */
export type PushedFiles =
  | { readonly kind: 'known'; readonly paths: readonly string[] }
  | { readonly kind: 'unknown'; readonly why: string };

/** Every name of the repository, its own first. */
export function namesOf({ htmlUrl, otherNames = [] }: Pick<RoutedPush, 'htmlUrl' | 'otherNames'>): readonly string[] {
  const own = repositoryOf(htmlUrl);
  return own === undefined ? otherNames : [own, ...otherNames];
}

/** A push as received. Whatever the event says of the files: if its list of commits is not the difference between two
 *  states of a branch, they are unknown. */
export function pushOf(data: PushSeen['data']): RoutedPush {
  const { repository, ref, deleted, files } = data;
  const { htmlUrl, defaultBranch } = repository;
  const why = whyUnknown(data);
  const known: PushedFiles = why === undefined ? files : { kind: 'unknown', why };
  return { htmlUrl, defaultBranch, ref, ...(deleted ? { deleted } : {}), files: known };
}

function whyUnknown({ forced, created, deleted, files }: PushSeen['data']): string | undefined {
  if (deleted) return 'the branch or tag was deleted';
  if (created) return 'the branch or tag is new';
  if (forced) return 'it was forced: what the dropped commits changed is not listed';
  // An empty list means the same to Argo CD: refresh.
  return files.kind === 'known' && files.paths.length === 0 ? 'no changed file is listed' : undefined;
}

/** `refs/heads/a/b` -> `a/b`: the part after the second slash, as in Argo CD; a branch and a tag of the same name are
 *  the same to it. Source: argo-cd util/webhook/webhook.go `ParseRevision`. */
export function shortRevision(ref: string): string {
  const first = ref.indexOf('/');
  if (first < 0) return ref;
  const second = ref.indexOf('/', first + 1);
  return ref.slice((second < 0 ? first : second) + 1);
}

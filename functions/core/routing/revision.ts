import { admits, type Constraint, constraintOf, looksLikeConstraint } from './constraint.ts';
import { type RoutedPush, shortRevision } from './push.ts';
import { type Version, versionOf } from './version.ts';

/** What a source follows. Source: argo-cd util/webhook/webhook.go `sourceRevisionHasChanged`. */
export type Following =
  /** The default branch. */
  | { readonly kind: 'head' }
  /** The branch or tag of that name, or that commit. */
  | { readonly kind: 'name'; readonly name: string }
  /** The newest tag within a range, or one of that very name. */
  | { readonly kind: 'range'; readonly name: string; readonly constraint: Constraint }
  /** Written like a range, but not understood: counts as a match for every version. */
  | { readonly kind: 'unclear'; readonly name: string };

export function followingOf(targetRevision: string): Following {
  const short = shortRevision(targetRevision);
  // `origin/HEAD` too.
  if (short === 'HEAD' || short === '') return { kind: 'head' };
  const name = /^refs\/(?:heads|tags)\//.test(targetRevision) ? short : targetRevision;
  const constraint = constraintOf(name);
  if (constraint !== undefined) return { kind: 'range', name, constraint };
  return { kind: looksLikeConstraint(name) ? 'unclear' : 'name', name };
}

/** The pushed revision, prepared for comparison with all sources. */
export interface Pushed {
  /** Short: a branch and a tag of the same name are equal. */
  readonly revision: string;
  readonly isDefault: boolean;
  readonly version: Version | undefined;
  /** What is gone; undefined: nothing. */
  readonly deleted: 'branch' | 'tag' | undefined;
}

export function pushedOf(push: Pick<RoutedPush, 'ref' | 'defaultBranch' | 'deleted'>): Pushed {
  const revision = shortRevision(push.ref);
  const kind = push.ref.startsWith('refs/tags/') ? 'tag' : 'branch';
  return {
    revision,
    isDefault: revision === push.defaultBranch,
    version: versionOf(revision),
    deleted: push.deleted === true ? kind : undefined,
  };
}

/** Does it follow what was pushed, so that a sync can follow the push? Of a branch or tag that is gone Argo CD finds no
 *  commit any more and syncs nothing; but a range goes back to the tag before, and a name that reads like a version may
 *  well belong to a tag and to a branch.
 *  Source: argo-cd util/git/client.go `lsRemote`: ranges look at tags alone, a name means the first ref of that
 *  name. */
export function follows(following: Following, pushed: Pushed): boolean {
  if (!isNamed(following, pushed)) return false;
  if (pushed.deleted === undefined) return true;
  if (following.kind === 'head' || pushed.version === undefined) return false;
  return following.name === pushed.revision || (following.kind !== 'name' && pushed.deleted === 'tag');
}

function isNamed(following: Following, { revision, isDefault, version }: Pushed): boolean {
  switch (following.kind) {
    case 'head':
      return isDefault;
    case 'name':
      return following.name === revision;
    case 'range':
      return following.name === revision || (version !== undefined && admits(following.constraint, version));
    case 'unclear':
      return following.name === revision || version !== undefined;
    default:
      return following satisfies never;
  }
}

import { admits, type Constraint, constraintOf, looksLikeConstraint } from './constraint.ts';
import { type RoutedPush, shortRevision } from './push.ts';
import { type Version, versionOf } from './version.ts';

/** What a source follows. Source: argo-cd util/webhook/webhook.go `sourceRevisionHasChanged`. */
export type Following =
  /** The default branch. */
  | { readonly kind: 'head' }
  /** The branch or tag of that name, or that commit. With `only`: of that kind (`refs/heads/main`). */
  | { readonly kind: 'name'; readonly name: string; readonly only?: RefKind }
  /** The newest tag within a range, or one of that very name. */
  | { readonly kind: 'range'; readonly name: string; readonly constraint: Constraint }
  /** Written like a range, but not understood: counts as a match for every version. */
  | { readonly kind: 'unclear'; readonly name: string };

type RefKind = 'branch' | 'tag';

export function followingOf(targetRevision: string): Following {
  const short = shortRevision(targetRevision);
  // `origin/HEAD` too.
  if (short === 'HEAD' || short === '') return { kind: 'head' };
  const name = /^refs\/(?:heads|tags)\//.test(targetRevision) ? short : targetRevision;
  const constraint = constraintOf(name);
  if (constraint !== undefined) return { kind: 'range', name, constraint };
  if (looksLikeConstraint(name)) return { kind: 'unclear', name };
  return { kind: 'name', name, ...(name === targetRevision ? {} : { only: kindOf(targetRevision) }) };
}

function kindOf(ref: string): RefKind {
  return ref.startsWith('refs/tags/') ? 'tag' : 'branch';
}

/** The pushed revision, prepared for comparison with all sources. */
export interface Pushed {
  readonly kind: RefKind;
  /** Without `refs/heads/` or `refs/tags/`. */
  readonly revision: string;
  /** It is the default branch. */
  readonly isDefault: boolean;
  /** It is a tag with the name of the default branch. */
  readonly isTwin: boolean;
  readonly version: Version | undefined;
  readonly isDeleted: boolean;
}

export function pushedOf(push: Pick<RoutedPush, 'ref' | 'defaultBranch' | 'deleted'>): Pushed {
  const revision = shortRevision(push.ref);
  const kind = kindOf(push.ref);
  const isNamedSo = revision === push.defaultBranch;
  return {
    kind,
    revision,
    isDefault: isNamedSo && kind === 'branch',
    isTwin: isNamedSo && kind === 'tag',
    version: versionOf(revision),
    isDeleted: push.deleted === true,
  };
}

/** Does it follow what was pushed, so that a sync can follow the push? Of a branch or tag that is gone Argo CD finds no
 *  commit any more and syncs nothing; but a range goes back to the tag before, a name that reads like a version may
 *  well belong to a tag and to a branch, and behind a tag with the name of the default branch that branch is still
 *  there. Source: argo-cd util/git/client.go `lsRemote`: HEAD is a branch, ranges look at tags alone, a full ref is
 *  that one, and a name alone is any ref of that name: the refs come out of a map of go-git, so that of a branch and a
 *  tag it is now the one, now the other. */
export function follows(following: Following, pushed: Pushed): boolean {
  if (!isNamed(following, pushed)) return false;
  if (!pushed.isDeleted) return true;
  if (following.kind === 'head') return false;
  const isKnownTwice = pushed.version !== undefined || pushed.isTwin;
  if (following.name === pushed.revision) return isKnownTwice && !isOnly(following);
  return following.kind !== 'name' && pushed.kind === 'tag' && pushed.version !== undefined;
}

/** A full ref of which there is only this one. */
function isOnly(following: Following): boolean {
  return following.kind === 'name' && following.only !== undefined;
}

function isNamed(following: Following, { kind, revision, isDefault, version }: Pushed): boolean {
  switch (following.kind) {
    case 'head':
      return isDefault;
    case 'name':
      return following.name === revision && (following.only ?? kind) === kind;
    case 'range':
      return following.name === revision || (version !== undefined && admits(following.constraint, version));
    case 'unclear':
      return following.name === revision || version !== undefined;
    default:
      return following satisfies never;
  }
}

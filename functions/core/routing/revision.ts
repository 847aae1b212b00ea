import { admits, type Constraint, constraintOf, looksLikeConstraint } from './constraint.ts';
import { shortRevision } from './push.ts';
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
}

export function pushedOf(push: { readonly ref: string; readonly defaultBranch: string }): Pushed {
  const revision = shortRevision(push.ref);
  return { revision, isDefault: revision === push.defaultBranch, version: versionOf(revision) };
}

export function follows(following: Following, { revision, isDefault, version }: Pushed): boolean {
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

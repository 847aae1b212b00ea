/** A pull request as GitHub describes it now. */
export interface Pull {
  /** `owner/name` of the repository that it is for. */
  readonly repository: string;
  readonly number: number;
  readonly isOpen: boolean;
  readonly isDraft: boolean;
  /** Its commits are in another repository, or in one that is gone. */
  readonly isFork: boolean;
  /** Commit at its head. */
  readonly head: string;
  /** Branch that it wants to be merged into, and the commit that this stands on. */
  readonly base: { readonly ref: string; readonly sha: string };
  /** Of the repository, for routing. */
  readonly htmlUrl: string;
  readonly defaultBranch: string;
}

/** The same state: a preview of the one is a preview of the other. */
export function isSameState(a: PullState, b: PullState): boolean {
  return a.head === b.head && a.base === b.base;
}

/** What a preview is of. */
export interface PullState {
  readonly head: string;
  /** Name of the base branch. */
  readonly base: string;
}

export function stateOf({ head, base }: Pick<Pull, 'head' | 'base'>): PullState {
  return { head, base: base.ref };
}

/** A pull request as GitHub describes it now. */
export interface Pull {
  /** `owner/name` of the target repository. */
  readonly repository: string;
  readonly number: number;
  readonly isOpen: boolean;
  readonly isDraft: boolean;
  /** Its commits are in another repository, or in one that no longer exists. */
  readonly isFork: boolean;
  /** Head commit. */
  readonly head: string;
  /** Target branch. */
  readonly base: { readonly ref: string };
  /** Web address of the repository; Applications are found by it. */
  readonly htmlUrl: string;
  /** Of the repository: what a source without a revision follows. */
  readonly defaultBranch: string;
  /** Whether it merges without a conflict; undefined: GitHub does not say yet. */
  readonly isMergeable?: boolean | undefined;
  /** The commit by which GitHub tested the merge last, which may be of another base or head; undefined: none is
   *  known. */
  readonly testMerge?: string | undefined;
}

/** The state of a pull request that a preview is for. */
export interface PullState {
  /** Head commit. */
  readonly head: string;
  /** Name of the base branch. */
  readonly base: string;
}

export function stateOf({ head, base }: Pick<Pull, 'head' | 'base'>): PullState {
  return { head, base: base.ref };
}

/** The same state: a preview of one is a preview of the other. */
export function isSameState(a: PullState, b: PullState): boolean {
  return a.head === b.head && a.base === b.base;
}

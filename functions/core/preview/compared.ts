/** Where a pull request and its base branch are. */
export interface Parting {
  /** Newest commit of the base branch. */
  readonly tip: string;
  /** The newest commit that the head has in common with it. */
  readonly mergeBase: string;
}

/** The commits that are compared to know what merging a pull request does. */
export interface Compared {
  readonly before: string;
  readonly after: string;
  /** Why it is the branch alone that is compared, though its base has gone on: what merging it gives is not known.
   *  Absent: it is what merging it pushes. */
  readonly unmerged?: string | undefined;
}

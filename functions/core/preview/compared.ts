/** Where a pull request and its base branch are. */
export interface Parting {
  /** Newest commit of the base branch. */
  readonly tip: string;
  /** The newest commit that the head has in common with it. */
  readonly mergeBase: string;
}

/** The commits that are compared to know what merging a pull request does. */
export interface Compared {
  /** On the base branch. */
  readonly before: string;
  readonly after: string;
  /** The base has gone on since `before`. Absent: it is what merging pushes that is compared. */
  readonly since?: BaseSince | undefined;
}

export interface BaseSince {
  /** Newest commit of the base branch. */
  readonly tip: string;
  /** Why nobody has merged that. */
  readonly why: string;
}

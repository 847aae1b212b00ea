/** A node that joined a paused pool: nobody rolled out to it, and yet it may have the new config already. */
export interface JoinedNode {
  readonly name: string;
  /** ISO instant of its joining. */
  readonly at: string;
  /** Rendered config that it came up with; empty until its config daemon has said so. */
  readonly config: string;
}

/** What is kept of a paused pool between passes. */
export interface PausedPool {
  /** Machines that the pool counted when its nodes were read last, or when its pause was seen first. */
  readonly machines: number;
  readonly joined: readonly JoinedNode[];
}

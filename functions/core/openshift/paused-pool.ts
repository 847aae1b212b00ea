/** A node that joined a paused pool: it was not rolled out to, and yet it may have the new config. */
export interface JoinedNode {
  readonly name: string;
  /** ISO instant of its joining. */
  readonly at: string;
  /** Rendered config that it came up with; empty until its config daemon has reported it. */
  readonly config: string;
}

/** State of a paused pool kept between passes. */
export interface PausedPool {
  /** Machine count of the pool when its nodes were last read, or when its pause was first observed. */
  readonly machines: number;
  readonly joined: readonly JoinedNode[];
}

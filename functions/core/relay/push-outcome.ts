/** Result of a push in keep-pools: the pools that its passes paused or found paused for it, and what could not be read.
 *  The relay waits for these pools and no others. Stored for a few days; losing it makes the relay late, never
 *  wrong. */
export interface PushOutcome {
  /** GitHub's id of the delivery. */
  readonly delivery: string;
  readonly decidedAt: string;
  /** Argo CD instances whose Applications could not be read: it is unknown what they would sync. */
  readonly unasked: readonly string[];
  /** Clusters whose pass failed: their pools may not be paused. */
  readonly unseen: readonly string[];
  readonly paused: readonly PausedForPush[];
}

/** One hold of the push on one paused pool, named like its race. */
export interface PausedForPush {
  readonly cluster: string;
  readonly pool: string;
  readonly hold: string;
  readonly since: string;
}

/** Everything was read: the result will not change. */
export function isComplete({ unasked, unseen }: PushOutcome): boolean {
  return unasked.length === 0 && unseen.length === 0;
}

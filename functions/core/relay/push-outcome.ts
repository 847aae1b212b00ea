/** What a push came to in keep-pools: the pools that its passes found or left paused for it, and whom they could not
 *  ask. The relay waits for these pools and no others. Kept in the table for a few days; losing it makes the relay
 *  late, never wrong. */
export interface PushOutcome {
  /** GitHub's id of the delivery. */
  readonly delivery: string;
  readonly decidedAt: string;
  /** Argo CD instances whose Applications could not be asked for: what they would sync is not known. */
  readonly unasked: readonly string[];
  /** Clusters whose pass failed: their pools may not be paused. */
  readonly unseen: readonly string[];
  readonly paused: readonly PausedForPush[];
}

/** One hold of the push on one paused pool, named as its race is. */
export interface PausedForPush {
  readonly cluster: string;
  readonly pool: string;
  readonly hold: string;
  readonly since: string;
}

/** Nobody was out of reach: what is noted will not change. */
export function isComplete({ unasked, unseen }: PushOutcome): boolean {
  return unasked.length === 0 && unseen.length === 0;
}

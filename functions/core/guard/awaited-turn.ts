/** Why the turn of an Application in its sequence has not come. */
export interface AwaitedTurn {
  /** For people. */
  readonly why: string;
  /** Its sequence cannot be read, and the turn may have come. Absent: it has not. */
  readonly isUnread?: true | undefined;
}

/** Such turns, by the ids of sync holds. */
export type AwaitedTurns = ReadonlyMap<string, AwaitedTurn>;

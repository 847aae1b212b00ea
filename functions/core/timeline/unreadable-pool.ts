/** A pool that is there, and that could not be parsed when its cluster was last read. */
export interface UnreadablePool {
  readonly name: string;
  /** ISO instant; absent: not known. */
  readonly since?: string | undefined;
  /** Poolkeeper had paused it when it was last parsed; absent: it had not, or that is not known. */
  readonly wasOurs?: true | undefined;
}

/** What every surface says of it behind its name: it is there, and nobody knows whether it is paused. */
export function unreadableWords({ since, wasOurs }: UnreadablePool): string {
  const begun = since === undefined ? '' : `, since ${since}`;
  const before = wasOurs === true ? '; Poolkeeper had paused it when it was last read' : '';
  return `cannot be parsed${begun}: whether it is paused is not known${before}`;
}

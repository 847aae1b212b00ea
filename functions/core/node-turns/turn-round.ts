/** A pool as its turns begin. */
export interface RoundPool {
  /** The rendered config that its nodes are taken to. */
  readonly target: string;
  /** Since when the run holds it, ISO instant; undefined: not known. */
  readonly heldSince?: string | undefined;
}

/** What tells one turn of a node from every other, also where the record with the numbers was deleted in between: a run
 *  at rest holds no pool, and what it begins anew, it begins with another hold. While that stands it is the same
 *  whoever goes on, so that Jobs are found again by their names. `3-0a1b2c3d-mmy8f2io`. */
export function roundText(number: number, { target, heldSince }: RoundPool): string {
  const since = heldSince === undefined ? Number.NaN : Date.parse(heldSince);
  const hold = Number.isNaN(since) ? '' : `-${since.toString(36)}`;
  return `${number}-${target.slice(-8)}${hold}`;
}

/** One machine that may be down. */
export interface Lock {
  readonly group: string;
  /** What the machine calls itself; case counts. */
  readonly id: string;
  /** ISO instant at which it was given its slot. */
  readonly since: string;
}

/** All slots that are taken, over all groups. One row, written only by whoever saw its last version: two machines never
 *  take the last slot together. */
export interface Locks {
  /** Optimistic lock; 0: never stored. */
  readonly version: number;
  readonly held: readonly Lock[];
}

export const noLocks: Locks = { version: 0, held: [] };

/** A machine, as it names itself. */
export interface Machine {
  readonly group: string;
  readonly id: string;
}

export function isLockOf({ group, id }: Machine): (lock: Lock) => boolean {
  return (lock) => lock.group === group && lock.id === id;
}

import type { FleetLock } from '../configuration/fleet-lock.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import type { Lock, Locks } from './locks.ts';

/** A machine that has been down for longer than its group expects. */
export interface OverdueLock extends Lock {
  /** ISO instant by which it should have been back. */
  readonly dueAt: string;
}

/** When a machine should be back. */
export function dueAt({ group, since }: Lock, { groups }: FleetLock): string | undefined {
  const expected = groups[group]?.expectedWithinSeconds;
  return expected === undefined ? undefined : plusSeconds(new Date(since), expected);
}

/** The machines that should have been back, those that are gone for longest first. Their slots stay theirs: the update
 *  may have broken them, and it would break the next ones. */
export function overdueLocks({ held }: Locks, fleetLock: FleetLock, now: Date): readonly OverdueLock[] {
  return held
    .flatMap((lock): readonly OverdueLock[] => {
      const due = dueAt(lock, fleetLock);
      return due === undefined || !isPast(due, now) ? [] : [{ ...lock, dueAt: due }];
    })
    .toSorted((left, right) => Date.parse(left.since) - Date.parse(right.since));
}

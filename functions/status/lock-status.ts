import type { FleetLock } from '../core/configuration/fleet-lock.ts';
import { lockWindows } from '../core/fleet-lock/lock-windows.ts';
import type { Lock, Locks } from '../core/fleet-lock/locks.ts';
import { dueAt } from '../core/fleet-lock/overdue-locks.ts';
import { secondsBetween } from '../core/text/durations.ts';
import { isPast } from '../core/text/instant.ts';
import { safeLine } from '../core/text/safe-text.ts';
import { unique } from '../core/text/unique.ts';
import { askWindows } from '../core/windows/openings.ts';
import type { LockGroupStatus } from './status.ts';

/** Longest id shown, characters. */
const idLimit = 200;

/** Which machines of which group may be down now. Groups that are no longer configured are shown while they hold
 *  anything. */
export function lockStatuses(
  { held }: Locks,
  fleetLock: FleetLock | undefined,
  now: Date,
): readonly LockGroupStatus[] | undefined {
  const groups = fleetLock?.groups ?? {};
  const names = unique([...Object.keys(groups), ...held.map(({ group }) => group)]).toSorted();
  if (names.length === 0) return undefined;
  return names.map((group) => ({
    group,
    ...(fleetLock === undefined ? {} : settingsOf(group, fleetLock, now)),
    held: held.filter((lock) => lock.group === group).map((lock) => holderOf(lock, fleetLock, now)),
  }));
}

function settingsOf(
  name: string,
  fleetLock: FleetLock,
  now: Date,
): Pick<LockGroupStatus, 'slots' | 'closed' | 'opensAt'> {
  const group = fleetLock.groups[name];
  if (group === undefined) return {};
  const windows = askWindows(lockWindows(fleetLock, group), now);
  if (windows.open) return { slots: group.slots };
  return { slots: group.slots, closed: true, ...(windows.opensAt === undefined ? {} : { opensAt: windows.opensAt }) };
}

function holderOf(lock: Lock, fleetLock: FleetLock | undefined, now: Date): LockGroupStatus['held'][number] {
  const due = fleetLock === undefined ? undefined : dueAt(lock, fleetLock);
  return {
    id: safeLine(lock.id, idLimit),
    since: lock.since,
    ageSeconds: Math.max(0, Math.floor(secondsBetween(lock.since, now))),
    ...(due === undefined ? {} : { dueAt: due }),
    overdue: due !== undefined && isPast(due, now),
  };
}

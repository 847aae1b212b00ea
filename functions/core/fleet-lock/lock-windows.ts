import type { FleetLock, LockGroup } from '../configuration/fleet-lock.ts';
import type { Window } from '../configuration/window.ts';

/** The windows in which a machine of the group may be given a slot. */
export function lockWindows({ windows }: FleetLock, group: LockGroup): readonly Window[] {
  return [...windows, ...group.windows].map((window) => ({ ...window, pools: [], labels: {} }));
}

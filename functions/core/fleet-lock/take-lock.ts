import type { FleetLock } from '../configuration/fleet-lock.ts';
import { isPast, plusSeconds } from '../text/instant.ts';
import { counted, listed } from '../text/phrases.ts';
import { safeLine } from '../text/safe-text.ts';
import { askWindows } from '../windows/openings.ts';
import { lockWindows } from './lock-windows.ts';
import { isLockOf, type Lock, type Locks, type Machine } from './locks.ts';

/** Why a machine may not reboot now: few kinds, because clients make a metric's label of it. */
export type Refusal = 'lock_held' | 'fleet_full' | 'window_closed';

export type LockAnswer =
  | { readonly kind: 'granted'; readonly isNew: boolean }
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly why: string };

/** Seconds: 30 days. For so long the slots of a group are remembered that is not configured any more, although they
 *  count for nothing: it may only be missing in a file that was deployed by mistake, while its machines are down. */
const unconfiguredSeconds = 30 * 24 * 3600;

/** What becomes of a machine that asks whether it may reboot. One that has its slot is always told so again: it asks
 *  until it goes down, and whoever took its slot away would have two machines down. */
export function takeLock(
  before: Locks,
  machine: Machine,
  { fleetLock, now }: { readonly fleetLock: FleetLock; readonly now: Date },
): { readonly locks: Locks; readonly answer: LockAnswer } {
  const isKnown = ({ group }: Lock) => fleetLock.groups[group] !== undefined;
  const known = before.held.filter(isKnown);
  const answer = answerTo(machine, known, { fleetLock, now });
  if (answer.kind === 'refused' || !answer.isNew) return { locks: before, answer };
  const { group, id } = machine;
  const held = before.held.filter(
    (lock) => isKnown(lock) || !isPast(plusSeconds(new Date(lock.since), unconfiguredSeconds), now),
  );
  return { locks: { ...before, held: [...held, { group, id, since: now.toISOString() }] }, answer };
}

function answerTo(
  machine: Machine,
  held: readonly Lock[],
  { fleetLock, now }: { readonly fleetLock: FleetLock; readonly now: Date },
): LockAnswer {
  if (held.some(isLockOf(machine))) return { kind: 'granted', isNew: false };
  const group = fleetLock.groups[machine.group];
  if (group === undefined) throw new TypeError('a group that is not configured has no slots');
  const windows = askWindows(lockWindows(fleetLock, group), now);
  if (!windows.open) {
    const opens = windows.opensAt === undefined ? 'none opens within a year' : `the next opens at ${windows.opensAt}`;
    return { kind: 'refused', refusal: 'window_closed', why: `no window for reboots is open; ${opens}` };
  }
  const own = held.filter((lock) => lock.group === machine.group);
  if (own.length >= group.slots) {
    const why = `${takenText(group.slots, `group ${machine.group}`)}: ${listed(own.map(holderText), 2)}`;
    return { kind: 'refused', refusal: 'lock_held', why };
  }
  const why = noPlaceLeft(machine, held, { fleetLock, now });
  return why === undefined ? { kind: 'granted', isNew: true } : { kind: 'refused', refusal: 'fleet_full', why };
}

/** Why none of the places of all groups is left for the machine; undefined: one is. The last one is for a group that
 *  has none: whoever takes and leaves slots in one group all the time, none of them for long, would otherwise keep the
 *  machines of all others from rebooting, unseen. */
function noPlaceLeft(
  { group }: Machine,
  held: readonly Lock[],
  { fleetLock, now }: { readonly fleetLock: FleetLock; readonly now: Date },
): string | undefined {
  const { atMost, groups } = fleetLock;
  if (atMost === undefined || held.length < atMost - 1) return undefined;
  // Which group is nothing for others to know, nor which machines.
  if (held.length >= atMost) return takenText(atMost, 'all groups');
  const having = new Set(held.map((lock) => lock.group));
  const mayAsk = Object.entries(groups).some(
    ([name, each]) => !having.has(name) && askWindows(lockWindows(fleetLock, each), now).open,
  );
  return having.has(group) && mayAsk
    ? `the last of ${counted(atMost, 'slot')} of all groups is for a group that has none`
    : undefined;
}

function takenText(slots: number, where: string): string {
  return `all of ${counted(slots, 'slot')} of ${where} taken`;
}

function holderText({ id, since }: Lock): string {
  return `${safeLine(id, 60)} since ${since}`;
}

/** The locks without that of a machine, and what it had. One that has none loses nothing. */
export function releaseLock(
  before: Locks,
  machine: Machine,
): { readonly locks: Locks; readonly released: Lock | undefined } {
  const isOwn = isLockOf(machine);
  const released = before.held.find(isOwn);
  if (released === undefined) return { locks: before, released };
  return { locks: { ...before, held: before.held.filter((lock) => !isOwn(lock)) }, released };
}

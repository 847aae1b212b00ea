import type { FleetLock } from '../core/configuration/fleet-lock.ts';
import type { Lock, Machine } from '../core/fleet-lock/locks.ts';
import { type LockAnswer, releaseLock, takeLock } from '../core/fleet-lock/take-lock.ts';
import { Transient } from '../core/text/errors.ts';
import { safeLine } from '../core/text/safe-text.ts';
import type { TimelineEntry } from '../core/timeline/view.ts';
import type { FleetLocks, Timeline } from '../ports/tables.ts';
import type { Logger } from '../ports/telemetry.ts';
import type { Clock } from '../ports/time.ts';

export interface LockPorts {
  readonly fleetLock: FleetLock;
  readonly locks: FleetLocks;
  readonly timeline: Pick<Timeline, 'append'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Each lost race is a slot that another machine took or left. */
const attemptsAtMost = 10;

/** Gives the machine a slot, if there is one and it may have it. Throws Transient. */
export async function lock(machine: Machine, ports: LockPorts): Promise<LockAnswer> {
  const { locks, fleetLock, clock } = ports;
  const now = clock();
  const answer = await untilSaved(async () => {
    const before = await locks.load();
    const taken = takeLock(before, machine, { fleetLock, now });
    return taken.locks === before || (await locks.save(taken.locks)) ? taken.answer : undefined;
  });
  if (answer.kind === 'granted' && answer.isNew)
    await note(machine, { what: 'granted', text: 'may reboot', at: now }, ports);
  return answer;
}

/** Ends the slot of the machine. One that has none is told the same. Throws Transient. */
export async function unlock(machine: Machine, ports: LockPorts): Promise<void> {
  const released = await withdraw(machine, ports);
  const at = ports.clock();
  if (released !== undefined)
    await note(
      machine,
      { what: 'unlocked', text: `is up again; it was given its slot at ${released.since}`, at },
      ports,
    );
}

/** Ends the slot of a machine that does not do so itself. False: it has none. Throws Transient. */
export async function release(
  machine: Machine,
  { reason, by }: { readonly reason: string; readonly by: string },
  ports: LockPorts,
): Promise<boolean> {
  const released = await withdraw(machine, ports);
  if (released === undefined) return false;
  const text = `has no slot any more: ${safeLine(by, 100)} released that of ${released.since}: ${safeLine(reason, 300)}`;
  await note(machine, { what: 'released', text, at: ports.clock() }, ports);
  return true;
}

async function withdraw(machine: Machine, { locks }: LockPorts): Promise<Lock | undefined> {
  const { released } = await untilSaved(async () => {
    const before = await locks.load();
    const after = releaseLock(before, machine);
    return after.locks === before || (await locks.save(after.locks)) ? after : undefined;
  });
  return released;
}

async function untilSaved<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let attempts = 0; attempts < attemptsAtMost; attempts += 1) {
    const done = await attempt();
    if (done !== undefined) return done;
  }
  throw new Transient('the slots change faster than they can be written');
}

interface Noted {
  readonly what: 'granted' | 'unlocked' | 'released';
  readonly text: string;
  readonly at: Date;
}

/** What has happened has happened: an entry that cannot be written changes no answer. */
async function note({ group, id }: Machine, { what, text, at }: Noted, { timeline, logger }: LockPorts): Promise<void> {
  const machine = safeLine(id, 100);
  const instant = at.toISOString();
  const entry: TimelineEntry = {
    id: `fleet-lock/${group}/${machine}/${what}/${instant}`,
    at: instant,
    cluster: 'fleet-lock',
    pool: group,
    type: 'decision',
    text: `Machine ${machine} ${text}`,
    correlation: `fleet-lock/${group}/${machine}`,
  };
  try {
    await timeline.append([entry]);
  } catch (error) {
    if (!(error instanceof Transient)) throw error;
    logger.warn('timeline entry could not be written', { group, machine, error });
  }
}

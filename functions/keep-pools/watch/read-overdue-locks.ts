import { type OverdueLock, overdueLocks } from '../../core/fleet-lock/overdue-locks.ts';
import { Transient } from '../../core/text/errors.ts';
import { notAsked, type Observed, seen, unreadable } from '../../core/text/observed.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { isClockTick, type Scope } from '../route/scope.ts';

/** Machines outside OpenShift that should have been back. The first cluster of the configuration looks after them, with
 *  its ticks; undefined: it is not this one, or no machine asks by FleetLock. */
export async function readOverdueLocks(
  scope: Scope,
  { configuration: { clusters, fleetLock }, fleetLocks, clock, logger }: KeepPorts,
): Promise<Observed<readonly OverdueLock[]> | undefined> {
  if (fleetLock === undefined || fleetLocks === undefined || clusters[0]?.name !== scope.cluster.name) return undefined;
  if (!isClockTick(scope)) return notAsked;
  try {
    const now = clock();
    return seen(overdueLocks(await fleetLocks.load(), fleetLock, now), now);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('machines outside OpenShift are not looked after', { why: cause.message });
    return unreadable(cause.message);
  }
}

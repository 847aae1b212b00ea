import { makeTick } from '../../../events/index.ts';
import { holdsThatCount } from '../../core/holds/emergency.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { recordIn } from '../../core/openshift/pool-record.ts';
import { isPast, plusSeconds } from '../../core/text/instant.ts';
import type { PerformedPool } from '../act/write-pool.ts';
import type { FollowedPass } from '../pass-state.ts';

/** Seconds until an unconfirmed pause is checked again; an idle MCO needs 0 - 5 s. */
const confirmEverySeconds = 2;
/** Seconds after the opening of a guard, or a push that it waits for, during which Argo CD is asked again to look,
 *  between ticks. It needs half a second, but may drop what it is asked while it does something else. */
const askAgainSeconds = 30;
/** Seconds after a tick at which a run is looked at once more while a turn is under way. */
const moveSeconds = 30;
/** Seconds after a release during which gates are asked between ticks; later the ticks suffice. */
const followReleaseSeconds = 120;

/** Schedules a recheck within seconds where the next tick would be late: for an unconfirmed pause, or a gate that opens
 *  by itself. Only a pass that paused, released, or changed a hold or a guard that Argo CD is to look at starts such a
 *  chain of rechecks, so that a burst of events does not start one each. */
export async function scheduleRecheck(pass: FollowedPass): Promise<void> {
  const delay = delaySeconds(pass);
  if (delay === undefined) return;
  const { scope, ports } = pass;
  await ports.work.send(makeTick({ cluster: scope.cluster.name, why: 'recheck' }, ports.clock()), delay);
}

function delaySeconds({ scope, performed, raced, guards, runs, now }: FollowedPass): number | undefined {
  const { policy } = scope.cluster;
  const paused = performed.some(({ plan }) => plan.action.kind === 'pause');
  const isFresh = ({ pool }: PerformedPool) => {
    const since = pool.record.kind === 'record' ? pool.record.record.pausedSince : undefined;
    return since !== undefined && !isPast(plusSeconds(new Date(since), policy.confirmWithinSeconds), now);
  };
  const waiting = performed.some((each) => raced.unconfirmed.includes(each.pool.name) && isFresh(each));
  if (waiting && (paused || scope.isRecheck)) return confirmEverySeconds;

  const isAwaited =
    guards.awaitedSince !== undefined && !isPast(plusSeconds(new Date(guards.awaitedSince), askAgainSeconds), now);
  const isHeldAnew = performed.some(({ plan }) => plan.action.kind === 'record');
  if (isAwaited && (scope.isRecheck || isHeldAnew || guards.changes.length > 0)) return confirmEverySeconds;

  if (runs.isMoving && !scope.isRecheck) return moveSeconds;

  const released = performed.some(
    (each) =>
      each.plan.gates.length > 0 && isRecentlyReleased(each.pool, now) && (scope.isRecheck || hasReleased(each, now)),
  );
  return released ? policy.renderSettleSeconds : undefined;
}

/** The last hold that keeps the pool paused ended in this very pass. */
function hasReleased({ plan, pool }: PerformedPool, now: Date): boolean {
  const isHeld = (each: Pool) => holdsThatCount(recordIn(each), now).length > 0;
  return isHeld(plan.pool) && !isHeld(pool);
}

function isRecentlyReleased(pool: Pool, now: Date): boolean {
  const release = pool.record.kind === 'record' ? pool.record.record.release : undefined;
  return release !== undefined && !isPast(plusSeconds(new Date(release.since), followReleaseSeconds), now);
}

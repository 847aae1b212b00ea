import { makeTick } from '../../../events/index.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import { isPast, plusSeconds } from '../../core/text/instant.ts';
import type { PerformedPool } from '../act/write-pool.ts';
import type { FollowedPass } from '../pass-state.ts';

/** Seconds after which a pause that waits for its confirmation is looked at again; the MCO needs 0 - 5 s when idle. */
const confirmEverySeconds = 2;
/** For so long after a release the gates are asked between ticks; later the ticks suffice. */
const followReleaseSeconds = 120;

/** Looks again in a moment where a tick in a minute would be late: an unconfirmed pause, a gate that opens by itself.
 *  Only a pass that paused or let go begins such a chain, so that a burst of hints does not make as many. */
export async function lookAgain(pass: FollowedPass): Promise<void> {
  const delay = delaySeconds(pass);
  if (delay === undefined) return;
  const { scope, ports } = pass;
  await ports.work.send(makeTick({ cluster: scope.cluster.name, why: 'recheck' }, ports.clock()), delay);
}

function delaySeconds({ scope, performed, raced, now }: FollowedPass): number | undefined {
  const { policy } = scope.cluster;
  const paused = performed.some(({ plan }) => plan.action.kind === 'pause');
  const isFresh = ({ pool }: PerformedPool) => {
    const since = pool.record.kind === 'record' ? pool.record.record.pausedSince : undefined;
    return since !== undefined && !isPast(plusSeconds(new Date(since), policy.confirmWithinSeconds), now);
  };
  const waiting = performed.some((each) => raced.unconfirmed.includes(each.pool.name) && isFresh(each));
  if (waiting && (paused || scope.isRecheck)) return confirmEverySeconds;

  const released = performed.some(
    (each) => each.plan.gates.length > 0 && isRecentlyReleased(each.pool, now) && (scope.isRecheck || hasLetGo(each)),
  );
  return released ? policy.renderSettleSeconds : undefined;
}

/** The last hold went in this very pass. */
function hasLetGo({ plan, pool }: PerformedPool): boolean {
  return holdsOf(plan.pool).length > 0 && holdsOf(pool).length === 0;
}

function isRecentlyReleased(pool: Pool, now: Date): boolean {
  const release = pool.record.kind === 'record' ? pool.record.record.release : undefined;
  return release !== undefined && !isPast(plusSeconds(new Date(release.since), followReleaseSeconds), now);
}

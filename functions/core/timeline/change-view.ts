import type { PendingChange } from '../machine-config/pending-change.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import type { UnpausedSync } from '../openshift/unpaused-sync.ts';
import type { PoolView } from './view.ts';

/** View of the change that is pending or rolling out, and of the pushes that the pool was not paused for. */
export function changeView(
  pool: Pool,
  known: {
    readonly change: PendingChange | undefined;
    /** Since when a change has been pending behind the pause. */
    readonly waitsSince: string | undefined;
    readonly unpaused: readonly UnpausedSync[];
  },
): Pick<PoolView, 'change' | 'pendingSince' | 'certificatesExpire' | 'spared'> {
  const unpaused = known.unpaused.filter((each) => each.pool === pool.name);
  return {
    certificatesExpire: pool.certificatesExpire,
    ...(hasPendingChange(pool)
      ? { change: known.change, pendingSince: known.waitsSince ?? known.change?.renderedAt }
      : {}),
    ...(unpaused.length === 0
      ? {}
      : { spared: unpaused.map(({ hold, revision, why, at }) => ({ hold, revision, why, at })) }),
  };
}

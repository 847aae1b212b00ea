import { estimate, estimateText, plannedSource } from '../impact/estimate.ts';
import type { OwnPace } from '../impact/node-pace.ts';
import { nodesTogether } from '../impact/nodes-at-once.ts';
import type { PendingChange } from '../machine-config/pending-change.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import type { UnpausedSync } from '../openshift/unpaused-sync.ts';
import { given } from '../text/given.ts';
import type { PoolView } from './view.ts';

/** View of the change that is pending or rolling out, and of the pushes that the pool was not paused for. */
export function changeView(
  pool: Pool,
  known: {
    readonly change: PendingChange | undefined;
    /** Since when a change, an image, or nodes that have another config, have been pending behind the pause. */
    readonly waitsSince: string | undefined;
    readonly unpaused: readonly UnpausedSync[];
    readonly pace: OwnPace | undefined;
  },
): Pick<PoolView, 'change' | 'pendingSince' | 'certificatesExpire' | 'spared' | 'pace' | 'takes'> {
  const unpaused = known.unpaused.filter((each) => each.pool === pool.name);
  return {
    certificatesExpire: pool.certificatesExpire,
    ...(hasPendingChange(pool)
      ? { change: known.change, pendingSince: known.waitsSince ?? known.change?.renderedAt }
      : given({ pendingSince: known.waitsSince })),
    ...given({ pace: known.pace }),
    ...takesOf(pool, known),
    ...(unpaused.length === 0
      ? {}
      : { spared: unpaused.map(({ hold, revision, why, at }) => ({ hold, revision, why, at })) }),
  };
}

/** Of a change that waits. One that rolls out has `minutesLeft`. */
function takesOf(
  pool: Pool,
  { change, pace }: { readonly change: PendingChange | undefined; readonly pace: OwnPace | undefined },
): Pick<PoolView, 'takes'> {
  if (!hasPendingChange(pool) || !pool.paused) return {};
  const { counts, maxUnavailable } = pool;
  // The MCO counts the nodes that have the new config some seconds after it was rendered.
  const updated = counts.updated >= counts.machines ? 0 : counts.updated;
  const rest = {
    machines: counts.machines - updated,
    maxUnavailable: String(nodesTogether(maxUnavailable, counts.machines)),
    class: change?.class,
    update: 'files' as const,
  };
  const takes = estimate(rest, pace);
  if (takes === undefined) return {};
  const basis = takes.own === undefined ? `, ${plannedSource.replaceAll('`', '')}` : '';
  return { takes: `${estimateText(rest, takes)}${basis}` };
}

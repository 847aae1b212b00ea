import { gatesAhead } from '../../core/holds/gate-question.ts';
import { minutesLeft } from '../../core/impact/estimate.ts';
import { nodeViews } from '../../core/node-rollouts/node-view.ts';
import { minutesPerNodeOf, noPace } from '../../core/node-rollouts/pace.ts';
import { isDegraded, type Pool } from '../../core/openshift/pool.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import { changeView } from '../../core/timeline/change-view.ts';
import type { ClusterView, PoolView } from '../../core/timeline/view.ts';
import { viewOf } from '../../core/timeline/view-of.ts';
import type { WatchedPass } from '../pass-state.ts';
import type { Watched } from '../watch/watched.ts';
import { ignoredNow } from './publish-and-checkpoint.ts';

/** Saves what the status page shows of the cluster after this pass. */
export async function saveView(pass: WatchedPass): Promise<void> {
  const { scope, ports, performed, raced, watched, unpaused, now } = pass;
  const ignored = ignoredNow(pass.observation);
  await ports.views.save({
    cluster: scope.cluster.name,
    readAt: now.toISOString(),
    blind: undefined,
    ...(ignored.length === 0 ? {} : { ignoredAnnotations: ignored }),
    ...guardViews(pass),
    pools: performed.map(({ plan, pool }) => ({
      ...viewOf(pool, {
        settings: scope.cluster,
        gates: plan.gates,
        gatesAhead: holdsOf(pool).length > 0 ? gatesAhead(pool, pass.snapshot, now) : [],
        races: raced.races,
      }),
      ...seenOfNodes(pool, watched, now),
      ...changeView(pool, {
        change: watched.pending[pool.name],
        waitsSince: watched.firstSeen[`${pool.name}|pending`],
        unpaused,
        pace: watched.paces?.[pool.name],
      }),
    })),
  });
}

function guardViews({ guards: { waiting, failures } }: WatchedPass): Pick<ClusterView, 'guards'> {
  const guards = [
    ...waiting.map(({ application, why, how }) => ({ about: application, why, ...(how === undefined ? {} : { how }) })),
    ...failures.map(({ project, why }) => ({ about: project === '' ? 'AppProjects' : `AppProject ${project}`, why })),
  ].slice(0, guardsShown);
  return guards.length === 0 ? {} : { guards };
}

/** Guards in one view. */
const guardsShown = 20;

function seenOfNodes(
  pool: Pool,
  { followed, pauses, nodes }: Watched,
  now: Date,
): Pick<PoolView, 'nodes' | 'joined' | 'minutesLeft'> {
  const joined = pauses[pool.name]?.joined ?? [];
  const seen = joined.length === 0 ? {} : { joined };
  if (followed === undefined) return seen;
  const { rollouts } = followed;
  const minutesPerNode = minutesPerNodeOf(rollouts.paces[pool.name] ?? noPace);
  const rolls = !pool.paused && !isDegraded(pool);
  const left = minutesPerNode !== undefined && rolls ? minutesLeft(pool, minutesPerNode) : undefined;
  return {
    ...seen,
    nodes: nodeViews(pool, nodes.get(pool.name) ?? [], { rollouts, readAt: now.toISOString() }),
    ...(left === undefined ? {} : { minutesLeft: left }),
  };
}

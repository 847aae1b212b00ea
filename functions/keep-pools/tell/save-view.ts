import { guardViewsOf, moreGuards } from '../../core/gates/guard-waits.ts';
import { minutesLeft } from '../../core/impact/estimate.ts';
import { guardWaitsSince } from '../../core/judge/guard-clocks.ts';
import { isPoolKind } from '../../core/judge/unreadable-objects.ts';
import { nodeViews } from '../../core/node-rollouts/node-view.ts';
import { minutesPerNodeOf, noPace } from '../../core/node-rollouts/pace.ts';
import { isDegraded, type Pool } from '../../core/openshift/pool.ts';
import { lostRaces } from '../../core/races/choose-races.ts';
import type { Race } from '../../core/races/race.ts';
import { given } from '../../core/text/given.ts';
import { byTurns } from '../../core/text/rounds.ts';
import { changeView } from '../../core/timeline/change-view.ts';
import type { ClusterView, PoolView } from '../../core/timeline/view.ts';
import { viewOf } from '../../core/timeline/view-of.ts';
import { closedGatesOf } from '../node-turns/kept-runs.ts';
import type { WatchedPass } from '../pass-state.ts';
import type { Watched } from '../watch/watched.ts';
import { ignoredNow } from './publish-and-checkpoint.ts';

/** Saves what the status page shows of the cluster after this pass. */
export async function saveView(pass: WatchedPass): Promise<void> {
  const { scope, ports, performed, raced, watched, unpaused, runs, now } = pass;
  const ignored = ignoredNow(pass.observation);
  await ports.views.save({
    cluster: scope.cluster.name,
    readAt: now.toISOString(),
    blind: undefined,
    ...(ignored.length === 0 ? {} : { ignoredAnnotations: ignored }),
    ...given({ operatorParts: watched.operatorParts }),
    ...unreadableNow(pass),
    ...guardViews(pass),
    pools: performed.map(({ plan, pool }) => ({
      ...viewOf(pool, {
        settings: scope.cluster,
        gates: closedGatesOf({ plan, pool }, runs),
        gatesAhead: watched.gatesAhead.get(pool.name),
        races: raced.races,
        now,
      }),
      ...lostOf(pool, raced.races, now),
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

/** What nobody names is taken for gone. */
function unreadableNow({ observation: { snapshot }, watched }: WatchedPass): Pick<ClusterView, 'unreadablePools'> {
  const { unreadablePools = [], published } = snapshot;
  if (unreadablePools.length === 0) return {};
  const known = new Map(watched.unreadable.filter(isPoolKind).map(({ name, since }) => [name, since]));
  const records = new Map(Object.entries(published));
  return {
    unreadablePools: unreadablePools.map((name) => ({
      name,
      ...given({ since: known.get(name) }),
      ...(records.get(name)?.pause === 'ours' ? { wasOurs: true } : {}),
    })),
  };
}

function lostOf({ name }: Pool, races: readonly Race[], now: Date): Pick<PoolView, 'lostRaces'> {
  const lost = lostRaces(
    races.filter(({ pool }) => pool === name),
    now,
  );
  return lost.length === 0 ? {} : { lostRaces: lost };
}

/** What cannot be kept first, and of each owner one after the other: whoever can make up Applications can make up
 *  any number that wait. */
function guardViews({ guards: { waiting, failures }, watched }: WatchedPass): Pick<ClusterView, 'guards'> {
  const projects = new Map(waiting.map(({ application, project }) => [application, project]));
  const all = [
    ...failures.map(({ project, why }) => ({ about: project === '' ? 'AppProjects' : `AppProject ${project}`, why })),
    ...byTurns(
      guardViewsOf(waiting, (application) => guardWaitsSince(watched.firstSeen, application)),
      ({ about }) => `${about.split('/')[0]}/${projects.get(about) ?? ''}`,
    ),
  ];
  if (all.length === 0) return {};
  const more = all.length - guardsShown;
  return { guards: more > 0 ? [...all.slice(0, guardsShown), moreGuards(more)] : all };
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
    ...given({ minutesLeft: left }),
  };
}

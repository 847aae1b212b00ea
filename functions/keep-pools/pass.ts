import { makeTick } from '../../events/index.ts';
import { type Application, isSameApplication, type ObservedApplication, refOf } from '../core/argocd/application.ts';
import { waitsForDrains, waitsForLook } from '../core/gates/index.ts';
import { decide, decidePool, type PoolPlan } from '../core/holds/decide.ts';
import type { Snapshot } from '../core/holds/snapshot.ts';
import { minutesLeft } from '../core/impact/estimate.ts';
import { nodeViews } from '../core/node-rollouts/node-view.ts';
import { minutesPerNodeOf, noPace } from '../core/node-rollouts/pace.ts';
import { settingsOf } from '../core/openshift/managed-pools.ts';
import { isDegraded, type Pool } from '../core/openshift/pool.ts';
import { emptyRecord, holdsOf, sameRecord } from '../core/openshift/pool-record.ts';
import type { Race } from '../core/races/race.ts';
import { Transient } from '../core/text/errors.ts';
import { isPast, plusSeconds } from '../core/text/instant.ts';
import { changeView } from '../core/timeline/change-view.ts';
import type { PoolView } from '../core/timeline/view.ts';
import { viewOf } from '../core/timeline/view-of.ts';
import type { Pools } from '../ports/cluster.ts';
import type { Checkpoint } from '../ports/tables.ts';
import { keepHealthChecks } from './act/keep-health-checks.ts';
import { type Performed, perform } from './act/perform.ts';
import { retrySyncs } from './act/retry-sync.ts';
import type { ClusterPorts, KeepPorts } from './keep-ports.ts';
import { type Observation, observe, observeAgain } from './observe/observe.ts';
import { forecastDrains } from './resume/forecast-drains.ts';
import { readControllers } from './resume/read-controllers.ts';
import { isClockTick, type Scope } from './route/scope.ts';
import { keepRoutesOf } from './route/stored-routes.ts';
import { saveCheckpoint } from './tell/checkpoint.ts';
import { measurePass, note } from './tell/measure.ts';
import { type RaceOutcome, runRaces } from './tell/run-races.ts';
import { unpausedAfter } from './tell/unpaused-after.ts';
import { blind } from './watch/blind.ts';
import { type Watched, watch } from './watch/watch.ts';

/** Seconds after which a pause that waits for its confirmation is looked at again; the MCO needs 0 - 5 s when idle. */
const confirmEverySeconds = 2;
/** For so long after a release the gates are looked at between ticks; later the ticks suffice. */
const followReleaseSeconds = 120;

/** What a pass did, for whoever waits for it. */
export interface PassReport {
  readonly snapshot: Snapshot;
  readonly performed: readonly Performed[];
  readonly races: readonly Race[];
}

/** One pass over one cluster: observe, decide, perform, then follow what came of it and tell.
 *  Undefined when the cluster could not be seen and the next tick will do.
 *  Throws Transient when something could not be done that must not wait for it. */
export async function pass(scope: Scope, ports: KeepPorts): Promise<PassReport | undefined> {
  const seen = await observeOrBlind(scope, ports);
  if (seen === undefined) return undefined;
  const { observation, cluster } = seen;

  const { written, snapshot } = await decideAndWrite(observation.snapshot, cluster, ports);
  // The pools are as they should be; what was told of them is not known, so that telling waits for the queue to bring
  // this again.
  if (observation.checkpointUnread !== undefined) throw observation.checkpointUnread;

  const performed = await Promise.all(written.map((each) => seenAnew(each, observation.checkpoint, cluster.pools)));
  const pools = performed.map(({ pool }) => pool);
  const now = ports.clock();
  const raced = await runRaces(
    { ...observation, races: await observation.races(), snapshot, performed, told: observation.checkpoint.told, now },
    cluster.pools,
  );
  const restarted = await retrySyncs({ snapshot, performed, now }, ports);
  await followUp({ scope, performed, raced, now }, ports);
  const troubles = await watch(
    { snapshot, performed, races: raced.races, memory: observation.checkpoint, swept: observation.swept, now },
    cluster,
    ports,
  );
  const healthChecksPaused = await keepHealthChecks(
    {
      snapshot,
      pools,
      nodes: troubles.nodes,
      unread: troubles.unread,
      paused: observation.checkpoint.healthChecksPaused,
      isSweep: observation.swept,
      now,
    },
    cluster,
    ports,
  );
  const spared = unpausedAfter(observation, performed, now);
  const events = await saveCheckpoint(
    { scope, observation, performed, raced, restarted, troubles, healthChecksPaused, spared, now },
    ports,
  );
  note(measurePass({ events, pools, isClockTick: isClockTick(scope), now }), ports.metrics);
  await ports.views.save({
    cluster: scope.cluster.name,
    readAt: now.toISOString(),
    blind: undefined,
    pools: performed.map(({ plan, pool }) => ({
      ...viewOf(pool, { settings: scope.cluster, gates: plan.gates, races: raced.races }),
      ...seenOfNodes(pool, troubles, now),
      ...changeView(pool, {
        change: troubles.pending[pool.name],
        waitsSince: troubles.firstSeen[`${pool.name}|pending`],
        spared,
      }),
    })),
  });
  await keepRoutesOf(scope, observation, ports);
  const failure = performed.find((each) => each.failure !== undefined)?.failure;
  if (failure !== undefined) throw failure;
  return { snapshot, performed, races: raced.races };
}

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

async function observeOrBlind(
  scope: Scope,
  ports: KeepPorts,
): Promise<{ readonly observation: Observation; readonly cluster: ClusterPorts } | undefined> {
  try {
    const [observation, cluster] = await Promise.all([observe(scope, ports), ports.cluster(scope.cluster.name)]);
    return { observation, cluster };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    await blind(scope, cause.message, ports);
    if (scope.mustSee) throw cause;
    return undefined;
  }
}

/** What pauses or holds a pool is written at once: it does not wait for the looks that others need before they
 *  resume. */
async function decideAndWrite(
  snapshot: Snapshot,
  cluster: ClusterPorts,
  ports: KeepPorts,
): Promise<{ readonly written: readonly Performed[]; readonly snapshot: Snapshot }> {
  const { pools } = cluster;
  const { clock, logger } = ports;
  const writeAll = (plans: readonly PoolPlan[], known: Snapshot) =>
    Promise.all(
      plans.map((plan) =>
        perform(plan, { pools, observeAgain: (pool) => observeAgain(known, pool, ports), clock, logger }),
      ),
    );
  const now = clock();
  const plans = decide(snapshot, now);
  const begun = writeAll(
    plans.filter((plan) => !mayResume(plan)),
    snapshot,
  );
  const looking = lookBefore({ plans: plans.filter(mayResume), snapshot }, { cluster, now, ports });
  // Whatever the looks come to, what was begun is ended first.
  looking.catch(() => undefined);
  const first = await begun;
  const looked = await looking;
  const written = [...first, ...(await writeAll(looked.plans, looked.snapshot))];
  const inOrder = snapshot.pools.flatMap(({ name }) => written.filter(({ plan }) => plan.pool.name === name));
  return { written: inOrder, snapshot: looked.snapshot };
}

function mayResume({ action, gates }: PoolPlan): boolean {
  return action.kind === 'resume' || gates.length > 0;
}

interface Judged {
  readonly plans: readonly PoolPlan[];
  readonly snapshot: Snapshot;
}

interface Looking {
  readonly cluster: ClusterPorts;
  readonly now: Date;
  readonly ports: KeepPorts;
}

/** Where only the dear looks keep a pool from resuming, makes them and decides again after each. */
async function lookBefore(judged: Judged, looking: Looking): Promise<Judged> {
  const ahead = await lookAhead(judged, looking);
  return lookAhead(await lookAtControllers(ahead, looking), looking);
}

async function lookAtControllers({ plans, snapshot }: Judged, { now, ports }: Looking): Promise<Judged> {
  const candidates = plans.filter((plan) => waitsForLook(plan.gates, snapshot)).map((plan) => plan.pool);
  if (candidates.length === 0) return { plans, snapshot };
  const { controllers, syncing } = await readControllers(snapshot, candidates, ports);
  const looked = { ...snapshot, applications: withSyncing(snapshot.applications, syncing), controllers };
  return { plans: decidedAgain(plans, candidates, looked, now), snapshot: looked };
}

/** Only of pools that would resume in this very pass. */
async function lookAhead({ plans, snapshot }: Judged, looking: Looking): Promise<Judged> {
  const candidates = plans
    .filter((plan) => {
      const { pool, gates } = plan;
      const settings = settingsOf(snapshot.settings, pool.name);
      return mayResume(plan) && waitsForDrains(gates, { ...snapshot, pool, settings });
    })
    .map(({ pool }) => pool);
  if (candidates.length === 0) return { plans, snapshot };
  const seen = await forecastDrains(snapshot, candidates, looking);
  const looked = { ...snapshot, drains: new Map([...(snapshot.drains ?? []), ...seen]) };
  return { plans: decidedAgain(plans, candidates, looked, looking.now), snapshot: looked };
}

function decidedAgain(
  plans: readonly PoolPlan[],
  candidates: readonly Pool[],
  looked: Snapshot,
  now: Date,
): readonly PoolPlan[] {
  const isCandidate = (pool: Pool) => candidates.some((each) => each.name === pool.name);
  return plans.map((plan) => (isCandidate(plan.pool) ? decidePool(plan.pool, looked, now) : plan));
}

/** What was found syncing last counts: it was read after everything else. */
function withSyncing(
  known: readonly ObservedApplication[],
  syncing: readonly Application[],
): readonly ObservedApplication[] {
  const found = syncing.map((application): ObservedApplication => ({ kind: 'seen', application }));
  const others = known.filter((observed) => !syncing.some((each) => isSameApplication(each, refOf(observed))));
  return [...others, ...found];
}

/** Pools and memory are read side by side: another pass may have written both in between, and then the pool read
 *  first is older than what was told of it. News of a pool that this pass did not write is told only of the pool as
 *  it is now. */
async function seenAnew(performed: Performed, { told }: Checkpoint, pools: Pools): Promise<Performed> {
  const { plan, pool } = performed;
  const record = pool.record.kind === 'record' ? pool.record.record : emptyRecord;
  if (plan.action.kind !== 'none' || sameRecord(record, told[pool.name] ?? emptyRecord)) return performed;
  const fresh = await pools.readPool(pool.name);
  return fresh === undefined || fresh.resourceVersion === pool.resourceVersion
    ? performed
    : { ...performed, plan: { ...plan, pool: fresh }, pool: fresh };
}

/** Looks again in a moment where a tick in a minute would be late: an unconfirmed pause, a gate that opens by
 *  itself. Only whoever paused or let go begins such a chain, so that a burst of hints does not make as many. */
async function followUp(
  {
    scope,
    performed,
    raced,
    now,
  }: {
    readonly scope: Scope;
    readonly performed: readonly Performed[];
    readonly raced: RaceOutcome;
    readonly now: Date;
  },
  { work, clock }: KeepPorts,
): Promise<void> {
  const delay = recheckDelay({ scope, performed, raced, now });
  if (delay === undefined) return;
  await work.send(makeTick({ cluster: scope.cluster.name, why: 'recheck' }, clock()), delay);
}

function recheckDelay({
  scope,
  performed,
  raced,
  now,
}: {
  readonly scope: Scope;
  readonly performed: readonly Performed[];
  readonly raced: RaceOutcome;
  readonly now: Date;
}): number | undefined {
  const { policy } = scope.cluster;
  const paused = performed.some(({ plan }) => plan.action.kind === 'pause');
  const isFresh = ({ pool }: Performed) => {
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
function hasLetGo({ plan, pool }: Performed): boolean {
  return holdsOf(plan.pool).length > 0 && holdsOf(pool).length === 0;
}

function isRecentlyReleased(pool: Pool, now: Date): boolean {
  const release = pool.record.kind === 'record' ? pool.record.record.release : undefined;
  return release !== undefined && !isPast(plusSeconds(new Date(release.since), followReleaseSeconds), now);
}

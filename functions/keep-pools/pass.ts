import { withOwnRecord } from '../core/holds/overwritten.ts';
import type { Snapshot } from '../core/holds/snapshot.ts';
import { asLastPublished } from '../core/holds/with-published.ts';
import { emptyRecord, isLost, recordIn, sameRecord } from '../core/openshift/pool-record.ts';
import type { Race } from '../core/races/race.ts';
import { Transient } from '../core/text/errors.ts';
import { decideAndWrite } from './act/decide-and-write.ts';
import { keepGuards } from './act/keep-guards.ts';
import { keepHealthChecks } from './act/keep-health-checks.ts';
import { retrySyncs } from './act/retry-syncs.ts';
import type { PerformedPool } from './act/write-pool.ts';
import type { KeepPorts } from './keep-ports.ts';
import { keepRunsOf } from './node-turns/keep-runs.ts';
import { observe } from './observe/observe.ts';
import { firstFailure, ownPart } from './own-part.ts';
import type { FollowedPass, ObservedPass, WatchedPass, WrittenPass } from './pass-state.ts';
import { isClockTick, type Scope } from './route/scope.ts';
import { keepRoutesOf } from './route/stored-routes.ts';
import { keepSequencesOf } from './sequences/keep-sequences.ts';
import { keepPlaces } from './tell/keep-places.ts';
import { measurePass, writeMetrics } from './tell/measure.ts';
import { publishAndCheckpoint } from './tell/publish-and-checkpoint.ts';
import { refreshCalendars } from './tell/refresh-calendars.ts';
import { racesUnread, runRaces } from './tell/run-races.ts';
import { saveView } from './tell/save-view.ts';
import { scheduleRecheck } from './tell/schedule-recheck.ts';
import { unpausedAfter } from './tell/unpaused-after.ts';
import { blind } from './watch/blind.ts';
import { closeRemoved } from './watch/close-removed.ts';
import { watch } from './watch/watch.ts';

/** What a pass did, for its caller. */
export interface PassReport {
  readonly snapshot: Snapshot;
  readonly performed: readonly PerformedPool[];
  readonly races: readonly Race[];
  /** Why a pool could not be written, or another part of the pass not be done; the others were. It must not wait for
   *  the next tick. */
  readonly failure: Transient | undefined;
}

/** One pass over one cluster: observe, decide and write, follow the effects, watch for trouble, publish.
 *  Undefined when the cluster could not be read and the next tick is soon enough.
 *  Throws Transient when something failed that must not wait for the next tick. */
export async function pass(scope: Scope, ports: KeepPorts): Promise<PassReport | undefined> {
  const observed = await observeOrBlind(scope, ports);
  if (observed === undefined) return undefined;

  const written = await decideAndWrite(observed);
  // The pools are written. What was already published about them is unknown, so nothing is published until the queue
  // redelivers this event.
  if (observed.observation.checkpointUnread !== undefined) throw observed.observation.checkpointUnread;

  const followed = await follow(written);
  const about = { cluster: scope.cluster.name };
  const recheck = await ownPart('scheduling a recheck', about, () => scheduleRecheck(followed), ports);
  const watched = await watchAll(followed);
  const told = await tell(watched);
  await refreshCalendars(watched);
  await closeRemoved(watched);

  const { snapshot, performed, raced } = watched;
  const undated = performed.map((each) => ({ failure: each.undated }));
  const failure = firstFailure([...performed, ...undated, raced, recheck, watched.watched, ...told]);
  return { snapshot, performed, races: raced.races, failure };
}

async function observeOrBlind(scope: Scope, ports: KeepPorts): Promise<ObservedPass | undefined> {
  try {
    const [observation, cluster] = await Promise.all([observe(scope, ports), ports.cluster(scope.cluster.name)]);
    return { scope, ports, observation, cluster };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    await blind(scope, cause.message, ports);
    if (scope.mustSee) throw cause;
    return undefined;
  }
}

/** Judges the races of the pauses, retries syncs that were refused and whose pools are now paused, opens and closes
 *  guards, and takes sequences further, which may have to ask many clusters. */
async function follow(written: WrittenPass): Promise<FollowedPass> {
  const { observation, cluster, ports } = written;
  const performed = await Promise.all(written.performed.map((each) => asItIsNow(each, written)));
  const now = ports.clock();
  const about = { cluster: written.scope.cluster.name };
  const { value: races, failure } = await ownPart('reading the races', about, observation.races, ports);
  const { snapshot } = written;
  const raced =
    failure === undefined
      ? await runRaces({ ...observation, races, snapshot, performed, now }, cluster.pools)
      : racesUnread(failure);
  const retried = await retrySyncs({ ...written, performed }, now);
  const guards = await keepGuards({ ...written, performed });
  const sequences = await keepSequencesOf(written);
  const runs = await keepRunsOf({ ...written, performed });
  return { ...written, performed, now, raced, retried, sequences, runs, guards };
}

/** Pools and checkpoint are read in parallel: another pass may have written both in between, and then the pool read
 *  first is older than what was published about it. So a pool that this pass did not write is read again before a
 *  change of it is published. */
async function asItIsNow(
  performed: PerformedPool,
  { observation, cluster, ports }: WrittenPass,
): Promise<PerformedPool> {
  const { plan, pool, failure } = performed;
  if (failure !== undefined && isLost(pool.record))
    return { ...performed, pool: asLastPublished(pool, observation.snapshot, ports.clock()), undated: failure };
  const record = recordIn(pool);
  const published = observation.checkpoint.told[pool.name] ?? emptyRecord;
  if (plan.action.kind !== 'none' || sameRecord(record, published)) return performed;
  const read = () => cluster.pools.readPool(pool.name);
  const { value, failure: undated } = await ownPart('reading a pool again', { pool: pool.name }, read, ports);
  if (undated !== undefined) return { ...performed, undated };
  if (value === undefined || value.resourceVersion === pool.resourceVersion) return performed;
  const fresh = withOwnRecord(value, observation.snapshot);
  return { ...performed, plan: { ...plan, pool: fresh }, pool: fresh };
}

/** Turns problems into incidents, and keeps MachineHealthChecks from replacing machines whose nodes reboot as
 *  planned. */
async function watchAll(followed: FollowedPass): Promise<WatchedPass> {
  const watched = await watch(followed);
  const kept = await keepHealthChecks(followed, watched);
  const unpaused = unpausedAfter(followed.observation, followed.performed, followed.now);
  const places = await keepPlaces(followed);
  return { ...followed, ...kept, watched, unpaused, places };
}

/** Events, checkpoint, metrics, the status view, and the routing table for the next push. */
async function tell(watched: WatchedPass): Promise<readonly { readonly failure?: Transient | undefined }[]> {
  const { scope, ports, performed, observation, now } = watched;
  const about = { cluster: scope.cluster.name };
  const checkpoint = await ownPart('publishing', about, () => publishAndCheckpoint(watched), ports);
  const { events = [], failure: unpublished } = checkpoint.value ?? {};
  const pools = performed.map(({ pool }) => pool);
  writeMetrics(measurePass({ events, pools, isClockTick: isClockTick(scope), now }), ports.metrics);
  // It fails no pass: the next one stores the view anew, and until then every surface says how old it is.
  await ownPart('storing what the page shows', about, () => saveView(watched), ports);
  await keepRoutesOf(scope, observation, ports);
  return [{ failure: unpublished }, checkpoint];
}

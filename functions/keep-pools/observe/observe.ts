import { type ApplicationRef, isSyncing, type ObservedApplication, refOf } from '../../core/argocd/application.ts';
import { protectionOf } from '../../core/configuration/protection.ts';
import { type UnreadableItem, withoutKind } from '../../core/findings/listed.ts';
import type { AwaitedTurns } from '../../core/guard/awaited-turn.ts';
import { idsOfCluster, idsStored } from '../../core/guard/guarded-cluster.ts';
import { affectedInSnapshot } from '../../core/holds/affected-in-snapshot.ts';
import { pushesIn } from '../../core/holds/argocds-of-push.ts';
import { pushesBehindGuards } from '../../core/holds/behind-guard.ts';
import {
  configsGatedSince,
  gatesClosedSince,
  gatesReadSince,
  withoutStaleReads,
} from '../../core/holds/gate-clocks.ts';
import { machineConfigsOfMissed } from '../../core/holds/missed-sync.ts';
import { withOwnRecord } from '../../core/holds/overwritten.ts';
import type { PushNews } from '../../core/holds/push-news.ts';
import { noForecast } from '../../core/holds/skip-harmless.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { isGuardTriedAgain } from '../../core/judge/guard-clocks.ts';
import type { UnreadableSighting } from '../../core/judge/unreadable-objects.ts';
import { marksOf } from '../../core/node-rollouts/pool-mark.ts';
import { nodesLetGo } from '../../core/node-turns/nodes-let-go.ts';
import { applicationOfHold, type Hold, syncHoldId } from '../../core/openshift/hold.ts';
import { settingsOf } from '../../core/openshift/managed-pools.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { UnreadMachineConfigs } from '../../core/openshift/pool-chooser.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import { racesToRead } from '../../core/races/choose-races.ts';
import { type Race, type RaceKey, raceKeyText } from '../../core/races/race.ts';
import { applicationSteps } from '../../core/sequences/application-steps.ts';
import { poolSteps } from '../../core/sequences/pool-steps.ts';
import { Transient } from '../../core/text/errors.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { unique } from '../../core/text/unique.ts';
import type { MachineConfigHead } from '../../ports/cluster.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import { lazy } from '../../shell/lazy.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { canariesOf, type ObservedRuns, observeRuns, recordsSeen } from '../node-turns/observe-runs.ts';
import { onCluster, readApplications, readBriefly, type Swept, sweep, withHeirs } from '../read/read-applications.ts';
import { readChoosers } from '../read/read-choosers.ts';
import { readDisruption } from '../read/read-disruption.ts';
import { type GuardsSeen, isElsewhere, type KnownCluster, noGuards, readGuards } from '../read/read-guards.ts';
import { awaitedMachineConfigs, readHeads, readMachineConfigs } from '../read/read-machine-configs.ts';
import { type PushOnCluster, readPush } from '../route/read-push.ts';
import type { Scope } from '../route/scope.ts';
import type { ListedRoutes } from '../route/stored-routes.ts';
import { readApplicationTurns } from '../sequences/read-application-turns.ts';
import { pushesAsGiven } from './pushes-as-given.ts';
import { withoutLaterTimes } from './without-later-times.ts';

/** What a pass knows before it decides. */
export interface Observation {
  /** When reading began, ISO instant. */
  readonly lookedAt: string;
  readonly snapshot: Snapshot;
  readonly checkpoint: Checkpoint;
  /** Why the checkpoint could not be read; then nothing may be published from it, and the queue must redeliver the
   *  event. */
  readonly checkpointUnread: Transient | undefined;
  /** Read on first use: no pause waits for them. Every one that is stored of what holds a pool: one that was not read
   *  would begin anew, and be told and stored again, in each pass. */
  readonly races: () => Promise<readonly Race[]>;
  readonly machineConfigs: readonly MachineConfigHead[];
  /** All Applications were listed in this pass. */
  readonly swept: boolean;
  /** Why they could not be listed, if they should have been. */
  readonly sweepFailure?: string | undefined;
  /** What was listed; the routing tables are stored from it. */
  readonly listed: readonly ListedRoutes[];
  /** Objects that could not be parsed. */
  readonly unreadable: UnreadableSighting;
  /** What tells its guards from those of others. */
  readonly knownAs: KnownCluster;
  /** Applications with a guard of this cluster that are gone, or deploy to another one now. */
  readonly guardedElsewhere: readonly ObservedApplication[];
  /** Why the turn of an Application in its sequence has not come, by the id of its sync hold. Read on first use. */
  readonly notTheirTurn: () => Promise<AwaitedTurns>;
  /** Undefined: the cluster has no run. */
  readonly runs: ObservedRuns | undefined;
  /** Applications that the push leaves alone, and why. */
  readonly leftAlone: PushNews['notes'];
}

/** Reads what the decision needs and no more: one list of pools, and one GET for each Application that holds something.
 *  Throws Transient when the pools cannot be read. */
export async function observe(scope: Scope, ports: KeepPorts): Promise<Observation> {
  const { cluster } = scope;
  const lookedAt = ports.clock().toISOString();
  const { readChangeWithinSeconds: readWithin } = cluster.policy;
  const [{ checkpoint, checkpointUnread }, { items: poolsRead, unreadable: invalidPools }, push] = await Promise.all([
    loadCheckpoint(scope, ports),
    scope.early?.pools ?? ports.cluster(cluster.name).then((each) => each.pools.listPools()),
    readPush(scope, ports),
  ]);
  const publication = { published: checkpoint.told, isPublishedUnread: checkpointUnread !== undefined };
  const pools = poolsRead.map((pool) => withOwnRecord(pool, publication));
  const unreadablePools = invalidPools.length === 0 ? undefined : invalidPools.map(({ name }) => name);
  const needed = racesNeeded(pools, checkpoint);
  const neededFirst = racesToRead(needed);
  const firstRaces = lazy(() => ports.races.load(cluster.name, neededFirst));
  const areAll = neededFirst.length === needed.length;
  const races = areAll ? firstRaces : lazy(() => ports.races.load(cluster.name, needed));
  const held = heldIds(pools, checkpoint);
  const knownAs = knownCluster(cluster.name, { pools, unreadablePools }, { checkpoint, checkpointUnread });
  // Ticks alone: no push waits for it.
  const guards = scope.maySweep ? await readGuards({ settings: cluster, known: knownAs, checkpoint }, ports) : noGuards;
  const notTheirTurn = lazy(() => readApplicationTurns(ports));
  const maySweep = scope.maySweep && isSweepDue(checkpoint, scope, ports);
  const { known, listed, swept, sweepFailure, unreadable, complete }: Swept = maySweep
    ? await sweep(scope, ports)
    : { known: listedBefore(scope, held), listed: [], swept: false, unreadable: [], complete: [] };
  const wanted = [
    ...scope.toRead,
    ...push.newlyRendering,
    ...guards.refs,
    ...[...held, ...push.expected.map(({ id }) => id)].flatMap((id) => applicationOfHold(id) ?? []),
  ];
  const [read, parents, runs] = await Promise.all([
    readApplications(wanted, known, ports),
    readParents({ pools, push, scope, read: wanted }, ports),
    observeRuns({ cluster: cluster.name, pools, unreadablePools, swept: maySweep }, ports),
  ]);
  const guarded = new Set(guards.guards.map(({ hold }) => hold));
  const elsewhere = read.filter((observed) => isElsewhere(observed, { cluster: cluster.name, guarded }, ports));
  const others = read
    .filter((observed) => !elsewhere.includes(observed) || held.includes(syncHoldId(refOf(observed))))
    .map((observed) => onCluster(observed, cluster.name, ports));
  const applications = [...known, ...withHeirs(others, known)];
  const { expected, pushed, changes } = withoutExisting(push, applications);
  const asGiven = await pushesAsGiven(scope, checkpoint, pushesIn({ pushes: pushed, expected }), ports);
  const pushes = new Map([
    ...pushesBehindGuards({ guards: await inTurn(guards, notTheirTurn), applications, pools }, ports.clock()),
    ...[...pushed].map(([hold, each]) => [hold, asGiven(each, hold)] as const),
  ]);
  const sequenceSteps = poolSteps(ports.configuration.sequences, cluster.name);
  const readSoFar = { scope, pushes, pools, held, applications, sequenceSteps, races: firstRaces };
  const [machineConfigs, choosers] = await Promise.all([
    readMachineConfigs(readSoFar, ports),
    readChoosers(readSoFar, ports),
  ]);
  const observed: Snapshot = {
    settings: cluster,
    pools,
    unreadablePools,
    applications,
    pushes,
    pusher: scope.push?.pusher,
    changes,
    expected: expected.map((each) => ({ ...each, push: asGiven(each.push, each.id) })),
    parents,
    freeze: scope.freeze,
    machineConfigs: machineConfigs.heads,
    unreadMachineConfigs: unlessNone(machineConfigs.unread),
    choosers,
    disruption: noForecast,
    ...publication,
    marks: marksOf(checkpoint),
    guardIds: idsStored(checkpoint),
    sequenceSteps,
    applicationSteps: applicationSteps(ports.configuration),
    rollouts: runs?.rollouts,
    canaries: canariesOf(runs),
    nodesLetGo: runs && nodesLetGo(recordsSeen(runs), pools),
    evidence: new Map(),
    gatesClosedSince: gatesClosedSince(checkpoint.firstSeen),
    gatesReadSince: gatesReadSince(checkpoint.firstSeen),
    configsGatedSince: configsGatedSince(checkpoint.firstSeen),
  };
  const timeIsUp = async () => ports.sleep(1000 * Math.max(0, readWithin - secondsSince(lookedAt, ports.clock())));
  const disruption = await readDisruption({ snapshot: observed, unpaused: checkpoint.spared ?? [], timeIsUp }, ports);
  const snapshot: Snapshot = { ...observed, disruption };
  return {
    lookedAt,
    snapshot,
    checkpoint,
    checkpointUnread,
    races,
    machineConfigs: machineConfigs.heads,
    swept,
    sweepFailure,
    listed,
    unreadable: {
      // Of MachineConfigs, what a pass needs follows from what it found: what it does not ask for hides nothing.
      complete: new Set(['MachineConfigPool', 'MachineConfig', ...complete]),
      items: [
        ...invalidPools,
        ...machineConfigs.unreadable,
        ...unreadable,
        ...(maySweep ? read : applications).flatMap(invalidIn),
      ],
    },
    knownAs,
    guardedElsewhere: elsewhere,
    notTheirTurn,
    runs,
    leftAlone: push.notes,
  };
}

/** Where the checkpoint could not be read, the id is taken for the one that is stored there. */
function knownCluster(
  cluster: string,
  read: Pick<Snapshot, 'pools' | 'unreadablePools'>,
  { checkpoint, checkpointUnread }: Pick<Observation, 'checkpoint' | 'checkpointUnread'>,
): KnownCluster {
  const ids = idsOfCluster(read, checkpoint);
  const isNew = ids[0] === undefined || ids[0] !== checkpoint.clusterId;
  return { cluster, ids, inherits: checkpointUnread === undefined && isNew };
}

/** No pool is paused for a sync that its sequence still holds back. */
async function inTurn(
  { guards }: GuardsSeen,
  notTheirTurn: Observation['notTheirTurn'],
): Promise<GuardsSeen['guards']> {
  if (guards.length === 0) return guards;
  const waiting = await notTheirTurn();
  return guards.filter(({ hold }) => !waiting.has(hold));
}

/** An Application that was read on its own and cannot be parsed. */
function invalidIn(observed: ObservedApplication): readonly UnreadableItem[] {
  if (observed.kind !== 'unreadable' || observed.isInvalid !== true) return [];
  const { ref, why } = observed;
  return [{ kind: 'Application', ...ref, why: withoutKind('Application', why) }];
}

/** An expected Application may already exist, moved or created by hand: it is pushed to like any other. */
function withoutExisting(
  { pushes, changes, expected }: PushOnCluster,
  applications: readonly ObservedApplication[],
): Pick<PushOnCluster, 'changes' | 'expected'> & { readonly pushed: Snapshot['pushes'] } {
  const seen = new Set(
    applications.flatMap((observed) => (observed.kind === 'seen' ? [syncHoldId(observed.application)] : [])),
  );
  const old = expected.filter(({ id }) => seen.has(id));
  return {
    expected: expected.filter(({ id }) => !seen.has(id)),
    pushed: new Map([...old.map(({ id, push }) => [id, push] as const), ...pushes]),
    changes: new Map([...old.map(({ id, change }) => [id, change] as const), ...changes]),
  };
}

/** The parents of Applications: those whose own sync has to write an Application's spec first (`via` of a hold). But
 *  for ticks, which nothing waits for, no pass waits long for an Argo CD that it reads nothing else of.
 *  @param read what the pass reads anyway */
async function readParents(
  {
    pools,
    push,
    scope,
    read,
  }: {
    readonly pools: readonly Pool[];
    readonly push: PushOnCluster;
    readonly scope: Scope;
    readonly read: readonly ApplicationRef[];
  },
  ports: KeepPorts,
): Promise<readonly ObservedApplication[]> {
  const pushes = [...push.pushes.values(), ...push.expected.map((each) => each.push)];
  const vias = [...pools.flatMap(holdsOf), ...pushes].flatMap(({ via }) => via ?? []);
  const refs = vias.filter(({ until, marked }) => until === undefined || marked === true);
  if (refs.length === 0) return [];
  const known = scope.push?.observations ?? [];
  const awaited = new Set(read.map(({ argocd }) => argocd));
  const parents = [...Map.groupBy(refs, ({ argocd }) => argocd)].map(([argocd, all]) =>
    scope.maySweep || awaited.has(argocd) ? readApplications(all, known, ports) : readBriefly(all, known, ports),
  );
  return [...known, ...(await Promise.all(parents)).flat()];
}

/** Loads the checkpoint of the cluster. Holds are recorded on the pools: without its table Poolkeeper does not know
 *  what it published, but still knows what it must pause. */
async function loadCheckpoint(
  { cluster, early }: Scope,
  { checkpoints, logger, clock }: KeepPorts,
): Promise<Pick<Observation, 'checkpoint' | 'checkpointUnread'>> {
  try {
    const stored = await (early?.checkpoint ?? checkpoints.load(cluster.name));
    const now = clock();
    const checkpoint = withoutLaterTimes(stored ?? emptyCheckpoint(cluster.name), now);
    const firstSeen = withoutStaleReads(checkpoint.firstSeen, now);
    return { checkpoint: { ...checkpoint, firstSeen }, checkpointUnread: undefined };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('the checkpoint of the cluster could not be read', { cluster: cluster.name, why: cause.message });
    return { checkpoint: emptyCheckpoint(cluster.name), checkpointUnread: cause };
  }
}

/** Applications read while routing a push may be older than the pools, so a write by another pass since then causes no
 *  conflict. Those that hold a pool are left out here and read again, because they may end a hold. */
function listedBefore({ seen }: Scope, held: readonly string[]): readonly ObservedApplication[] {
  return seen.filter((observed) => !held.includes(syncHoldId(refOf(observed))));
}

export function emptyCheckpoint(cluster: string): Checkpoint {
  return {
    cluster,
    version: 0,
    sweptAt: undefined,
    lastGoodReadAt: undefined,
    misses: 0,
    firstSeen: {},
    told: {},
    toldIncidents: {},
    pushes: [],
  };
}

function isSweepDue(checkpoint: Checkpoint, { cluster }: Scope, { clock }: KeepPorts): boolean {
  if (checkpoint.sweptAt === undefined || isGuardTriedAgain(checkpoint.firstSeen, clock())) return true;
  return secondsSince(checkpoint.sweptAt, clock()) >= cluster.policy.sweepEverySeconds;
}

/** Holds on the pools, and published ones that are gone: the pass that ended them may have died before it published. */
function heldIds(pools: readonly Pool[], checkpoint: Checkpoint): readonly string[] {
  const published = Object.values(checkpoint.told).flatMap((record) => record.holds);
  return unique([...pools.flatMap(holdsOf), ...published].map((hold) => hold.id));
}

/** Races that must be known however many newer ones there are: what is not known of a race begins anew, and would be
 *  judged by what is seen now. */
function racesNeeded(pools: readonly Pool[], { told, races = [], untoldRaces = [] }: Checkpoint): readonly RaceKey[] {
  const ofPools = pools.flatMap((pool) => raceKeys(pool.name, holdsOf(pool)));
  const published = Object.entries(told).flatMap(([pool, { holds }]) => raceKeys(pool, holds));
  const all = [...ofPools, ...published, ...races, ...untoldRaces];
  return [...new Map(all.map((key) => [raceKeyText(key), key])).values()];
}

function raceKeys(pool: string, holds: readonly Hold[]): readonly RaceKey[] {
  return holds.flatMap(({ kind, id, since }) => (kind === 'sync' ? [{ pool, hold: id, since }] : []));
}

/** The same snapshot with one pool as it is now. What gates know was read for the rendered config of then: a later one
 *  may be the work of a sync that has begun since, and its ticket may say something else. */
export function withPool(snapshot: Snapshot, read: Pool): Snapshot {
  const pool = withOwnRecord(read, snapshot);
  const isSameConfig = snapshot.pools.some(
    ({ name, target }) => name === pool.name && target.name === pool.target.name,
  );
  return {
    ...snapshot,
    pools: snapshot.pools.map((each) => (each.name === pool.name ? pool : each)),
    evidence: isSameConfig ? snapshot.evidence : new Map([...snapshot.evidence].filter(([name]) => name !== pool.name)),
  };
}

/** The same, and every Application that may hold it read again: after a conflict with another pass, no hold may end by
 *  older reads. */
export async function observeAgain(snapshot: Snapshot, pool: Pool, ports: KeepPorts): Promise<Snapshot> {
  const known = withPool(snapshot, pool);
  const wanted = snapshot.applications.filter((observed) => concerns(observed, pool, known)).map(refOf);
  const read = new Map(
    (await readApplications(wanted, [], ports)).map((observed) => [
      syncHoldId(refOf(observed)),
      onCluster(observed, snapshot.settings.name, ports),
    ]),
  );
  const applications = snapshot.applications.map((observed) => read.get(syncHoldId(refOf(observed))) ?? observed);
  return { ...known, applications, ...(await machineConfigsAgain({ ...known, applications }, pool, ports)) };
}

/** With those that are awaited for the pool only since: a sync may have ended, and nobody may have seen it until now.
 *  What it has changed may have been read before it did. */
async function machineConfigsAgain(
  { settings, sequenceSteps, applications, machineConfigs, unreadMachineConfigs }: Snapshot,
  pool: Pool,
  ports: KeepPorts,
): Promise<Pick<Snapshot, 'machineConfigs' | 'unreadMachineConfigs'>> {
  const seen = applications.flatMap((observed) => (observed.kind === 'seen' ? [observed.application] : []));
  const awaited = new Set(awaitedMachineConfigs(pool, seen));
  for (const { name } of machineConfigs) awaited.delete(name);
  for (const name of machineConfigsOfMissed(seen, [pool], { settings, sequenceSteps }, ports.clock()))
    awaited.add(name);
  const { heads, unread } = await readHeads([...awaited], settings.name, ports);
  const others = [...(unreadMachineConfigs ?? [])].filter(([name]) => !awaited.has(name));
  return {
    machineConfigs: [...heads, ...machineConfigs],
    unreadMachineConfigs: unlessNone(new Map([...others, ...unread])),
  };
}

function unlessNone(unread: UnreadMachineConfigs): Snapshot['unreadMachineConfigs'] {
  return unread.size === 0 ? undefined : unread;
}

/** Whether the Application holds the pool, or may. Any sync may be the work that a pool at rest waits for. */
function concerns(observed: ObservedApplication, pool: Pool, snapshot: Snapshot): boolean {
  const id = syncHoldId(refOf(observed));
  if (holdsOf(pool).some((hold) => hold.id === id)) return true;
  const isPushed = snapshot.pushes.has(id);
  if (observed.kind !== 'seen') return isPushed && !(observed.kind === 'unreadable' && observed.isInvalid === true);
  const { application } = observed;
  if (!isPushed && !isSyncing(application)) return false;
  const { affected, refused } = affectedInSnapshot(application, snapshot);
  return (
    [...affected.pools, ...refused].includes(pool.name) || protectionOf(settingsOf(snapshot.settings, pool.name)).rests
  );
}

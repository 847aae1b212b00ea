import {
  type Application,
  type ApplicationRef,
  type ApplicationSight,
  isSameApplication,
  isSyncing,
} from '../core/application.ts';
import type { ArgoCdSettings } from '../core/configuration.ts';
import { holdsOf, type Snapshot } from '../core/decide.ts';
import { clusterOf, clustersServedBy } from '../core/destination.ts';
import { Transient } from '../core/errors.ts';
import type { ControllersSight } from '../core/gates/gate.ts';
import { applicationOfHold, syncHoldId } from '../core/hold.ts';
import { appliedMachineConfigs, poolsTouched, unplacedMachineConfigs } from '../core/impact.ts';
import { secondsSince } from '../core/instant.ts';
import type { Pool } from '../core/pool.ts';
import type { Race } from '../core/race.ts';
import type { ClusterMemory, MachineConfigHead } from '../ports.ts';
import { lazy } from '../shell/lazy.ts';
import type { KeepPorts } from './keep-ports.ts';
import type { Scope } from './scope.ts';

/** What a pass knows before it decides. */
export interface Observation {
  readonly snapshot: Snapshot;
  readonly memory: ClusterMemory;
  /** Why it could not be read; then nothing may be told by it, and the queue shall bring the event again. */
  readonly unremembered: Transient | undefined;
  /** Read when they are first asked for: no pause waits for them. */
  readonly races: () => Promise<readonly Race[]>;
  readonly machineConfigs: readonly MachineConfigHead[];
  /** All Applications were listed in this pass. */
  readonly swept: boolean;
}

/** Reads what the decision needs and no more: one list of pools, and one GET for each Application that holds something.
 *  Throws Transient when the pools cannot be read. */
export async function observe(scope: Scope, ports: KeepPorts): Promise<Observation> {
  const { cluster } = scope;
  const races = lazy(() => ports.races.load(cluster.name));
  const [{ memory, unremembered }, pools] = await Promise.all([
    recall(scope, ports),
    scope.early?.pools ?? ports.cluster(cluster.name).then((each) => each.pools.listPools()),
  ]);
  const held = heldIds(pools, memory);
  const maySweep = scope.maySweep && isSweepDue(memory, scope, ports);
  const { known, swept } = maySweep ? await sweep(scope, ports) : { known: listedBefore(scope, held), swept: false };
  const wanted = [...scope.toRead, ...held.flatMap((id) => applicationOfHold(id) ?? [])];
  const applications = [...known, ...(await readApplications(wanted, known, ports))];
  const machineConfigs = await readMachineConfigs({ scope, pools, held, applications, races }, ports);
  const snapshot: Snapshot = {
    settings: cluster,
    pools,
    applications,
    pushes: firstHeard(scope, memory),
    machineConfigs,
    controllers: { kind: 'not asked' },
  };
  return { snapshot, memory, unremembered, races, machineConfigs, swept };
}

/** What is remembered of the cluster. Holds stand on the pools: without its table Poolkeeper forgets what it told, not what it must
 *  pause. */
async function recall(
  { cluster, early }: Scope,
  { memories, logger }: KeepPorts,
): Promise<Pick<Observation, 'memory' | 'unremembered'>> {
  try {
    const remembered = await (early?.memory ?? memories.load(cluster.name));
    return { memory: remembered ?? emptyMemory(cluster.name), unremembered: undefined };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('what is remembered of the cluster could not be read', { cluster: cluster.name, why: cause.message });
    return { memory: emptyMemory(cluster.name), unremembered: cause };
  }
}

/** Applications that a push was routed by may have been listed before the pools: what another pass wrote since is no conflict then.
 *  Whoever may let go of a hold by them reads them anew. */
function listedBefore({ seen }: Scope, held: readonly string[]): readonly ApplicationSight[] {
  return seen.filter((sight) => !held.includes(syncHoldId(refOf(sight))));
}

export function emptyMemory(cluster: string): ClusterMemory {
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

function isSweepDue(memory: ClusterMemory, { cluster }: Scope, { clock }: KeepPorts): boolean {
  if (memory.sweptAt === undefined) return true;
  return secondsSince(memory.sweptAt, clock()) >= cluster.policy.sweepEverySeconds;
}

/** Every Application of this cluster, so that a sync is found with no event at all. An instance that cannot be
 *  asked adds nothing and takes nothing away, and the next tick asks again. */
async function sweep(
  { cluster }: Scope,
  ports: KeepPorts,
): Promise<{ readonly known: readonly ApplicationSight[]; readonly swept: boolean }> {
  const instances = ports.configuration.argocd.filter((each) => clustersServedBy(each).includes(cluster.name));
  const lists = await Promise.all(
    instances.map(async (settings) => {
      try {
        const applications = await (await ports.argocd(settings.name)).listApplications();
        return applications.filter((application) => clusterOf(application, settings) === cluster.name);
      } catch (cause) {
        if (!(cause instanceof Transient)) throw cause;
        ports.logger.warn('Applications could not be listed', { argocd: settings.name, why: cause.message });
        return undefined;
      }
    }),
  );
  const known = lists
    .flatMap((list) => list ?? [])
    .map((application): ApplicationSight => ({ kind: 'seen', application }));
  return { known, swept: !lists.includes(undefined) };
}

/** Holds on the pools, and those that were told and are gone: the pass that ended them may have died before it said so. */
function heldIds(pools: readonly Pool[], memory: ClusterMemory): readonly string[] {
  const told = Object.values(memory.told).flatMap((record) => record.holds);
  return [...new Set([...pools.flatMap(holdsOf), ...told].map((hold) => hold.id))];
}

/** Each Application once, unless it is known already. */
async function readApplications(
  wanted: readonly ApplicationRef[],
  known: readonly ApplicationSight[],
  ports: KeepPorts,
): Promise<readonly ApplicationSight[]> {
  const refs = wanted.filter(
    (ref, index) =>
      wanted.findIndex((each) => isSameApplication(each, ref)) === index &&
      !known.some((sight) => isSameApplication(refOf(sight), ref)),
  );
  return Promise.all(refs.map((ref) => readApplication(ref, ports)));
}

async function readApplication(ref: ApplicationRef, ports: KeepPorts): Promise<ApplicationSight> {
  if (!ports.configuration.argocd.some((each) => each.name === ref.argocd)) {
    return { kind: 'unreadable', ref, why: `Argo CD instance ${ref.argocd} is not configured`, isForGood: true };
  }
  try {
    const application = await (await ports.argocd(ref.argocd)).readApplication(ref);
    return application === undefined ? { kind: 'gone', ref } : { kind: 'seen', application };
  } catch (cause) {
    if (cause instanceof Transient) return { kind: 'unreadable', ref, why: cause.message };
    throw cause;
  }
}

interface Wanting {
  readonly scope: Scope;
  readonly pools: readonly Pool[];
  readonly held: readonly string[];
  readonly applications: readonly ApplicationSight[];
  readonly races: Observation['races'];
}

/** Metadata of the MachineConfigs that no render lists yet, and of those whose time of writing a race still lacks. */
async function readMachineConfigs(wanting: Wanting, ports: KeepPorts): Promise<readonly MachineConfigHead[]> {
  const { pools, applications } = wanting;
  const seen = applications.flatMap((sight) => (sight.kind === 'seen' ? [sight.application] : []));
  const relevant = seen.filter(
    (application) => isSyncing(application) || wanting.scope.pushes.has(syncHoldId(application)),
  );
  const unplaced = relevant.flatMap((application) => unplacedMachineConfigs(application, pools));
  const raced = await racedMachineConfigs(seen, wanting);
  const awaited = pools.flatMap((pool) => awaitedMachineConfigs(pool));
  const names = [...new Set([...unplaced, ...raced, ...awaited])];
  if (names.length === 0) return [];
  const cluster = await ports.cluster(wanting.scope.cluster.name);
  return cluster.pools.readMachineConfigs(names);
}

async function racedMachineConfigs(seen: readonly Application[], wanting: Wanting): Promise<readonly string[]> {
  const applied = seen
    .filter((application) => wanting.held.includes(syncHoldId(application)))
    .map((application) => ({
      hold: syncHoldId(application),
      names: appliedMachineConfigs(application.operation?.results ?? []),
    }))
    .filter(({ names }) => names.length > 0);
  if (applied.length === 0) return [];
  const races = await wanting.races().catch(noRaces);
  if (races === undefined) return [];
  return applied.flatMap(({ hold, names }) => (lacksApplyTime(hold, races) ? names : []));
}

/** A figure of a race is not worth a pause. */
function noRaces(cause: unknown): undefined {
  if (cause instanceof Transient) return undefined;
  throw cause;
}

function lacksApplyTime(hold: string, races: readonly Race[]): boolean {
  const own = races.filter((each) => each.hold === hold);
  return own.length === 0 || own.some((each) => each.appliedAt === undefined && each.verdict === undefined);
}

function awaitedMachineConfigs(pool: Pool): readonly string[] {
  const release = pool.record.kind === 'record' ? pool.record.record.release : undefined;
  return (release?.machineConfigs ?? []).filter((name) => !pool.target.sources.includes(name));
}

/** A push counts from when it was first delivered: a redelivery, which GitHub sends under the same id, is no new push. */
function firstHeard({ pushes, eventId }: Scope, memory: ClusterMemory): Snapshot['pushes'] {
  const known = memory.pushes.find((each) => each.delivery === eventId);
  return known === undefined ? pushes : new Map([...pushes].map(([hold, push]) => [hold, { ...push, at: known.at }]));
}

/** What is looked at last before a pool resumes. */
export interface LastLook {
  readonly controllers: ControllersSight;
  /** Applications that deploy to this cluster and sync now. */
  readonly syncing: readonly Application[];
}

interface Looking {
  readonly snapshot: Snapshot;
  readonly candidates: readonly Pool[];
  readonly ports: KeepPorts;
}

/** Where the application controllers run, what they sync, and whether a sync for this cluster has begun of which no event told: the
 *  dearest look, made only when nothing else keeps a pool. */
export async function lookBeforeResume(
  snapshot: Snapshot,
  candidates: readonly Pool[],
  ports: KeepPorts,
): Promise<LastLook> {
  const serving = ports.configuration.argocd.filter((each) => clustersServedBy(each).includes(snapshot.settings.name));
  try {
    const looks = await Promise.all(
      serving.map((settings) => lookAtInstance(settings, { snapshot, candidates, ports })),
    );
    const controllers = looks.flatMap((look) => look.controller ?? []);
    return { controllers: { kind: 'seen', controllers }, syncing: looks.flatMap((look) => look.syncing) };
  } catch (cause) {
    if (cause instanceof Transient) return { controllers: { kind: 'unreadable', why: cause.message }, syncing: [] };
    throw cause;
  }
}

async function lookAtInstance(settings: ArgoCdSettings, looking: Looking) {
  const { snapshot, ports } = looking;
  const argocd = await ports.argocd(settings.name);
  const isLocal = settings.cluster === snapshot.settings.name;
  const [on, applications] = await Promise.all([isLocal ? argocd.controllerNodes() : [], argocd.listApplications()]);
  const syncing = applications.filter(
    (application) => isSyncing(application) && clusterOf(application, settings) === snapshot.settings.name,
  );
  return {
    syncing,
    controller: isLocal ? await lookAtController(settings.name, on, applications, looking) : undefined,
  };
}

async function lookAtController(
  name: string,
  on: readonly string[],
  applications: readonly Application[],
  { snapshot, candidates, ports }: Looking,
) {
  const cluster = await ports.cluster(snapshot.settings.name);
  const watched = applications.filter(
    (application) => isSyncing(application) && poolsTouched(application, snapshot).pools.length > 0,
  );
  const selectors = candidates.flatMap((pool) =>
    pool.nodeSelector === undefined ? [] : [{ pool, selector: pool.nodeSelector }],
  );
  const carrying = await Promise.all(
    selectors.map(async ({ pool, selector }) => {
      const nodes = await cluster.pools.listNodes(selector);
      return nodes.some((node) => on.includes(node.name)) ? [pool.name] : [];
    }),
  );
  return {
    argocd: name,
    pools: carrying.flat(),
    syncing: watched.map((application) => `${application.namespace}/${application.name}`),
  };
}

/** The same snapshot with one pool as it is now, and then with every Application that may hold it read anew: whoever lost a
 *  race against another pass must not decide by what it saw before. */
export async function observeAgain(snapshot: Snapshot, pool: Pool, ports: KeepPorts): Promise<Snapshot> {
  const applications = await Promise.all(
    snapshot.applications.map((sight) =>
      sight.kind === 'seen' && !concerns(sight.application, pool, snapshot)
        ? sight
        : readApplication(refOf(sight), ports),
    ),
  );
  return { ...snapshot, applications, pools: snapshot.pools.map((each) => (each.name === pool.name ? pool : each)) };
}

function concerns(application: Application, pool: Pool, { pushes }: Snapshot): boolean {
  const id = syncHoldId(application);
  return isSyncing(application) || pushes.has(id) || holdsOf(pool).some((hold) => hold.id === id);
}

export function refOf(sight: ApplicationSight): ApplicationRef {
  return sight.kind === 'seen' ? sight.application : sight.ref;
}

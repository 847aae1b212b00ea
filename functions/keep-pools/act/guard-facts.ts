import {
  type Application,
  isParked,
  isSyncing,
  mayBeReadLater,
  type ObservedApplication,
  refOf,
} from '../../core/argocd/application.ts';
import { clusterOf } from '../../core/argocd/destination.ts';
import type { AppProject } from '../../core/guard/app-project.ts';
import { applicationOfGuard, holdOfGuard } from '../../core/guard/guard-record.ts';
import { guardSubject } from '../../core/guard/guard-subject.ts';
import { guardsOfNamesakes, type PlacedGuard, placedGuards } from '../../core/guard/open-guards.ts';
import type { Destination, GuardFacts, GuardSubject, ProjectPlan } from '../../core/guard/plan-project.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { byName } from '../../core/text/by-name.ts';
import { Transient } from '../../core/text/errors.ts';
import type { ClusterPorts } from '../keep-ports.ts';
import type { ObservedPass, WrittenPass } from '../pass-state.ts';
import { readApplication, readApplications } from '../read/read-applications.ts';
import { guardsToRead } from '../read/read-guards.ts';
import { usesGuards } from '../read/read-projects.ts';

/** What the guards are decided from. An Application whose guard is open is read once more: its sync may have begun. */
export async function readFacts(pass: WrittenPass, projects: readonly AppProject[]): Promise<GuardFacts> {
  const { snapshot, performed, ports, scope } = pass;
  const { knownAs } = pass.observation;
  const open = guardsToRead(projects, knownAs)
    .filter(({ guard }) => guard.open !== undefined)
    .map(({ argocd, guard }) => ({ argocd, ...applicationOfGuard(guard) }));
  const isReread = new Set(open.map(syncHoldId));
  const known = snapshot.applications.filter((observed) => !isReread.has(syncHoldId(refOf(observed))));
  // What deploys to another cluster now is among `guardedElsewhere`, as it is there.
  const here = known.filter((observed) => observed.kind !== 'gone' || observed.elsewhere === undefined);
  const reread = await Promise.all(open.map((ref) => readApplication(ref, ports)));
  const all = [...here, ...reread, ...pass.observation.guardedElsewhere];
  const pools = performed.map(({ pool }) => pool);
  return {
    cluster: knownAs.cluster,
    ids: knownAs.ids,
    inherited: inheritedBy(pass, projects, all),
    subjects: subjectsOf(all, { ...snapshot, pools }, pass),
    gone: goneOf(all, pass, projects),
    leaving: leavingOf(all, pass, projects),
    foreign: foreignOf(all, pass),
    looked: lookedOf(all),
    configured: new Set(ports.configuration.clusters.map(({ name }) => name)),
    invalid: invalidOf(all),
    pools,
    notTheirTurn: await pass.observation.notTheirTurn(),
    expectSyncWithinSeconds: scope.cluster.policy.expectSyncWithinSeconds,
    now: ports.clock(),
  };
}

/** A cluster that was installed anew has the guards of before: those whose Application deploys to it, or does not exist
 *  any more. Others with its name are left to whoever keeps them. */
function inheritedBy(
  pass: ObservedPass,
  projects: readonly AppProject[],
  all: readonly ObservedApplication[],
): GuardFacts['inherited'] {
  const { knownAs } = pass.observation;
  if (!knownAs.inherits) return undefined;
  const found = all.filter((observed) => observed.kind === 'gone' || isHere(observed, pass));
  const ids = new Set(found.map((observed) => syncHoldId(refOf(observed))));
  const holds = guardsOfNamesakes(projects, knownAs).map(({ argocd, guard }) => holdOfGuard(argocd, guard));
  return new Set(holds.filter((hold) => ids.has(hold)));
}

function subjectsOf(all: readonly ObservedApplication[], scene: Snapshot, pass: ObservedPass): readonly GuardSubject[] {
  const here = all.filter((observed) => isHere(observed, pass));
  return here.flatMap((observed) => (observed.kind === 'seen' ? [guardSubject(observed.application, scene)] : []));
}

function goneOf(
  all: readonly ObservedApplication[],
  pass: ObservedPass,
  projects: readonly AppProject[],
): GuardFacts['gone'] {
  return new Set(all.filter((observed) => isGone(observed, pass, projects)).map((each) => syncHoldId(refOf(each))));
}

function foreignOf(all: readonly ObservedApplication[], { ports }: ObservedPass): ReadonlySet<string> {
  const foreign = all.filter(
    (observed) => observed.kind === 'seen' && destinationOf(observed.application, ports) === undefined,
  );
  return new Set(foreign.map((observed) => syncHoldId(refOf(observed))));
}

/** One that cannot be parsed, or may not be read, stays so. */
function lookedOf(all: readonly ObservedApplication[]): ReadonlySet<string> {
  return new Set(all.filter((observed) => !mayBeReadLater(observed)).map((observed) => syncHoldId(refOf(observed))));
}

function invalidOf(all: readonly ObservedApplication[]): ReadonlySet<string> {
  const invalid = all.filter((observed) => observed.kind === 'unreadable' && observed.isInvalid === true);
  return new Set(invalid.map((observed) => syncHoldId(refOf(observed))));
}

/** With everything that the plan rests on as it is now. What cannot be read is left out, and its guard as it is. */
export async function factsAgain(
  { changes, project }: Pick<ProjectPlan, 'changes' | 'project'>,
  facts: GuardFacts,
  { pass, snapshot }: { readonly pass: ObservedPass; readonly snapshot: Snapshot },
): Promise<GuardFacts> {
  const refs = changes.map(({ guard }) => ({ argocd: project.argocd, ...applicationOfGuard(guard) }));
  const isReread = new Set(refs.map(syncHoldId));
  const names = new Set(changes.flatMap(({ guard }) => guard.pools));
  const [read, pools] = await Promise.all([
    readApplications(refs, [], pass.ports),
    freshPools(facts.pools, names, pass.cluster),
  ]);
  const again = (before: ReadonlySet<string> = new Set(), now: ReadonlySet<string>) =>
    new Set([...[...before].filter((hold) => !isReread.has(hold)), ...now]);
  // One that could not be read again is affected as it was before.
  const fresh = new Map(pools.map((pool) => [pool.name, pool]));
  const lastSeen = facts.pools.map((pool) => fresh.get(pool.name) ?? pool);
  return {
    ...facts,
    pools,
    subjects: [
      ...facts.subjects.filter(({ application }) => !isReread.has(syncHoldId(application))),
      ...subjectsOf(read, { ...snapshot, pools: lastSeen }, pass),
    ],
    gone: again(facts.gone, goneOf(read, pass, [project])),
    leaving: new Map([
      ...[...(facts.leaving ?? [])].filter(([hold]) => !isReread.has(hold)),
      ...leavingOf(read, pass, [project]),
    ]),
    foreign: again(facts.foreign, foreignOf(read, pass)),
    now: pass.ports.clock(),
  };
}

function isHere(observed: ObservedApplication, { ports, scope }: ObservedPass): boolean {
  return observed.kind === 'seen' && destinationOf(observed.application, ports) === scope.cluster.name;
}

/** Name of the cluster of the configuration that it deploys to; undefined: to none. */
function destinationOf(application: Application, { configuration }: ObservedPass['ports']): string | undefined {
  const settings = byName(configuration.argocd, application.argocd);
  const cluster = settings && clusterOf(application, settings);
  return configuration.clusters.some(({ name }) => name === cluster) ? cluster : undefined;
}

/** It does not exist, or deploys to another cluster now: its guard there has been written, or will be. A sync that
 *  a window holds back would wait for the guard here, and the pool here for the sync: it waits for its guard there
 *  alone. */
function isGone(observed: ObservedApplication, pass: ObservedPass, projects: readonly AppProject[]): boolean {
  if (observed.kind === 'gone') return true;
  if (observed.kind !== 'seen' || isHere(observed, pass)) return false;
  const { application } = observed;
  const runs = isSyncing(application) && !isHeldBack(application);
  return !runs && leavingTo(application, pass, projects) === undefined;
}

function isHeldBack({ operation }: Application): boolean {
  return operation !== undefined && isParked(operation);
}

function leavingOf(
  all: readonly ObservedApplication[],
  pass: ObservedPass,
  projects: readonly AppProject[],
): ReadonlyMap<string, Destination> {
  return new Map(
    all.flatMap((observed): readonly (readonly [string, Destination])[] => {
      if (observed.kind !== 'seen' || isHere(observed, pass)) return [];
      const to = leavingTo(observed.application, pass, projects);
      return to === undefined ? [] : [[syncHoldId(observed.application), to]];
    }),
  );
}

/** The cluster to which one is pointed, where it guards syncs and does not guard this one yet, and a window here holds
 *  back what would go on there, or begin: Argo CD syncs by itself as soon as it has compared it with that cluster.
 *  What its status says until then is of this one. */
function leavingTo(
  application: Application,
  pass: ObservedPass,
  projects: readonly AppProject[],
): Destination | undefined {
  const syncs = isSyncing(application);
  const waits = syncs ? isHeldBack(application) : maySyncItself(application);
  const cluster = waits ? awaitedGuard(application, pass, projects) : undefined;
  if (cluster === undefined || (!syncs && isOpen(application, pass, projects))) return undefined;
  return { cluster, isSyncing: syncs };
}

function maySyncItself({ automated, isBeingDeleted }: Application): boolean {
  return automated && isBeingDeleted !== true;
}

/** Its guard here is open, and holds nothing back. */
function isOpen(application: Application, { scope }: ObservedPass, projects: readonly AppProject[]): boolean {
  return guardsOn(scope.cluster.name, application, projects).some(({ guard }) => guard.open !== undefined);
}

/** The cluster that it deploys to, which guards syncs and does not guard its own yet; undefined: it does, or guards
 *  none. */
function awaitedGuard(
  application: Application,
  { ports }: ObservedPass,
  projects: readonly AppProject[],
): string | undefined {
  const cluster = ports.configuration.clusters.find(({ name }) => name === destinationOf(application, ports));
  if (cluster === undefined || !usesGuards(cluster, {})) return undefined;
  return guardsOn(cluster.name, application, projects).length > 0 ? undefined : cluster.name;
}

function guardsOn(cluster: string, application: Application, projects: readonly AppProject[]): readonly PlacedGuard[] {
  const hold = syncHoldId(application);
  return placedGuards(projects).filter(
    ({ argocd, guard }) => guard.cluster === cluster && holdOfGuard(argocd, guard) === hold,
  );
}

/** With these as they are now; without those that cannot be read. */
export async function freshPools(
  pools: readonly Pool[],
  names: ReadonlySet<string>,
  { pools: port }: Pick<ClusterPorts, 'pools'>,
): Promise<readonly Pool[]> {
  const read = await Promise.all(
    pools.map(async (pool) => (names.has(pool.name) ? unlessUnread(port.readPool(pool.name)) : pool)),
  );
  return read.filter((pool) => pool !== undefined);
}

async function unlessUnread(read: Promise<Pool | undefined>): Promise<Pool | undefined> {
  try {
    return await read;
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return undefined;
  }
}

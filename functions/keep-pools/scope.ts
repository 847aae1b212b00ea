import { setImmediate } from 'node:timers/promises';
import type { OperationSeen, PushSeen, WorkEvent } from '../../events/index.ts';
import type { Application, ApplicationRef, ApplicationSight } from '../core/application.ts';
import type { ArgoCdSettings, ClusterSettings } from '../core/configuration.ts';
import { clusterOf, clustersServedBy } from '../core/destination.ts';
import { Transient } from '../core/errors.ts';
import { syncHoldId } from '../core/hold.ts';
import type { Push } from '../core/hold-life.ts';
import type { Pool } from '../core/pool.ts';
import { pushOf } from '../core/routing/push.ts';
import { routeOf } from '../core/routing/route.ts';
import { routingTable } from '../core/routing/routing-table.ts';
import type { ClusterMemory } from '../ports.ts';
import type { KeepPorts } from './keep-ports.ts';

/** What one pass over one cluster is about. */
export interface Scope {
  readonly cluster: ClusterSettings;
  /** Applications that were listed to find out whom the event concerns. */
  readonly seen: readonly ApplicationSight[];
  /** Applications to be read after the pools. In this order on purpose: what another pass writes meanwhile is then a conflict,
   *  and an operation that has ended cannot be taken for one that runs. */
  readonly toRead: readonly ApplicationRef[];
  /** The push, by hold id of each Application that it concerns. */
  readonly pushes: ReadonlyMap<string, Push>;
  /** May list all Applications when it is time for it; only ticks do. */
  readonly maySweep: boolean;
  /** What was asked for ahead of time. */
  readonly early?: EarlyReads | undefined;
  /** A hint that must not get lost: when the cluster cannot be seen, the queue shall bring it again. */
  readonly mustSee: boolean;
  /** Whether this pass follows up on what it leaves open a few seconds later. */
  readonly isRecheck: boolean;
  /** Id of the event, for the ids of decisions to do nothing. */
  readonly eventId: string;
}

/** A tick of the clock: once a minute and cluster. */
export function isClockTick({ maySweep, isRecheck }: Pick<Scope, 'maySweep' | 'isRecheck'>): boolean {
  return maySweep && !isRecheck;
}

/** Reads that were begun before it was known whether the event concerns the cluster. */
export interface EarlyReads {
  readonly pools: Promise<readonly Pool[]>;
  readonly memory: Promise<ClusterMemory | undefined>;
}

/** Up to this many clusters, their pools are listed while the Applications still are: it saves a round trip when it counts most. */
const prefetchAtMost = 4;

/** Whom an event concerns, as far as it could be found out. */
export interface Concern {
  readonly scopes: readonly Scope[];
  /** Why some Argo CD instance could not be asked: the others' pools do not wait for it, and the queue shall bring the event again. */
  readonly failure: Transient | undefined;
}

/** Which clusters an event concerns, and what was learnt on the way. Throws Transient when an operation's Argo CD cannot be asked. */
export async function scopesOf(event: WorkEvent, ports: KeepPorts): Promise<Concern> {
  switch (event.type) {
    case 'poolkeeper.tick.v1':
      return concerning(
        named(event.data.cluster, ports).map((cluster) => ({
          ...plain(cluster, event.id),
          maySweep: true,
          isRecheck: event.data.why === 'recheck',
        })),
      );
    case 'poolkeeper.cluster.seen.v1':
      return concerning(named(event.data.cluster, ports).map((cluster) => plain(cluster, event.id)));
    case 'poolkeeper.operation.seen.v1':
      return concerning(await operationScopes(event, ports));
    case 'poolkeeper.push.seen.v1':
      return pushScopes(event, ports);
    default:
      return event satisfies never;
  }
}

function concerning(scopes: readonly Scope[]): Concern {
  return { scopes, failure: undefined };
}

function plain(cluster: ClusterSettings, eventId: string): Scope {
  return {
    cluster,
    seen: [],
    toRead: [],
    pushes: new Map(),
    maySweep: false,
    mustSee: false,
    isRecheck: false,
    eventId,
  };
}

/** A sender that does not say the cluster means the only one there is. */
function named(name: string, { configuration, logger }: KeepPorts): readonly ClusterSettings[] {
  const found = configuration.clusters.filter((cluster) => cluster.name === name);
  if (found.length > 0) return found;
  if (name === '' && configuration.clusters.length === 1) return configuration.clusters;
  logger.warn('event for a cluster that is not configured', { cluster: name });
  return [];
}

async function operationScopes(event: OperationSeen, ports: KeepPorts): Promise<readonly Scope[]> {
  const settings = ports.configuration.argocd.find((each) => each.name === event.data.argocd);
  if (settings === undefined) {
    ports.logger.warn('operation of an Argo CD instance that is not configured', { argocd: event.data.argocd });
    return [];
  }
  const { namespace, name } = event.data;
  return applicationScopes({ argocd: settings.name, namespace, name }, { settings, ports, eventId: event.id });
}

/** The cluster of one Application; when it is gone, every cluster that may still hold for it. */
export async function applicationScopes(
  ref: ApplicationRef,
  {
    settings,
    ports,
    eventId,
  }: { readonly settings: ArgoCdSettings; readonly ports: KeepPorts; readonly eventId: string },
): Promise<readonly Scope[]> {
  const argocd = await ports.argocd(settings.name);
  const application = await argocd.readApplication(ref);
  if (application === undefined) {
    const clusters = clustersServedBy(settings).flatMap((name) => named(name, ports));
    return clusters.map((cluster) => ({ ...plain(cluster, eventId), toRead: [ref], mustSee: true }));
  }
  const cluster = clusterOf(application, settings);
  return cluster === undefined
    ? []
    : named(cluster, ports).map((each) => ({
        ...plain(each, eventId),
        toRead: [ref],
        mustSee: true,
      }));
}

async function pushScopes(event: PushSeen, ports: KeepPorts): Promise<Concern> {
  if (event.data.deleted) return concerning([]);
  const perInstance = await Promise.all(
    ports.configuration.argocd.map((settings) => instanceScopes(event, settings, ports).catch(transient)),
  );
  const scopes = merged(perInstance.flatMap((each) => (each instanceof Transient ? [] : each)));
  return { scopes, failure: perInstance.find((each) => each instanceof Transient) };
}

function transient(cause: unknown): Transient {
  if (cause instanceof Transient) return cause;
  throw cause;
}

async function instanceScopes(event: PushSeen, settings: ArgoCdSettings, ports: KeepPorts): Promise<readonly Scope[]> {
  // The longer of the two lists first.
  const listing = ports.argocd(settings.name).then((argocd) => argocd.listApplications());
  const early = prefetch(settings, ports);
  const byRoute = new Map(
    (await listing).map((application) => [routeOf(application, clusterOf(application, settings) ?? ''), application]),
  );
  const concerned = routingTable([...byRoute.keys()])
    .concernedBy(pushOf(event.data))
    .flatMap(({ route }) => byRoute.get(route) ?? []);
  const byCluster = Map.groupBy(concerned, (application) => clusterOf(application, settings) ?? '');
  return [...byCluster].flatMap(([name, applications]) =>
    name === '' ? [] : named(name, ports).map((cluster) => pushScope(event, cluster, applications, early.get(name))),
  );
}

function pushScope(
  event: PushSeen,
  cluster: ClusterSettings,
  applications: readonly Application[],
  early: EarlyReads | undefined,
): Scope {
  const push: Push = { at: event.data.receivedAt, revision: event.data.after };
  return {
    ...plain(cluster, event.id),
    seen: applications.map((application) => ({ kind: 'seen', application })),
    pushes: new Map(applications.map((application) => [syncHoldId(application), push])),
    early,
    mustSee: true,
  };
}

function prefetch(settings: ArgoCdSettings, ports: KeepPorts): ReadonlyMap<string, EarlyReads> {
  const served = clustersServedBy(settings);
  if (served.length > prefetchAtMost) return new Map();
  return new Map(served.map((name) => [name, readEarly(name, ports)]));
}

function readEarly(cluster: string, ports: KeepPorts): EarlyReads {
  const pools = ports.cluster(cluster).then((each) => each.pools.listPools());
  const memory = listsHaveLeft().then(() => ports.memories.load(cluster));
  // Whoever awaits them hears of a failure; a cluster the push does not concern must not end the process.
  for (const read of [pools, memory]) read.catch(() => undefined);
  return { pools, memory };
}

/** Building a request to the table takes the processor for a millisecond, and the lists are what a pause waits for. Their
 *  client looks at a connection that rested for one turn of the event loop before it writes, so two turns. */
async function listsHaveLeft(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Two Argo CD instances may serve one cluster: one pass for both. */
function merged(scopes: readonly Scope[]): readonly Scope[] {
  return [...Map.groupBy(scopes, (scope) => scope.cluster.name).values()].flatMap(([first, ...rest]) =>
    first === undefined
      ? []
      : [
          {
            ...first,
            seen: [first, ...rest].flatMap((scope) => scope.seen),
            pushes: new Map([first, ...rest].flatMap((scope) => [...scope.pushes])),
          },
        ],
  );
}

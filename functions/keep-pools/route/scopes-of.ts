import type { OperationSeen, PushSeen, WorkEvent } from '../../../events/index.ts';
import { type ApplicationRef, mayBeReadLater, type ObservedApplication, refOf } from '../../core/argocd/application.ts';
import { clusterOf, clustersServedBy } from '../../core/argocd/destination.ts';
import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import type { ClusterSettings } from '../../core/configuration/cluster.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import { type Concerned, eachOnce } from '../../core/routing/concerned.ts';
import { pushOf } from '../../core/routing/push.ts';
import { byName } from '../../core/text/by-name.ts';
import { Transient } from '../../core/text/errors.ts';
import { unique } from '../../core/text/unique.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { yieldToRequests } from '../observe/yield-to-requests.ts';
import { readChange, withinTime } from '../read/read-change.ts';
import { expectedIn } from './read-push.ts';
import { type Routed, routePush } from './route-push.ts';
import type { EarlyReads, PushScope, Scope } from './scope.ts';
import { learnRoutes } from './stored-routes.ts';
import { type RoutedInstance, type WrittenElsewhere, writtenElsewhere } from './written-elsewhere.ts';

/** Up to this many clusters, pools are listed in parallel with the Applications: that saves a round trip when it
 *  matters most. */
const prefetchAtMost = 4;

/** Which clusters an event concerns, as far as could be found out. */
export interface Concern {
  readonly scopes: readonly Scope[];
  /** Argo CD instances that could not be fully read: the others' pools do not wait for them, and the queue redelivers
   *  the event. */
  readonly failures: readonly InstanceFailure[];
  /** Clusters where no existing Application is concerned but a new one will sync: known once the changed files are
   *  read. */
  readonly more: () => Promise<readonly Scope[]>;
  /** Argo CD instances too slow for the others' pools to wait for, and their answers when they come. */
  readonly late?: { readonly argocd: readonly string[]; readonly concern: Promise<Concern> } | undefined;
  /** Stores what was learnt about the Applications; to be called once the pools are paused. */
  readonly keepRoutes: () => Promise<void>;
}

/** An Argo CD instance for which it is not, or not fully, known what the event concerns. */
export interface InstanceFailure {
  readonly argocd: string;
  readonly cause: Transient;
}

/** Which clusters an event concerns, and what was read to find out. Throws Transient when an operation's Argo CD
 *  cannot be read. */
export async function scopesOf(event: WorkEvent, ports: KeepPorts): Promise<Concern> {
  switch (event.type) {
    case 'poolkeeper.tick.v1':
      return onlyScopes(
        clustersNamed(event.data.cluster, ports).map((cluster) => ({
          ...emptyScope(cluster, event.id),
          maySweep: true,
          isRecheck: event.data.why === 'recheck',
        })),
      );
    case 'poolkeeper.cluster.seen.v1':
      return onlyScopes(clustersNamed(event.data.cluster, ports).map((cluster) => emptyScope(cluster, event.id)));
    case 'poolkeeper.freeze.asked.v1':
      return onlyScopes(
        clustersNamed(event.data.cluster, ports).map((cluster) => ({
          ...emptyScope(cluster, event.id),
          mustSee: true,
          freeze: event.data,
        })),
      );
    case 'poolkeeper.request.asked.v1':
      return onlyScopes(clustersNamed(event.data.cluster, ports).map((cluster) => emptyScope(cluster, event.id)));
    case 'poolkeeper.operation.seen.v1':
      return onlyScopes(await operationScopes(event, ports));
    case 'poolkeeper.push.seen.v1':
      return pushScopes(event, ports);
    default:
      return event satisfies never;
  }
}

/** A concern that is known at once. */
function onlyScopes(scopes: readonly Scope[]): Concern {
  return { scopes, failures: [], more: async () => [], keepRoutes: async () => {} };
}

/** A scope without a push, in which nothing is read yet. */
function emptyScope(cluster: ClusterSettings, eventId: string): Scope {
  return {
    cluster,
    seen: [],
    toRead: [],
    maySweep: false,
    mustSee: false,
    isRecheck: false,
    eventId,
  };
}

/** An event without a cluster name means the only configured cluster. */
function clustersNamed(name: string, { configuration, logger }: KeepPorts): readonly ClusterSettings[] {
  const found = configuration.clusters.filter((cluster) => cluster.name === name);
  if (found.length > 0) return found;
  if (name === '' && configuration.clusters.length === 1) return configuration.clusters;
  logger.warn('event for a cluster that is not configured', { cluster: name });
  return [];
}

async function operationScopes(event: OperationSeen, ports: KeepPorts): Promise<readonly Scope[]> {
  const { argocd, namespace, name } = event.data;
  const settings = instanceOf(argocd, namespace, ports);
  if (settings === undefined) {
    ports.logger.warn('operation of an Argo CD instance that is not configured', { argocd });
    return [];
  }
  const ref = { argocd: settings.name, namespace, name };
  try {
    return await applicationScopes(ref, { settings, ports, eventId: event.id });
  } catch (cause) {
    if (!(cause instanceof Transient) || cause.kind !== 'invalid') throw cause;
    // A redelivery would not help. Its holds stay, and the next sweep reports it.
    ports.logger.warn('operation of an Application that cannot be parsed', {
      application: syncHoldId(ref),
      why: cause.message,
    });
    return [];
  }
}

/** The instance whose Application it is. The name is the sender's word: beside another instance in one cluster, it is
 *  believed only for namespaces of its own, because the destinations of each are others. */
function instanceOf(name: string, namespace: string, { configuration, logger }: KeepPorts): ArgoCdSettings | undefined {
  const named = byName(configuration.argocd, name);
  if (named === undefined || named.namespaces.includes(namespace)) return named;
  const own = configuration.argocd.find(
    (each) => each.cluster === named.cluster && each.namespaces.includes(namespace),
  );
  if (own !== undefined)
    logger.warn('operation in a namespace of another Argo CD instance', {
      argocd: name,
      namespace,
      instance: own.name,
    });
  return own ?? named;
}

/** The cluster of one Application; if it is gone, every cluster that may still have a hold for it. */
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
    const clusters = clustersServedBy(settings).flatMap((name) => clustersNamed(name, ports));
    return clusters.map((cluster) => ({ ...emptyScope(cluster, eventId), toRead: [ref], mustSee: true }));
  }
  const cluster = clusterOf(application, settings);
  return cluster === undefined
    ? []
    : clustersNamed(cluster, ports).map((each) => ({
        ...emptyScope(each, eventId),
        toRead: [ref],
        mustSee: true,
      }));
}

/** Seconds that an instance may take longer than the first to answer: another Argo CD that hangs must not delay a
 *  pause. */
const laterThanFirstSeconds = 1;

async function pushScopes(event: PushSeen, ports: KeepPorts): Promise<Concern> {
  const instances = ports.configuration.argocd.map((settings) => routedInstance(event, settings, ports));
  const own: readonly Asked[] = instances.map(({ settings, answer }) => ({
    waitsFor: [settings.name],
    answer: answer.catch((cause: unknown) => failureOf(settings.name, cause)),
  }));
  const asked = [...own, ...instances.flatMap((each) => askElsewhere(event, each, { instances, ports }))];
  const answered = new Map<Asked, Answer>();
  const all = Promise.all(asked.map((each) => each.answer.then((answer) => void answered.set(each, answer))));
  const first = Promise.race(own.map(({ answer }) => answer));
  await Promise.race([all, first.then(() => ports.sleep(laterThanFirstSeconds * 1000))]);
  const unanswered = asked.filter((each) => !answered.has(each));
  const concern = concernOf(event, [...answered.values()], ports);
  if (unanswered.length === 0) return concern;
  const rest = Promise.all(unanswered.map(({ answer }) => answer)).then((answers) => concernOf(event, answers, ports));
  // The caller awaits `rest` and gets a failure there.
  rest.catch(() => undefined);
  const argocd = unique(unanswered.flatMap(({ waitsFor }) => waitsFor));
  return { ...concern, late: { argocd, concern: rest } };
}

type Answer = InstanceFailure | InstanceScopes;

interface Asked {
  /** Names of the Argo CD instances that it waits for. */
  readonly waitsFor: readonly string[];
  readonly answer: Promise<Answer>;
}

/** What a push concerns in other instances through what it concerns in this one: of each of them for itself, so that
 *  none waits for another. */
function askElsewhere(
  event: PushSeen,
  from: RoutedInstance,
  { instances, ports }: { readonly instances: readonly RoutedInstance[]; readonly ports: KeepPorts },
): readonly Asked[] {
  const served = new Set(clustersServedBy(from.settings));
  const below = instances.filter((each) => each.settings !== from.settings && served.has(each.settings.cluster));
  return below.map((first) => {
    const waitsFor = [from.settings.name];
    const asks = (argocd: string) => void waitsFor.push(argocd);
    const found = writtenElsewhere({ from, first }, instances, { ports, asks });
    return { waitsFor, answer: found.then((all) => scopesElsewhere(event, all, ports)) };
  });
}

function scopesElsewhere(event: PushSeen, all: readonly WrittenElsewhere[], ports: KeepPorts): InstanceScopes {
  const scopes = all.flatMap(({ concerned, writers, observations }) =>
    [...Map.groupBy(concerned, ({ route }) => route.cluster)].flatMap(([name, here]) =>
      scopesIn(event, name, {
        known: { concerned: here, everywhere: [...writers, ...concerned], sets: [], observations, early: undefined },
        ports,
      }),
    ),
  );
  const read = all.flatMap((each) => each.read);
  return { scopes, carriers: [], keepRoutes: () => learnRoutes(read, ports) };
}

function concernOf(event: PushSeen, routed: readonly Answer[], ports: KeepPorts): Concern {
  const answers = routed.flatMap((each) => ('cause' in each ? [] : [each]));
  const merged = mergedByCluster(answers.flatMap((each) => each.scopes));
  const carriers = answers.flatMap((each) => each.carriers);
  const files = readFiles(event, [...merged, ...carriers], ports);
  const [scopes, asked] = [withFiles(merged, files), withFiles(carriers, files)];
  return {
    scopes,
    failures: [...routed.flatMap((each) => ('cause' in each ? [each] : [])), ...unread(scopes)],
    more: () => expectedScopes(event, scopes, asked, ports),
    keepRoutes: async () => {
      for (const { keepRoutes } of answers) await keepRoutes();
    },
  };
}

/** Scopes of clusters where the push only creates Applications. All scopes wait for the same files. */
async function expectedScopes(
  event: PushSeen,
  scopes: readonly Scope[],
  carriers: readonly Scope[],
  ports: KeepPorts,
): Promise<readonly Scope[]> {
  const asked = [...scopes, ...carriers];
  const reading = asked.find(({ push }) => push?.files !== undefined);
  if (reading?.push?.files === undefined) return [];
  const files = await withinTime(reading.push.files, reading.cluster.policy.readChangeWithinSeconds, ports);
  const known = new Set(scopes.map(({ cluster }) => cluster.name));
  const others = asked.flatMap(({ push }) => {
    if (push === undefined) return [];
    const names = new Set(expectedIn(push, files, ports).map(({ cluster }) => cluster));
    return [...names]
      .filter((name) => !known.has(name))
      .flatMap((name) => clustersNamed(name, ports))
      .map((cluster) => ({ ...emptyScope(cluster, event.id), push: { ...push, concerned: [] }, mustSee: true }));
  });
  return mergedByCluster(uniqueByPush(others));
}

/** Scopes of one instance name the same clusters: keep each once. */
function uniqueByPush(scopes: readonly Scope[]): readonly Scope[] {
  return scopes.filter(
    ({ cluster, push }, index) =>
      scopes.findIndex((each) => each.cluster.name === cluster.name && each.push?.everywhere === push?.everywhere) ===
      index,
  );
}

function failureOf(argocd: string, cause: unknown): InstanceFailure {
  if (cause instanceof Transient) return { argocd, cause };
  throw cause;
}

/** Applications that a push concerns and that could not be read: their pools cannot wait for a sweep. One that cannot
 *  be parsed, or that we may not read, does not count, because reading it again is of no use. */
function unread(scopes: readonly Scope[]): readonly InstanceFailure[] {
  const observations = scopes.flatMap(({ seen }) => seen);
  return observations.filter(mayBeReadLater).map(({ ref, why }) => ({ argocd: ref.argocd, cause: new Transient(why) }));
}

/** One read of the changed files for all scopes, once any Application or ApplicationSet is known to be concerned. */
function readFiles(event: PushSeen, scopes: readonly Scope[], ports: KeepPorts): PushScope['files'] {
  if (scopes.length === 0) return undefined;
  const concerned = scopes.flatMap((scope) => scope.push?.concerned ?? []);
  return readChange(event.data, concerned, ports);
}

function withFiles(scopes: readonly Scope[], files: PushScope['files']): readonly Scope[] {
  return scopes.map((scope) => (scope.push === undefined ? scope : { ...scope, push: { ...scope.push, files } }));
}

interface InstanceScopes {
  readonly scopes: readonly Scope[];
  /** No pass is due for these: nothing that is there is concerned on any configured cluster, and what is pushed may
   *  create Applications all the same, as the first of an ApplicationSet. */
  readonly carriers: readonly Scope[];
  readonly keepRoutes: () => Promise<void>;
}

function routedInstance(
  event: PushSeen,
  settings: ArgoCdSettings,
  ports: KeepPorts,
): RoutedInstance & { readonly answer: Promise<InstanceScopes> } {
  // Start what takes longest first.
  const routed = routePush(event, settings, ports);
  const early = prefetch(settings, ports);
  return { settings, routed, answer: routed.then((each) => instanceScopes(event, each, { settings, early, ports })) };
}

function instanceScopes(
  event: PushSeen,
  { concerned, sets, observations, keep }: Routed,
  {
    settings,
    early,
    ports,
  }: {
    readonly settings: ArgoCdSettings;
    readonly early: ReadonlyMap<string, EarlyReads>;
    readonly ports: KeepPorts;
  },
): InstanceScopes {
  const byCluster = Map.groupBy(concerned, ({ route }) => route.cluster);
  const scopes = [...byCluster].flatMap(([name, here]) =>
    scopesIn(event, name, {
      known: { concerned: here, everywhere: concerned, sets, observations, early: early.get(name) },
      ports,
    }),
  );
  const mayCreate = scopes.length === 0 && concerned.length + sets.length > 0;
  const nobody = { concerned: [], everywhere: concerned, sets, observations, early: undefined };
  const homes = mayCreate ? clustersNamed(settings.cluster, ports) : [];
  return { scopes, carriers: homes.map((home) => pushScope(event, home, nobody)), keepRoutes: keep };
}

interface KnownOfPush extends Pick<Routed, 'concerned' | 'sets' | 'observations'> {
  readonly everywhere: readonly Concerned[];
  readonly early: EarlyReads | undefined;
}

/** @param name of the cluster; empty: it is not configured */
function scopesIn(
  event: PushSeen,
  name: string,
  { known, ports }: { readonly known: KnownOfPush; readonly ports: KeepPorts },
): readonly Scope[] {
  return name === '' ? [] : clustersNamed(name, ports).map((cluster) => pushScope(event, cluster, known));
}

function pushScope(event: PushSeen, cluster: ClusterSettings, known: KnownOfPush): Scope {
  const { concerned, sets, observations, early } = known;
  const { receivedAt: at, after, deleted } = event.data;
  const ids = new Set(concerned.map(({ route }) => syncHoldId(route.ref)));
  return {
    ...emptyScope(cluster, event.id),
    seen: observations.filter((observed) => ids.has(syncHoldId(refOf(observed)))),
    push: {
      at,
      revision: deleted ? undefined : after,
      commit: event.data.commit,
      pusher: event.data.pusher,
      concerned,
      everywhere: known.everywhere,
      sets,
      observations,
      files: undefined,
      pushed: pushOf(event.data),
      before: event.data.before,
      forced: event.data.forced,
    },
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
  const checkpoint = yieldToRequests(ports).then(() => ports.checkpoints.load(cluster));
  // Whoever awaits them gets the failure. That of a cluster that the push does not concern must not end the process.
  for (const read of [pools, checkpoint]) read.catch(() => undefined);
  return { pools, checkpoint };
}

/** What one instance has, another may have found through its parents. */
function seenOnce(all: readonly ObservedApplication[]): readonly ObservedApplication[] {
  return [...new Map(all.toReversed().map((each) => [syncHoldId(refOf(each)), each])).values()].toReversed();
}

/** Two Argo CD instances may serve one cluster: one pass for both. */
function mergedByCluster(scopes: readonly Scope[]): readonly Scope[] {
  return [...Map.groupBy(scopes, (scope) => scope.cluster.name).values()].flatMap((same) => {
    const [first] = same;
    if (first?.push === undefined || same.length === 1) return same;
    const all = <T>(of: (push: PushScope) => readonly T[]) =>
      same.flatMap(({ push }) => (push === undefined ? [] : of(push)));
    const push: PushScope = {
      ...first.push,
      concerned: eachOnce(all((each) => each.concerned)),
      everywhere: eachOnce(all((each) => each.everywhere)),
      sets: all((each) => each.sets),
      observations: all((each) => each.observations),
    };
    const early = same.find((scope) => scope.early !== undefined)?.early;
    return [{ ...first, early, seen: seenOnce(same.flatMap((scope) => scope.seen)), push }];
  });
}

import type { PushSeen } from '../../../events/index.ts';
import { type ObservedApplication, refOf } from '../../core/argocd/application.ts';
import { clustersServedBy } from '../../core/argocd/destination.ts';
import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import { namedItems } from '../../core/findings/listed.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import type { Concerned } from '../../core/routing/concerned.ts';
import { pushOf, type RoutedPush } from '../../core/routing/push.ts';
import { followedAs, repositoryOf } from '../../core/routing/repository.ts';
import type { Route, SetRoute } from '../../core/routing/route.ts';
import { type RoutingTable, routingTable } from '../../core/routing/routing-table.ts';
import { Transient } from '../../core/text/errors.ts';
import { secondsSince } from '../../core/text/instant.ts';
import type { ArgoCd } from '../../ports/argocd.ts';
import type { StoredRoutes } from '../../ports/tables.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { yieldToRequests } from '../observe/yield-to-requests.ts';
import { readApplication } from '../read/read-applications.ts';
import { keepRoutes, learnRoutes, listSets, loadRoutes, routesOf } from './stored-routes.ts';

/** Applications read one by one at most; if a push concerns more, one list is less work. */
const readAtMost = 50;
/** A push to a repository that no known Application follows makes Poolkeeper list the Applications, unless the last
 *  list is younger than this. The webhook of a whole organization delivers many such pushes. */
const listAgainSeconds = 60;
/** Up to this many Applications fit in one response and are listed right away: when one is added and another removed,
 *  their count does not change. */
const listAtOnceUpTo = 250;

/** Which Applications of one Argo CD instance a push concerns. */
export interface Routed {
  readonly concerned: readonly Concerned[];
  /** ApplicationSets that read what was pushed. */
  readonly sets: readonly SetRoute[];
  /** Those of `concerned` that may affect pools, or that had to be listed anyway, as they are now. */
  readonly observations: readonly ObservedApplication[];
  /** Its Applications that parents of another instance write, which deploy to its cluster. */
  readonly writtenFrom: (
    parents: readonly Concerned[],
    home: Pick<ArgoCdSettings, 'name' | 'cluster'>,
  ) => Routed['concerned'];
  /** Stores what was learnt; to be called once the pools are paused. */
  readonly keep: () => Promise<void>;
}

/** Finds the Applications that a push concerns in the stored routing table and reads them. If the table cannot answer,
 *  all Applications are listed. Throws Transient when that fails. */
export async function routePush(event: PushSeen, settings: ArgoCdSettings, ports: KeepPorts): Promise<Routed> {
  const push = pushOf(event.data);
  const argocd = await ports.argocd(settings.name);
  const ahead = readAhead(push, settings, ports);
  const [stored, counts] = await Promise.all([
    yieldToRequests(ports).then(() => loadRoutes(settings.name, ports)),
    argocd.countApplications().catch(noCount),
  ]);
  const why = whyList({ stored, counts, push, settings }, ports);
  const list = (because: string) => {
    ports.logger.info('Applications are listed to route a push', { argocd: settings.name, why: because });
    return byList({ push, settings, argocd, stored }, ports);
  };
  if (why === undefined && stored !== undefined) {
    const { table } = indexOf(stored);
    const concerned = table.concernedBy(push);
    const sets = table.setsConcernedBy(push);
    const wanted = concerned.filter(({ route }) => mayAffectPools(route));
    const byTable = { concerned, sets, observations: [], writtenFrom: writtenIn(table), keep: async () => {} };
    if (wanted.length === 0 && mayBeEdited(stored, ports))
      return list('it concerns none that affects pools').catch((cause: unknown) => {
        if (!(cause instanceof Transient) || !isCounted(counts)) throw cause;
        ports.logger.warn('Applications could not be listed to be sure: the routing table counts', {
          argocd: settings.name,
          why: cause.message,
        });
        return byTable;
      });
    if (wanted.length <= readAtMost) {
      const observations = await Promise.all(
        wanted.map(({ route }) => ahead(route) ?? readApplication(route.ref, ports)),
      );
      const keep = () => learnRoutes(observations, ports);
      return { ...byTable, observations, keep };
    }
  }
  return list(why ?? 'it concerns many');
}

/** Nothing counts the Applications that are edited to follow what is pushed. Before a push pauses nothing a small Argo
 *  CD is listed, once a minute at most. */
function mayBeEdited({ listedAt, routes }: StoredRoutes, ports: KeepPorts): boolean {
  return routes.length <= listAtOnceUpTo && secondsSince(listedAt, ports.clock()) >= listAgainSeconds;
}

/** Otherwise one may have appeared. */
function isCounted(counts: Knowing['counts']): boolean {
  return counts !== undefined && [...counts.values()].every((each) => each !== undefined);
}

function writtenIn(table: RoutingTable): Routed['writtenFrom'] {
  return (parents, { name, cluster }) => table.writtenFrom(parents, new Map([[name, cluster]]));
}

/** Whether its Application may affect pools, as far as is known. */
export function mayAffectPools({ renders, children, childSets = [] }: Route): boolean {
  return renders || children.length > 0 || childSets.length > 0;
}

/** Starts reading the Applications that the push concerns by the table as this process last saw it: the answers are
 *  ready if the stored table agrees. */
function readAhead(
  push: RoutedPush,
  settings: ArgoCdSettings,
  ports: KeepPorts,
): (route: Route) => Promise<ObservedApplication> | undefined {
  const last = ports.routes.last(settings.name);
  const wanted =
    last === undefined
      ? []
      : indexOf(last)
          .table.concernedBy(push)
          .filter(({ route }) => mayAffectPools(route));
  const reads = new Map(
    wanted.slice(0, readAtMost).map(({ route }) => [syncHoldId(route.ref), readApplication(route.ref, ports)]),
  );
  for (const read of reads.values()) read.catch(() => undefined);
  return (route) => reads.get(syncHoldId(route.ref));
}

/** What decides whether the stored table can answer. */
interface Knowing {
  readonly stored: StoredRoutes | undefined;
  /** How many Applications the instance has now in each namespace; undefined: they could not be counted. */
  readonly counts: ReadonlyMap<string, number | undefined> | undefined;
  readonly push: RoutedPush;
  readonly settings: ArgoCdSettings;
}

/** Why the table cannot say which Applications the push concerns; undefined when it can. */
function whyList({ stored, counts, push, settings }: Knowing, ports: KeepPorts): string | undefined {
  if (stored === undefined || stored.listedAt === '') return 'there is no routing table';
  const age = secondsSince(stored.listedAt, ports.clock());
  if (age > staleSeconds(settings, ports)) return 'the routing table is old';
  if (counts !== undefined && !isCountOf(counts, stored.routes)) return 'Applications were added or removed';
  const repository = repositoryOf(push.htmlUrl);
  const isKnown = repository !== undefined && indexOf(stored).repositories.has(repository);
  const mayWait = age < listAgainSeconds && stored.routes.length > listAtOnceUpTo;
  return isKnown || mayWait ? undefined : 'no Application is known to follow the repository';
}

/** By namespace: who removes one of theirs must not make up for one that somebody else adds elsewhere. */
function isCountOf(counts: ReadonlyMap<string, number | undefined>, routes: readonly Route[]): boolean {
  const known = Map.groupBy(routes, ({ ref }) => ref.namespace);
  const namespaces = new Set([...counts.keys(), ...known.keys()]);
  const isUncounted = (each: string) => counts.has(each) && counts.get(each) === undefined;
  return [...namespaces].every(
    (each) => isUncounted(each) || (counts.get(each) ?? 0) === (known.get(each)?.length ?? 0),
  );
}

/** Sweeps keep the table up to date; after two missed in a row it is no longer trusted. Seconds. */
function staleSeconds(settings: ArgoCdSettings, { configuration }: KeepPorts): number {
  const served = clustersServedBy(settings);
  const sweeps = configuration.clusters
    .filter(({ name }) => served.includes(name))
    .map(({ policy }) => policy.sweepEverySeconds);
  return 2 * Math.max(60, ...sweeps) + 60;
}

/** Finds them in a list of all Applications, from which the routing table is made anew. */
async function byList(
  { push, settings, argocd, stored }: Omit<Knowing, 'counts'> & { readonly argocd: ArgoCd },
  ports: KeepPorts,
): Promise<Routed> {
  const listedAt = ports.clock();
  const [applications, sets] = await Promise.all([argocd.listApplications(), listSets(argocd, stored, ports)]);
  const routes = routesOf(applications, { settings, stored });
  const invalid = namedItems(applications.unreadable, stored?.routes);
  const { table } = indexOf({ routes, sets: sets.items });
  const concerned = table.concernedBy(push);
  const ids = new Set(concerned.map(({ route }) => syncHoldId(route.ref)));
  return {
    concerned,
    sets: table.setsConcernedBy(push),
    observations: [
      ...applications.items.map((application) => ({ kind: 'seen', application }) as const),
      ...invalid.map(
        ({ namespace, name, why }) =>
          ({ kind: 'unreadable', ref: { argocd: settings.name, namespace, name }, why, isInvalid: true }) as const,
      ),
    ].filter((observed) => ids.has(syncHoldId(refOf(observed)))),
    writtenFrom: writtenIn(table),
    keep: () => keepRoutes({ argocd: settings.name, routes, sets: sets.items, listedAt, stored }, ports),
  };
}

interface Index extends Pick<StoredRoutes, 'sets'> {
  readonly table: RoutingTable;
  readonly repositories: ReadonlySet<string>;
}

/** Indexes of loaded tables, kept as long as the table is referenced. */
const indexes = new WeakMap<readonly Route[], Index>();

function indexOf({ routes, sets }: Pick<StoredRoutes, 'routes' | 'sets'>): Index {
  const known = indexes.get(routes);
  if (known?.sets === sets) return known;
  const followed = [...routes.flatMap(({ sources }) => sources), ...sets.flatMap(({ generators }) => generators)];
  const repositories = new Set(followed.flatMap(followedAs));
  const index = { sets, table: routingTable(routes, { sets: sets.map(ofGit) }), repositories };
  indexes.set(routes, index);
  return index;
}

/** Argo CD calls a plugin generator on every push to any repository; its answer is not part of the push. */
function ofGit(set: SetRoute): SetRoute {
  return { ...set, readsAnyPush: false };
}

function noCount(cause: unknown): undefined {
  if (cause instanceof Transient) return undefined;
  throw cause;
}

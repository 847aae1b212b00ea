import { type ApplicationRef, type ObservedApplication, refOf } from '../../core/argocd/application.ts';
import { clusterOf, clustersServedBy } from '../../core/argocd/destination.ts';
import { namedItems, type UnreadableItem } from '../../core/findings/listed.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import type { Route } from '../../core/routing/route.ts';
import { byName } from '../../core/text/by-name.ts';
import { isWithoutRights, Transient } from '../../core/text/errors.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { mayServe } from '../route/may-serve.ts';
import type { Scope } from '../route/scope.ts';
import { type ListedRoutes, listSets, loadRoutes, routesOf } from '../route/stored-routes.ts';

/** What a sweep found. */
export interface Swept {
  readonly known: readonly ObservedApplication[];
  /** For the routing tables. */
  readonly listed: readonly ListedRoutes[];
  /** Every instance answered. */
  readonly swept: boolean;
  /** Why an instance could not be listed. */
  readonly sweepFailure?: string | undefined;
  /** Objects that could not be parsed, as far as they are reported for this cluster. */
  readonly unreadable: readonly UnreadableItem[];
  /** Kinds of which every object was listed. */
  readonly complete: readonly string[];
}

/** Every Application of this cluster, so that a sync is found without any event. An instance that cannot be read
 *  changes nothing, and the next tick asks it again if it may serve this cluster. */
export async function sweep({ cluster }: Scope, ports: KeepPorts): Promise<Swept> {
  const instances = ports.configuration.argocd.filter((each) => clustersServedBy(each).includes(cluster.name));
  const lists = await Promise.all(
    instances.map(async (settings) => {
      try {
        const stored = await loadRoutes(settings.name, ports);
        const listedAt = ports.clock();
        const argocd = await ports.argocd(settings.name);
        const [applications, sets] = await Promise.all([argocd.listApplications(), listSets(argocd, stored, ports)]);
        const routes = routesOf(applications, { settings, stored });
        const destination = destinationsOf(applications.unreadable, routes);
        const invalid = namedItems(applications.unreadable, stored?.routes);
        const isHome = settings.cluster === cluster.name;
        return {
          here: applications.items.filter((application) => clusterOf(application, settings) === cluster.name),
          invalid: invalid.filter((each) => (destination(each) ?? cluster.name) === cluster.name),
          told: [
            ...applications.unreadable.filter((each) => (destination(each) ?? settings.cluster) === cluster.name),
            ...(isHome ? sets.unreadable : []),
          ].map((each) => ({ ...each, argocd: settings.name })),
          areSetsListed: sets.isComplete,
          argocd: settings.name,
          listed: { argocd: settings.name, routes, sets: sets.items, listedAt, stored },
        };
      } catch (cause) {
        if (!(cause instanceof Transient)) throw cause;
        ports.logger.warn('Applications could not be listed', { argocd: settings.name, why: cause.message });
        if (!(await mayServe(settings, cluster.name, ports))) return undefined;
        return { failure: `${settings.name}: ${cause.message}` };
      }
    }),
  );
  const asked = lists.filter((list) => list !== undefined);
  const failures = asked.flatMap((list) => ('failure' in list ? [list.failure] : []));
  const answers = asked.flatMap((list) => ('failure' in list ? [] : [list]));
  return {
    known: answers.flatMap(({ here, invalid, argocd }): readonly ObservedApplication[] => [
      ...here.map((application) => ({ kind: 'seen' as const, application })),
      ...invalid.map(({ namespace, name, why }) => ({
        kind: 'unreadable' as const,
        ref: { argocd, namespace, name },
        why,
        isInvalid: true,
      })),
    ]),
    listed: answers.map(({ listed }) => listed),
    swept: failures.length === 0,
    sweepFailure: failures[0],
    unreadable: answers.flatMap(({ told }) => told),
    complete:
      failures.length > 0
        ? []
        : ['Application', ...(answers.every(({ areSetsListed }) => areSetsListed) ? ['ApplicationSet'] : [])],
  };
}

/** The cluster that an Application deploys to by the route that it had when it could still be parsed. Undefined: it
 *  never could, and may deploy anywhere; then it is reported for the cluster of its Argo CD alone. */
function destinationsOf(
  invalid: readonly UnreadableItem[],
  routes: readonly Route[],
): (item: UnreadableItem) => string | undefined {
  if (invalid.length === 0) return () => undefined;
  const known = routes.filter(({ uid }) => uid !== '');
  const byName = new Map(known.map(({ ref, cluster }) => [`${ref.namespace}/${ref.name}`, cluster]));
  return ({ namespace, name }) => byName.get(`${namespace}/${name}`);
}

/** Applications of one instance that are read one by one at most; more are taken from one list. */
const oneByOneAtMost = 200;

/** Each Application once, unless it is known already. */
export async function readApplications(
  wanted: readonly ApplicationRef[],
  known: readonly ObservedApplication[],
  ports: Pick<KeepPorts, 'configuration' | 'argocd'>,
): Promise<readonly ObservedApplication[]> {
  const isKnown = new Set(known.map((observed) => syncHoldId(refOf(observed))));
  const refs = [...new Map(wanted.map((ref) => [syncHoldId(ref), ref]))].flatMap(([id, ref]) =>
    isKnown.has(id) ? [] : [ref],
  );
  const byInstance = [...Map.groupBy(refs, ({ argocd }) => argocd)];
  const read = await Promise.all(
    byInstance.map(async ([argocd, all]) => {
      const listed = all.length > oneByOneAtMost ? await listedOf(argocd, ports) : noneListed;
      return Promise.all(all.map((ref) => listed.get(syncHoldId(ref)) ?? readApplication(ref, ports)));
    }),
  );
  return read.flat();
}

/** Seconds that a pass waits for an Argo CD that may hang: the pauses of others wait for the pass. */
const brieflySeconds = 1;

/** The same; what has not answered by then is unreadable in this pass. */
export async function readBriefly(
  wanted: readonly ApplicationRef[],
  known: readonly ObservedApplication[],
  ports: Pick<KeepPorts, 'configuration' | 'argocd' | 'sleep'>,
): Promise<readonly ObservedApplication[]> {
  const why = `no answer within ${brieflySeconds} s`;
  const late = ports.sleep(1000 * brieflySeconds).then(() =>
    wanted.map(({ argocd, namespace, name }) => ({
      kind: 'unreadable' as const,
      ref: { argocd, namespace, name },
      why,
    })),
  );
  return Promise.race([readApplications(wanted, known, ports), late]);
}

/** As a pass over one cluster is to take it: one that deploys to another cluster now is gone from this one, and what
 *  its status says of its syncs is about that other cluster. */
export function onCluster(
  observed: ObservedApplication,
  cluster: string,
  { configuration }: Pick<KeepPorts, 'configuration'>,
): ObservedApplication {
  if (observed.kind !== 'seen') return observed;
  const { application } = observed;
  const settings = byName(configuration.argocd, application.argocd);
  const now = settings && clusterOf(application, settings);
  if (settings === undefined || now === cluster) return observed;
  const { argocd, namespace, name } = application;
  return { kind: 'gone', ref: { argocd, namespace, name }, elsewhere: { cluster: now, application } };
}

const noneListed: ReadonlyMap<string, ObservedApplication> = new Map();

/** What one list shows; nothing if it fails. Whoever is not in it is read alone: that proves that it is gone. */
async function listedOf(
  argocd: string,
  ports: Pick<KeepPorts, 'configuration' | 'argocd'>,
): Promise<ReadonlyMap<string, ObservedApplication>> {
  if (!ports.configuration.argocd.some(({ name }) => name === argocd)) return noneListed;
  try {
    const { items } = await (await ports.argocd(argocd)).listApplications();
    return new Map(items.map((application) => [syncHoldId(application), { kind: 'seen', application }]));
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return noneListed;
  }
}

export async function readApplication(
  ref: ApplicationRef,
  ports: Pick<KeepPorts, 'configuration' | 'argocd'>,
): Promise<ObservedApplication> {
  const settings = byName(ports.configuration.argocd, ref.argocd);
  if (settings === undefined) {
    const why = `Argo CD instance ${ref.argocd} is not configured`;
    return { kind: 'unreadable', ref, why, isForGood: true };
  }
  try {
    const application = await (await ports.argocd(ref.argocd)).readApplication(ref);
    return application === undefined ? { kind: 'gone', ref } : { kind: 'seen', application };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const isForbidden = isWithoutRights(cause);
    return {
      kind: 'unreadable',
      ref,
      why: cause.message,
      ...(cause.kind === 'invalid' && { isInvalid: true }),
      ...(isForbidden && { isForbidden }),
      // Its namespace was taken out of the configuration, and the rights there are gone, too.
      ...(isForbidden && !settings.namespaces.includes(ref.namespace) && { isForGood: true }),
    };
  }
}

/** With what the listed instances show in the place of Applications whose own instance is not configured any more: it
 *  may have been renamed. In a fleet many have one namespace. */
export function withHeirs(
  read: readonly ObservedApplication[],
  listed: readonly ObservedApplication[],
): readonly ObservedApplication[] {
  return read.map((observed) => {
    if (observed.kind !== 'unreadable' || observed.isForGood !== true) return observed;
    const { namespace, name } = observed.ref;
    const heirs = listed.flatMap((each) =>
      each.kind === 'seen' && each.application.namespace === namespace && each.application.name === name
        ? [each.application]
        : [],
    );
    return { ...observed, heirs };
  });
}

import {
  type ApplicationRef,
  isSameApplication,
  type ObservedApplication,
  refOf,
} from '../../core/argocd/application.ts';
import { clusterOf, clustersServedBy } from '../../core/argocd/destination.ts';
import { Transient } from '../../core/text/errors.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { Scope } from '../route/scope.ts';
import { type Listed, listSets, loadRoutes, routesOf } from '../route/stored-routes.ts';

/** What a sweep found. */
export interface Swept {
  readonly known: readonly ObservedApplication[];
  /** For the routing tables. */
  readonly listed: readonly Listed[];
  /** Every instance answered. */
  readonly swept: boolean;
}

/** Every Application of this cluster, so that a sync is found without any event. An instance that cannot be read
 *  changes nothing, and the next tick asks it again. */
export async function sweep({ cluster }: Scope, ports: KeepPorts): Promise<Swept> {
  const instances = ports.configuration.argocd.filter((each) => clustersServedBy(each).includes(cluster.name));
  const lists = await Promise.all(
    instances.map(async (settings) => {
      try {
        const stored = await loadRoutes(settings.name, ports);
        const listedAt = ports.clock();
        const argocd = await ports.argocd(settings.name);
        const [applications, sets] = await Promise.all([argocd.listApplications(), listSets(argocd, stored, ports)]);
        const routes = routesOf(applications, settings);
        return {
          here: applications.filter((application) => clusterOf(application, settings) === cluster.name),
          listed: { argocd: settings.name, routes, sets, listedAt, stored },
        };
      } catch (cause) {
        if (!(cause instanceof Transient)) throw cause;
        ports.logger.warn('Applications could not be listed', { argocd: settings.name, why: cause.message });
        return undefined;
      }
    }),
  );
  const answers = lists.flatMap((list) => list ?? []);
  return {
    known: answers.flatMap(({ here }) =>
      here.map((application): ObservedApplication => ({ kind: 'seen', application })),
    ),
    listed: answers.map(({ listed }) => listed),
    swept: !lists.includes(undefined),
  };
}

/** Each Application once, unless it is known already. */
export async function readApplications(
  wanted: readonly ApplicationRef[],
  known: readonly ObservedApplication[],
  ports: KeepPorts,
): Promise<readonly ObservedApplication[]> {
  const refs = wanted.filter(
    (ref, index) =>
      wanted.findIndex((each) => isSameApplication(each, ref)) === index &&
      !known.some((observed) => isSameApplication(refOf(observed), ref)),
  );
  return Promise.all(refs.map((ref) => readApplication(ref, ports)));
}

export async function readApplication(ref: ApplicationRef, ports: KeepPorts): Promise<ObservedApplication> {
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

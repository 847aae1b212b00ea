import { clustersServedBy } from '../../core/argocd/destination.ts';
import { isHome } from '../../core/argocd/is-home.ts';
import type { KnownApplication } from '../../core/diagnose/managed-by.ts';
import type { Route } from '../../core/routing/route.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { loadRoutes } from './stored-routes.ts';

/** The Applications that deploy to a cluster, from the routing tables: they say where in Git an object of a finding
 *  comes from. If a table is missing or unreadable, remedies lack that place in Git, nothing else. */
export async function knownApplications(
  cluster: string,
  ports: Pick<KeepPorts, 'configuration' | 'routes' | 'logger'>,
): Promise<readonly (Route & Pick<KnownApplication, 'isAtHome'>)[]> {
  const tables = await Promise.all(
    servingOf(cluster, ports).map(async ({ name, controllerNamespace: home }) => ({
      home,
      table: await loadRoutes(name, ports),
    })),
  );
  return tables.flatMap(({ home, table }) => {
    const here = table?.routes.filter((route) => route.cluster === cluster) ?? [];
    return here.map((route) => ({ ...route, isAtHome: isHome(route.ref.namespace, home) }));
  });
}

/** Names of the Argo CD instances that may deploy to a cluster. */
export function argocdsOf(cluster: string, ports: Pick<KeepPorts, 'configuration'>): readonly string[] {
  return servingOf(cluster, ports).map(({ name }) => name);
}

function servingOf(cluster: string, { configuration }: Pick<KeepPorts, 'configuration'>) {
  return configuration.argocd.filter((each) => clustersServedBy(each).includes(cluster));
}

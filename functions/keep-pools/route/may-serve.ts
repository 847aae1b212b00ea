import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import { Transient } from '../../core/text/errors.ts';
import type { KeepPorts } from '../keep-ports.ts';

/** Whether it matters to a cluster that this Argo CD cannot be read: it runs there, or deployed there when it was
 *  last listed, or what was stored then is gone. Before it ever was listed, where the configuration names the cluster
 *  among its destinations; what every instance understands says nothing, or the clusters of a fleet would wait for the
 *  one that is away. */
export async function mayServe(
  settings: ArgoCdSettings,
  cluster: string,
  { routes }: Pick<KeepPorts, 'routes'>,
): Promise<boolean> {
  if (settings.cluster === cluster) return true;
  try {
    const stored = await routes.load(settings.name);
    if (stored !== undefined) return stored.listedAt === '' || stored.routes.some((route) => route.cluster === cluster);
  } catch (cause) {
    if (cause instanceof Transient) return true;
    throw cause;
  }
  return settings.destinations.some(({ cluster: meant, isImplied }) => meant === cluster && isImplied !== true);
}

import { projectOf } from '../../../functions/core/argocd/application.ts';
import { clusterOf } from '../../../functions/core/argocd/destination.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import { renderedResources } from '../../../functions/core/impact/affected-pools.ts';
import { asWord, counted, listed } from '../../../functions/core/text/phrases.ts';
import { byTurns } from '../../../functions/core/text/rounds.ts';
import { safeLine } from '../../../functions/core/text/safe-text.ts';
import type { ArgoCd } from '../../../functions/ports/argocd.ts';
import { type Finding, warning } from './finding.ts';

/** Most destinations that are named, and Applications of each. */
const mostNamed = { destinations: 20, applications: 3 };

/** Characters of a destination. */
const longest = 200;

const remedy =
  'where it is a cluster of poolkeeper.yaml by another address, as one that api.server had before: add it to destinations of this Argo CD';

/** Applications that change what the Machine Config Operator renders, on clusters that the configuration does not know:
 *  nothing is paused for them, which is right only where Poolkeeper does not look after that cluster. Throws
 *  Transient. */
export async function checkDestinations(
  about: string,
  settings: ArgoCdSettings,
  argocd: Pick<ArgoCd, 'listApplications'>,
): Promise<readonly Finding[]> {
  const { items } = await argocd.listApplications();
  const unknown = items.filter(
    (application) => clusterOf(application, settings) === undefined && renderedResources(application).length > 0,
  );
  const inTurns = byTurns(unknown, (each) => `${each.namespace}/${projectOf(each) ?? ''}`);
  const byDestination = [...Map.groupBy(inTurns, ({ destination: { server, name } }) => server || name)];
  const more = byDestination.length - mostNamed.destinations;
  return [
    ...byDestination.slice(0, mostNamed.destinations).map(([destination, all]) => {
      const names = all.map(({ namespace, name }) => `${namespace}/${name}`);
      const where = destination === '' ? 'no destination' : asWord(safeLine(destination, longest));
      return warning(
        about,
        `destinations: ${where} is no cluster of poolkeeper.yaml, so nothing is paused for ${counted(all.length, 'Application')} that ${all.length === 1 ? 'changes' : 'change'} pools there: ${listed(names, mostNamed.applications)}`,
        remedy,
      );
    }),
    ...(more > 0 ? [warning(about, `destinations: ${more} more are no cluster of poolkeeper.yaml`, remedy)] : []),
  ];
}

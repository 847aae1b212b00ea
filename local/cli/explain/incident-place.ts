import { listContexts } from '../../../functions/adapters/kubernetes/kubeconfig.ts';
import type { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import type { Surroundings } from '../command.ts';
import { configurationFile } from '../configuration-file.ts';
import { clustersIfRead } from '../configured-clusters.ts';
import { isSameServer } from '../connection/configuration-entry.ts';
import { kubeconfigFiles } from '../pick-cluster.ts';
import type { ExplainedIncident } from './explanation.ts';
import type { AskedIncident } from './incident.ts';
import type { Source, SourceRequest } from './pick-source.ts';

/** The incident beside what is explained: pools of other clusters have the same names. Throws Misconfigured where that
 *  is another cluster, and where nobody chose it or can tell that it is the one. */
export async function placeIncident(
  incident: AskedIncident,
  { live }: Pick<Source, 'live'>,
  wished: SourceRequest,
  surroundings: Pick<Surroundings, 'environment' | 'folders'>,
): Promise<ExplainedIncident> {
  // Named by --cluster, which was compared, or a recording, which does not say where it was made.
  if (live === undefined) return { ...incident, isClusterKnown: wished.cluster !== undefined };
  const file = await configurationFile(wished.config, surroundings);
  const clusters = await clustersIfRead(file);
  const here = clusters?.find(({ api }) => isSameServer(api.server, live.server));
  if (here?.name === incident.cluster) return { ...incident, isClusterKnown: true };
  if (here === undefined && wished.context !== undefined) return { ...incident, isClusterKnown: false };
  const own = clusters?.find(({ name }) => name === incident.cluster);
  const contexts = await listContexts(kubeconfigFiles(wished.kubeconfig, surroundings.environment));
  const right = contexts.find(({ server }) => isSameServer(server, own?.api.server ?? ''));
  const which = here === undefined ? notKnown(own, file) : `which is cluster ${here.name}`;
  const remedy = right === undefined ? '--context names one of that cluster' : `use --context ${right.name}`;
  const byName = own === undefined ? '' : `; or --cluster ${own.name}`;
  throw new Misconfigured([
    `${incident.name} is about cluster ${incident.cluster}, but context ${live.context} leads to ${live.server}, ${which}; ${remedy}${byName}`,
  ]);
}

function notKnown(own: ClusterSettings | undefined, config: string): string {
  return own === undefined
    ? `and no cluster of that name in ${config} says whether it is that one (--config names another file)`
    : `and ${config} has that cluster at ${own.api.server}`;
}

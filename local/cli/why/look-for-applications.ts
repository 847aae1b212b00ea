import { clusterOf, clustersServedBy } from '../../../functions/core/argocd/destination.ts';
import type { ArgoCdSettings } from '../../../functions/core/configuration/argocd.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { readApplication } from '../../../functions/keep-pools/read/read-applications.ts';
import type { EvidencePorts } from '../../../functions/keep-pools/resume/evidence-reader.ts';

/** What is not known of these Applications, one sentence each.
 *  @param names `<namespace>/<name>`
 *  Throws Misconfigured if every Argo CD that serves the cluster says that one is not there. */
export async function lookForApplications(
  names: readonly string[],
  cluster: string,
  ports: EvidencePorts,
): Promise<readonly string[]> {
  const serving = servingOf(cluster, ports);
  const found = await Promise.all(names.map((name) => lookFor(name, serving, { cluster, ports })));
  const missing = names.filter((_name, at) => found[at]?.isMissing === true);
  if (missing.length > 0)
    throw new Misconfigured([
      `there is no Application ${missing.join(', ')} in Argo CD ${serving.map(({ name }) => name).join(', ')}`,
    ]);
  return found.flatMap(({ unread }) => unread ?? []);
}

interface ApplicationFound {
  readonly isMissing?: boolean;
  /** What is not known of it. */
  readonly unread?: string;
}

async function lookFor(
  about: string,
  serving: readonly ArgoCdSettings[],
  { cluster, ports }: { readonly cluster: string; readonly ports: EvidencePorts },
): Promise<ApplicationFound> {
  if (serving.length === 0) return { unread: `Application ${about}: no Argo CD is known that deploys to ${cluster}` };
  const [namespace = '', name = ''] = about.split('/');
  const read = await Promise.all(
    serving.map(async (settings) => ({
      settings,
      observed: await readApplication({ argocd: settings.name, namespace, name }, ports),
    })),
  );
  const places = read.flatMap(({ settings, observed }) =>
    observed.kind === 'seen' ? [clusterOf(observed.application, settings) ?? 'a cluster that is not configured'] : [],
  );
  if (places.includes(cluster)) return {};
  const [elsewhere] = places;
  if (elsewhere !== undefined)
    return { unread: `Application ${about}: it deploys to ${elsewhere}, which was not looked at` };
  const unread = read.flatMap(({ observed }) => (observed.kind === 'unreadable' ? [observed.why] : []));
  return unread.length === 0 ? { isMissing: true } : { unread: `Application ${about}: ${unread.join('; ')}` };
}

function servingOf(cluster: string, { configuration }: EvidencePorts): readonly ArgoCdSettings[] {
  return configuration.argocd.filter((each) => clustersServedBy(each).includes(cluster));
}

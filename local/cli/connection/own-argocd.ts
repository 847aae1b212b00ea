import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { listed } from '../../../functions/core/text/phrases.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import type { FoundArgoCd } from '../../run/find-argocd.ts';
import { argocdHomes } from './configuration-entry.ts';
import type { ClusterSight } from './look-at-cluster.ts';

export type KnownArgoCd = Pick<FoundArgoCd, 'home' | 'namespaces' | 'used' | 'controllers'> & {
  /** Namespaces that nobody says to be its own. */
  readonly others: readonly string[];
  /** Where the cluster, the file and who connects do not say the same, for people. */
  readonly doubt: string | undefined;
};

/** What decides whether its own namespace has to be known. */
interface ArgoCdWishes {
  readonly argocdNamespace: string | undefined;
  readonly output: 'text' | 'yaml';
  readonly config: string | undefined;
  readonly name: string;
}

/** The Argo CD to write down; undefined: there is none here. What people say counts, now or in the file, before what
 *  the cluster tells. Throws Misconfigured where its own namespace is needed and not clear: whoever owns what is taken
 *  for it can hide every Application from the service. */
export async function ownArgoCd(
  { argocdNamespace: told, output, config, name }: ArgoCdWishes,
  { argocd }: Pick<ClusterSight, 'argocd'>,
): Promise<KnownArgoCd | undefined> {
  if (told !== undefined && argocd === undefined)
    throw new Misconfigured([`--argocd-namespace ${told}: this cluster has no Argo CD`]);
  if (argocd === undefined) return undefined;
  const written = config === undefined ? [] : await argocdHomes(config, name);
  const said = told === undefined ? written.filter((each) => argocd.candidates.includes(each)) : [told];
  const namespaces = unique([...said, ...argocd.namespaces]).toSorted();
  if (namespaces.length === 0 && argocd.candidates.length === 0) return undefined;
  const home = told ?? (written.length === 1 ? written[0] : argocd.home);
  if (home === undefined && written.length === 0 && output !== 'yaml')
    throw new Misconfigured([
      `which namespace is Argo CD's own is not clear: ${listed(argocd.candidates, 10)}? Say it by --argocd-namespace: its application controller and its AppProjects are there, and whoever has rights in it has them over every Application`,
    ]);
  const other = told ?? argocd.home;
  const isDoubtful =
    other !== undefined && written.length > 0 && !written.some((each) => [other, ...said].includes(each));
  const isWritten = `controllerNamespace in ${config} is ${listed(written)}`;
  const why =
    told === undefined
      ? `Argo CD's own namespace seems to be ${other}, and ${isWritten}: see which it is`
      : `${isWritten}, and stays so`;
  const others = namespaces.filter((each) => ![home, argocd.home, ...written].includes(each));
  const { used, controllers } = argocd;
  return { home, namespaces, used, controllers, others, doubt: isDoubtful ? why : undefined };
}

/** Those of these namespaces that are being deleted or are gone: they are not written down, as nothing will be read
 *  there. Throws Transient. */
export async function endingOf(
  client: Pick<KubeClient, 'get'>,
  namespaces: readonly string[],
): Promise<readonly string[]> {
  const stored = await Promise.all(namespaces.map((name) => client.get(`/api/v1/namespaces/${name}`)));
  return namespaces.filter((_name, index) => {
    const read = Ending.safeParse(stored[index]);
    return !read.success || read.data.metadata.deletionTimestamp !== undefined;
  });
}

const Ending = z.object({ metadata: z.object({ deletionTimestamp: z.string().optional() }) });

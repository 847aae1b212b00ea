import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { Misconfigured } from '../../../functions/core/text/errors.ts';
import { listed } from '../../../functions/core/text/phrases.ts';
import type { FoundArgoCd } from '../../run/find-argocd.ts';
import { argocdHomes } from './configuration-entry.ts';
import type { ClusterSight } from './look-at-cluster.ts';

export type KnownArgoCd = Pick<FoundArgoCd, 'home' | 'namespaces'> & {
  /** What the file says instead, for people; undefined: nothing else. */
  readonly doubt: string | undefined;
};

/** What decides whether its own namespace has to be known. */
interface ArgoCdWishes {
  readonly argocdNamespace: string | undefined;
  readonly output: 'text' | 'yaml';
  readonly config: string | undefined;
  readonly name: string;
}

/** The Argo CD to write down; undefined: there is none here. Throws Misconfigured where its own namespace is needed and
 *  not clear: whoever owns what is taken for it can hide every Application from the service. */
export async function ownArgoCd(
  { argocdNamespace: told, output, config, name }: ArgoCdWishes,
  { argocd }: Pick<ClusterSight, 'argocd'>,
): Promise<KnownArgoCd | undefined> {
  if (told !== undefined && argocd === undefined)
    throw new Misconfigured([`--argocd-namespace ${told}: this cluster has no Argo CD`]);
  const namespaces = [...new Set([...(told === undefined ? [] : [told]), ...(argocd?.namespaces ?? [])])].toSorted();
  if (argocd === undefined || namespaces.length === 0) return undefined;
  const home = told ?? argocd.home;
  const written = config === undefined ? [] : await argocdHomes(config, name);
  if (home === undefined && written.length === 0 && output !== 'yaml')
    throw new Misconfigured([
      `which namespace is Argo CD's own is not clear: ${listed(argocd.candidates, 10)}? Say it by --argocd-namespace: its application controller and its AppProjects are there, and whoever has rights in it has them over every Application`,
    ]);
  const isDoubtful = home !== undefined && written.length > 0 && !written.includes(home);
  const doubt = isDoubtful
    ? `Argo CD's own namespace is ${home}, and controllerNamespace in ${config} is ${listed(written)}: correct it`
    : undefined;
  return { home, namespaces, doubt };
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

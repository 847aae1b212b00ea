import { byName } from '../text/by-name.ts';
import type { ArgoCdSettings } from './argocd.ts';
import type { ClusterSettings } from './cluster.ts';

/** Where people look further. Every link begins with an address of the configuration; what is added to it is encoded,
 *  so that no text of a cluster can lead anywhere else. */
export interface LinkPlaces {
  readonly clusters: readonly Pick<ClusterSettings, 'name' | 'consoleUrl'>[];
  readonly argocd?: readonly Pick<ArgoCdSettings, 'name' | 'namespaces' | 'url' | 'commitsUrl'>[] | undefined;
}

/** A link, and what it is called. */
export interface PlaceLink {
  readonly label: string;
  readonly url: string;
}

/** The pool in the OpenShift console; undefined: no address is configured, or it is no one pool. */
export function poolLink({ clusters }: LinkPlaces, cluster: string, pool: string): string | undefined {
  const base = byName(clusters, cluster)?.consoleUrl;
  if (base === undefined || pool === '*' || pool === '') return undefined;
  return `${base}/k8s/cluster/machineconfiguration.openshift.io~v1~MachineConfigPool/${encoded(pool)}`;
}

/** The Application in Argo CD, by `namespace/name` or `argocd/namespace/name`; undefined: no address is configured, or
 *  several instances may have it. */
export function applicationLink({ argocd = [] }: LinkPlaces, application: string): string | undefined {
  const [name, namespace, instance, ...more] = application.split('/').toReversed();
  if (name === undefined || namespace === undefined || more.length > 0) return undefined;
  const those = argocd.filter((each) =>
    instance === undefined ? each.namespaces.includes(namespace) : each.name === instance,
  );
  const [only, ...others] = those;
  if (only?.url === undefined || others.length > 0) return undefined;
  return `${only.url}/applications/${encoded(namespace)}/${encoded(name)}`;
}

/** The commit; undefined: no address is configured, or several, or it is no hash. */
export function commitLink({ argocd = [] }: LinkPlaces, commit: string): string | undefined {
  const [base, ...others] = new Set(argocd.flatMap(({ commitsUrl }) => commitsUrl ?? []));
  if (base === undefined || others.length > 0 || !/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit)) return undefined;
  return `${base}/${commit}`;
}

function encoded(part: string): string {
  return encodeURIComponent(part.toWellFormed());
}

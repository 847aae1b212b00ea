import * as z from 'zod';
import type { KubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { isUnserved } from '../../../functions/adapters/kubernetes/refusal.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { asWord } from '../../../functions/core/text/phrases.ts';
import type { KubeObject } from '../../manifests/kube-object.ts';
import { objectPath } from './object-path.ts';

const Listed = z.array(
  z.object({
    metadata: z.object({ name: z.string(), ownerReferences: z.array(z.object({ kind: z.string() })).nullish() }),
  }),
);

/** Kubernetes serves all others: a 404 for these is the answer of something in between. */
const servedWithArgoCd = 'argoproj.io/v1alpha1';

/** What people and installations keep in a namespace. */
const kinds: readonly (readonly [apiVersion: string, kind: string])[] = [
  ['v1', 'ConfigMap'],
  ['v1', 'Secret'],
  ['v1', 'PersistentVolumeClaim'],
  ['v1', 'ServiceAccount'],
  ['v1', 'Service'],
  ['apps/v1', 'Deployment'],
  ['apps/v1', 'StatefulSet'],
  ['apps/v1', 'DaemonSet'],
  ['batch/v1', 'CronJob'],
  ['batch/v1', 'Job'],
  ['rbac.authorization.k8s.io/v1', 'Role'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding'],
  [servedWithArgoCd, 'Application'],
  [servedWithArgoCd, 'AppProject'],
];

/** Kubernetes and OpenShift make these in every namespace. */
const inEveryNamespace: ReadonlySet<string> = new Set([
  ...['ConfigMap kube-root-ca.crt', 'ConfigMap openshift-service-ca.crt'],
  ...['default', 'builder', 'deployer'].map((name) => `ServiceAccount ${name}`),
  ...['system:image-pullers', 'system:image-builders', 'system:deployers'].map((name) => `RoleBinding ${name}`),
]);

/** Tokens and pull secrets of accounts go with these. */
const ownSecrets = 'type!=kubernetes.io/service-account-token,type!=kubernetes.io/dockercfg';

/** What is in a namespace, of the kinds that are looked at, and not ours, for people; a kind that may not be listed
 *  counts as something. Throws Transient. */
export async function foreignObjects(
  client: Pick<KubeClient, 'list'>,
  namespace: string,
  ours: readonly KubeObject[],
): Promise<readonly string[]> {
  const known = new Set(ours.map(objectPath));
  const found: string[] = [];
  for (const [apiVersion, kind] of kinds) {
    const at = (name: string) => objectPath({ apiVersion, kind, metadata: { name, namespace } });
    const fieldSelector = kind === 'Secret' ? ownSecrets : '';
    try {
      const listing = client.list(at('').slice(0, -1), { query: { fieldSelector }, pageSize: 250, form: 'metadata' });
      const others = Listed.parse(await listing).filter(
        ({ metadata: { name, ownerReferences } }) =>
          !known.has(at(name)) && !inEveryNamespace.has(`${kind} ${name}`) && !isOfBuild(ownerReferences ?? []),
      );
      found.push(...others.map(({ metadata }) => `${kind} ${asWord(metadata.name)}`));
    } catch (cause) {
      if (!(cause instanceof Transient)) throw cause;
      if (cause.kind === 'forbidden') found.push(`perhaps a ${kind}, which may not be listed`);
      else if (apiVersion !== servedWithArgoCd || !isUnserved(cause)) throw cause;
    }
  }
  return found;
}

/** A build of the image puts certificates and settings beside its pod. */
function isOfBuild(owners: readonly { readonly kind: string }[]): boolean {
  return owners.some(({ kind }) => kind === 'Pod' || kind === 'Build');
}

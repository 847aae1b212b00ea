import type { Kube } from './kube.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const admission = '/apis/admissionregistration.k8s.io/v1';
const collections = [
  ...['rolebindings', 'clusterrolebindings', 'roles', 'clusterroles'].map((kind) => ({ under: rbac, kind })),
  { under: '/api/v1', kind: 'serviceaccounts' },
  ...['validatingadmissionpolicybindings', 'validatingadmissionpolicies'].map((kind) => ({ under: admission, kind })),
] as const;

/** Takes away accounts, rights and policies of Poolkeeper that tests before have left: to `disconnect` and `doctor`
 *  they are other installations on the cluster. */
export async function leaveNoInstallation(kube: Kube): Promise<void> {
  for (const { under, kind } of collections)
    for (const { metadata } of await kube.list(`${under}/${kind}`)) {
      const isOurs = metadata.labels?.['app.kubernetes.io/part-of'] === 'poolkeeper';
      const place = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
      if (isOurs) await kube.delete(`${under}${place}/${kind}/${metadata.name}`);
    }
}

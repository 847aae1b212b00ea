import type { Draft } from './kube.ts';

const mco = '/apis/machineconfiguration.openshift.io/v1';

/** Paths of the collections the tests use most; append `/<name>`, and `/status` after it. */
export const paths = {
  pools: `${mco}/machineconfigpools`,
  machineConfigs: `${mco}/machineconfigs`,
  machineConfigNodes: `${mco}/machineconfignodes`,
  kubeletConfigs: `${mco}/kubeletconfigs`,
  nodes: '/api/v1/nodes',
  namespaces: '/api/v1/namespaces',
  definitions: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  in: (namespace: string) =>
    ({
      applications: `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications`,
      projects: `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/appprojects`,
      configMaps: `/api/v1/namespaces/${namespace}/configmaps`,
      secrets: `/api/v1/namespaces/${namespace}/secrets`,
      pods: `/api/v1/namespaces/${namespace}/pods`,
      events: `/api/v1/namespaces/${namespace}/events`,
      budgets: `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`,
      serviceAccounts: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    }) as const,
} as const;

/** Plurals that are not the kind in lower case with an `s`. */
const plurals: Readonly<Record<string, string>> = {
  NetworkPolicy: 'networkpolicies',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
  ImageContentSourcePolicy: 'imagecontentsourcepolicies',
  ImagePolicy: 'imagepolicies',
  ClusterImagePolicy: 'clusterimagepolicies',
  Proxy: 'proxies',
  DNS: 'dnses',
  StorageClass: 'storageclasses',
};

/** The collection an object belongs to, from its own words. Good for the kinds of this suite; it asks no discovery. */
export function collectionOf(object: Draft): string {
  const plural = plurals[object.kind] ?? `${object.kind.toLowerCase()}s`;
  const base = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  const { namespace } = object.metadata;
  return namespace === undefined ? `${base}/${plural}` : `${base}/namespaces/${namespace}/${plural}`;
}

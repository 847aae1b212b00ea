import { storageClasses } from './api-server/resource-types.ts';
import type { OpenShift } from './index.ts';

/** The case that sequences are for: one operator must not be installed before another has made a storage class. */
export interface StorageWorld {
  /** The storage operator's class appears, as when its StorageCluster has become ready. */
  makeClass(): void;
  /** It is gone again. */
  deleteClass(): void;
}

/** The class that OpenShift Data Foundation makes, and OpenShift Virtualization looks for. */
export const storageClass = 'ocs-storagecluster-ceph-rbd';

const provisioner = 'openshift-storage.rbd.csi.ceph.com';

/** Namespaces for both operators and for Poolkeeper; nothing is installed yet. */
export function buildStorageWorld({ addNamespace, registry }: OpenShift): StorageWorld {
  for (const name of ['openshift-storage', 'openshift-cnv', 'poolkeeper']) addNamespace(name);
  const manager = 'ocs-operator';
  return {
    makeClass: () =>
      void registry.create(storageClasses, { metadata: { name: storageClass }, ...{ provisioner } }, { manager }),
    deleteClass: () =>
      void registry.delete(storageClasses, { name: storageClass, namespace: '' }, { manager: 'kubectl' }),
  };
}

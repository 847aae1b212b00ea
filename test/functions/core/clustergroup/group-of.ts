import { type ImportedGroup, importGroup } from '../../../../functions/core/clustergroup/import-group.ts';
import type { Remark } from '../../../../functions/core/clustergroup/remark.ts';
import type { Values } from '../../../../functions/core/clustergroup/values.ts';

export const waveKey = 'argocd.argoproj.io/sync-wave';

/** A storage operator in wave 5, whose class others need. */
export const storage: Values = {
  name: 'odf-operator',
  namespace: 'openshift-storage',
  annotations: { [waveKey]: '5' },
};

/** The gate on that class. */
export const gate: Values = { resourceType: 'sc', resourceName: 'ceph-rbd' };

/** An operator in wave 10 that needs it. */
export const virtualization: Values = { name: 'hco', namespace: 'openshift-cnv', annotations: { [waveKey]: '10' } };

/** Imports groups, each a values file of its own over the one before. */
export function imported(...groups: readonly Values[]): ImportedGroup {
  const files = groups.map((clusterGroup, index) => ({ path: `values-${index}.yaml`, values: { clusterGroup } }));
  return importGroup([{ path: 'values-global.yaml', values: { global: { options: { useCSV: false } } } }, ...files]);
}

/** One subscription with a gate. */
export function withGate(sequenceJob: Values, subscription: Values = storage): ImportedGroup {
  return imported({ name: 'hub', subscriptions: { odf: { ...subscription, sequenceJob } } });
}

export function gatesOf({ operators }: ImportedGroup) {
  return operators.flatMap((operator) => operator.gate ?? []);
}

export function said({ remarks }: ImportedGroup, code: Remark['code']): readonly Remark[] {
  return remarks.filter((remark) => remark.code === code);
}

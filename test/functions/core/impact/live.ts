import type { Manifest, ManifestChange } from '../../../../functions/core/openshift/manifest.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { roleLabel } from '../../../../functions/core/openshift/role-label.ts';
import { aPool } from '../../../fakes/builders.ts';

/** A pool that selects the roles given, as OpenShift's own and customers' pools do. */
export function poolOfRoles(name: string, roles: readonly string[] = [name], change: Partial<Pool> = {}): Pool {
  const isBuiltIn = ['master', 'worker'].includes(name);
  const target = { name: `rendered-${name}-aaa`, sources: [`00-${name}`] };
  return aPool({
    name,
    uid: `uid-${name}`,
    labels: {
      [`pools.operator.machineconfiguration.openshift.io/${name}`]: '',
      ...(isBuiltIn ? { 'machineconfiguration.openshift.io/mco-built-in': '' } : {}),
    },
    machineConfigSelector:
      roles.length === 1
        ? { matchLabels: { [roleLabel]: roles[0] ?? '' } }
        : { matchExpressions: [{ key: roleLabel, operator: 'In', values: roles }] },
    nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
    target,
    current: target,
    ...change,
  });
}

/** Control plane, workers, one custom pool that inherits worker, and one that does not. */
export const usualPools = [
  poolOfRoles('master'),
  poolOfRoles('worker'),
  poolOfRoles('infra', ['worker', 'infra']),
  poolOfRoles('edge'),
];

export function aManifest(change: Partial<Manifest> = {}): Manifest {
  return {
    group: 'machineconfiguration.openshift.io',
    kind: 'MachineConfig',
    namespace: '',
    name: '99-worker-chrony',
    labels: { [roleLabel]: 'worker' },
    annotations: {},
    body: { spec: { kernelArguments: ['a=1'] } },
    ...change,
  };
}

export function added(manifest: Manifest): ManifestChange {
  return { before: undefined, after: manifest, files: ['nodes/a.yaml'] };
}

export function removed(manifest: Manifest): ManifestChange {
  return { before: manifest, after: undefined, files: ['nodes/a.yaml'] };
}

export function changed(before: Manifest, after: Manifest): ManifestChange {
  return { before, after, files: ['nodes/a.yaml'] };
}

import { poolOf } from '../../../functions/adapters/kubernetes/pool-of.ts';
import { machineConfigOfManifest } from '../../../functions/core/machine-config/machine-config.ts';
import type { Change } from '../../../functions/core/openshift/manifest.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { roleLabel } from '../../../functions/core/openshift/role-label.ts';
import { notAsked } from '../../../functions/core/text/observed.ts';
import { unique } from '../../../functions/core/text/unique.ts';
import type { RecordedCluster } from './recorded-cluster.ts';

/** An unknown cluster with what Git had: the two standard pools, and one for each other role in the change, which
 *  inherits from worker as custom pools do. Nodes are unknown. */
export function usualCluster({ manifests }: Change): RecordedCluster {
  const named = manifests.flatMap(({ before, after }) =>
    [before, after].flatMap((side) => side?.labels[roleLabel] ?? []),
  );
  const roles = unique(['master', 'worker', ...named]);
  return {
    name: 'any cluster',
    pools: roles.map(usualPool),
    sources: {
      machineConfigs: manifests.flatMap(({ before }) => machineConfigOfManifest(before) ?? []),
      policy: undefined,
      choosers: notAsked,
      isSingleNode: false,
      layeredPools: [],
    },
    applications: [],
    unreadApplications: [],
  };
}

function usualPool(role: string): Pool {
  const isBuiltIn = role === 'master' || role === 'worker';
  return poolOf({
    metadata: {
      name: role,
      uid: role,
      resourceVersion: '0',
      generation: 1,
      labels: isBuiltIn
        ? {
            'machineconfiguration.openshift.io/mco-built-in': '',
            [`pools.operator.machineconfiguration.openshift.io/${role}`]: '',
          }
        : {},
    },
    spec: {
      machineConfigSelector: isBuiltIn
        ? { matchLabels: { [roleLabel]: role } }
        : { matchExpressions: [{ key: roleLabel, operator: 'In', values: ['worker', role] }] },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${role}`]: '' } },
    },
    status: {},
  });
}

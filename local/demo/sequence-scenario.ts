import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Sequences } from '../../functions/core/configuration/sequence.ts';
import { readConfiguration } from '../../functions/shell/configuration/read-configuration.ts';
import { storageClass } from '../openshift/storage-world.ts';
import { cluster } from './demo-set-up.ts';

export const sequenceName = 'virtualization';

/** The reference's own case: the storage operator in wave 5 with a gate on the class that it makes, virtualization in
 *  wave 10. Poolkeeper applies both Subscriptions, each when its turn has come. */
const sequences = {
  [sequenceName]: {
    description: 'Storage first, then OpenShift Virtualization',
    clusters: [cluster],
    steps: {
      storage: {
        kind: 'object',
        object: 'odf',
        wave: 5,
        // Two minutes, so that the demo shows what happens then.
        waitFor: { resourceType: 'sc', resourceName: storageClass, timeout: '2m', onTimeout: 'alert' },
      },
      'storage-operator': { kind: 'subscription', name: 'odf-operator', namespace: 'openshift-storage', wave: 5 },
      virtualization: { kind: 'object', object: 'cnv', wave: 10 },
      'virtualization-operator': {
        kind: 'subscription',
        name: 'kubevirt-hyperconverged',
        namespace: 'openshift-cnv',
        wave: 10,
      },
    },
    extraObjects: {
      odf: subscription('odf-operator', 'openshift-storage', 'odf-operator.v4.17.2'),
      cnv: subscription('kubevirt-hyperconverged', 'openshift-cnv', 'kubevirt-hyperconverged-operator.v4.17.3'),
    },
  },
};

function subscription(name: string, namespace: string, startingCSV: string) {
  const source = { source: 'redhat-operators', sourceNamespace: 'openshift-marketplace' };
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name, namespace },
    spec: { name, channel: 'stable', ...source, startingCSV },
  };
}

/** A `poolkeeper.yaml` for the commands of `poolkeeper sequence`, which reach the cluster by a kubeconfig. */
export function scenarioYaml(): string {
  const api = { server: 'https://demo.example.com', tokenSecret: cluster };
  return stringify({ clusters: [{ name: cluster, api }], sequences }, { aliasDuplicateObjects: false });
}

export function scenarioSequences(): Sequences {
  return readConfiguration(scenarioYaml(), { source: 'the scenario' }).sequences;
}

/** What to look at and what to try next. `folder` has the two files. */
export function inviteToSteer(folder: string): string {
  const [config, kubeconfig] = [join(folder, 'poolkeeper.yaml'), join(folder, 'kubeconfig')];
  return `
Look at it as the command line does, or delete the class and see what people are told:

poolkeeper sequence status ${sequenceName} \\
  --config ${config} --kubeconfig ${kubeconfig}
oc --kubeconfig ${kubeconfig} delete storageclass ${storageClass}

Ctrl-C ends.`;
}

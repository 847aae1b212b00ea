import type { SequenceGate } from '../configuration/sequence.ts';

/** What a gate is asked about its objects. */
export type ObjectGate = Pick<
  SequenceGate,
  | 'resourceType'
  | 'resourceName'
  | 'resourceNamespace'
  | 'selector'
  | 'condition'
  | 'path'
  | 'equals'
  | 'oneOf'
  | 'cel'
  | 'count'
  | 'version'
  | 'health'
>;

type Preset = NonNullable<SequenceGate['preset']>;

/** What each preset adds to a gate. What the gate has itself counts. */
const presets: Readonly<Record<Preset, Partial<ObjectGate>>> = {
  bound: { resourceType: 'persistentvolumeclaims', path: 'status.phase', equals: 'Bound' },
  ready: { condition: { type: 'Ready', status: 'True' } },
  available: { condition: { type: 'Available', status: 'True' } },
  // Without a name: CSVs are copied to many namespaces, and every copy counts.
  'csv-succeeded': {
    resourceType: 'clusterserviceversions.operators.coreos.com',
    path: 'status.phase',
    equals: 'Succeeded',
  },
  'storage-cluster-ready': {
    resourceType: 'storageclusters.ocs.openshift.io',
    path: 'status.phase',
    equals: 'Ready',
  },
  'default-storage-class': {
    resourceType: 'storageclasses.storage.k8s.io',
    path: 'metadata.annotations.storageclass\\.kubernetes\\.io/is-default-class',
    equals: 'true',
    count: { atLeast: 1 },
  },
  // Since 4.19 the storage operator no longer makes its class for virtualization the default on a fresh install.
  'default-virtualization-class': {
    resourceType: 'storageclasses.storage.k8s.io',
    path: 'metadata.annotations.storageclass\\.kubevirt\\.io/is-default-virt-class',
    equals: 'true',
    count: { atLeast: 1 },
  },
  'webhook-endpoints': {
    resourceType: 'endpointslices.discovery.k8s.io',
    cel: 'has(object.endpoints) && object.endpoints.exists(e, has(e.conditions) && has(e.conditions.ready) && e.conditions.ready)',
    count: { atLeast: 1 },
  },
};

const serviceLabel = 'kubernetes.io/service-name';

/** The gate with what its preset says. The name of a webhook's service is a label of its endpoints. */
export function withPreset(gate: SequenceGate): ObjectGate {
  if (gate.preset === undefined) return gate;
  const { resourceName, ...rest } = gate;
  const given = Object.fromEntries(
    Object.entries(gate.preset === 'webhook-endpoints' ? rest : gate).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
  const labels = gate.preset === 'webhook-endpoints' && resourceName !== undefined;
  return {
    oneOf: [],
    ...presets[gate.preset],
    ...given,
    ...(labels ? { selector: { ...gate.selector, [serviceLabel]: resourceName } } : {}),
  };
}

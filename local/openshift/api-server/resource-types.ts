import type * as cluster from './cluster-objects.ts';
import type { KubernetesObject } from './kubernetes-object.ts';

/** A kind of object that the server stores, and how its API behaves. */
export interface ResourceType<T extends KubernetesObject = KubernetesObject> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  /** From a CustomResourceDefinition: no strategic merge patch, lists are owned as a whole, PUT requires a
   *  resourceVersion. */
  readonly custom: boolean;
  /** `/status` exists, and status written elsewhere is ignored. */
  readonly statusSubresource: boolean;
  /** The kind has `metadata.generation`. */
  readonly counted: boolean;
  /** Fields that a field selector may use, besides metadata.name and metadata.namespace. */
  readonly selectableFields: readonly string[];
  /** Only carries the type of the stored objects; never set. */
  readonly object?: T;
}

interface Traits {
  readonly namespaced?: boolean;
  readonly shortNames?: readonly string[];
  readonly statusSubresource?: boolean;
  readonly counted?: boolean;
  readonly selectableFields?: readonly string[];
}

function builtIn<T extends KubernetesObject>(
  apiVersion: string,
  plural: string,
  kind: string,
  traits: Traits = {},
): ResourceType<T> {
  return describe(apiVersion, plural, kind, { custom: false, counted: false, statusSubresource: true, ...traits });
}

function custom<T extends KubernetesObject>(
  apiVersion: string,
  plural: string,
  kind: string,
  traits: Traits = {},
): ResourceType<T> {
  return describe(apiVersion, plural, kind, { custom: true, counted: true, statusSubresource: true, ...traits });
}

function describe<T extends KubernetesObject>(
  apiVersion: string,
  plural: string,
  kind: string,
  traits: Traits & { readonly custom: boolean; readonly counted: boolean; readonly statusSubresource: boolean },
): ResourceType<T> {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  return { group, version, plural, kind, namespaced: false, shortNames: [], selectableFields: [], ...traits };
}

const mco = 'machineconfiguration.openshift.io/v1';

export const machineConfigPools = custom<cluster.MachineConfigPool>(mco, 'machineconfigpools', 'MachineConfigPool', {
  shortNames: ['mcp'],
});
export const machineConfigs = custom<cluster.MachineConfig>(mco, 'machineconfigs', 'MachineConfig', {
  shortNames: ['mc'],
  statusSubresource: false,
});
export const machineConfigNodes = custom<cluster.MachineConfigNode>(mco, 'machineconfignodes', 'MachineConfigNode');
export const kubeletConfigs = custom<cluster.PoolTuning>(mco, 'kubeletconfigs', 'KubeletConfig');
export const containerRuntimeConfigs = custom<cluster.PoolTuning>(
  mco,
  'containerruntimeconfigs',
  'ContainerRuntimeConfig',
  { shortNames: ['ctrcfg'] },
);
export const controllerConfigs = custom<cluster.OpaqueObject>(mco, 'controllerconfigs', 'ControllerConfig');

export const nodes = builtIn<cluster.Node>('v1', 'nodes', 'Node', {
  shortNames: ['no'],
  selectableFields: ['spec.unschedulable'],
});
export const namespaces = builtIn<cluster.Namespace>('v1', 'namespaces', 'Namespace', {
  shortNames: ['ns'],
  selectableFields: ['status.phase'],
});
export const pods = builtIn<cluster.Pod>('v1', 'pods', 'Pod', {
  namespaced: true,
  shortNames: ['po'],
  selectableFields: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
  ],
});
export const events = builtIn<cluster.Event>('v1', 'events', 'Event', {
  namespaced: true,
  shortNames: ['ev'],
  statusSubresource: false,
  selectableFields: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
});
const configMaps = builtIn<cluster.ConfigMap>('v1', 'configmaps', 'ConfigMap', {
  namespaced: true,
  shortNames: ['cm'],
  statusSubresource: false,
});
const services = builtIn<cluster.OpaqueObject>('v1', 'services', 'Service', {
  namespaced: true,
  shortNames: ['svc'],
});
const serviceAccounts = builtIn<cluster.OpaqueObject>('v1', 'serviceaccounts', 'ServiceAccount', {
  namespaced: true,
  shortNames: ['sa'],
  statusSubresource: false,
});
export const podDisruptionBudgets = builtIn<cluster.PodDisruptionBudget>(
  'policy/v1',
  'poddisruptionbudgets',
  'PodDisruptionBudget',
  {
    namespaced: true,
    shortNames: ['pdb'],
    counted: true,
  },
);

const workload: Traits = { namespaced: true, counted: true };
export const deployments = builtIn<cluster.Workload>('apps/v1', 'deployments', 'Deployment', {
  ...workload,
  shortNames: ['deploy'],
});
export const replicaSets = builtIn<cluster.Workload>('apps/v1', 'replicasets', 'ReplicaSet', {
  ...workload,
  shortNames: ['rs'],
  selectableFields: ['status.replicas'],
});
export const statefulSets = builtIn<cluster.Workload>('apps/v1', 'statefulsets', 'StatefulSet', {
  ...workload,
  shortNames: ['sts'],
});
export const daemonSets = builtIn<cluster.Workload>('apps/v1', 'daemonsets', 'DaemonSet', {
  ...workload,
  shortNames: ['ds'],
});
export const jobs = builtIn<cluster.Job>('batch/v1', 'jobs', 'Job', {
  ...workload,
  selectableFields: ['status.successful'],
});

/** Argo CD keeps `.status` and `.operation` in the object itself: no subresource, and every change increases the
 *  generation. */
export const applications = custom<cluster.OpaqueObject>('argoproj.io/v1alpha1', 'applications', 'Application', {
  namespaced: true,
  shortNames: ['app', 'apps'],
  statusSubresource: false,
});
export const appProjects = custom<cluster.OpaqueObject>('argoproj.io/v1alpha1', 'appprojects', 'AppProject', {
  namespaced: true,
  shortNames: ['appproj', 'appprojs'],
  statusSubresource: false,
});

export const clusterVersions = custom<cluster.OpaqueObject>(
  'config.openshift.io/v1',
  'clusterversions',
  'ClusterVersion',
);
export const clusterOperators = custom<cluster.OpaqueObject>(
  'config.openshift.io/v1',
  'clusteroperators',
  'ClusterOperator',
  { shortNames: ['co'] },
);
export const infrastructures = custom<cluster.OpaqueObject>(
  'config.openshift.io/v1',
  'infrastructures',
  'Infrastructure',
);
export const machines = custom<cluster.OpaqueObject>('machine.openshift.io/v1beta1', 'machines', 'Machine', {
  namespaced: true,
});
const machineHealthChecks = custom<cluster.OpaqueObject>(
  'machine.openshift.io/v1beta1',
  'machinehealthchecks',
  'MachineHealthCheck',
  { namespaced: true, shortNames: ['mhc', 'mhcs'] },
);

const olm = 'operators.coreos.com/v1alpha1';
export const subscriptions = custom<cluster.OpaqueObject>(olm, 'subscriptions', 'Subscription', {
  namespaced: true,
  shortNames: ['sub', 'subs'],
});
export const clusterServiceVersions = custom<cluster.OpaqueObject>(
  olm,
  'clusterserviceversions',
  'ClusterServiceVersion',
  { namespaced: true, shortNames: ['csv', 'csvs'] },
);
export const storageClasses = builtIn<cluster.OpaqueObject>('storage.k8s.io/v1', 'storageclasses', 'StorageClass', {
  shortNames: ['sc'],
  statusSubresource: false,
});

/** Of the Node Upgrade Mutex Operator. */
const mutexRules = custom<cluster.OpaqueObject>('openshift-optional.skrzypek.io/v1alpha1', 'mutexrules', 'MutexRule', {
  namespaced: true,
});

/** All kinds that the server knows; other paths do not exist. */
export const resourceTypes: readonly ResourceType[] = [
  machineConfigPools,
  machineConfigs,
  machineConfigNodes,
  kubeletConfigs,
  containerRuntimeConfigs,
  controllerConfigs,
  nodes,
  namespaces,
  pods,
  events,
  configMaps,
  services,
  serviceAccounts,
  podDisruptionBudgets,
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  jobs,
  mutexRules,
  applications,
  appProjects,
  clusterVersions,
  clusterOperators,
  infrastructures,
  machines,
  machineHealthChecks,
  subscriptions,
  clusterServiceVersions,
  storageClasses,
];

export function apiVersionOf(type: ResourceType): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** `machineconfigpools.machineconfiguration.openshift.io`, or `nodes` for the core group: the name in messages. */
export function qualifiedName(type: ResourceType): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

/** `MachineConfigPool.machineconfiguration.openshift.io`: the name in messages about invalid objects. */
export function qualifiedKind(type: ResourceType): string {
  return type.group === '' ? type.kind : `${type.kind}.${type.group}`;
}

export function typeOfKind(apiVersion: string, kind: string): ResourceType | undefined {
  return resourceTypes.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
}

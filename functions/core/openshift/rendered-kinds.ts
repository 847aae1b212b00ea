import type { ManagedResource } from '../argocd/application.ts';
import { mcoNamespace } from './machine-config-operator.ts';
/** How to find the pools that a manifest reaches.
 *  - `labels`: pools whose machineConfigSelector matches the object's own labels.
 *  - `pool-selector`: two hops. Pools whose *labels* match `spec.machineConfigPoolSelector` get a generated
 *  MachineConfig with their role; every pool that selects that role is re-rendered.
 *  - `built-in`: a MachineConfig is generated for each built-in pool; every pool that selects one of these roles is
 *  re-rendered.
 *  - `every-pool`: the templates change, from which every pool is rendered.
 *  - `pool-itself`: the pool of that name, and those affected by what changes in it.
 *  - `named-pool`: the pool that `spec.machineConfigPool.name` names.
 *  - `built-pool`: the pool for whose rendered config a MachineOSBuild builds, every pool where it names none.
 *  - `node-labels`: no render, but a node may move to another pool and get its configuration.
 *  - `assumed`: another operator generates MachineConfigs from it; worker, the custom pools and every pool that it
 *  names are assumed.
 *  - `none`: the MCO generates no MachineConfig from it. */
export type Reach =
  | 'labels'
  | 'pool-selector'
  | 'built-in'
  | 'every-pool'
  | 'pool-itself'
  | 'named-pool'
  | 'built-pool'
  | 'node-labels'
  | 'assumed'
  | 'none';

/** What the MCO does with a kind. */
export interface KindRule {
  readonly group: string;
  readonly kind: string;
  /** Only objects with this name count: the MCO reads the one `cluster`. Absent: any name. */
  readonly name?: string;
  /** Only in this namespace. A manifest without one may end up in it and counts. Absent: any, or none. */
  readonly namespace?: string;
  /** Only objects with this key in `data`, for names that can be chosen freely. An object with unknown keys does not
   *  count. */
  readonly dataKey?: string;
  readonly reach: Reach;
  /** Fields of `spec` whose changes are rendered. Absent: any field of the object. */
  readonly fields?: readonly string[];
  /** Consequence of a change, as the end of a sentence about the object. */
  readonly makes: string;
}

export const machineConfigGroup = 'machineconfiguration.openshift.io';
const configGroup = 'config.openshift.io';
const operatorGroup = 'operator.openshift.io';

const registries = 'the registry settings are regenerated for the built-in pools';
const templates = 'the MCO regenerates its templates for every pool';
const kubelets = 'the kubelet settings are regenerated for every pool';
const image = 'an image is built for the pool and its nodes reboot into it';
const mayCreate = 'another operator generates MachineConfigs from it';

/** The one table of what is rendered from which kind. The first entry that fits counts. Source: machine-config-operator
 *  pkg/controller/{render,kubelet-config,container-runtime-config,template,build}, pkg/operator/sync.go; for `assumed`
 *  the documentation of the operators, not verified on a cluster. */
export const kindRules: readonly KindRule[] = [
  ...inGroup(machineConfigGroup, [
    {
      kind: 'MachineConfig',
      reach: 'labels',
      makes: 'it is merged into the configuration of the pools that select it',
    },
    { kind: 'KubeletConfig', reach: 'pool-selector', makes: '99-<pool>-generated-kubelet is regenerated' },
    {
      kind: 'ContainerRuntimeConfig',
      reach: 'pool-selector',
      makes: '99-<pool>-generated-containerruntime is regenerated',
    },
    {
      kind: 'MachineConfigPool',
      reach: 'pool-itself',
      fields: ['machineConfigSelector', 'nodeSelector', 'osImageStream', 'configuration'],
      makes: 'the membership or render of the pool changes',
    },
    {
      kind: 'MachineOSConfig',
      reach: 'named-pool',
      makes: image,
    },
    // The MCO builds again what is gone, and what it does not find by its labels. Source: pkg/controller/build
    // `syncMachineOSConfig`.
    {
      kind: 'MachineOSBuild',
      reach: 'built-pool',
      makes: image,
    },
    { kind: 'PinnedImageSet', reach: 'none', makes: 'images are pre-pulled, and nothing is rendered' },
    { kind: 'MachineConfigNode', reach: 'none', makes: 'it only reports the state of a node' },
    // The MCO sets only fields for which it has a value: a trust bundle that a manifest adds stays where the cluster
    // has none. Source: lib/resourcemerge `ensureControllerConfigSpec`.
    { kind: 'ControllerConfig', reach: 'every-pool', makes: templates },
    { kind: 'OSImageStream', reach: 'every-pool', makes: 'the default OS image changes' },
    { kind: 'InternalReleaseImage', reach: 'every-pool', makes: templates },
  ]),
  ...inGroup(operatorGroup, [
    { kind: 'ImageContentSourcePolicy', reach: 'built-in', makes: registries },
    {
      kind: 'MachineConfiguration',
      reach: 'none',
      makes: 'it only sets how later changes disrupt nodes and what new machines boot from',
    },
    {
      kind: 'Network',
      name: 'cluster',
      reach: 'every-pool',
      makes: 'MTU migration and IPsec become MachineConfigs',
    },
  ]),
  ...inGroup(configGroup, [
    { kind: 'Image', name: 'cluster', reach: 'built-in', makes: registries },
    { kind: 'ImageDigestMirrorSet', reach: 'built-in', makes: registries },
    { kind: 'ImageTagMirrorSet', reach: 'built-in', makes: registries },
    { kind: 'ImageContentPolicy', reach: 'built-in', makes: registries },
    { kind: 'ClusterImagePolicy', reach: 'built-in', makes: registries },
    { kind: 'ImagePolicy', reach: 'built-in', makes: registries },
    { kind: 'CRIOCredentialProviderConfig', reach: 'built-in', makes: registries },
    { kind: 'Node', name: 'cluster', reach: 'every-pool', makes: kubelets },
    { kind: 'FeatureGate', name: 'cluster', reach: 'every-pool', makes: kubelets },
    {
      kind: 'APIServer',
      name: 'cluster',
      reach: 'every-pool',
      fields: ['tlsSecurityProfile', 'tlsAdherence'],
      makes: kubelets,
    },
    { kind: 'Proxy', name: 'cluster', reach: 'every-pool', makes: templates },
    { kind: 'Infrastructure', name: 'cluster', reach: 'every-pool', makes: templates },
    { kind: 'DNS', name: 'cluster', reach: 'every-pool', makes: templates },
    { kind: 'Network', name: 'cluster', reach: 'every-pool', makes: templates },
    {
      kind: 'ClusterVersion',
      name: 'version',
      reach: 'every-pool',
      fields: ['desiredUpdate'],
      makes: 'another release brings another OS image and other templates',
    },
  ]),
  ...inGroup('', [
    { kind: 'Secret', name: 'pull-secret', namespace: 'openshift-config', reach: 'every-pool', makes: templates },
    { kind: 'ConfigMap', name: 'user-ca-bundle', namespace: 'openshift-config', reach: 'every-pool', makes: templates },
    {
      kind: 'ConfigMap',
      name: 'cloud-provider-config',
      namespace: 'openshift-config',
      reach: 'every-pool',
      makes: templates,
    },
    {
      kind: 'ConfigMap',
      name: 'kube-cloud-config',
      namespace: 'openshift-config-managed',
      reach: 'every-pool',
      makes: templates,
    },
    // `spec.trustedCA.name` of the Proxy may name any ConfigMap there; the key is fixed.
    {
      kind: 'ConfigMap',
      namespace: 'openshift-config',
      dataKey: 'ca-bundle.crt',
      reach: 'every-pool',
      makes: `it may be the trusted CA of the Proxy, of which ${templates}`,
    },
    {
      kind: 'ConfigMap',
      name: 'machine-config-operator-images',
      namespace: mcoNamespace,
      reach: 'every-pool',
      makes: templates,
    },
    {
      kind: 'ConfigMap',
      name: 'machine-config-osimageurl',
      namespace: mcoNamespace,
      reach: 'every-pool',
      makes: templates,
    },
    { kind: 'Node', reach: 'node-labels', makes: 'a node with other labels may belong to another pool' },
  ]),
  assumed('tuned.openshift.io', 'Tuned'),
  assumed('performance.openshift.io', 'PerformanceProfile'),
  assumed('sriovnetwork.openshift.io', 'SriovNetworkNodePolicy'),
  assumed('sriovnetwork.openshift.io', 'SriovNetworkPoolConfig'),
  assumed('sriovnetwork.openshift.io', 'SriovOperatorConfig'),
  assumed('kataconfiguration.openshift.io', 'KataConfig'),
  assumed('nodetopology.openshift.io', 'NUMAResourcesOperator'),
  assumed('kmm.sigs.x-k8s.io', 'BootModuleConfig'),
  assumed('compliance.openshift.io', 'ComplianceRemediation'),
];

function inGroup(group: string, rules: readonly Omit<KindRule, 'group'>[]): readonly KindRule[] {
  return rules.map((rule) => ({ ...rule, group }));
}

function assumed(group: string, kind: string): KindRule {
  return { group, kind, reach: 'assumed', makes: mayCreate };
}

/** Names an object, as a manifest and Argo CD's `status.resources` both do. */
export interface ObjectName {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

const rulesByKind = Map.groupBy(kindRules, ({ group, kind }) => `${group}/${kind}`);

/** The rule for an object; undefined if the MCO does not read it. `dataKeys`: the keys of its `data`, if known. */
export function ruleOf(object: ObjectName, dataKeys: readonly string[] = []): KindRule | undefined {
  const rules = rulesByKind.get(`${object.group}/${object.kind}`);
  if (rules === undefined) return object.group === machineConfigGroup ? unknownKind(object.kind) : undefined;
  return rules.find(
    (rule) =>
      (rule.name === undefined || rule.name === object.name) &&
      (rule.namespace === undefined || object.namespace === '' || rule.namespace === object.namespace) &&
      (rule.dataKey === undefined || dataKeys.includes(rule.dataKey)),
  );
}

/** A kind of the MCO from a newer release: unknown counts as a match. */
function unknownKind(kind: string): KindRule {
  return {
    group: machineConfigGroup,
    kind,
    reach: 'every-pool',
    makes: 'the effect of this kind is unknown',
  };
}

/** Prefix of the annotations that the MCO reads of what it renders, so that their change is a change:
 *  generated-by-controller-version (a MachineConfig with it sets no OS image, one of another version stops the render),
 *  mc-name-suffix, rebuild. Source: machine-config-operator pkg/controller/common. */
export const operatorAnnotationPrefix = `${machineConfigGroup}/`;

/** Labels of a MachineOSBuild, by which the MCO finds those of a pool, and the MachineOSConfig of one, which has the
 *  name of its pool. Source: machine-config-operator pkg/controller/build/utils. */
export const buildLabels: readonly string[] = [
  `${machineConfigGroup}/target-machine-config-pool`,
  `${machineConfigGroup}/machine-os-config`,
];

/** Annotation on what the MCO generated itself. Anybody can set it, so it explains what is on a cluster and decides
 *  nothing: the MCO renders a MachineConfig that has it, or is named `rendered-...`, like any other that a pool
 *  selects. Source: machine-config-operator pkg/controller/common/constants.go, pkg/controller/render
 *  `syncMachineConfigPool`. */
export const generatedByAnnotation = `${operatorAnnotationPrefix}generated-by-controller-version`;

export type ResourceName = Pick<ManagedResource, 'group' | 'kind' | 'namespace' | 'name'>;

/** The rule for what an Application manages; undefined if the MCO renders nothing from it. */
export function renderingRule(resource: ResourceName): KindRule | undefined {
  const rule = ruleOf(resource);
  return rule?.reach === 'none' ? undefined : rule;
}

/** A change of the resource may give a pool a new rendered config. */
export function isRendered(resource: ResourceName): boolean {
  return renderingRule(resource) !== undefined;
}

/** It has the NodeDisruptionPolicy, by which the MCO reboots nodes for a change or does not. */
export function setsDisruption({ group, kind }: ResourceName): boolean {
  return group === operatorGroup && kind === 'MachineConfiguration';
}

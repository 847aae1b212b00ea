import type { ManagedResource } from '../argocd/application.ts';
/** How the pools that a manifest reaches are found.
 *  - `labels`: pools whose machineConfigSelector matches the object's own labels.
 *  - `pool-selector`: two hops. Pools whose *labels* match `spec.machineConfigPoolSelector` get a generated
 *  MachineConfig with their role; every pool that selects that role renders anew.
 *  - `built-in`: a MachineConfig is generated for each built-in pool; every pool that selects one of these roles
 *  renders anew.
 *  - `every-pool`: the templates change, from which every pool is made.
 *  - `pool-itself`: the pool of that name, and those that follow from what changes of it.
 *  - `named-pool`: the pool that `spec.machineConfigPool.name` names.
 *  - `node-labels`: no render, but a node may move into another pool and take over its configuration.
 *  - `assumed`: another operator makes MachineConfigs of it; worker, the custom pools and every pool that it names are
 *  assumed.
 *  - `none`: the MCO makes no MachineConfig of it. */
export type Reach =
  | 'labels'
  | 'pool-selector'
  | 'built-in'
  | 'every-pool'
  | 'pool-itself'
  | 'named-pool'
  | 'node-labels'
  | 'assumed'
  | 'none';

/** What the MCO makes of a kind. */
export interface KindRule {
  readonly group: string;
  readonly kind: string;
  /** Only objects of this name count: the MCO reads the one `cluster`. Absent: any name. */
  readonly name?: string;
  /** Only in this namespace. A manifest without one may end up in it and counts. Absent: any, or none. */
  readonly namespace?: string;
  /** Only objects that have this key in `data`, for names that are free to choose. Not known of an object: it does
   *  not count. */
  readonly dataKey?: string;
  readonly reach: Reach;
  /** Fields of `spec` of which a change is rendered. Absent: any field of the object. */
  readonly fields?: readonly string[];
  /** What becomes of a change, as the end of a sentence about the object. */
  readonly makes: string;
}

export const machineConfigGroup = 'machineconfiguration.openshift.io';
const configGroup = 'config.openshift.io';
const operatorGroup = 'operator.openshift.io';

const registries = "its registries' settings are generated anew for the built-in pools";
const templates = 'the MCO makes its templates anew for every pool';
const kubelets = 'the kubelet settings are generated anew for every pool';
const mayCreate = 'another operator makes MachineConfigs of it';

/** The one table of what is rendered from which kind. The first entry that fits counts.
 *  Source: machine-config-operator pkg/controller/{render,kubelet-config,container-runtime-config,template,build},
 *  pkg/operator/sync.go; for `assumed` the documentation of the operators, not verified on a cluster. */
export const kindRules: readonly KindRule[] = [
  ...inGroup(machineConfigGroup, [
    {
      kind: 'MachineConfig',
      reach: 'labels',
      makes: 'it is merged into the configuration of the pools that select it',
    },
    { kind: 'KubeletConfig', reach: 'pool-selector', makes: '99-<pool>-generated-kubelet is generated anew' },
    {
      kind: 'ContainerRuntimeConfig',
      reach: 'pool-selector',
      makes: '99-<pool>-generated-containerruntime is generated anew',
    },
    {
      kind: 'MachineConfigPool',
      reach: 'pool-itself',
      fields: ['machineConfigSelector', 'nodeSelector', 'osImageStream'],
      makes: 'the pool is put together anew',
    },
    {
      kind: 'MachineOSConfig',
      reach: 'named-pool',
      makes: 'an image is built for the pool and its nodes reboot into it',
    },
    { kind: 'MachineOSBuild', reach: 'none', makes: 'a build belongs to the MCO' },
    { kind: 'PinnedImageSet', reach: 'none', makes: 'images are pulled ahead, and nothing is rendered' },
    { kind: 'MachineConfigNode', reach: 'none', makes: 'it only tells how a node is doing' },
    { kind: 'ControllerConfig', reach: 'none', makes: 'it belongs to the MCO, which writes it again' },
    { kind: 'OSImageStream', reach: 'every-pool', makes: 'the default OS image changes' },
    { kind: 'InternalReleaseImage', reach: 'every-pool', makes: templates },
  ]),
  ...inGroup(operatorGroup, [
    { kind: 'ImageContentSourcePolicy', reach: 'built-in', makes: registries },
    {
      kind: 'MachineConfiguration',
      reach: 'none',
      makes: 'it only says how later changes disrupt nodes and what new machines boot from',
    },
    {
      kind: 'Network',
      name: 'cluster',
      reach: 'every-pool',
      makes: 'MTU migration and IPsec are made into MachineConfigs',
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
      namespace: 'openshift-machine-config-operator',
      reach: 'every-pool',
      makes: templates,
    },
    {
      kind: 'ConfigMap',
      name: 'machine-config-osimageurl',
      namespace: 'openshift-machine-config-operator',
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
  assumed('compliance.openshift.io', 'ComplianceRemediation'),
];

function inGroup(group: string, rules: readonly Omit<KindRule, 'group'>[]): readonly KindRule[] {
  return rules.map((rule) => ({ ...rule, group }));
}

function assumed(group: string, kind: string): KindRule {
  return { group, kind, reach: 'assumed', makes: mayCreate };
}

/** What names an object, as a manifest and Argo CD's `status.resources` both do. */
export interface ObjectName {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

const rulesByKind = Map.groupBy(kindRules, ({ group, kind }) => `${group}/${kind}`);

/** The rule for an object; undefined when the MCO does not read it. `dataKeys`: the keys of its `data`, where they
 *  are known. */
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

/** A kind of the MCO's own that a newer release brought: unknown counts as a match. */
function unknownKind(kind: string): KindRule {
  return {
    group: machineConfigGroup,
    kind,
    reach: 'every-pool',
    makes: 'what the MCO makes of this kind is not known',
  };
}

/** Annotation on what the MCO generated itself. Source: machine-config-operator pkg/controller/common/constants.go. */
export const generatedByAnnotation = 'machineconfiguration.openshift.io/generated-by-controller-version';

/** Written by the MCO and nobody's intent: it is put right again whatever Git says. */
export function isGenerated(object: ObjectName, annotations: Readonly<Record<string, string>> = {}): boolean {
  if (object.group !== machineConfigGroup) return false;
  if (object.kind === 'ControllerConfig') return true;
  return (
    object.kind === 'MachineConfig' && (object.name.startsWith('rendered-') || generatedByAnnotation in annotations)
  );
}

export type ResourceName = Pick<ManagedResource, 'group' | 'kind' | 'namespace' | 'name'>;

/** The rule for what an Application manages; undefined when the MCO renders nothing of it. */
export function renderingRule(resource: ResourceName): KindRule | undefined {
  const rule = isGenerated(resource) ? undefined : ruleOf(resource);
  return rule?.reach === 'none' ? undefined : rule;
}

/** True for a resource whose change may give a pool a new rendered config. */
export function isRendered(resource: ResourceName): boolean {
  return renderingRule(resource) !== undefined;
}

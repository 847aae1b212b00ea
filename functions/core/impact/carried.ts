import type { Manifest, ManifestChange } from '../openshift/manifest.ts';
import { type KindRule, kindRules, ruleOf } from '../openshift/rendered-kinds.ts';
import { operatorsOfNodes, packagesOfNodes } from './operators-of-nodes.ts';
import { dataKeys } from './pools-of.ts';
import { isObject, isSameContent } from './same-content.ts';

/** A part of a change that reaches nodes by way of another controller. */
export interface Carried {
  readonly path: string;
  readonly why: string;
}

/** Kinds by which other controllers reboot, drain, replace or switch off nodes, without anything that the MCO renders,
 *  by their groups. Source: documentation of these operators, not verified on a cluster. */
const kindsOfNodes: Readonly<Record<string, readonly string[]>> = {
  'machine.openshift.io': ['MachineSet', 'ControlPlaneMachineSet', 'MachineHealthCheck'],
  'autoscaling.openshift.io': ['ClusterAutoscaler', 'MachineAutoscaler'],
  'cluster.x-k8s.io': ['MachineSet', 'MachineDeployment', 'MachinePool', 'MachineHealthCheck'],
  'metal3.io': ['BareMetalHost', 'HostFirmwareSettings', 'HostFirmwareComponents', 'HostUpdatePolicy'],
  'infrastructure.cluster.x-k8s.io': ['Metal3Remediation', 'Metal3RemediationTemplate', 'ROSAMachinePool'],
  'controlplane.cluster.x-k8s.io': ['ROSAControlPlane'],
  // They install, update and hibernate whole clusters.
  'hive.openshift.io': ['ClusterDeployment', 'MachinePool'],
  'cluster.open-cluster-management.io': ['ClusterCurator'],
  'siteconfig.open-cluster-management.io': ['ClusterInstance'],
  'upgrade.managed.openshift.io': ['UpgradeConfig'],
  'managedupgrade.appuio.io': ['UpgradeConfig', 'UpgradeJob', 'ClusterVersion', 'NodeForceDrain'],
  'lca.openshift.io': ['ImageBasedUpgrade'],
  'lcm.openshift.io': ['ImageBasedGroupUpgrade'],
  'ran.openshift.io': ['ClusterGroupUpgrade'],
  'remediation.medik8s.io': ['NodeHealthCheck'],
  'nodemaintenance.medik8s.io': ['NodeMaintenance'],
  'nodemaintenance.kubevirt.io': ['NodeMaintenance'],
  'maintenance.nvidia.com': ['NodeMaintenance'],
  'self-node-remediation.medik8s.io': [
    'SelfNodeRemediation',
    'SelfNodeRemediationTemplate',
    'SelfNodeRemediationConfig',
  ],
  'storage-based-remediation.medik8s.io': [
    'StorageBasedRemediation',
    'StorageBasedRemediationTemplate',
    'StorageBasedRemediationConfig',
  ],
  'fence-agents-remediation.medik8s.io': ['FenceAgentsRemediation', 'FenceAgentsRemediationTemplate'],
  'machine-deletion-remediation.medik8s.io': ['MachineDeletionRemediation', 'MachineDeletionRemediationTemplate'],
  // They may apply remediations by themselves, which are MachineConfigs.
  'compliance.openshift.io': ['ComplianceSuite', 'ScanSetting', 'ScanSettingBinding'],
  'sriovfec.intel.com': ['SriovFecClusterConfig', 'SriovVrbClusterConfig'],
  'sriovvrb.intel.com': ['SriovVrbClusterConfig'],
  // For another driver or firmware of a device nodes are drained, and may be rebooted.
  'nvidia.com': ['ClusterPolicy', 'NVIDIADriver'],
  'mellanox.com': ['NicClusterPolicy', 'NicNodePolicy'],
  'configuration.net.nvidia.com': ['NicConfigurationTemplate', 'NicFirmwareTemplate'],
  'amd.com': ['DeviceConfig', 'NetworkConfig'],
};

const hostedKinds = ['NodePool', 'HostedCluster'];

/** Every object that reaches nodes by other hands than the MCO's has one of these in its text: its kind, or the package
 *  of an operator. */
export const wordsOfCarried: readonly string[] = [
  ...new Set([...Object.values(kindsOfNodes).flat(), ...hostedKinds, ...packagesOfNodes]),
];

/** Groups whose objects quote others as examples. */
const quotingGroups = ['apiextensions.k8s.io', 'console.openshift.io', 'operators.coreos.com'];

/** Objects that the MCO does not read, and that have it render something all the same, here or in another cluster: a
 *  Policy or a ManifestWork with a MachineConfig inside, a ConfigMap with one as text, as those of hosted clusters and
 *  of installations have it. And kinds by which nodes go or reboot without any MachineConfigPool. */
export function carriedBy(change: ManifestChange): readonly Carried[] {
  const { before, after } = change;
  const [path = ''] = change.files;
  const manifest = after ?? before;
  if (manifest === undefined || isReadByMco(manifest)) return [];
  const operators = operatorsOfNodes(change);
  if (operators.length > 0)
    return operators.map((name) => ({
      path,
      why: `${name} of the ${manifest.kind} in it may drain or reboot nodes`,
    }));
  if (quotingGroups.includes(manifest.group)) return [];
  if (manifest.group === 'hypershift.openshift.io' && hostedKinds.includes(manifest.kind))
    return [{ path, why: `nodes of a hosted cluster may be updated or replaced by the ${manifest.kind} in it` }];
  const ofNodes = Object.hasOwn(kindsOfNodes, manifest.group) ? kindsOfNodes[manifest.group] : undefined;
  if (ofNodes?.includes(manifest.kind) === true)
    return isSameContent(before?.body, after?.body)
      ? []
      : [{ path, why: `nodes may be rebooted, drained or replaced by the ${manifest.kind} in it` }];
  const [was, is] = [before, after].map((side) => [...partsIn(side?.body)]);
  const [contentBefore, content] = [was, is].map((parts) => parts?.map((part) => part.content));
  if (isSameContent(contentBefore, content)) return [];
  const kinds = new Set([...(was ?? []), ...(is ?? [])].flatMap((part) => part.kinds));
  const brought = [...kinds].toSorted().map((kind) => `${/^[AEIOU]/.test(kind) ? 'an' : 'a'} ${kind}`);
  return [{ path, why: `the ${manifest.kind} in it brings ${brought.join(', ')} by other hands` }];
}

function isReadByMco(manifest: Manifest): boolean {
  return ruleOf(manifest, dataKeys(manifest)) !== undefined;
}

/** A manifest inside, as an object or as text. A text may hold several. */
interface Part {
  readonly kinds: readonly string[];
  readonly content: unknown;
}

/** No object of a cluster is nested deeper. */
const deepest = 60;

/** A reference to an object has no content of its own. */
function* partsIn(value: unknown, depth = 0): Generator<Part> {
  if (typeof value === 'string') {
    const kinds = kindsInText(value);
    if (kinds.length > 0) yield { kinds, content: value };
    return;
  }
  if (!isObject(value) || depth > deepest) return;
  const kind = renderedKindOf(value);
  if (kind !== undefined) {
    yield { kinds: [kind], content: value };
    return;
  }
  for (const inner of Object.values(value)) yield* partsIn(inner, depth + 1);
}

/** The kind of a manifest that the MCO renders something from; undefined: of anything else. Kyverno has the name beside
 *  the kind, and the content in `data`. */
function renderedKindOf(value: Readonly<Record<string, unknown>>): string | undefined {
  const { apiVersion, kind, spec } = value;
  const isWhole = [value['metadata'], spec, value['data']].some(isObject);
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isWhole) return undefined;
  const head = isObject(value['metadata']) ? value['metadata'] : value;
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const named = { group, kind, namespace: textOf(head['namespace']), name: textOf(head['name']) };
  const rule = ruleOf(named, dataKeys({ body: value }));
  if (rule === undefined || rule.reach === 'none') return undefined;
  const given = isObject(spec) ? spec : {};
  return rule.fields === undefined || rule.fields.some((field) => field in given) ? kind : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const kindLine = /\bkind["']?[ \t]{0,20}:[ \t]{0,20}["']?([A-Z][A-Za-z]{1,60})(?![A-Za-z])/g;

/** Everyday kinds of the core group are not looked for in texts. */
const rulesByKind = Map.groupBy(
  kindRules.filter(({ group, reach }) => group !== '' && reach !== 'none'),
  ({ kind }) => kind,
);

function kindsInText(text: string): readonly string[] {
  const named = new Set([...text.matchAll(kindLine)].map(([, kind = '']) => kind));
  return [...named].filter((kind) => rulesByKind.get(kind)?.some((rule) => isMeant(rule, text)));
}

function isMeant({ group, fields }: KindRule, text: string): boolean {
  return (
    text.includes(`${group}/v`) &&
    (fields === undefined || fields.some((field) => text.includes(`${field}:`) || text.includes(`${field}":`)))
  );
}

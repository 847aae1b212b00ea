import { describe, expect, test } from 'vitest';
import { carriedBy } from '../../../../functions/core/impact/carried.ts';
import type { Manifest } from '../../../../functions/core/openshift/manifest.ts';

type Body = Manifest['body'];

function aManifest(group: string, kind: string, body: Body): Manifest {
  return { group, kind, namespace: 'clusters', name: 'subject', labels: {}, annotations: {}, body };
}

function told(group: string, kind: string, before: Body | undefined, after: Body | undefined): readonly string[] {
  const [was, is] = [before, after].map((body) => body && aManifest(group, kind, body));
  return carriedBy({ before: was, after: is, files: ['a/x.yaml'] }).map(({ path, why }) => `${path}: ${why}`);
}

const config = (path: string, kind = 'MachineConfig') => ({
  apiVersion: 'machineconfiguration.openshift.io/v1',
  kind,
  metadata: { name: '99-chrony' },
  spec: { config: { storage: { files: [{ path }] } } },
});
const policy = (path: string) => ({
  spec: {
    'policy-templates': [{ objectDefinition: { spec: { 'object-templates': [{ objectDefinition: config(path) }] } } }],
  },
});
const asText = (text: string) => ({ data: { config: text } });
const yaml = 'apiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nspec: {}\n';

describe('[S1-15] [N-14] what another controller brings to nodes', () => {
  test.each([
    ['policy.open-cluster-management.io', 'Policy', policy('/etc/a'), 'MachineConfig'],
    [
      'work.open-cluster-management.io',
      'ManifestWork',
      { spec: { workload: { manifests: [config('/etc/a')] } } },
      'MachineConfig',
    ],
    ['', 'ConfigMap', asText(yaml), 'KubeletConfig'],
    ['', 'ConfigMap', asText(JSON.stringify(config('/etc/a'))), 'MachineConfig'],
  ])('%s %s: is unknown, and not without effect', (group, kind, body, brought) => {
    const said = [`a/x.yaml: the ${kind} in it brings a ${brought} by other hands`];

    expect(told(group, kind, undefined, body)).toEqual(said);
    expect(told(group, kind, body, undefined)).toEqual(said);
    expect(told(group, kind, body, body)).toEqual([]);
  });

  test.each([
    ['config.openshift.io/v1', 'ImageTagMirrorSet', { spec: { imageTagMirrors: [] } }, 'an ImageTagMirrorSet'],
    ['performance.openshift.io/v2', 'PerformanceProfile', { spec: { cpu: {} } }, 'a PerformanceProfile'],
    ['config.openshift.io/v1', 'ClusterVersion', { spec: { desiredUpdate: {} } }, 'a ClusterVersion'],
    [
      'machineconfiguration.openshift.io/v1',
      'MachineConfigPool',
      { spec: { nodeSelector: {} } },
      'a MachineConfigPool',
    ],
  ])('%s %s, as an object and as text, like any kind that leads to a render', (apiVersion, kind, rest, brought) => {
    const object = { apiVersion, kind, metadata: { name: kind === 'ClusterVersion' ? 'version' : 'x' }, ...rest };

    expect(told('policy.open-cluster-management.io', 'Policy', undefined, { spec: { object } })).toEqual([
      `a/x.yaml: the Policy in it brings ${brought} by other hands`,
    ]);
    expect(told('', 'ConfigMap', undefined, asText(JSON.stringify(object)))).toEqual([
      `a/x.yaml: the ConfigMap in it brings ${brought} by other hands`,
    ]);
  });

  test('of Kyverno, whose content stands in `data` beside the name', () => {
    const { spec } = config('/etc/a');
    const generate = { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig', name: 'x' };

    expect(
      told('kyverno.io', 'ClusterPolicy', undefined, { spec: { generate: { ...generate, data: { spec } } } }),
    ).toEqual(['a/x.yaml: the ClusterPolicy in it brings a MachineConfig by other hands']);
  });

  test('changed inside a Policy is told, and what else changes there is not', () => {
    const group = 'policy.open-cluster-management.io';

    expect(told(group, 'Policy', policy('/etc/a'), policy('/etc/b'))).toHaveLength(1);
    expect(told(group, 'Policy', policy('/etc/a'), { ...policy('/etc/a'), status: {} })).toEqual([]);
  });

  test.each(['NodePool', 'HostedCluster'])('nodes of a hosted cluster, by a %s', (kind) => {
    expect(told('hypershift.openshift.io', kind, { spec: { a: 1 } }, { spec: { a: 2 } })).toEqual([
      `a/x.yaml: nodes of a hosted cluster may be updated or replaced by the ${kind} in it`,
    ]);
  });

  test.each([
    ['cluster.open-cluster-management.io', 'ClusterCurator'],
    ['siteconfig.open-cluster-management.io', 'ClusterInstance'],
    ['hive.openshift.io', 'ClusterDeployment'],
    ['hive.openshift.io', 'MachinePool'],
    ['infrastructure.cluster.x-k8s.io', 'ROSAMachinePool'],
    ['controlplane.cluster.x-k8s.io', 'ROSAControlPlane'],
    ['upgrade.managed.openshift.io', 'UpgradeConfig'],
    ['managedupgrade.appuio.io', 'UpgradeConfig'],
    ['managedupgrade.appuio.io', 'UpgradeJob'],
    ['managedupgrade.appuio.io', 'ClusterVersion'],
    ['managedupgrade.appuio.io', 'NodeForceDrain'],
    ['nvidia.com', 'ClusterPolicy'],
    ['nvidia.com', 'NVIDIADriver'],
    ['mellanox.com', 'NicClusterPolicy'],
    ['mellanox.com', 'NicNodePolicy'],
    ['configuration.net.nvidia.com', 'NicConfigurationTemplate'],
    ['configuration.net.nvidia.com', 'NicFirmwareTemplate'],
    ['maintenance.nvidia.com', 'NodeMaintenance'],
    ['amd.com', 'DeviceConfig'],
    ['amd.com', 'NetworkConfig'],
    ['sriovvrb.intel.com', 'SriovVrbClusterConfig'],
    ['nodemaintenance.kubevirt.io', 'NodeMaintenance'],
    ['self-node-remediation.medik8s.io', 'SelfNodeRemediationConfig'],
    ['storage-based-remediation.medik8s.io', 'StorageBasedRemediationConfig'],
    ['infrastructure.cluster.x-k8s.io', 'Metal3RemediationTemplate'],
    // Those that were known before.
    ['machine.openshift.io', 'MachineHealthCheck'],
    ['cluster.x-k8s.io', 'MachineDeployment'],
    ['lca.openshift.io', 'ImageBasedUpgrade'],
    ['lcm.openshift.io', 'ImageBasedGroupUpgrade'],
    ['ran.openshift.io', 'ClusterGroupUpgrade'],
    ['remediation.medik8s.io', 'NodeHealthCheck'],
    ['nodemaintenance.medik8s.io', 'NodeMaintenance'],
  ])('[N-30] nodes that go, drain or reboot by a %s %s, added, changed and removed', (group, kind) => {
    const said = [`a/x.yaml: nodes may be rebooted, drained or replaced by the ${kind} in it`];
    const [was, is] = [{ spec: { version: '4.17.1' } }, { spec: { version: '4.18.1' } }];

    expect(told(group, kind, undefined, is)).toEqual(said);
    expect(told(group, kind, was, is)).toEqual(said);
    expect(told(group, kind, was, undefined)).toEqual(said);
    expect(told(group, kind, is, is)).toEqual([]);
    expect(told('acme.io', kind, was, is)).toEqual([]);
  });

  test.each([
    ['kyverno.io', 'ClusterPolicy'],
    ['cluster.open-cluster-management.io', 'ManagedCluster'],
    ['nmstate.io', 'NodeNetworkConfigurationPolicy'],
    ['nfd.openshift.io', 'NodeFeatureDiscovery'],
    ['kmm.sigs.x-k8s.io', 'Module'],
    ['agent-install.openshift.io', 'AgentServiceConfig'],
  ])('[decoy] a %s %s reboots and drains none', (group, kind) => {
    expect(told(group, kind, { spec: { a: 1 } }, { spec: { a: 2 } })).toEqual([]);
  });

  test.each([
    ['machineconfiguration.openshift.io', 'MachineConfig', config('/etc/a')],
    ['rbac.authorization.k8s.io', 'ClusterRole', { rules: [{ apiGroups: ['machineconfiguration.openshift.io'] }] }],
    [
      'admissionregistration.k8s.io',
      'ValidatingAdmissionPolicy',
      { spec: { paramKind: { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfigPool' } } },
    ],
    [
      'example.com',
      'Watch',
      { spec: { of: { apiVersion: 'machineconfiguration.openshift.io/v1', kind: 'MachineConfig' } } },
    ],
    ['', 'ConfigMap', asText('kind: MachineConfigPool, of machineconfiguration.openshift.io/v1')],
    ['apps', 'Deployment', { spec: { replicas: 2 } }],
    ['console.openshift.io', 'ConsoleYAMLSample', { spec: { yaml } }],
    ['', 'ConfigMap', asText('apiVersion: v1\nkind: Node\n---\nkind: Network\napiVersion: example.com/v1\n')],
    [
      'policy.open-cluster-management.io',
      'Policy',
      { spec: { a: { apiVersion: 'config.openshift.io/v1', kind: 'ClusterVersion', spec: { channel: 'fast-4.20' } } } },
    ],
    [
      'policy.open-cluster-management.io',
      'Policy',
      {
        spec: { a: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'x' }, data: { a: '' } } },
      },
    ],
  ])('[decoy] %s %s names it and brings none', (group, kind, body) => {
    expect(told(group, kind, undefined, body)).toEqual([]);
  });

  test('[N-30] a thousand levels end nothing', () => {
    const deep = Array.from({ length: 1000 }).reduce<Body>((inner) => ({ spec: inner }), { spec: config('/etc/a') });

    expect(told('example.com', 'Deep', undefined, deep)).toEqual([]);
  });
});

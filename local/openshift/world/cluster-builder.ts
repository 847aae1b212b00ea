import type { MachineConfigPool, Node, PodDisruptionBudget, Taint, Workload } from '../api-server/cluster-objects.ts';
import { keyOf } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import {
  deployments,
  machineConfigNodes,
  machineConfigPools,
  machineConfigs,
  machines,
  namespaces,
  nodes,
  podDisruptionBudgets,
} from '../api-server/resource-types.ts';
import { type Files, machineConfigManifest } from '../machine-config/machine-config-manifest.ts';
import { annotations } from '../machine-config/node-annotations.ts';
import { withCondition } from '../machine-config/pool-conditions.ts';
import { nodesOfPool } from '../machine-config/pool-membership.ts';
import { poolStatus } from '../machine-config/pool-status.ts';
import { render } from '../machine-config/rendered-config.ts';
import type { Pace } from '../pace.ts';
import type { Random } from '../random.ts';
import { release } from './platform.ts';

export interface PoolPlan {
  readonly name: string;
  readonly maxUnavailable?: number | string;
  readonly paused?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface NodePlan {
  /** The pool whose role the nodes get. */
  readonly pool: string;
  readonly names: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

export interface DeploymentPlan {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly nodeSelector?: Record<string, string>;
  /** What each pod asks for, as `{ cpu: '500m' }`. */
  readonly requests?: Record<string, string>;
}

export interface BudgetPlan {
  readonly namespace: string;
  readonly name: string;
  readonly minAvailable?: number | string;
  readonly maxUnavailable?: number | string;
  readonly matchLabels: Record<string, string>;
}

/** Adds to a cluster what it should have had all along: pools and nodes come settled, not as something new to roll
 *  out. */
export interface ClusterBuilder {
  addNamespace(name: string): void;
  addPool(plan: PoolPlan): MachineConfigPool;
  addNodes(plan: NodePlan): Node[];
  /** Adds labels to a node, as a person does to make room. */
  labelNode(name: string, labels: Readonly<Record<string, string>>): void;
  /** A change as a person would apply it, which the cluster now acts on. */
  applyMachineConfig(name: string, role: string, files: Files): void;
  /** Pods carry the label `app: <name>`. */
  deploy(plan: DeploymentPlan): Workload;
  addDisruptionBudget(plan: BudgetPlan): PodDisruptionBudget;
}

const write = { manager: 'machine-config-operator', withStatus: true };
const person = { manager: 'kubectl-create' };
const roleLabel = 'machineconfiguration.openshift.io/role';
const builtIn = ['master', 'worker', 'arbiter'];

export function createClusterBuilder({
  registry,
  pace,
  random,
}: {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly random: Random;
}): ClusterBuilder {
  function addNamespace(name: string): void {
    if (!registry.get(namespaces, name)) registry.create(namespaces, { metadata: { name } }, person);
  }

  /** As the pool would be once its controllers have looked at it. */
  function settle(name: string): void {
    const pool = registry.get(machineConfigPools, name);
    if (!pool) return;
    const members = nodesOfPool(pool, registry.list(machineConfigPools), registry.list(nodes));
    const status = poolStatus({
      pool,
      nodes: members,
      machineConfigNodes: registry.list(machineConfigNodes),
      time: pace.timestamp(),
    });
    const rendered = withCondition(
      status.conditions ?? [],
      { type: 'RenderDegraded', status: 'False' },
      pace.timestamp(),
    );
    const set = (draft: MachineConfigPool) => Object.assign(draft, { status: { ...status, conditions: rendered } });
    registry.modify(machineConfigPools, keyOf(pool), set, { ...write, subresource: 'status' });
  }

  return {
    addNamespace,
    addPool({ name, maxUnavailable, paused = false, labels = {} }) {
      const base = machineConfigManifest(`00-${name}`, name, { [`/etc/machine-config-${name}`]: release.openshift });
      registry.create(machineConfigs, base, write);
      const own = builtIn.includes(name);
      const pool = registry.create(
        machineConfigPools,
        {
          metadata: { name, labels: { ...poolLabels(name), ...labels } },
          spec: {
            paused,
            ...(maxUnavailable !== undefined && { maxUnavailable }),
            machineConfigSelector: own
              ? { matchLabels: { [roleLabel]: name } }
              : { matchExpressions: [{ key: roleLabel, operator: 'In', values: ['worker', name] }] },
            nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
          },
        },
        { manager: own ? 'machine-config-operator' : 'kubectl-create' },
      );
      const rendering = render(pool, registry.list(machineConfigs));
      if (rendering.kind === 'failed') throw new Error(rendering.why);
      const { config, configuration } = rendering;
      const controller = { manager: 'machine-config-controller' };
      registry.create(machineConfigs, config, controller);
      registry.modify(
        machineConfigPools,
        keyOf(pool),
        ({ spec }) => Object.assign(spec, { configuration }),
        controller,
      );
      settle(name);
      return registry.get(machineConfigPools, name) ?? pool;
    },
    addNodes({ pool, names, labels = {}, taints = [] }) {
      const configuration = configurationOfNewNode(registry.get(machineConfigPools, pool));
      if (!configuration) throw new Error(`there is no pool ${pool} yet`);
      const made = names.map((name) => {
        addMachine(registry, name, pool);
        const own = nodeObject(name, { configuration, uid: random.uid(), time: pace.timestamp() });
        const metadata = { ...own.metadata, labels: { ...own.metadata.labels, ...roleLabels(pool), ...labels } };
        const all = [...(pool === 'master' ? [masterTaint] : []), ...taints];
        return registry.create(
          nodes,
          { ...own, metadata, spec: all.length > 0 ? { taints: all } : {} },
          { ...write, manager: 'kubelet' },
        );
      });
      settle(pool);
      if (!builtIn.includes(pool)) settle('worker');
      return made;
    },
    labelNode(name, labels) {
      const add = ({ metadata }: Node) => Object.assign(metadata, { labels: { ...metadata.labels, ...labels } });
      registry.modify(nodes, { name, namespace: '' }, add, { manager: 'kubectl-label' });
    },
    applyMachineConfig: (name, role, files) =>
      void registry.create(machineConfigs, machineConfigManifest(name, role, files), person),
    deploy({ namespace, name, replicas, nodeSelector, requests }) {
      addNamespace(namespace);
      const labels = { app: name };
      const container = {
        name,
        image: `images.example.com/${namespace}/${name}:1`,
        ...(requests && { resources: { requests } }),
      };
      const spec = { containers: [container], ...(nodeSelector && { nodeSelector }) };
      return registry.create(
        deployments,
        {
          metadata: { name, namespace, labels },
          spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
        },
        person,
      );
    },
    addDisruptionBudget({ namespace, name, minAvailable, maxUnavailable, matchLabels }) {
      addNamespace(namespace);
      const spec = {
        ...(minAvailable !== undefined && { minAvailable }),
        ...(maxUnavailable !== undefined && { maxUnavailable }),
        selector: { matchLabels },
      };
      return registry.create(podDisruptionBudgets, { metadata: { name, namespace }, spec }, person);
    },
  };
}

const masterTaint: Taint = { key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' };

function poolLabels(name: string): Record<string, string> {
  const marked = { [`pools.operator.machineconfiguration.openshift.io/${name}`]: '' };
  if (!builtIn.includes(name)) return marked;
  const required = name === 'worker' ? {} : { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' };
  return { ...marked, ...required, 'machineconfiguration.openshift.io/mco-built-in': '' };
}

function roleLabels(pool: string): Record<string, string> {
  const roles = pool === 'master' ? ['master', 'control-plane'] : [...new Set(['worker', pool])];
  return Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, '']));
}

/** What the machine-config-server gives to a machine that joins. Source: facts of the MCO, what `paused` stops. */
function configurationOfNewNode(pool: MachineConfigPool | undefined): string | undefined {
  const isUnderWay = (pool?.status?.updatedMachineCount ?? 0) > 0;
  return (isUnderWay ? undefined : pool?.status?.configuration?.name) ?? pool?.spec.configuration?.name;
}

function nodeObject(
  name: string,
  { configuration, uid, time }: { readonly configuration: string; readonly uid: string; readonly time: string },
) {
  const condition = (type: string, status: 'True' | 'False', reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
  const resources = { cpu: '4', memory: '16Gi', pods: '250' };
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.openshift.io/os_id': 'rhel',
      },
      annotations: {
        [annotations.currentConfig]: configuration,
        [annotations.desiredConfig]: configuration,
        [annotations.state]: 'Done',
        [annotations.reason]: '',
        [annotations.desiredDrain]: `uncordon-${configuration}`,
        [annotations.lastAppliedDrain]: `uncordon-${configuration}`,
        [annotations.postConfigAction]: '',
        [annotations.controlPlaneTopology]: 'HighlyAvailable',
        'machine.openshift.io/machine': `openshift-machine-api/${name}`,
      },
    },
    status: {
      capacity: resources,
      allocatable: resources,
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
        condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
      ],
      nodeInfo: {
        bootID: uid,
        kubeletVersion: release.kubernetes,
        osImage: 'Red Hat Enterprise Linux CoreOS 9.6',
        operatingSystem: 'linux',
        architecture: 'amd64',
        containerRuntimeVersion: 'cri-o://1.34.1',
      },
    },
  };
}

function addMachine(registry: Registry, name: string, role: string): void {
  const labels = { 'machine.openshift.io/cluster-api-machine-role': role };
  registry.create(
    machines,
    {
      metadata: { name, namespace: 'openshift-machine-api', labels },
      spec: {},
      status: { phase: 'Running', nodeRef: { kind: 'Node', name } },
    },
    { manager: 'machine-controller', withStatus: true },
  );
}

import type { MachineConfigPool, Node, PodDisruptionBudget, Workload } from '../api-server/cluster-objects.ts';
import type { Registry } from '../api-server/registry.ts';
import { machineConfigs, nodes } from '../api-server/resource-types.ts';
import { type Files, machineConfigManifest } from '../machine-config/machine-config-manifest.ts';
import type { Pace } from '../pace.ts';
import type { Random } from '../random.ts';
import { addNodes, type NodePlan } from './nodes.ts';
import { addPool, type NewPool } from './pools.ts';
import { addDisruptionBudget, addNamespace, type BudgetPlan, type DeploymentPlan, deploy } from './workloads.ts';

/** Adds to a cluster what it should have had from the start: pools and nodes are settled, with nothing to roll out. */
export interface ClusterBuilder {
  addNamespace(name: string): void;
  addPool(plan: NewPool): MachineConfigPool;
  addNodes(plan: NodePlan): Node[];
  /** Adds labels to a node, as a person would. */
  labelNode(name: string, labels: Readonly<Record<string, string>>): void;
  /** Applies a machine config, as a person would; the cluster acts on it. */
  applyMachineConfig(name: string, role: string, files: Files): void;
  /** Pods carry the label `app: <name>`. */
  deploy(plan: DeploymentPlan): Workload;
  addDisruptionBudget(plan: BudgetPlan): PodDisruptionBudget;
}

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly random: Random;
}

export function createClusterBuilder(parts: Parts): ClusterBuilder {
  const { registry } = parts;
  return {
    addNamespace: (name) => addNamespace(registry, name),
    addPool: (plan) => addPool(parts, plan),
    addNodes: (plan) => addNodes(parts, plan),
    labelNode(name, labels) {
      const add = ({ metadata }: Node) => Object.assign(metadata, { labels: { ...metadata.labels, ...labels } });
      registry.modify(nodes, { name, namespace: '' }, add, { manager: 'kubectl-label' });
    },
    applyMachineConfig(name, role, files) {
      registry.create(machineConfigs, machineConfigManifest(name, role, files), { manager: 'kubectl-create' });
    },
    deploy: (plan) => deploy(registry, plan),
    addDisruptionBudget: (plan) => addDisruptionBudget(registry, plan),
  };
}

import type { MachineConfigPool } from '../api-server/cluster-objects.ts';
import { keyOf, type LabelSelector } from '../api-server/kubernetes-object.ts';
import type { Registry } from '../api-server/registry.ts';
import { machineConfigNodes, machineConfigPools, machineConfigs, nodes } from '../api-server/resource-types.ts';
import { machineConfigManifest } from '../machine-config/machine-config-manifest.ts';
import { withCondition } from '../machine-config/pool-conditions.ts';
import { nodesOfPool } from '../machine-config/pool-membership.ts';
import { poolStatus } from '../machine-config/pool-status.ts';
import { render } from '../machine-config/rendered-config.ts';
import type { Pace } from '../pace.ts';
import { release } from './platform.ts';

/** A pool to add to the simulated cluster. */
export interface NewPool {
  readonly name: string;
  readonly maxUnavailable?: number | string;
  readonly paused?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  /** Default: the nodes with the pool's own role. */
  readonly nodeSelector?: LabelSelector;
  /** `workers`: a custom pool without machine configs of its own, whose nodes have what all workers have. */
  readonly renders?: 'workers';
}

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
}

const asOperator = { manager: 'machine-config-operator', withStatus: true };
const asController = { manager: 'machine-config-controller' };
const roleLabel = 'machineconfiguration.openshift.io/role';
const builtInPools = ['master', 'worker', 'arbiter'];

export function isBuiltIn(pool: string): boolean {
  return builtInPools.includes(pool);
}

/** Adds a pool, by default with a machine config of its own, already rendered. */
export function addPool(parts: Parts, wanted: NewPool): MachineConfigPool {
  const { registry } = parts;
  const { name } = wanted;
  if (!wanted.renders) {
    const base = machineConfigManifest(`00-${name}`, name, { [`/etc/machine-config-${name}`]: release.openshift });
    registry.create(machineConfigs, base, asOperator);
  }
  const pool = createPool(registry, wanted);
  const rendering = render(pool, registry.list(machineConfigs));
  if (rendering.kind === 'failed') throw new Error(rendering.why);
  const { config, configuration } = rendering;
  registry.create(machineConfigs, config, asController);
  registry.modify(machineConfigPools, keyOf(pool), ({ spec }) => Object.assign(spec, { configuration }), asController);
  settlePool(parts, name);
  return registry.get(machineConfigPools, name) ?? pool;
}

function createPool(registry: Registry, wanted: NewPool) {
  const { name, maxUnavailable, paused = false, labels = {}, nodeSelector, renders } = wanted;
  return registry.create(
    machineConfigPools,
    {
      metadata: { name, labels: { ...poolLabels(name), ...labels } },
      spec: {
        paused,
        ...(maxUnavailable !== undefined && { maxUnavailable }),
        machineConfigSelector: isBuiltIn(name)
          ? { matchLabels: { [roleLabel]: name } }
          : { matchExpressions: [{ key: roleLabel, operator: 'In', values: renders ? ['worker'] : ['worker', name] }] },
        nodeSelector: nodeSelector ?? { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
      },
    },
    { manager: isBuiltIn(name) ? 'machine-config-operator' : 'kubectl-create' },
  );
}

function poolLabels(name: string): Record<string, string> {
  const marked = { [`pools.operator.machineconfiguration.openshift.io/${name}`]: '' };
  if (!isBuiltIn(name)) return marked;
  const required = name === 'worker' ? {} : { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' };
  return { ...marked, ...required, 'machineconfiguration.openshift.io/mco-built-in': '' };
}

/** Writes the status that the pool's controllers will arrive at. */
export function settlePool({ registry, pace }: Parts, name: string): void {
  const pool = registry.get(machineConfigPools, name);
  if (!pool) return;
  const time = pace.timestamp();
  const status = poolStatus({
    pool,
    nodes: nodesOfPool(pool, registry.list(machineConfigPools), registry.list(nodes)),
    machineConfigNodes: registry.list(machineConfigNodes),
    time,
  });
  const conditions = withCondition(status.conditions ?? [], { type: 'RenderDegraded', status: 'False' }, time);
  const set = (draft: MachineConfigPool) => Object.assign(draft, { status: { ...status, conditions } });
  registry.modify(machineConfigPools, keyOf(pool), set, { ...asOperator, subresource: 'status' });
}

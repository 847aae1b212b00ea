import type { MachineConfigPool, Node, Taint } from '../api-server/cluster-objects.ts';
import type { Registry } from '../api-server/registry.ts';
import { machineConfigPools, machines, nodes } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import type { Random } from '../random.ts';
import { nodeObject } from './node-object.ts';
import { isBuiltIn, settlePool } from './pools.ts';

export interface NodePlan {
  /** The pool whose role the nodes get. */
  readonly pool: string;
  readonly names: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
}

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly random: Random;
}

const masterTaint: Taint = { key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' };

/** Adds nodes that already have their pool's configuration. Throws when there is no such pool. */
export function addNodes(parts: Parts, plan: NodePlan): Node[] {
  const { registry } = parts;
  const { pool } = plan;
  const configuration = configurationOfNewNode(registry.get(machineConfigPools, pool));
  if (!configuration) throw new Error(`there is no pool ${pool} yet`);
  const made = plan.names.map((name) => {
    addMachine(registry, name, pool);
    return addNode(parts, plan, { name, configuration });
  });
  settlePool(parts, pool);
  if (!isBuiltIn(pool)) settlePool(parts, 'worker');
  return made;
}

/** What the machine-config-server gives a machine that joins: the pool's new configuration once a node has it, and
 *  the old one until then. */
function configurationOfNewNode(pool: MachineConfigPool | undefined): string | undefined {
  const isUnderWay = (pool?.status?.updatedMachineCount ?? 0) > 0;
  return (isUnderWay ? undefined : pool?.status?.configuration?.name) ?? pool?.spec.configuration?.name;
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

function addNode(
  { registry, pace, random }: Parts,
  { pool, labels = {}, taints = [] }: NodePlan,
  { name, configuration }: { readonly name: string; readonly configuration: string },
): Node {
  const own = nodeObject(name, { configuration, uid: random.uid(), time: pace.timestamp() });
  const metadata = { ...own.metadata, labels: { ...own.metadata.labels, ...roleLabels(pool), ...labels } };
  const all = [...(pool === 'master' ? [masterTaint] : []), ...taints];
  return registry.create(
    nodes,
    { ...own, metadata, spec: all.length > 0 ? { taints: all } : {} },
    { manager: 'kubelet', withStatus: true },
  );
}

function roleLabels(pool: string): Record<string, string> {
  const roles = pool === 'master' ? ['master', 'control-plane'] : [...new Set(['worker', pool])];
  return Object.fromEntries(roles.map((role) => [`node-role.kubernetes.io/${role}`, '']));
}

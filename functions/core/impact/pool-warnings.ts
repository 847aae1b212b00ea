import type { Warning } from '../machine-config/disruption.ts';
import type { Node } from '../openshift/node.ts';
import type { Pool } from '../openshift/pool.ts';
import { type LabelSelector, poolSelects, selectorText } from '../openshift/selector.ts';
import { nodesAtOnce } from './nodes-at-once.ts';
import { isBuiltIn } from './pools-of.ts';
import { isSameContent } from './same-content.ts';

/** The fields of a pool that can be wrong before any change lands. */
export type WarnedPool = Pick<
  Pool,
  'name' | 'labels' | 'machineConfigSelector' | 'nodeSelector' | 'maxUnavailable' | 'counts'
>;

/** Labels of a node. */
export type WarnedNode = Pick<Node, 'name' | 'labels'>;

/** A warning, and the pools that it is about. */
export interface PoolWarning extends Warning {
  readonly pools: readonly string[];
}

/** Fraction of a pool's nodes from which `maxUnavailable` counts as large. Our own choice: half of the capacity at
 *  once. */
const largePart = 0.5;

/** Pools that select nothing, everything, or each other's nodes, and rollouts that take many nodes at once. With
 *  `nodes`, actual overlaps are found; without, only those that the selectors prove. Source: machine-config-operator
 *  pkg/helpers `GetPoolsForNode`, pkg/controller/node `maxUnavailable`. */
export function poolWarnings(pools: readonly WarnedPool[], nodes?: readonly WarnedNode[]): readonly PoolWarning[] {
  const managed = nodes?.filter(({ labels }) => labels['kubernetes.io/os'] !== 'windows');
  return [
    ...pools.flatMap((pool) => ofSelectors(pool)),
    ...(managed === undefined ? twins(pools) : [...nodesInSeveral(pools, managed), ...takingAll(pools, managed)]),
    ...pools.flatMap((pool) => ofMaxUnavailable(pool)),
  ];
}

function ofSelectors(pool: WarnedPool): readonly PoolWarning[] {
  const { name, machineConfigSelector, nodeSelector } = pool;
  const found: PoolWarning[] = [];
  if (!hasRequirement(machineConfigSelector))
    found.push({
      code: 'pool-selects-no-machine-config',
      pools: [name],
      text: `Pool ${name} has an empty machineConfigSelector: the Machine Config Operator skips it, and nothing is rendered for it`,
      remedy: 'Set spec.machineConfigSelector, usually to machineconfiguration.openshift.io/role in (worker, <pool>)',
    });
  else if (isOnlyNegative(machineConfigSelector))
    found.push({
      code: 'pool-selects-everything',
      pools: [name],
      text: `Pool ${name} selects every MachineConfig except some (${selectorText(machineConfigSelector)}), those of other pools included`,
      remedy: 'Select by labels that must exist: machineconfiguration.openshift.io/role In [...]',
    });
  if (!hasRequirement(nodeSelector))
    found.push({
      code: 'pool-selects-no-node',
      pools: [name],
      text: `Pool ${name} has an empty nodeSelector, which matches no node for the Machine Config Operator`,
      remedy: 'Set spec.nodeSelector to the label of its nodes, or delete the pool',
    });
  else if (isOnlyNegative(nodeSelector))
    found.push({
      code: 'pool-selects-everything',
      pools: [name],
      text: `Pool ${name} selects every node except some (${selectorText(nodeSelector)}), those of other pools included`,
      remedy: 'Select by a label that only its nodes have: node-role.kubernetes.io/<pool>',
    });
  return found;
}

function hasRequirement(selector: LabelSelector | undefined): selector is LabelSelector {
  return Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length > 0;
}

/** It only excludes labels, so everything new is selected too. */
function isOnlyNegative({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return (
    Object.keys(matchLabels).length === 0 &&
    matchExpressions.every(({ operator }) => operator === 'NotIn' || operator === 'DoesNotExist')
  );
}

/** Two custom pools with the same selector share all nodes. */
function twins(pools: readonly WarnedPool[]): readonly PoolWarning[] {
  const custom = pools.filter((pool) => !isBuiltIn(pool) && hasRequirement(pool.nodeSelector));
  return custom.flatMap((pool, index) =>
    custom
      .slice(index + 1)
      .filter((other) => isSameContent(plain(pool.nodeSelector), plain(other.nodeSelector)))
      .map((other) => overlap([pool.name, other.name], 'every node that one of them selects')),
  );
}

function plain(selector: LabelSelector | undefined): unknown {
  return { matchLabels: selector?.matchLabels ?? {}, matchExpressions: selector?.matchExpressions ?? [] };
}

function overlap(pools: readonly string[], which: string): PoolWarning {
  return {
    code: 'node-in-several-pools',
    pools,
    text: `${pools.join(' and ')} both select ${which}: the Machine Config Operator refuses to choose between custom pools, and such nodes get no configuration at all`,
    remedy: 'Remove the label of all pools but one from each node',
  };
}

function nodesInSeveral(pools: readonly WarnedPool[], nodes: readonly WarnedNode[]): readonly PoolWarning[] {
  const byPools = new Map<string, { readonly pools: readonly WarnedPool[]; readonly nodes: string[] }>();
  for (const { name, labels } of nodes) {
    const matching = pools.filter((pool) => poolSelects(pool.nodeSelector, labels) && pool.name !== 'worker');
    // To the MCO arbiter is a custom pool, too.
    const custom = matching.filter((pool) => pool.name !== 'master');
    const isClash = custom.length > 1 || (custom.length === 1 && matching.some((pool) => pool.name === 'master'));
    if (!isClash) continue;
    const clash = custom.length > 1 ? custom : matching;
    const key = clash.map((pool) => pool.name).join(',');
    const known = byPools.get(key) ?? { pools: clash, nodes: [] };
    known.nodes.push(name);
    byPools.set(key, known);
  }
  return [...byPools.values()].map((clash) => {
    const names = clash.pools.map((pool) => pool.name);
    const which = listed(clash.nodes);
    return names.includes('master') ? masterWins(names, which) : overlap(names, which);
  });
}

function masterWins(pools: readonly string[], which: string): PoolWarning {
  const custom = pools.filter((name) => name !== 'master');
  return {
    code: 'node-in-master-and-custom-pool',
    pools,
    text: `${pools.join(' and ')} both select ${which}: master wins, and the configuration of ${custom.join(', ')} never reaches them`,
    remedy: 'Remove the label of the custom pool from control plane nodes',
  };
}

function takingAll(pools: readonly WarnedPool[], nodes: readonly WarnedNode[]): readonly PoolWarning[] {
  if (nodes.length < 2) return [];
  return pools
    .filter(
      (pool) =>
        !isBuiltIn(pool) &&
        hasRequirement(pool.nodeSelector) &&
        !isOnlyNegative(pool.nodeSelector) &&
        nodes.every(({ labels }) => poolSelects(pool.nodeSelector, labels)),
    )
    .map(({ name }) => ({
      code: 'pool-selects-everything',
      pools: [name],
      text: `Pool ${name} selects all ${nodes.length} nodes of the cluster`,
      remedy: 'Select by a label that only its nodes have: node-role.kubernetes.io/<pool>',
    }));
}

function listed(names: readonly string[]): string {
  const sorted = names.toSorted();
  const more = sorted.length > 3 ? ` and ${sorted.length - 3} more` : '';
  return `${sorted.slice(0, 3).join(', ')}${more}`;
}

function ofMaxUnavailable({ name, maxUnavailable, counts }: WarnedPool): readonly PoolWarning[] {
  if (maxUnavailable === undefined) return [];
  const atOnce = nodesAtOnce(maxUnavailable, counts.machines);
  if (atOnce === undefined)
    return [
      {
        code: 'max-unavailable-unreadable',
        pools: [name],
        text: `Pool ${name} has maxUnavailable ${maxUnavailable}, which is neither a number nor a percentage: the Machine Config Operator updates none of its nodes`,
        remedy: 'Set spec.maxUnavailable to a whole number, usually 1',
      },
    ];
  const percentage = maxUnavailable.endsWith('%')
    ? [
        {
          code: 'max-unavailable-percentage',
          pools: [name],
          text: `Pool ${name} has maxUnavailable ${maxUnavailable}: of its ${counts.machines} nodes, ${atOnce} at once now, and more as the pool grows`,
          remedy: 'Set spec.maxUnavailable to a whole number if the number of nodes at once matters',
        },
      ]
    : [];
  const isLarge = atOnce > 1 && counts.machines > 0 && atOnce >= counts.machines * largePart;
  const large = isLarge
    ? [
        {
          code: 'max-unavailable-large',
          pools: [name],
          text: `Pool ${name} may lose ${Math.min(atOnce, counts.machines)} of its ${counts.machines} nodes at once (maxUnavailable ${maxUnavailable})`,
          remedy: 'Lower spec.maxUnavailable, or roll the pool out in a window in which that many nodes are not needed',
        },
      ]
    : [];
  return [...percentage, ...large];
}

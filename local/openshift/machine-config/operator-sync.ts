import type { Node } from '../api-server/cluster-objects.ts';
import { isJsonObject, sameJson, valueAt } from '../api-server/json.ts';
import { type Condition, keyOf } from '../api-server/kubernetes-object.ts';
import type { ObjectChange } from '../api-server/object-store.ts';
import type { Registry } from '../api-server/registry.ts';
import { clusterOperators, machineConfigNodes, machineConfigPools, nodes } from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import { clusterRelease, minorRelease } from './cluster-release.ts';
import { membershipError, poolsOfNode } from './pool-membership.ts';
import type { Timings } from './timings.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
  readonly timings: Timings;
}

const manager = 'machine-config-operator';
const clusterOperator = { name: 'machine-config', namespace: '' };

/** The first minor release of 4 whose clusters have MachineConfigNodes by default. */
const machineConfigNodesSince = 20;

const roleOf = (pool: string) => ({ matchLabels: { [`node-role.kubernetes.io/${pool}`]: '' } });

/** The operator's own sync, one part after another: the pool in each node's MachineConfigNode, then the built-in pools.
 *  The first part that fails ends it. Source: MCO pkg/operator/sync.go, release-4.21. */
export function startOperatorSync(parts: Parts): void {
  const { registry, pace, timings } = parts;
  let asked = false;
  registry.subscribe((change) => {
    if (asked || !isRelevant(change)) return;
    asked = true;
    pace.after(timings.operatorDelayMs, () => {
      asked = false;
      sync(parts);
    });
  });
}

function isRelevant({ type, kind, object, previous }: ObjectChange): boolean {
  if (type === machineConfigPools) return true;
  return type === nodes && (kind !== 'MODIFIED' || !sameJson(object.metadata.labels, previous?.metadata.labels));
}

function sync(parts: Parts): void {
  const { registry } = parts;
  const failure = minorRelease(registry) < machineConfigNodesSince ? undefined : membershipErrorOfAny(registry);
  setDegraded(parts, failure);
  if (failure !== undefined) return;
  for (const node of registry.list(nodes)) syncMachineConfigNode(registry, node);
  for (const pool of ['master', 'worker']) restoreSelector(registry, pool);
}

function membershipErrorOfAny(registry: Registry): string | undefined {
  const pools = registry.list(machineConfigPools);
  return registry
    .list(nodes)
    .map((node) => membershipError(pools, node))
    .find((error) => error !== undefined);
}

function syncMachineConfigNode(registry: Registry, node: Node): void {
  const current = registry.get(machineConfigNodes, node.metadata.name);
  const name = poolsOfNode(registry.list(machineConfigPools), node)[0]?.metadata.name;
  if (!current || name === undefined || current.spec.pool.name === name) return;
  registry.modify(machineConfigNodes, keyOf(current), ({ spec }) => Object.assign(spec, { pool: { name } }), {
    manager,
  });
}

/** Up to 4.21 the whole spec of a built-in pool's selector is the operator's; later only its metadata is. */
function restoreSelector(registry: Registry, name: string): void {
  const pool = registry.get(machineConfigPools, name);
  if (!pool || minorRelease(registry) > 21 || sameJson(pool.spec.nodeSelector, roleOf(name))) return;
  registry.modify(machineConfigPools, keyOf(pool), ({ spec }) => Object.assign(spec, { nodeSelector: roleOf(name) }), {
    manager,
  });
}

function setDegraded({ registry, pace }: Parts, failure: string | undefined): void {
  const found = registry.get(clusterOperators, clusterOperator.name);
  const conditions = valueAt(found ?? {}, ['status', 'conditions']);
  if (!found || !Array.isArray(conditions)) return;
  const before = conditions.filter(isJsonObject).find(({ type }) => type === 'Degraded');
  const status = failure === undefined ? 'False' : 'True';
  const message = failure && `Failed to resync ${clusterRelease(registry)} because: ${failure}`;
  if (before?.['status'] === status && before['message'] === message) return;
  const degraded: Condition = {
    type: 'Degraded',
    status,
    lastTransitionTime: before?.['status'] === status ? String(before['lastTransitionTime']) : pace.timestamp(),
    ...(message && { reason: 'MachineConfigNodeFailed', message }),
  };
  const others = conditions.filter((each) => each !== before);
  registry.modify(
    clusterOperators,
    clusterOperator,
    (draft) => Object.assign(draft, { status: { ...draft.status, conditions: [...others, degraded] } }),
    { manager, subresource: 'status' },
  );
}

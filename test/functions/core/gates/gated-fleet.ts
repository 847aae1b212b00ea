import type { PoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { type PauseAuthor, type Pool, requiredForUpgradeLabel } from '../../../../functions/core/openshift/pool.ts';
import { emptyRecord, type PoolRecord } from '../../../../functions/core/openshift/pool-record.ts';
import { aCondition, aPool } from '../../../fakes/index.ts';

/** A node, and the version of the rendered config of its pool that it has. */
interface FleetNode {
  readonly has: number;
  /** It was to take this version and could not. */
  readonly failed?: number | undefined;
  readonly cordoned?: true | undefined;
}

/** A pool as the Machine Config Operator knows it, with our record. */
export interface FleetPool {
  /** The version of its newest rendered config, and of that which all its nodes had last. */
  readonly target: number;
  readonly current: number;
  readonly nodes: readonly FleetNode[];
  readonly paused: boolean;
  readonly pausedBy: PauseAuthor | undefined;
  readonly record: PoolRecord;
  /** ISO instant of the last change of its condition `Updated`. */
  readonly updatedSince: string;
}

export type Fleet = Readonly<Record<string, FleetPool>>;

const longAgo = '2026-03-01T00:00:00.000Z';

/** Two nodes at the first version. */
export const restingPool: FleetPool = {
  target: 1,
  current: 1,
  nodes: [{ has: 1 }, { has: 1 }],
  paused: false,
  pausedBy: undefined,
  record: emptyRecord,
  updatedSince: longAgo,
};

export function configOf(pool: string, version: number): string {
  return `rendered-${pool}-${version}`;
}

/** Every node has its newest config and takes pods. */
function isAllUpdated({ target, nodes }: FleetPool): boolean {
  return nodes.every((node) => node.has === target && node.failed === undefined && node.cordoned !== true);
}

export function hasFailed({ nodes }: FleetPool): boolean {
  return nodes.some(({ failed }) => failed !== undefined);
}

/** Something of its change is left to do. */
export function isBehind({ target, current, nodes }: FleetPool): boolean {
  return target !== current || nodes.some(({ has }) => has !== target);
}

/** What the MCO notes once it has looked. */
export function noted(before: FleetPool, after: FleetPool, at: string): FleetPool {
  const [was, is] = [isAllUpdated(before) && !isBehind(before), isAllUpdated(after)];
  const updatedSince = was === is ? after.updatedSince : at;
  return { ...after, updatedSince, current: is ? after.target : after.current };
}

/** The node that the MCO would take to the target now: one that failed comes first, with what may mend it, and one that
 *  is cordoned takes the only place. Undefined: none. */
export function nextNode({ paused, target, nodes }: FleetPool): number | undefined {
  if (paused) return undefined;
  const failed = nodes.findIndex((node) => node.failed !== undefined && node.failed !== target);
  if (failed >= 0) return failed;
  if (nodes.some((node) => node.failed !== undefined || node.cordoned === true)) return undefined;
  const next = nodes.findIndex(({ has }) => has !== target);
  return next < 0 ? undefined : next;
}

export function withNode(pool: FleetPool, index: number, node: FleetNode): FleetPool {
  return { ...pool, nodes: pool.nodes.map((each, nth) => (nth === index ? node : each)) };
}

/** The pool as the API server shows it. */
export function poolOf(name: string, pool: FleetPool): Pool {
  const { target, current, nodes, paused, pausedBy, record, updatedSince } = pool;
  const sources = [`00-${name}`, `99-${name}`];
  const isThere = ({ has, failed }: FleetNode) => has === target && failed === undefined;
  const updated = nodes.filter(isThere).length;
  const degraded = nodes.filter(({ failed }) => failed !== undefined).length;
  const failing = degraded > 0 ? 'True' : 'False';
  return aPool({
    name,
    uid: `uid-pool-${name}`,
    labels: name === 'master' ? { [requiredForUpgradeLabel]: '' } : {},
    paused,
    pausedBy,
    record: record === emptyRecord ? { kind: 'none' } : { kind: 'record', record },
    machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': name } },
    nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
    target: { name: configOf(name, target), sources },
    current: { name: configOf(name, current), sources },
    counts: {
      machines: nodes.length,
      updated,
      ready: nodes.filter((node) => isThere(node) && node.cordoned !== true).length,
      unavailable: nodes.filter(({ failed, cordoned }) => failed !== undefined || cordoned === true).length,
      degraded,
    },
    conditions: [
      aCondition({ type: 'Updated', status: isAllUpdated(pool) ? 'True' : 'False', since: updatedSince }),
      aCondition({ type: 'NodeDegraded', status: failing }),
      aCondition({ type: 'RenderDegraded' }),
      aCondition({ type: 'Degraded', status: failing }),
    ],
  });
}

/** What is configured of the fleet. */
export type FleetSettings = Readonly<Record<string, PoolSettings>>;

import type { DisruptionClass } from '../machine-config/disruption.ts';
import type { Pool } from '../openshift/pool.ts';
import { nodesTogether } from './nodes-at-once.ts';
import type { PoolImpact } from './report.ts';

/** Duration of a pool's rollout at the usual pace. */
export interface Estimate {
  readonly minutes: number;
  /** Nodes updated at the same time. */
  readonly atOnce: number;
  readonly minutesPerNode: number;
}

/** Minutes that a node is usually away. A blocked drain takes as long as it is blocked; bare metal reboots slower.
 *  Source: `oc adm upgrade status`, which plans 10 min for the drain of a node and 5 for its update and reboot. Without
 *  either, nodes are still updated one after another: the config daemon polls every few seconds and restarting a unit
 *  takes less than a minute. */
const minutesPerNode: Readonly<Record<DisruptionClass, number>> = {
  none: 1,
  reload: 1,
  restart: 1,
  drain: 10,
  reboot: 15,
};

/** Shown with every estimate. */
export const estimateSource =
  'at the pace that `oc adm upgrade status` plans with: 10 min for the drain of a node, 5 for its update and reboot';

/** An unknown class counts as a reboot. Undefined if no node needs an update. */
export function estimate(
  pool: Pick<PoolImpact, 'machines' | 'maxUnavailable' | 'class' | 'update'>,
): Estimate | undefined {
  if (pool.machines === 0 || pool.update === 'nothing') return undefined;
  // If maxUnavailable is invalid the MCO updates no node; there is a warning, and the slowest pace is shown here.
  const atOnce = nodesTogether(pool.maxUnavailable, pool.machines);
  const each = minutesPerNode[pool.class ?? 'reboot'];
  return { minutes: Math.ceil(pool.machines / atOnce) * each, atOnce, minutesPerNode: each };
}

/** Minutes until a rollout is done, at this pool's own pace; undefined if no node is left.
 *  @param minutesPerNode from the pool's history */
export function minutesLeft(
  { counts: { machines, updated }, maxUnavailable }: Pick<Pool, 'counts' | 'maxUnavailable'>,
  minutesPerNode: number,
): number | undefined {
  if (updated >= machines) return undefined;
  return Math.ceil((machines - updated) / nodesTogether(maxUnavailable, machines)) * minutesPerNode;
}

/** `about 45 min: 3 nodes, one at a time, 15 min each`. */
export function estimateText({ machines }: Pick<PoolImpact, 'machines'>, of: Estimate): string {
  const nodes = machines === 1 ? '1 node' : `${machines} nodes`;
  const pace = of.atOnce >= machines ? 'all at once' : of.atOnce === 1 ? 'one at a time' : `${of.atOnce} at a time`;
  return machines === 1
    ? `about ${durationText(of.minutes)}`
    : `about ${durationText(of.minutes)}: ${nodes}, ${pace}, ${of.minutesPerNode} min each`;
}

export function durationText(minutes: number): string {
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

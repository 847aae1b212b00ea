import type { DisruptionClass } from '../machine-config/disruption.ts';
import type { Pool } from '../openshift/pool.ts';
import type { OwnPace } from './node-pace.ts';
import { nodesTogether } from './nodes-at-once.ts';
import type { PoolImpact } from './report.ts';

/** Duration of a pool's rollout at the usual pace. */
export interface Estimate {
  readonly minutes: number;
  /** From the pool's own pace: minutes if all its nodes are slow, and how many node rollouts it is known from; absent:
   *  the planned pace is used. */
  readonly own?: { readonly atMostMinutes: number; readonly rollouts: number } | undefined;
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

/** What estimates without an own pace rest on. */
export const plannedSource =
  'at the pace that `oc adm upgrade status` plans with: 10 min for the drain of a node, 5 for its update and reboot';

/** Shown with the estimates of several pools. */
export function estimateSource(estimates: readonly (Estimate | undefined)[]): string {
  const shown = estimates.filter((each) => each !== undefined);
  const own = shown.filter((each) => each.own !== undefined);
  if (own.length === 0) return plannedSource;
  const ownSource = "by the pool's own last node rollouts, of which nine in ten were faster than the longer time says";
  return own.length === shown.length ? ownSource : `${ownSource}; for the others ${plannedSource}`;
}

/** An unknown class counts as a reboot. Undefined if no node needs an update.
 *  @param pace of the pool's nodes, which rebooted; absent: not known. It says nothing about changes without reboot */
export function estimate(
  pool: Pick<PoolImpact, 'machines' | 'maxUnavailable' | 'class' | 'update'>,
  pace?: OwnPace,
): Estimate | undefined {
  if (pool.machines === 0 || pool.update === 'nothing') return undefined;
  // If maxUnavailable is invalid the MCO updates no node; there is a warning, and the slowest pace is shown here.
  const atOnce = nodesTogether(pool.maxUnavailable, pool.machines);
  const turns = Math.ceil(pool.machines / atOnce);
  const worst = pool.class ?? 'reboot';
  if (pace === undefined || worst !== 'reboot') {
    const each = minutesPerNode[worst];
    return { minutes: turns * each, atOnce, minutesPerNode: each };
  }
  const { usual, slow, rollouts } = pace;
  return { minutes: turns * usual, atOnce, minutesPerNode: usual, own: { atMostMinutes: turns * slow, rollouts } };
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

/** `about 45 min: 3 nodes, one at a time, 15 min each`, or `about 36 min, 63 min if slow: 3 nodes, one at a time, 12
 *  min each, by its last 12 node rollouts`. */
export function estimateText({ machines }: Pick<PoolImpact, 'machines'>, of: Estimate): string {
  const nodes = machines === 1 ? '1 node' : `${machines} nodes`;
  const pace = of.atOnce >= machines ? 'all at once' : of.atOnce === 1 ? 'one at a time' : `${of.atOnce} at a time`;
  const about = `about ${durationText(of.minutes)}`;
  const each = `${of.minutesPerNode} min each`;
  if (of.own === undefined) return machines === 1 ? about : `${about}: ${nodes}, ${pace}, ${each}`;
  const { atMostMinutes, rollouts } = of.own;
  const span = atMostMinutes > of.minutes ? `${about}, ${durationText(atMostMinutes)} if slow` : about;
  const detail = machines === 1 ? '' : `: ${nodes}, ${pace}, ${each}`;
  return `${span}${detail}, by its last ${rollouts} node rollouts`;
}

export function durationText(minutes: number): string {
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

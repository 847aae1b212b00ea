import type { RecordRead } from './pool-record.ts';
import type { LabelSelector } from './selector.ts';

/** A MachineConfigPool as far as Poolkeeper uses it, in its own words. Field meanings: api machineconfiguration/v1
 *  types.go. */
export interface Pool {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** ISO instant; undefined when the answer did not carry it. */
  readonly createdAt?: string | undefined;
  /** ISO instant at which the first of the certificates expires that its nodes have by the MCO; undefined when it is
   *  not said. */
  readonly certificatesExpire?: string | undefined;
  readonly generation: number;
  /** Last generation the MCO's node controller has processed: the acknowledgement of a pause. */
  readonly observedGeneration: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations of Poolkeeper's own prefix only (`poolkeeper.dev/`), without the holds. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly paused: boolean;
  /** Field manager that last changed `spec.paused`, from managedFields; undefined when entries were stripped. */
  readonly pausedBy: PauseAuthor | undefined;
  readonly record: RecordRead;
  readonly machineConfigSelector: LabelSelector | undefined;
  readonly nodeSelector: LabelSelector | undefined;
  /** As written: a number or a percentage; undefined means 1. */
  readonly maxUnavailable: string | undefined;
  /** Where the MCO wants the nodes: `spec.configuration`, written by the render controller. */
  readonly target: RenderedConfig;
  /** What every node finished: `status.configuration`. */
  readonly current: RenderedConfig;
  readonly counts: PoolCounts;
  readonly conditions: readonly PoolCondition[];
}

export interface PauseAuthor {
  readonly manager: string;
  /** ISO instant of that manager's last write; not strictly the time of the pause. */
  readonly at: string | undefined;
}

export interface RenderedConfig {
  /** `rendered-<pool>-<hash>`, or empty before the first render. */
  readonly name: string;
  /** Names of the MachineConfigs merged into it. */
  readonly sources: readonly string[];
}

export interface PoolCounts {
  readonly machines: number;
  readonly updated: number;
  readonly ready: number;
  readonly unavailable: number;
  readonly degraded: number;
}

export interface PoolCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** ISO instant; unchanged while the status is, whatever the message says. */
  readonly since: string | undefined;
}

/** Label of pools that a cluster upgrade waits for (built in: master, arbiter). */
export const requiredForUpgradeLabel = 'operator.machineconfiguration.openshift.io/required-for-upgrade';

/** The condition of a type; the list may hold duplicates and the last one counts (MCO apihelpers.go). */
export function condition(pool: Pick<Pool, 'conditions'>, type: string): PoolCondition | undefined {
  return pool.conditions.findLast((each) => each.type === type);
}

export function isTrue(pool: Pick<Pool, 'conditions'>, type: string): boolean {
  return condition(pool, type)?.status === 'True';
}

export function isDegraded(pool: Pick<Pool, 'conditions'>): boolean {
  return ['Degraded', 'NodeDegraded', 'RenderDegraded', 'ImageBuildDegraded'].some((type) => isTrue(pool, type));
}

/** A rendered config waits to be rolled out: by pause, by an unfinished rollout, or by one that starts in a moment. */
export function hasPendingChange(pool: Pick<Pool, 'target' | 'current'>): boolean {
  return pool.target.name !== '' && pool.target.name !== pool.current.name;
}

/** Nodes are being taken to another config now, or will be in a moment. */
export function isRolling(pool: Pick<Pool, 'paused' | 'target' | 'current'>): boolean {
  return !pool.paused && hasPendingChange(pool);
}

/** Every machine runs the target config and is ready. */
export function isUpdated(pool: Pool): boolean {
  return isTrue(pool, 'Updated') && !hasPendingChange(pool) && pool.counts.updated === pool.counts.machines;
}

/** Nothing to look at more closely: one list of pools was enough. */
export function isAtRest(pool: Pool): boolean {
  const { machines, updated, ready, unavailable, degraded } = pool.counts;
  return (
    !hasPendingChange(pool) &&
    !isDegraded(pool) &&
    updated === machines &&
    ready === machines &&
    unavailable + degraded === 0
  );
}

/** Pools that Poolkeeper never touches unless they are opted in by name: a paused required pool stops cluster
 *  upgrades. */
export function isRequiredForUpgrade(pool: Pick<Pool, 'name' | 'labels'>): boolean {
  return pool.name === 'master' || pool.name === 'arbiter' || requiredForUpgradeLabel in pool.labels;
}

import type { Tracked } from '../argocd/tracking.ts';
import { foreignImage } from '../text/foreign-text.ts';
import type { RecordRead } from './pool-record.ts';
import type { LabelSelector } from './selector.ts';

/** A MachineConfigPool, limited to what Poolkeeper uses. Field meanings: api machineconfiguration/v1 types.go. */
export interface Pool {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** ISO instant; undefined if the answer did not contain it. */
  readonly createdAt?: string | undefined;
  /** ISO instant at which the first certificate managed by the MCO expires; undefined if not reported. */
  readonly certificatesExpire?: string | undefined;
  readonly generation: number;
  /** Last generation that the MCO's node controller has processed: the acknowledgement of a pause. */
  readonly observedGeneration: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations of Poolkeeper's own prefix only (`poolkeeper.dev/`), without the holds. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly paused: boolean;
  /** Whose the pause is (`pauseAuthor`): the field manager that last changed `spec.paused`, from managedFields;
   *  undefined if entries were stripped. */
  readonly pausedBy: PauseAuthor | undefined;
  /** The field manager of Argo CD, where what it applied last says `spec.paused: true`, and when it last changed
   *  anything of the pool by that: of a pool that is paused already nothing else shows it. With
   *  `RespectIgnoreDifferences=true` it only repeats the pause that it found. Absent: it does not say so, or Argo CD
   *  has applied nothing. */
  readonly appliedPausedBy?: AppliedPause | undefined;
  /** The Application that has applied the pool, by Argo CD's mark on it; absent: none. */
  readonly deployedBy?: Tracked | undefined;
  readonly record: RecordRead;
  /** Field manager that last changed the record, from managedFields; absent: not known. */
  readonly recordBy?: string | undefined;
  readonly machineConfigSelector: LabelSelector | undefined;
  readonly nodeSelector: LabelSelector | undefined;
  /** As written: a number or a percentage; undefined means 1. */
  readonly maxUnavailable: string | undefined;
  /** The config that the MCO is rolling out: `spec.configuration`, written by the render controller. */
  readonly target: RenderedConfig;
  /** The config that all nodes have: `status.configuration`. */
  readonly current: RenderedConfig;
  readonly counts: PoolCounts;
  readonly conditions: readonly PoolCondition[];
}

export interface PauseAuthor {
  readonly manager: string;
  /** ISO instant of that manager's last write; not strictly the time of the pause. */
  readonly at: string | undefined;
}

export interface AppliedPause extends PauseAuthor {
  /** By server-side apply, which made it an owner of `spec.paused`. Whoever changes the field takes it from all others:
   *  an owner beside whoever paused the pool has applied the pause since, whatever the time of its entry, which stays
   *  where that changed nothing else. Shown on a real API server. */
  readonly ownsField?: boolean | undefined;
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
  /** ISO instant; unchanged while the status is, whatever the message. */
  readonly since: string | undefined;
}

/** Which clusters have no MachineConfigPools, in words. */
export const clustersWithoutPools =
  'hosted control planes (HyperShift, ROSA HCP) have NodePools instead, MicroShift has neither';

/** Label of pools that a cluster upgrade waits for (built in: master, arbiter). */
export const requiredForUpgradeLabel = 'operator.machineconfiguration.openshift.io/required-for-upgrade';

/** The condition of a type; the list may contain duplicates and the last one counts (MCO apihelpers.go). */
export function condition(pool: Pick<Pool, 'conditions'>, type: string): PoolCondition | undefined {
  return pool.conditions.findLast((each) => each.type === type);
}

export function isTrue(pool: Pick<Pool, 'conditions'>, type: string): boolean {
  return condition(pool, type)?.status === 'True';
}

export function isDegraded(pool: Pick<Pool, 'conditions'>): boolean {
  return ['Degraded', 'NodeDegraded', 'RenderDegraded', 'ImageBuildDegraded'].some((type) => isTrue(pool, type));
}

/** Degraded neither for its render nor for its image build, which are troubles of their own. */
export function isDegradedByNodes(pool: Pick<Pool, 'conditions'>): boolean {
  return isDegraded(pool) && !isTrue(pool, 'RenderDegraded') && !isTrue(pool, 'ImageBuildDegraded');
}

/** A rendered config is not rolled out yet: because of a pause, an unfinished rollout, or one that starts in a
 *  moment. */
export function hasPendingChange(pool: Pick<Pool, 'target' | 'current'>): boolean {
  return pool.target.name !== '' && pool.target.name !== pool.current.name;
}

/** No change is pending, and the MCO does not count every node as updated. Nodes may have another config: after a
 *  change that was reverted in the middle of its rollout the pool has the config again that it had before it. Only the
 *  nodes themselves tell that from a new or a failing one. */
export function mayHaveNodesBehind({ counts, ...pool }: Pick<Pool, 'target' | 'current' | 'counts'>): boolean {
  return !hasPendingChange(pool) && counts.updated < counts.machines;
}

/** Image mode: the image that the MCO takes the nodes to, as it says for as long as not all of them boot it. Undefined:
 *  none, or it is still being built. Source: MCO pkg/controller/node/status.go `getPoolUpdateLine`, releases 4.16 to
 *  4.22; later ones do not say it. */
export function imageOf(pool: Pick<Pool, 'conditions'>): string | undefined {
  const image = / to MachineConfig \S+ \/ Image (\S+)$/.exec(condition(pool, 'Updating')?.message ?? '')?.[1];
  // As long as what is kept of the images of nodes, to compare the two.
  return image === undefined ? undefined : foreignImage(image);
}

/** Image mode: nodes wait for another image, or are being taken to it, and keep their rendered config. Failed nodes do
 *  not count: they may have failed long after. */
function hasPendingImage(pool: Pick<Pool, 'conditions' | 'counts'>): boolean {
  const { machines, updated, degraded } = pool.counts;
  return imageOf(pool) !== undefined && updated + degraded < machines;
}

/** What the MCO knows of a pool that is rolled out, or waits for that. */
type RolledOut = Pick<Pool, 'target' | 'current' | 'conditions' | 'counts'>;

/** A rendered config, or an image alone, is not rolled out yet. */
export function hasPendingRollout(pool: RolledOut): boolean {
  return hasPendingChange(pool) || hasPendingImage(pool);
}

/** Nodes are being taken to another config or image now, or will be in a moment. */
export function isRolling(pool: Pick<Pool, 'paused'> & RolledOut): boolean {
  return !pool.paused && hasPendingRollout(pool);
}

/** Every machine runs the target config and is ready. */
export function isUpdated(pool: Pool): boolean {
  return isTrue(pool, 'Updated') && !hasPendingChange(pool) && pool.counts.updated === pool.counts.machines;
}

/** Nothing is rolled out: the MCO calls a pool updating as long as a node of it is cordoned or not ready. */
export function lacksNodes(pool: Pick<Pool, 'target' | 'current' | 'counts'>): boolean {
  const { machines, updated, unavailable } = pool.counts;
  return !hasPendingChange(pool) && updated === machines && unavailable > 0;
}

/** Needs no further reads: the list of pools is enough. */
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

/** Pools that Poolkeeper never touches unless opted in by name: a paused required pool blocks cluster upgrades. */
export function isRequiredForUpgrade(pool: Pick<Pool, 'name' | 'labels'>): boolean {
  return pool.name === 'master' || pool.name === 'arbiter' || requiredForUpgradeLabel in pool.labels;
}

import type { GateView } from '../gates/gate-view.ts';
import type { PendingChange } from '../machine-config/pending-change.ts';
import type { JoinedNode } from '../openshift/paused-pool.ts';
import type { PoolCounts } from '../openshift/pool.ts';
import type { Race } from '../races/race.ts';

/** What people see of a cluster: written by each pass, shown by `status`. */
export interface ClusterView {
  readonly cluster: string;
  /** ISO instant of the last good read. */
  readonly readAt: string;
  /** Why the last read failed, and since when nothing was seen; undefined = seen. */
  readonly blind: { readonly why: string; readonly since: string; readonly misses: number } | undefined;
  readonly pools: readonly PoolView[];
}

export interface PoolView {
  readonly name: string;
  /** ISO instant of the pool's creation, for its age; undefined when unknown. */
  readonly createdAt?: string | undefined;
  readonly managed: boolean;
  readonly protection: string;
  readonly paused: boolean;
  /** `ours`, `foreign`, `overridden` or empty. */
  readonly pauseOf: string;
  readonly pausedSince: string | undefined;
  readonly pausedBy: string;
  readonly confirmed: boolean;
  readonly currentConfig: string;
  readonly targetConfig: string;
  readonly pending: boolean;
  /** MachineConfigs that the target merges and the current config does not, and the other way round. Both empty while a
   *  change is pending: the content of a MachineConfig changed. */
  readonly pendingSources?: { readonly added: readonly string[]; readonly removed: readonly string[] } | undefined;
  /** What waits or rolls, and why it was rendered; undefined: nothing does, or it was not read yet. */
  readonly change?: PendingChange | undefined;
  /** Since when it waits; undefined: nothing does, or it is not known. */
  readonly pendingSince?: string | undefined;
  /** ISO instant at which the first certificate expires that the nodes have by the MCO; undefined where it does not
   *  say. */
  readonly certificatesExpire?: string | undefined;
  /** Pushes that it is not paused for, because they do nothing to its nodes. */
  readonly spared?: readonly UnpausedView[] | undefined;
  readonly updated: boolean;
  readonly updating: boolean;
  readonly degraded: boolean;
  readonly counts: PoolCounts;
  /** Degraded's or Updating's text. */
  readonly message: string;
  readonly holds: readonly HoldView[];
  /** Why the pool does not resume: every closed gate and, before them, every hold. Empty when it is not paused by
   *  us. */
  readonly closedGates: readonly GateView[];
  readonly races: readonly Race[];
  /** Nodes on their way, the longest first, at most twenty. */
  readonly nodes?: readonly NodeView[] | undefined;
  /** Minutes until its rollout is through, at its own pace; undefined: none is under way, or its pace is not known
   *  yet. */
  readonly minutesLeft?: number | undefined;
  /** Nodes that joined during this pause. */
  readonly joined?: readonly JoinedNode[] | undefined;
}

/** A node that is being updated. All times ISO instants. */
export interface NodeView {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly begunAt: string;
  readonly step: string;
  readonly stepSince: string;
  /** Its config daemon says that it cannot go on. */
  readonly failing: boolean;
  /** What must become true before it goes on, in words. */
  readonly waitsFor: string;
  readonly steps: readonly {
    readonly name: string;
    readonly begunAt: string | undefined;
    readonly endedAt: string | undefined;
  }[];
}

/** A push that a pool is not paused for. */
export interface UnpausedView {
  /** Id of the hold that there would be. */
  readonly hold: string;
  readonly revision: string;
  readonly why: string;
  readonly at: string;
}

export interface HoldView {
  readonly id: string;
  readonly kind: string;
  readonly who: string;
  readonly why: string;
  readonly phase: string;
  readonly since: string;
  readonly until: string;
}

export interface TimelineEntry {
  /** Deterministic: the same happening told twice is one entry. */
  readonly id: string;
  readonly at: string;
  readonly cluster: string;
  readonly pool: string;
  /** Type of the told event, or `decision` for a decision to do nothing. */
  readonly type: string;
  readonly text: string;
  /** One key from delivery to message. */
  readonly correlation: string;
}

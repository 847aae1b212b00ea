import type { IgnoredAnnotation } from '../argocd/ignored-annotations.ts';
import type { TimeoutAction } from '../gates/gate.ts';
import type { GateView } from '../gates/gate-view.ts';
import type { GuardView } from '../gates/guard-waits.ts';
import type { OwnPace } from '../impact/node-pace.ts';
import type { PendingChange } from '../machine-config/pending-change.ts';
import type { GitPause } from '../openshift/git-pause.ts';
import type { OperatorParts } from '../openshift/operator-parts.ts';
import type { JoinedNode } from '../openshift/paused-pool.ts';
import type { PoolCounts } from '../openshift/pool.ts';
import type { LostRaces } from '../races/choose-races.ts';
import type { Race } from '../races/race.ts';
import type { UnreadablePool } from './unreadable-pool.ts';

/** State of a cluster for the status page: written by each pass, read by `status`. */
export interface ClusterView {
  readonly cluster: string;
  /** ISO instant of the last successful read. */
  readonly readAt: string;
  /** Why the last read failed, and since when reads have failed; undefined: it succeeded. */
  readonly blind: { readonly why: string; readonly since: string; readonly misses: number } | undefined;
  readonly pools: readonly PoolView[];
  /** Pools that there was no room for, those that need a person least; absent: none. */
  readonly poolsLeftOut?: PoolsLeftOut | undefined;
  /** Pools that are there and could not be parsed, so that they are not in `pools`; absent: none, or an earlier version
   *  wrote the view. */
  readonly unreadablePools?: readonly UnreadablePool[] | undefined;
  /** The parts of the Machine Config Operator, as the last sweep found them; absent: never read, or there are none. */
  readonly operatorParts?: OperatorParts | undefined;
  /** Applications whose annotations name pools without effect; absent: none. */
  readonly ignoredAnnotations?: readonly IgnoredAnnotation[] | undefined;
  /** Guards that a sync waits for, and AppProjects whose guards cannot be kept; absent: none. */
  readonly guards?: readonly GuardView[] | undefined;
}

/** What is known of pools that a view does not name. */
export interface PoolsLeftOut {
  readonly all: number;
  readonly paused: number;
  readonly degraded: number;
}

export interface PoolView {
  readonly name: string;
  /** ISO instant of the pool's creation; undefined if unknown. */
  readonly createdAt?: string | undefined;
  readonly managed: boolean;
  readonly protection: string;
  readonly paused: boolean;
  /** `ours`, `foreign`, `overridden` or empty. */
  readonly pauseOf: string;
  readonly pausedSince: string | undefined;
  readonly pausedBy: string;
  /** Git pauses it, too; absent: it does not, or an earlier version wrote the view. */
  readonly inGit?: GitPause | undefined;
  /** Why a person keeps it paused by annotation, whoever paused it; absent: nobody does, or an earlier version wrote
   *  the view. */
  readonly keptPaused?: string | undefined;
  readonly confirmed: boolean;
  readonly currentConfig: string;
  readonly targetConfig: string;
  readonly pending: boolean;
  /** MachineConfigs that the target merges and the current config does not, and vice versa. Both empty while a change
   *  is pending: the content of a MachineConfig changed. */
  readonly pendingSources?: { readonly added: readonly string[]; readonly removed: readonly string[] } | undefined;
  /** Image mode: nothing but this image is pending; absent: it is not so, or an earlier version wrote the view. */
  readonly pendingImage?: string | undefined;
  /** The change that is pending or rolling out, and why it was rendered; undefined: none, or not read yet. */
  readonly change?: PendingChange | undefined;
  /** Since when it has been pending, or nodes that have another config or image have; undefined: none, or unknown. */
  readonly pendingSince?: string | undefined;
  /** ISO instant at which the first certificate managed by the MCO expires; undefined if the MCO does not report it. */
  readonly certificatesExpire?: string | undefined;
  /** Pushes that it was not paused for, because they do not disrupt its nodes. */
  readonly spared?: readonly UnpausedView[] | undefined;
  readonly updated: boolean;
  readonly updating: boolean;
  readonly degraded: boolean;
  readonly counts: PoolCounts;
  /** Message of the Degraded or Updating condition. */
  readonly message: string;
  readonly holds: readonly HoldView[];
  /** Its emergency lane; absent: closed. */
  readonly emergency?: EmergencyView | undefined;
  /** Gates that keep the pool paused, once no hold does. Empty if we did not pause it. */
  readonly closedGates: readonly GateView[];
  /** Gates that would, if its holds ended now; absent: none, or it has no holds. */
  readonly gatesAhead?: readonly GateView[] | undefined;
  readonly races: readonly Race[];
  /** How many were lost within a day, of all that are known; absent: none, or an earlier version wrote the view. */
  readonly lostRaces?: readonly LostRaces[] | undefined;
  /** Nodes being updated, the longest first, at most twenty. */
  readonly nodes?: readonly NodeView[] | undefined;
  /** Minutes until its rollout is done, at its own pace; undefined: none, or its pace is not known yet. */
  readonly minutesLeft?: number | undefined;
  /** The pace of its own nodes; undefined: not known. */
  readonly pace?: OwnPace | undefined;
  /** How long the change that is pending will take to roll out, and by what that is known, in words; undefined: none is
   *  pending. */
  readonly takes?: string | undefined;
  /** Nodes that joined during this pause. */
  readonly joined?: readonly JoinedNode[] | undefined;
  /** It has so little room that not all is told of what keeps the pool paused: no command that ends that is true. */
  readonly inShort?: true | undefined;
}

/** A node being updated. All times are ISO instants. */
export interface NodeView {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly begunAt: string;
  readonly step: string;
  readonly stepSince: string;
  /** Its config daemon reports that it cannot continue. */
  readonly failing: boolean;
  /** What must become true before it continues, in words. */
  readonly waitsFor: string;
  readonly steps: readonly {
    readonly name: string;
    readonly begunAt: string | undefined;
    readonly endedAt: string | undefined;
  }[];
}

/** A push that a pool was not paused for. */
export interface UnpausedView {
  /** Id of the hold that would have been added. */
  readonly hold: string;
  readonly revision: string;
  readonly why: string;
  readonly at: string;
}

/** Until `until`, an ISO instant, freezes and the gates that an emergency passes do not keep the pool. */
export interface EmergencyView {
  readonly who: string;
  readonly why: string;
  readonly since: string;
  readonly until: string;
}

export interface HoldView {
  /** Of a name that there was no room for, a part of it, which is nobody's id (`isShortened`). */
  readonly id: string;
  readonly kind: string;
  readonly who: string;
  /** As of the hold: whose it is where there is room for some alone. */
  readonly project?: string | undefined;
  readonly why: string;
  readonly phase: string;
  readonly since: string;
  readonly until: string;
  /** When people are told of a sync that runs on, or what happens to a hold whose sync failed; absent: nothing more. */
  readonly timeout?: { readonly at: string; readonly action: TimeoutAction } | undefined;
  /** Of a run: the pool that its nodes move to; absent: none is known. */
  readonly canary?: string | undefined;
  /** A freeze that the open emergency lane of the pool passes: it keeps nothing paused. */
  readonly passed?: true | undefined;
  /** A person resumed the pool in spite of it: it keeps nothing paused. */
  readonly overruled?: { readonly at: string; readonly by: string } | undefined;
  /** It stands for so many holds that are not named; absent: it is one. */
  readonly more?: number | undefined;
}

export interface TimelineEntry {
  /** Deterministic: the same event published twice is one entry. */
  readonly id: string;
  readonly at: string;
  readonly cluster: string;
  readonly pool: string;
  /** Type of the published event, or `decision` for a decision to do nothing. */
  readonly type: string;
  readonly text: string;
  /** One key from delivery to message. */
  readonly correlation: string;
}

import type { ObservedApplication } from '../argocd/application.ts';
import type { Approve } from '../configuration/approve.ts';
import type { Policy } from '../configuration/policy.ts';
import type { Diagnosis } from '../diagnose/diagnosis.ts';
import type { KnownApplication } from '../diagnose/managed-by.ts';
import type { Obstacle } from '../diagnose/preflight.ts';
import type { OverdueLock } from '../fleet-lock/overdue-locks.ts';
import type { Approval } from '../gates/approvals.ts';
import type { GateView } from '../gates/gate-view.ts';
import type { Wait } from '../gates/wait.ts';
import type { GuardsLook } from '../guard/guard-problem.ts';
import type { PendingChange } from '../machine-config/pending-change.ts';
import type { ClusterRollouts } from '../node-rollouts/follow.ts';
import type { RunProgress } from '../node-turns/run-progress.ts';
import type { ProblemOfRun } from '../node-turns/run-question.ts';
import type { Node } from '../openshift/node.ts';
import type { Pool } from '../openshift/pool.ts';
import type { RolledOut } from '../openshift/pool-record.ts';
import type { VersionUpdate } from '../openshift/version-update.ts';
import type { Race } from '../races/race.ts';
import type { LostWindows } from '../sequences/lost-windows.ts';
import type { ProblemOfSequence } from '../sequences/sequence-problems.ts';
import type { Observed } from '../text/observed.ts';
import type { BreakGlassExemption } from './break-glass.ts';
import type { ObservedControllers } from './lost-controller.ts';
import type { Served } from './told-application.ts';
import type { UnreadableObject } from './unreadable-objects.ts';

/** What one pass observed of a cluster. */
export interface ObservedCluster extends Served {
  readonly cluster: string;
  readonly now: Date;
  readonly policy: Policy;
  /** All pools of the cluster, or why they could not be read. */
  readonly pools: Observed<readonly ObservedPool[]>;
  /** Every node of the cluster. */
  readonly everyNode: Observed<readonly Node[]>;
  /** Since when each condition has been observed, by the keys that the last judgement returned; empty at first. */
  readonly firstSeen: Readonly<Record<string, string>>;
  /** Node rollouts and the usual pace of the pools. */
  readonly rollouts: Observed<ClusterRollouts>;
  /** Argo CD Applications that deploy to this cluster, from the routing tables. */
  readonly known: Observed<readonly KnownApplication[]>;
}

export interface ObservedPool {
  readonly pool: Pool;
  readonly nodes: ObservedNodes;
  /** The change that is pending or rolling out; undefined: none, or not read. */
  readonly change?: PendingChange | undefined;
  /** Gate `rendered` is closed: what a sync applied is not in the pool's render yet. */
  readonly waitsForRender?: boolean | undefined;
  /** Why it is not known whether what a sync applied is in the pool's render; absent: it is. */
  readonly unreadRender?: string | undefined;
  /** Obstacles for which the gate `drainable` keeps it paused; absent: it does not. */
  readonly undrainable?: Observed<readonly Obstacle[]> | undefined;
  /** Ids of sync holds that it does not get, because their Applications hold as many pools as they may. */
  readonly overLimit?: readonly string[] | undefined;
  /** Its change rolls out only with approvals; absent: nobody is asked. */
  readonly approval?: AwaitedApproval | undefined;
  /** Who may approve its changes, each with every identity: who they are in Slack and at GitHub; absent: nobody. */
  readonly people?: readonly string[] | undefined;
  /** A run holds it, and did not ask in this pass what its next node waits for; absent: it did, or none does. */
  readonly isUnasked?: boolean | undefined;
  /** Gate `health` keeps it paused: another pool became degraded after Poolkeeper resumed it. */
  readonly waitsForHealth?: boolean | undefined;
  /** What keeps it paused, and whether a gate has been closed for longer than it may without an alert; absent: not
   *  told. */
  readonly waits?: { readonly now: readonly Wait[]; readonly isOverdue: boolean } | undefined;
  /** ISO instant at which its window opens, if nothing else is known to keep it paused. */
  readonly windowOpensAt?: string | undefined;
  /** Pools of lower waves for which it waits, where nothing else is known to keep it but windows; absent: it waits for
   *  none of them, or for something else, too. */
  readonly behind?: Behind | undefined;
  /** Nothing is known to keep it paused, and whether its window does could not be read; absent: so it is not. */
  readonly isWindowUnseen?: boolean | undefined;
  /** Its gates have found nodes that wait for its config, or in image mode its image, which releases from 4.23 on do
   *  not say in the pool; absent: nobody asked, or it could not be read. */
  readonly hasNodesBehind?: boolean | undefined;
  /** It rests paused between changes; absent: it does not. */
  readonly rests?: boolean | undefined;
  /** Why it could not be written in this pass, which was to pause it; absent: it was, or was not to be. */
  readonly refusedPause?: string | undefined;
  /** Why its record cannot be read, if Poolkeeper is to pause it; absent: it can, or is not to. */
  readonly unreadRecord?: string | undefined;
  /** Why its record, which is lost, could not be put back, so that its gates were not asked; absent: so it is not. */
  readonly lostRecord?: string | undefined;
  /** An update of the cluster's version that waits, or will wait, for this paused pool; absent: none does. */
  readonly blocks?: VersionUpdate | undefined;
}

export interface Behind {
  readonly pools: readonly string[];
  /** ISO instant at which its own window opens; absent: it is open, or it has none. */
  readonly windowOpensAt?: string | undefined;
  /** Something holds it for a moment, so that its other gates were not asked; absent: they were. */
  readonly isUnasked?: true | undefined;
}

/** What is known of the approvals that a pool waits for. */
export type AwaitedApproval =
  | {
      readonly kind: 'asked';
      readonly approve: Approve;
      readonly approvals: readonly Approval[];
      /** What was let go last of the pool; absent: it is not known, or nothing was. */
      readonly rolledOut?: RolledOut | undefined;
      /** What they are asked to approve (`changeName`); undefined: its image is not there yet, and nobody is asked. */
      readonly change: string | undefined;
      /** Of the pool's own history; undefined: too little of it. */
      readonly minutesPerNode: number | undefined;
      /** The gate: what happens if nobody answers. Undefined: it no longer keeps the pool paused. */
      readonly gate: Pick<GateView, 'timeout' | 'why' | 'approves'> | undefined;
      /** ISO instant at which its window opens, whatever else keeps the pool; absent: it is open, or not known. */
      readonly windowOpensAt?: string | undefined;
      /** The run that takes its nodes one by one; absent: none does. */
      readonly run?: string | undefined;
    }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Not asked for where the pool is at rest. May contain nodes of other pools that its selector matches too; the
 *  judgement removes them. */
export type ObservedNodes = Observed<readonly Node[]>;

/** The last list of everything. */
export interface SweepState {
  /** ISO instant of the last complete sweep, or, before the first one, since when one has been due; undefined: none is
   *  due yet. */
  readonly since: string | undefined;
  /** ISO instant of the last tick that could read the cluster: only ticks try, so that without any the age of the last
   *  sweep means nothing. */
  readonly triedUntil: string | undefined;
  /** Why the last one was incomplete, if this pass tried. */
  readonly why?: string | undefined;
}

/** The whole input of the judgement. */
export interface JudgeInput extends ObservedCluster {
  /** Diagnoses by `subjectKey`. A subject without an entry was not diagnosed. */
  readonly diagnoses: ReadonlyMap<string, Diagnosis>;
  /** Applications of the holds on these pools. */
  readonly applications: readonly ObservedApplication[];
  /** Application controllers of syncs that failed or run for long; absent: none was read. */
  readonly controllers?: readonly ObservedControllers[] | undefined;
  readonly races: readonly Race[];
  /** Why they could not be read; absent: they were. */
  readonly unreadRaces?: string | undefined;
  /** Objects exempt from the admission level; none where that level is not in use. */
  readonly breakGlass: Observed<readonly BreakGlassExemption[]>;
  /** Failed reads of the pools in a row, this pass included. */
  readonly misses: number;
  /** ISO instant of the last successful read before this pass. */
  readonly lastGoodReadAt: string | undefined;
  /** Objects that cannot be parsed. */
  readonly unreadable: readonly UnreadableObject[];
  /** Undefined: this pass is no tick. What only ticks find out, it may know from before the last one. */
  readonly sweep: SweepState | undefined;
  /** Names of the pools whose protection level holds back syncs; absent: none does. */
  readonly guardedPools?: readonly string[] | undefined;
  /** Names of the pools whose protection level refuses changes while they are not paused; absent: none does. */
  readonly refusingPools?: readonly string[] | undefined;
  /** What the last look at the guards of this cluster found; absent: it has none. */
  readonly guards?: Observed<GuardsLook> | undefined;
  /** Machines outside OpenShift that should have been back; absent: another cluster looks after them, or nobody. */
  readonly overdueLocks?: Observed<readonly OverdueLock[]> | undefined;
  /** Problems of the sequences whose records this cluster keeps; absent: it keeps none. */
  readonly sequences?: Observed<readonly ProblemOfSequence[]> | undefined;
  /** AppProjects in which windows of these sequences were put back in this pass; absent: none. */
  readonly lostWindows?: readonly LostWindows[] | undefined;
  /** Problems of the runs of this cluster; absent: it has none. */
  readonly runs?: Observed<readonly ProblemOfRun[]> | undefined;
  /** How far runs are that people are told of, and why that is not known of all; absent: the cluster has none. */
  readonly runProgress?: { readonly runs: readonly RunProgress[]; readonly unseen: string | undefined } | undefined;
}

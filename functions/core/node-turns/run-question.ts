import type { SequenceGate } from '../configuration/sequence.ts';
import type { TurnAction, TurnProblem, WorkSeen } from './judge-turn.ts';
import type { ChoosablePool, NextNodes } from './next-nodes.ts';
import type { RunPlan } from './run-plan.ts';
import type { RunRecord } from './run-record.ts';
import type { TurnNode } from './turn-node.ts';

/** A pool of the run as a look found it. */
export interface RunPool extends ChoosablePool {
  /** It is paused by us, with the hold of this run, and the MCO has confirmed that. */
  readonly isPaused: boolean;
  /** Somebody has resumed it past the hold of this run; absent: nobody has. */
  readonly isResumed?: true | undefined;
  /** Of what keeps its nodes, a window is one, or that its next node does not fit into it; absent: not known. */
  readonly isOutsideWindow?: boolean | undefined;
  /** Since when this run holds it, ISO instant; absent: it does not. */
  readonly heldSince?: string | undefined;
  /** Why this run must not touch it, for as long as that is so; undefined: it may. */
  readonly refused?: string | undefined;
}

/** A gate of a run that a look did not find open. */
export interface ClosedGate {
  /** Its place in the configuration: `gates/0`. */
  readonly id: string;
  readonly why: string;
  /** Nobody could look: whether it is closed is not known. */
  readonly isUnseen: boolean;
  readonly timeoutSeconds: number;
  readonly onTimeout: SequenceGate['onTimeout'];
}

/** Everything that a look at a run has found. */
export interface RunQuestion {
  readonly plan: RunPlan;
  readonly record: RunRecord;
  readonly nodes: readonly TurnNode[];
  readonly pools: readonly RunPool[];
  /** What the active turns work on, by node; absent: nothing was made yet. */
  readonly seen: ReadonlyMap<string, WorkSeen>;
  readonly controllers: ReadonlySet<string>;
  /** Why no node of the run may go, as an update of the cluster; undefined: one may. */
  readonly closed?: string | undefined;
  /** Which other run has pools of it, in words: no turn begins, and those that have begun go on, or two such runs would
   *  wait for each other for ever. Undefined: none has. */
  readonly queued?: string | undefined;
  /** Further reasons why it does not go on by itself. */
  readonly problems?: readonly RunProblem[];
  /** Why its pools do not go though nothing is left to do: something of it is put back first. Undefined: they may. */
  readonly keeps?: string | undefined;
  /** Its own gates that are not open; absent: none. */
  readonly gates?: readonly ClosedGate[];
  readonly now: Date;
}

/** Why a run does not go on by itself. */
export interface RunProblem {
  readonly kind: TurnProblem['kind'] | 'refused' | 'moved' | 'canary' | 'skipped' | 'gate' | 'unseen' | 'lost';
  /** Empty: it is of the whole run. */
  readonly node: string;
  /** ISO instant. */
  readonly since: string;
  readonly why: string;
  /** The next look may find it mended: people are told if it lasts. */
  readonly mayPass?: true | undefined;
  /** It was aborted, and is to be started. */
  readonly isAborted?: true | undefined;
  /** It waits for a Job that cannot be made: `skip` lets its turn go on without. */
  readonly maySkip?: true | undefined;
  /** Nobody can look at its Job: `retry` makes it anew. */
  readonly mayRetry?: true | undefined;
  /** Who has paused the run: to go on would end that, too. Absent: nobody but Poolkeeper. */
  readonly paused?: RunRecord['paused'];
}

export interface ProblemOfRun extends RunProblem {
  readonly run: string;
  /** `2 of 5 nodes are done`; empty: not known. */
  readonly progress: string;
}

export interface RunJudgement {
  readonly record: RunRecord;
  readonly actions: readonly TurnAction[];
  readonly problems: readonly RunProblem[];
  /** What each active turn waits for, in words, by node. */
  readonly waits: ReadonlyMap<string, string>;
  readonly next: NextNodes;
  /** Nodes of its pools, and those of them that are at their target. */
  readonly total: number;
  readonly done: number;
}

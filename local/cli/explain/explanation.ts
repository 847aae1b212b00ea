import type { NodeSymptom } from '../../../functions/core/diagnose/subject.ts';
import type { Finding, Trouble } from '../../../functions/core/findings/trouble.ts';
import type { PendingChange } from '../../../functions/core/machine-config/pending-change.ts';
import type { PoolCounts } from '../../../functions/core/openshift/pool.ts';

/** Why the pools of a cluster do not get on, or that they do. */
export interface Explanation {
  readonly cluster: string;
  /** ISO instant of the look, or of the snapshot. */
  readonly readAt: string;
  readonly pools: readonly PoolExplanation[];
  /** What could not be read, in words: what was not seen is not fine. */
  readonly notRead: readonly string[];
}

export interface PoolExplanation {
  readonly name: string;
  readonly current: string;
  readonly target: string;
  readonly counts: PoolCounts;
  /** Who paused it, since when and what waits; undefined = it is not paused. */
  readonly pause: Finding | undefined;
  /** What waits or rolls, and why it was rendered; undefined = nothing does, or it cannot be told. */
  readonly change?: PendingChange | undefined;
  /** Nodes that are on their way or failing, the longest first. */
  readonly busy: readonly {
    readonly node: string;
    readonly symptom: NodeSymptom;
    /** ISO instant; undefined: the cluster does not tell. */
    readonly since: string | undefined;
  }[];
  readonly troubles: readonly ExplainedTrouble[];
  /** The one node that was asked about, whatever its age; undefined = none was. */
  readonly asked: AskedNode | undefined;
}

/** Without a time and a fact of it, where the cluster does not tell since when. */
export interface ExplainedTrouble extends Omit<Trouble, 'since'> {
  readonly since: string | undefined;
}

export interface AskedNode {
  readonly node: string;
  readonly state: string;
  /** Undefined: it rests. */
  readonly symptom: NodeSymptom | undefined;
  readonly findings: readonly Finding[];
}

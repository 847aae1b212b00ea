import type { NodeSymptom } from '../../../functions/core/diagnose/subject.ts';
import type { Finding, Trouble } from '../../../functions/core/findings/trouble.ts';
import type { PendingChange } from '../../../functions/core/machine-config/pending-change.ts';
import type { PoolCounts } from '../../../functions/core/openshift/pool.ts';

/** Why the pools of a cluster are stuck, or that they are not. */
export interface Explanation {
  readonly cluster: string;
  /** ISO instant of the read or of the snapshot. */
  readonly readAt: string;
  /** The incident that was asked for; absent: none was. */
  readonly incident?: ExplainedIncident | undefined;
  readonly pools: readonly PoolExplanation[];
  /** What could not be read, in words: not known to be fine. */
  readonly notRead: readonly string[];
}

export interface ExplainedIncident {
  readonly name: string;
  /** As the running Poolkeeper calls it. */
  readonly cluster: string;
  /** `*` for what concerns the whole cluster. */
  readonly pool: string;
  readonly state: string;
  readonly headline: string;
  /** Whether what is explained is that cluster for certain. */
  readonly isClusterKnown: boolean;
}

export interface PoolExplanation {
  readonly name: string;
  readonly current: string;
  readonly target: string;
  readonly counts: PoolCounts;
  /** Who paused it, since when and what is pending; undefined: not paused. */
  readonly pause: Finding | undefined;
  /** The change that is pending or rolling out, and why it was rendered; undefined: none, or unknown. */
  readonly change?: PendingChange | undefined;
  /** Nodes that are updating or failing, the longest first. */
  readonly busy: readonly {
    readonly node: string;
    readonly symptom: NodeSymptom;
    /** ISO instant; undefined: the cluster does not record it. */
    readonly since: string | undefined;
  }[];
  readonly troubles: readonly ExplainedTrouble[];
  /** The one node that was asked for, whatever its age; undefined: none was. */
  readonly asked: AskedNode | undefined;
  /** Drains too young to be in `troubles`, and what they are refused at this moment. */
  readonly early: readonly EarlyDrain[];
}

export interface EarlyDrain {
  readonly node: string;
  /** ISO instant from which the drain counts as stuck, whatever its cause. */
  readonly stuckFrom: string;
  /** Empty: nothing is refused so far. */
  readonly findings: readonly Finding[];
}

/** Without a start time if the cluster does not record one. */
export interface ExplainedTrouble extends Omit<Trouble, 'since'> {
  readonly since: string | undefined;
}

export interface AskedNode {
  readonly node: string;
  readonly state: string;
  /** Undefined: at rest. */
  readonly symptom: NodeSymptom | undefined;
  /** `updated`: where its pool is to be. `behind`: its pool has not taken it there. `outside`: no pool updates it. */
  readonly place: 'updated' | 'behind' | 'outside';
  readonly findings: readonly Finding[];
}

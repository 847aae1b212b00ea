import type { Finding } from '../../findings/trouble.ts';
import type { Node } from '../../openshift/node.ts';
import type { NodeSubject } from '../subject.ts';

/** A rollout that has not begun: which nodes it will drain. */
export interface PreflightSubject {
  readonly cluster: string;
  readonly pool: NodeSubject['pool'];
  /** All nodes of the pool. */
  readonly nodes: readonly Node[];
  /** The nodes that a resume would drain, in the order in which they are listed. */
  readonly touched: readonly Node[];
  /** ISO instant at which pool and nodes were read. */
  readonly readAt: string;
  readonly applications?: NodeSubject['applications'];
  readonly pools?: NodeSubject['pools'];
}

/** What will stop the drain of these nodes, known before it begins. The same rules as after it. */
export interface Obstacle {
  /** None: it stops the rollout of the whole pool. */
  readonly nodes: readonly string[];
  readonly finding: Finding;
}

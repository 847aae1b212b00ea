import { type Evidence, noEvidence } from '../../core/gates/evidence.ts';
import type { GateView } from '../../core/gates/gate-view.ts';

/** What keeps the next node of a pool from going. */
export interface NodeGates {
  readonly run: string;
  /** Holds or gates, in words; undefined: nothing. */
  readonly why: string | undefined;
  readonly closed: readonly GateView[];
  /** Closed past their timeout, which says that they no longer count: their clocks run on, or the next node would have
   *  to wait as long again. */
  readonly skipped: readonly GateView[];
  /** What the pass has read of them for that. */
  readonly evidence: Pick<Evidence, 'approvals' | 'images'>;
}

/** Nobody is to be asked for anything. */
export function nothingAsked(run: string): NodeGates {
  return { run, why: undefined, closed: [], skipped: [], evidence: noEvidence };
}

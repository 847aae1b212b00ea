import type { GateView } from '../../core/gates/gate-view.ts';
import { gatesAhead } from '../../core/holds/gate-question.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import type { RunProgress } from '../../core/node-turns/run-progress.ts';
import type { ProblemOfRun } from '../../core/node-turns/run-question.ts';
import { type Hold, runOfHold } from '../../core/openshift/hold.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { holdsOf, standingHoldsOf } from '../../core/openshift/pool-record.ts';
import type { Observed } from '../../core/text/observed.ts';
import type { PerformedPool } from '../act/write-pool.ts';
import type { NodeGates } from './node-gates.ts';

/** What a look at the runs of a cluster came to. */
export interface KeptRuns {
  /** Undefined: the cluster has none. */
  readonly problems: Observed<readonly ProblemOfRun[]> | undefined;
  /** A turn is under way: the next look is due soon. */
  readonly isMoving: boolean;
  /** How far those are that people are told of, and why that is not known of all. */
  readonly progress?: { readonly runs: readonly RunProgress[]; readonly unseen: string | undefined } | undefined;
  /** Since when runs could not be looked at, or a step of theirs not be done, by name. */
  readonly unseen: Readonly<Record<string, string>>;
  /** What keeps the next node of each pool from going. A pool of a run that is absent was not asked about. */
  readonly gates: ReadonlyMap<string, NodeGates>;
  /** Nodes for which each pool keeps a place of the budget: 0 while none of them is on its way. A pool of a run that is
   *  absent was not looked at. */
  readonly places: ReadonlyMap<string, number>;
}

/** The closed gates of a pool: before the next node of the run that holds it, or before its resume. */
export function closedGatesOf(
  { pool, plan }: Pick<PerformedPool, 'pool' | 'plan'>,
  { gates }: KeptRuns,
): readonly GateView[] {
  return gates.get(pool.name)?.closed ?? plan.gates;
}

/** The gates that will keep a pool paused once its holds have ended. A run has asked its own already. */
export function gatesAheadOf(
  pool: Pool,
  { snapshot, runs: { gates }, now }: { readonly snapshot: Snapshot; readonly runs: KeptRuns; readonly now: Date },
): readonly GateView[] {
  return gates.has(pool.name) ? [] : gatesAhead(pool, snapshot, now);
}

/** A run holds it paused, and did not ask in this pass what its next node waits for. Of a pool that somebody has
 *  resumed past the run nothing is waited for. */
export function isUnasked(pool: Pool, { gates }: KeptRuns): boolean {
  return pool.paused && !gates.has(pool.name) && standingHoldsOf(pool).some(isOfRun);
}

/** A run holds it, and was not looked at in this pass: the places of the budget that it has, it keeps. Also where
 *  somebody has resumed the pool past the run: its nodes are on their way all the same. */
export function isUnlooked(pool: Pool, { places }: KeptRuns): boolean {
  return !places.has(pool.name) && holdsOf(pool).some(isOfRun);
}

function isOfRun({ id }: Pick<Hold, 'id'>): boolean {
  return runOfHold(id) !== undefined;
}

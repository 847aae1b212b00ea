import type { KeptPlaces } from '../core/budget/kept-places.ts';
import type { Snapshot } from '../core/holds/snapshot.ts';
import type { UnpausedSync } from '../core/openshift/unpaused-sync.ts';
import type { KeptGuards } from './act/kept-guards.ts';
import type { RetriedSync } from './act/retry-sync.ts';
import type { WrittenHealthCheck } from './act/write-health-check.ts';
import type { PerformedPool } from './act/write-pool.ts';
import type { ClusterPorts, KeepPorts } from './keep-ports.ts';
import type { KeptRuns } from './node-turns/kept-runs.ts';
import type { Observation } from './observe/observe.ts';
import type { Scope } from './route/scope.ts';
import type { KeptSequences } from './sequences/kept-sequences.ts';
import type { RaceOutcome } from './tell/run-races.ts';
import type { Watched } from './watch/watched.ts';

/** What one pass over one cluster knows; each step adds to it. */
export interface ObservedPass {
  readonly scope: Scope;
  readonly ports: KeepPorts;
  readonly cluster: ClusterPorts;
  readonly observation: Observation;
}

/** The pools are as they should be. */
export interface WrittenPass extends ObservedPass {
  /** The observation's snapshot, with the evidence that gates needed. */
  readonly snapshot: Snapshot;
  /** Every pool, in the order of the cluster. */
  readonly performed: readonly PerformedPool[];
}

/** The effects of the writes are known. */
export interface FollowedPass extends WrittenPass {
  readonly now: Date;
  readonly raced: RaceOutcome;
  readonly retried: readonly RetriedSync[];
  readonly sequences: KeptSequences;
  readonly runs: KeptRuns;
  readonly guards: KeptGuards;
}

/** Incidents are up to date. */
export interface WatchedPass extends FollowedPass {
  readonly watched: Watched;
  /** MachineHealthChecks that were paused or unpaused in this pass. */
  readonly healthChecks: readonly WrittenHealthCheck[];
  /** Any MachineHealthCheck is paused by us. */
  readonly healthChecksPaused: boolean;
  /** Syncs that may go ahead without a pause. */
  readonly unpaused: readonly UnpausedSync[];
  readonly places: KeptPlaces | undefined;
}

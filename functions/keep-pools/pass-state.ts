import type { Snapshot } from '../core/holds/snapshot.ts';
import type { UnpausedSync } from '../core/openshift/unpaused-sync.ts';
import type { RetriedSync } from './act/retry-sync.ts';
import type { WrittenHealthCheck } from './act/write-health-check.ts';
import type { PerformedPool } from './act/write-pool.ts';
import type { ClusterPorts, KeepPorts } from './keep-ports.ts';
import type { Observation } from './observe/observe.ts';
import type { Scope } from './route/scope.ts';
import type { RaceOutcome } from './tell/run-races.ts';
import type { Watched } from './watch/watched.ts';

/** What one pass over one cluster knows, handed along and grown from step to step. */
export interface ObservedPass {
  readonly scope: Scope;
  readonly ports: KeepPorts;
  readonly cluster: ClusterPorts;
  readonly observation: Observation;
}

/** The pools are as they should be. */
export interface WrittenPass extends ObservedPass {
  /** The observation's, with what gates lacked. */
  readonly snapshot: Snapshot;
  /** Every pool, in the order of the cluster. */
  readonly performed: readonly PerformedPool[];
}

/** What came of it is known. */
export interface FollowedPass extends WrittenPass {
  readonly now: Date;
  readonly raced: RaceOutcome;
  readonly retried: readonly RetriedSync[];
}

/** Incidents are up to date. */
export interface WatchedPass extends FollowedPass {
  readonly watched: Watched;
  /** MachineHealthChecks that were paused or let go in this pass. */
  readonly healthChecks: readonly WrittenHealthCheck[];
  /** Any MachineHealthCheck is paused by us. */
  readonly healthChecksPaused: boolean;
  /** Syncs that may go ahead without a pause. */
  readonly unpaused: readonly UnpausedSync[];
}

import type { Application } from '../../core/argocd/application.ts';
import type { Evidence } from '../../core/gates/evidence.ts';
import type { PoolPlan } from '../../core/holds/plan.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';

/** Reads one kind of evidence for the pools that wait for it. A failed read is returned, not thrown. */
export type EvidenceReader = (reading: EvidenceReading) => Promise<GatheredEvidence>;

/** What readers of evidence use besides the cluster. `poolkeeper why` has no tables: there these reject. */
export type EvidencePorts = Pick<
  KeepPorts,
  | 'configuration'
  | 'argocd'
  | 'approvals'
  | 'budgetPlaces'
  | 'keptCalendars'
  | 'nodeRollouts'
  | 'routes'
  | 'tickets'
  | 'cluster'
  | 'evaluateCel'
  | 'clock'
  | 'logger'
  | 'installation'
> &
  Partial<Pick<KeepPorts, 'checkpoints'>>;

/** What is decided so far, and from what. */
export interface Decided {
  readonly plans: readonly PoolPlan[];
  readonly snapshot: Snapshot;
}

export interface EvidenceReading {
  readonly snapshot: Snapshot;
  /** Pools that resume unless this evidence keeps them paused. */
  readonly candidates: readonly Pool[];
  readonly cluster: ClusterPorts;
  readonly now: Date;
  readonly ports: EvidencePorts;
  /** Gathers what other plans lack, as for these. */
  readonly gather: (others: Decided) => Promise<Decided>;
}

export interface GatheredEvidence {
  /** The evidence of one pool; empty: none, which counts as unreadable. */
  readonly ofPool: (pool: string) => Partial<Evidence>;
  /** Applications that were found syncing on the way. Read last, they replace what the snapshot has of them. */
  readonly syncing?: readonly Application[] | undefined;
}

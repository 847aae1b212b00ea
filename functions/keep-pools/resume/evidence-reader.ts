import type { Application } from '../../core/argocd/application.ts';
import type { Evidence } from '../../core/gates/evidence.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';

/** Reads one kind of evidence for the pools that wait for it. What cannot be read is an answer, not thrown. */
export type EvidenceReader = (reading: EvidenceReading) => Promise<GatheredEvidence>;

export interface EvidenceReading {
  readonly snapshot: Snapshot;
  /** Pools that would resume if this evidence does not speak against it. */
  readonly candidates: readonly Pool[];
  readonly cluster: ClusterPorts;
  readonly now: Date;
  readonly ports: KeepPorts;
}

export interface GatheredEvidence {
  readonly ofPool: (pool: string) => Partial<Evidence>;
  /** Applications that were found syncing on the way: they were read after everything else. */
  readonly syncing?: readonly Application[] | undefined;
}

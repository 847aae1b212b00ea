import type { GuardFacts, ProjectPlan } from '../../core/guard/plan-project.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';

/** What it takes to write to one cluster. */
export interface PerformPorts extends Pick<KeepPorts, 'argocd' | 'clock' | 'clockSpeed' | 'logger' | 'wait'> {
  readonly cluster: ClusterPorts;
  /** When the pass began to read, ISO instant. */
  readonly lookedAt: string;
  /** What was observed, with this pool as just read. */
  readonly withPool: (pool: Pool) => Snapshot;
  /** The same, with the Applications that may hold the pool read again. */
  readonly observeAgain: (pool: Pool) => Promise<Snapshot>;
  /** The facts with what this plan rests on as it is now. */
  readonly factsAgain: (plan: ProjectPlan, facts: GuardFacts) => Promise<GuardFacts>;
}

import type { BudgetQuestion } from '../../core/budget/places.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { EvidencePorts } from './evidence-reader.ts';

export interface BudgetAsked {
  readonly snapshot: Pick<Snapshot, 'settings'>;
  /** All pools of the cluster. */
  readonly pools: readonly Pool[];
  readonly ports: Pick<EvidencePorts, 'configuration'>;
}

/** What the budget of the cluster is asked; undefined: it has none. */
export function budgetQuestion({ snapshot, pools, ports }: BudgetAsked, now: Date): BudgetQuestion | undefined {
  const { budget, name: cluster } = snapshot.settings;
  if (budget === undefined) return undefined;
  return { cluster, budget, pools, clusters: ports.configuration.clusters.map(({ name }) => name), now };
}

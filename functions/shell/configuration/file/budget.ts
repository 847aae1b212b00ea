import type * as z from 'zod';
import { ClusterBudget, FleetBudget } from '../../../core/configuration/budget.ts';
import { isMapping } from '../problem.ts';
import { fileForm } from './file-form.ts';

/** The budget of one cluster. */
export const ClusterBudgetFile = fileForm(ClusterBudget.optional());

/** The budget of all clusters together. */
export const FleetBudgetFile = fileForm(
  FleetBudget.optional().describe('How much of all clusters together may roll at once.'),
);

/** The cluster with the budget of all clusters beside its own. */
export function withFleetBudget(cluster: unknown, fleet: z.infer<typeof FleetBudgetFile>): unknown {
  if (fleet === undefined || !isMapping(cluster)) return cluster;
  const own: unknown = cluster['budget'] ?? {};
  return isMapping(own) ? { ...cluster, budget: { ...own, fleet } } : cluster;
}

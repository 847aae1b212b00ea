import type * as z from 'zod';
import { Configuration } from '../../../core/configuration/configuration.ts';
import { mapping } from '../../../core/configuration/fields.ts';
import { isMapping } from '../problem.ts';
import { AlertsFile } from './alerts.ts';
import { ArgoCdsFile } from './argocd.ts';
import { FleetBudgetFile, withFleetBudget } from './budget.ts';
import { ClustersFile } from './cluster.ts';
import { ExtendedFiles } from './extended-files.ts';
import { FleetLockFile } from './fleet-lock.ts';
import { GithubFile } from './github.ts';
import { merged } from './merged.ts';
import { NodeTurnsFile } from './node-turns.ts';
import { CommonPolicyFile } from './policy.ts';
import { SequencesFile } from './sequence.ts';
import { CommonWindowsFile, withWindows } from './windows.ts';

/** What may be written in `poolkeeper.yaml`, and nothing else: one file of this folder and one line here for each
 *  section. Yields what is deployed, except for what is filled in from other files and sections
 *  (functions/shell/configuration/fill-in.ts). */
export const ConfigurationFile = mapping({
  extends: ExtendedFiles,
  clusters: ClustersFile,
  argocd: ArgoCdsFile,
  policy: CommonPolicyFile,
  windows: CommonWindowsFile,
  budget: FleetBudgetFile,
  alerts: AlertsFile,
  github: GithubFile,
  sequences: SequencesFile,
  nodeTurns: NodeTurnsFile,
  fleetLock: FleetLockFile,
})
  .transform(({ extends: _, policy, windows, budget, clusters, ...sections }): unknown => ({
    ...sections,
    clusters: Array.isArray(clusters)
      ? clusters.map((cluster) => withFleetBudget(withWindows(withCommonPolicy(cluster, policy), windows), budget))
      : clusters,
  }))
  .pipe(Configuration)
  .meta({ title: 'poolkeeper.yaml', description: 'Configuration of Poolkeeper.' });
export type ConfigurationFile = z.infer<typeof ConfigurationFile>;

/** What is left out of a cluster's policy comes from the common one, and what is left out there has its default. */
function withCommonPolicy(cluster: unknown, common: unknown): unknown {
  return isMapping(cluster) ? { ...cluster, policy: merged(common ?? {}, cluster['policy']) } : cluster;
}

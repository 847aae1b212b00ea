import { Clusters } from '../../../core/configuration/cluster.ts';
import { ClusterBudgetFile } from './budget.ts';
import { caFile } from './ca-file.ts';
import { fileForm } from './file-form.ts';
import { ClusterPolicyFile } from './policy.ts';
import { WindowsFile } from './windows.ts';

const oneAtLeast = Clusters.min(1, { error: 'must be a list of at least one cluster' });

export const ClustersFile = fileForm(oneAtLeast, {
  own: { api: { caFile }, policy: ClusterPolicyFile, windows: WindowsFile, budget: ClusterBudgetFile },
});

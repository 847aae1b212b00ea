import { Policy } from '../../../core/configuration/policy.ts';
import { fileForm } from './file-form.ts';

/** The policy of all clusters, with every default named. */
export const CommonPolicyFile = fileForm(Policy)
  .optional()
  .meta({ description: 'How Poolkeeper decides, on every cluster.', default: {} });
/** The policy of one cluster: what is left out comes from the common one. */
export const ClusterPolicyFile = fileForm(Policy, { namesDefaults: false })
  .optional()
  .describe('What is different on this cluster from the common policy.');

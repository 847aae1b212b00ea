import { listOf, mapping, matching, objectName, oneOf, type Values } from './fields.ts';

/** Ways out of a pod, as the Pod Security Standards (baseline) have them. */
export const hostAccess = [
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'hostPath',
  'hostPort',
  'hostProcess',
  'privileged',
  'capabilities',
  'procMount',
  'seLinuxOptions',
] as const;
export type HostAccess = (typeof hostAccess)[number];

const account = matching(
  /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\/[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/,
  'must be a namespace and a service account, as databases/mover',
);

/** What the Jobs of rules may do. Whoever may write rules would otherwise get what our account may create. */
export const TurnJobs = mapping({
  serviceAccounts: listOf(account, 'must be a list of service accounts')
    .default([])
    .describe('Accounts that Jobs may run as, as databases/mover, besides `default` of their namespace.'),
  namespaces: listOf(objectName(), 'must be a list of namespaces')
    .optional()
    .describe('The namespaces that Jobs may run in. Without it: any, for rules of this file and its files.'),
  hostAccess: listOf(oneOf(...hostAccess), 'must be a list of ways to the node')
    .default([])
    .describe(`What of the node Jobs may reach: ${hostAccess.join(', ')}. Empty: nothing.`),
});
export type TurnJobs = Values<typeof TurnJobs>;

import * as z from 'zod';
import { Approve } from './approve.ts';
import { Budget } from './budget.ts';
import {
  baseUrl,
  certificateAuthority,
  count,
  listOf,
  mapping,
  name,
  objectName,
  oneOf,
  secret,
  type Values,
  yesOrNo,
} from './fields.ts';
import { Policy } from './policy.ts';
import { protectionNames } from './protection.ts';
import { Ticket } from './ticket.ts';
import { Windows } from './window.ts';

export const PoolSettings = mapping({
  /** Each later level is `react` and more. */
  protection: oneOf(...protectionNames)
    .default('react')
    .describe(
      'observe: alerts only. react: pushes and syncs pause. handshake: a PreSync Job waits for the confirmed pause. admission: as react, and the API server refuses a change of what the pool renders while it is not paused. guard: as react, and Argo CD may not sync an Application that affects the pool before it is confirmed paused. rest: the pool is paused between changes, and a change is let through when its gates are open.',
    ),
  manageRequired: yesOrNo(
    'Must be true before Poolkeeper pauses a pool that cluster upgrades wait for (master, arbiter, pools labelled required-for-upgrade).',
    false,
  ),
  wave: count(-1000, 1000).default(0).describe('Resume order: lower waves first, equal waves together.'),
  pauseFor: oneOf('any', 'disruptive')
    .default('any')
    .describe(
      'any: every change that is rendered for the pool pauses it. disruptive: a push that certainly does nothing to its nodes, no reload, no restart, no reboot, does not.',
    ),
  /** Only with windows. */
  overrun: oneOf('wait', 'part', 'go')
    .default('part')
    .describe(
      'What is done if a rollout does not end before its window closes, at the pace of slow nodes. wait: it does not begin. part: it begins, and the pool is paused again before the window closes, so that only nodes begin that are back in time. go: it begins and goes on.',
    ),
  /** By the rules of the diagnosis. */
  drainable: oneOf('off', 'warn', 'block')
    .default('warn')
    .describe(
      'What is done about drains that will block, found before the pool resumes. warn: it resumes and says so. block: it stays paused until nothing blocks. off: no check.',
    ),
  /** So that nobody replaces a machine that only reboots as planned. */
  pauseMachineHealthChecks: yesOrNo(
    'Pause the MachineHealthChecks of its machines while its nodes roll after Poolkeeper resumed it. Needs a right of its own: `poolkeeper doctor` prints it with the others that the cluster was connected with.',
    false,
  ),
  approve: Approve.optional().describe(
    'People who approve a change before its pool resumes, in Slack or with `poolkeeper approve`. Without it nobody has to.',
  ),
  ticket: Ticket.optional().describe(
    'A ticket system that is asked by HTTP whether the pool may roll out its change. Without it none is.',
  ),
});
export type PoolSettings = Values<typeof PoolSettings>;

export const defaultPoolSettings: PoolSettings = PoolSettings.parse({});

const ClusterApi = mapping({
  server: baseUrl('the URL of the API server').describe('URL of the API server.'),
  ca: certificateAuthority('the API server'),
  tokenSecret: secret('Bearer token of our service account'),
  skipTLSVerify: yesOrNo('Do not verify the certificate of the API server. Refused except on loopback.', false),
});
export type ClusterApi = Values<typeof ClusterApi>;

export const ClusterSettings = mapping({
  /** Part of every key. */
  name: name().describe('What people call the cluster; part of every alert.'),
  api: ClusterApi.describe('How the API server is reached.'),
  consoleUrl: baseUrl("the address of the cluster's console")
    .optional()
    .describe("Address of the cluster's OpenShift console, for links to its pools. Without it there are none."),
  policy: Policy,
  pools: z
    .record(objectName(), PoolSettings, { error: 'must be a mapping of pool names to their settings' })
    .default({})
    .describe('By pool name. A pool without an entry has the defaults.'),
  windows: Windows.optional().describe('When pools of this cluster may resume, besides the windows of all clusters.'),
  budget: Budget.optional().describe('How much of this cluster may roll at once.'),
});
export type ClusterSettings = Values<typeof ClusterSettings>;

export const Clusters = listOf(ClusterSettings, 'must be a list of clusters').describe(
  'The clusters whose pools are kept.',
);

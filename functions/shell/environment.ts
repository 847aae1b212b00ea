import * as z from 'zod';
import { Misconfigured } from '../core/text/errors.ts';

const text = z.string().trim().min(1);
const common = { POOLKEEPER_STAGE: text };
const workQueue = { WORK_QUEUE_URL: z.url() };
/** Path of the validated configuration as JSON; undefined: `poolkeeper.json` beside the handler. */
const configuration = { POOLKEEPER_CONFIG: text.optional() };
const keeper = {
  ...common,
  ...workQueue,
  ...configuration,
  TABLE_NAME: text,
  ALERT_QUEUE_URL: z.url(),
  BUS_NAME: text,
};

/** One object per function: what it needs and nothing else. Secrets are named here, never contained. */
export const ReceiveGithubEnvironment = z.object({
  ...common,
  ...workQueue,
  GITHUB_SECRET_ARN: text,
  /** Only if pull requests get a preview. */
  PREVIEW_QUEUE_URL: z.url().optional(),
  /** Only if pushes are relayed to an Argo CD. */
  RELAY_QUEUE_URL: z.url().optional(),
});
export type ReceiveGithubEnvironment = z.infer<typeof ReceiveGithubEnvironment>;

export const ReceiveArgocdEnvironment = z.object({ ...common, ...workQueue, ARGOCD_TOKEN_SECRET_ARN: text });
export type ReceiveArgocdEnvironment = z.infer<typeof ReceiveArgocdEnvironment>;

export const ReceiveClusterEnvironment = z.object({ ...common, ...workQueue, CLUSTER_TOKEN_SECRET_ARN: text });
export type ReceiveClusterEnvironment = z.infer<typeof ReceiveClusterEnvironment>;

export const KeepPoolsEnvironment = z.object(keeper);
export type KeepPoolsEnvironment = z.infer<typeof KeepPoolsEnvironment>;

export const HandshakeEnvironment = z.object({ ...keeper, HANDSHAKE_TOKEN_SECRET_ARN: text });
export type HandshakeEnvironment = z.infer<typeof HandshakeEnvironment>;

export const FleetLockEnvironment = z.object({ ...common, ...configuration, TABLE_NAME: text });
export type FleetLockEnvironment = z.infer<typeof FleetLockEnvironment>;

export const ReceiveCallbackEnvironment = z.object({ ...common, TABLE_NAME: text });
export type ReceiveCallbackEnvironment = z.infer<typeof ReceiveCallbackEnvironment>;

/** `SLACK_SIGNING_SECRET_ARN`: name or ARN. */
export const ReceiveSlackEnvironment = z.object({
  ...common,
  ...configuration,
  TABLE_NAME: text,
  ALERT_QUEUE_URL: z.url(),
  SLACK_SIGNING_SECRET_ARN: text,
});
export type ReceiveSlackEnvironment = z.infer<typeof ReceiveSlackEnvironment>;

export const SendAlertsEnvironment = z.object({
  ...common,
  ...workQueue,
  ...configuration,
  TABLE_NAME: text,
  ALERT_QUEUE_URL: z.url(),
  /** Absent: no mail is sent by SES. */
  SES_CONFIGURATION_SET: text.optional(),
});
export type SendAlertsEnvironment = z.infer<typeof SendAlertsEnvironment>;

export const StatusEnvironment = z.object({
  ...common,
  ...configuration,
  TABLE_NAME: text,
  STATUS_TOKEN_SECRET_ARN: text,
});
export type StatusEnvironment = z.infer<typeof StatusEnvironment>;

export const WatchTicksEnvironment = z.object({ ...common, ...configuration, TABLE_NAME: text });
export type WatchTicksEnvironment = z.infer<typeof WatchTicksEnvironment>;

export const RedeliverEnvironment = z.object({ ...common, ...configuration, TABLE_NAME: text });
export type RedeliverEnvironment = z.infer<typeof RedeliverEnvironment>;

export const PreviewChangesEnvironment = z.object({
  ...common,
  ...configuration,
  TABLE_NAME: text,
  PREVIEW_QUEUE_URL: z.url(),
});
export type PreviewChangesEnvironment = z.infer<typeof PreviewChangesEnvironment>;

export const RelayPushesEnvironment = z.object({
  ...common,
  ...configuration,
  TABLE_NAME: text,
  BUS_NAME: text,
  RELAY_QUEUE_URL: z.url(),
});
export type RelayPushesEnvironment = z.infer<typeof RelayPushesEnvironment>;

/** Reads what a function needs. Throws Misconfigured with every problem at once; it names keys, never values. */
export function readEnvironment<T extends z.ZodType>(shape: T, env: NodeJS.ProcessEnv): z.infer<T> {
  const read = shape.safeParse(env);
  if (read.success) return read.data;
  const keys = new Set(read.error.issues.map(({ path }) => path.join('.')));
  throw new Misconfigured(
    [...keys].map((key) => `environment variable ${key} is ${env[key] === undefined ? 'missing' : 'not valid'}`),
  );
}

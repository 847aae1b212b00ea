import { Duration } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CannotDeploy } from './cannot-deploy.ts';

/** A deployment of Poolkeeper. Stages differ in nothing but their entry in `stages`. */
export type StageName = 'dev' | 'prod';

/** What a stage decides for the stack. */
export interface Settings {
  readonly stage: StageName;
  /** True: the table outlives the stack, refuses to be deleted and can be restored to any second of the last 35 days;
   *  the stack refuses to be destroyed. False: `cdk destroy` leaves nothing behind. */
  readonly keepsData: boolean;
  /** How long log lines stay. CloudWatch bills 0.03 USD per GB and month, so this is about reading, not about cost. */
  readonly logRetention: RetentionDays;
  readonly logLevel: 'DEBUG' | 'INFO';
  /** How long the bus can replay what was told. */
  readonly archiveRetention: Duration;
  /** Limit of the HTTP API over all routes. What it refuses (429) is lost for GitHub and Argo CD, which do not retry;
   *  the next tick finds the sync all the same, so the limit may be tight enough to stop abuse. */
  readonly throttle: Throttle;
  readonly workers: Workers;
  /** Mailboxes that hear from CloudWatch when Poolkeeper itself fails. This way uses neither our code nor SES nor
   *  Slack. Every address gets one mail to confirm. Empty: alarms change colour on the dashboard and nobody is told. */
  readonly alarmMailboxes: Mailboxes;
  /** For clusters whose API server has no public address: where the functions that call API servers run. Undefined:
   *  outside any VPC, which costs nothing and reaches public API servers only. */
  readonly network?: Network | undefined;
  /** What stands ready on the way of a push, for people to whom the first second counts. */
  readonly warm: Warm;
  /** Where the sections of docs/runbook.md can be read; alarm texts append `#<alarm>`. */
  readonly runbook: string;
}

/** Subnets and security groups that exist, of one VPC. From there the functions must reach the API servers and, by a
 *  NAT gateway or by endpoints, Secrets Manager, SQS, EventBridge and DynamoDB; docs/cost.md says what each costs. */
export interface Network {
  /** At least two, in different availability zones: a zone that fails must not take every cluster out of sight. */
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
}

/** Environments kept ready, each of which is paid for by the hour; docs/cost.md. 0: none, a cold start of a second
 *  comes first. */
export interface Warm {
  readonly receiveGithub: number;
  readonly keepPools: number;
}

export interface Throttle {
  readonly requestsPerSecond: number;
  /** Requests that may arrive at once: a sync of many Applications posts one notification each within a second or
   *  two. */
  readonly burst: number;
}

/** Passes that may run at the same time. At least 2: one pass that hangs on a cluster must not stop the others. */
export interface Workers {
  readonly keepPools: number;
  readonly sendAlerts: number;
  readonly relayPushes: number;
  readonly previewChanges: number;
}

export interface Mailboxes {
  /** Alarms that somebody should look at now. */
  readonly urgent: readonly string[];
  /** Alarms that can wait for the morning. */
  readonly soon: readonly string[];
}

const dev: Settings = {
  stage: 'dev',
  keepsData: false,
  logRetention: RetentionDays.ONE_WEEK,
  logLevel: 'DEBUG',
  archiveRetention: Duration.days(7),
  throttle: { requestsPerSecond: 20, burst: 50 },
  workers: { keepPools: 5, sendAlerts: 2, relayPushes: 2, previewChanges: 2 },
  alarmMailboxes: { urgent: [], soon: [] },
  warm: { receiveGithub: 0, keepPools: 0 },
  runbook: 'docs/runbook.md',
};

const prod: Settings = {
  stage: 'prod',
  keepsData: true,
  logRetention: RetentionDays.THREE_MONTHS,
  logLevel: 'INFO',
  archiveRetention: Duration.days(90),
  throttle: { requestsPerSecond: 100, burst: 300 },
  // 50 passes of a second each work off the ticks of 1,000 clusters in 20 s of every minute.
  workers: { keepPools: 50, sendAlerts: 5, relayPushes: 10, previewChanges: 5 },
  alarmMailboxes: { urgent: [], soon: [] },
  warm: { receiveGithub: 0, keepPools: 0 },
  runbook: 'docs/runbook.md',
};

export const stages: Readonly<Record<StageName, Settings>> = { dev, prod };

/** The settings of a stage, named on the command line as `-c stage=prod`. Throws CannotDeploy on a name that is no
 *  stage. */
export function settingsOf(stage: unknown): Settings {
  if (stage === 'dev' || stage === 'prod') return stages[stage];
  throw new CannotDeploy(`There is no stage ${JSON.stringify(stage)}: stages are dev and prod, as in -c stage=prod.`);
}

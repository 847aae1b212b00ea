import { Duration } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CannotDeploy } from './cannot-deploy.ts';

/** A deployment of Poolkeeper. Stages differ only in their entry in `stages`. */
export type StageName = 'dev' | 'prod';

/** The settings of one stage. */
export interface Settings {
  readonly stage: StageName;
  /** True: the table outlives the stack, has deletion protection and can be restored to any second of the last 35 days;
   *  the stack has termination protection. False: `cdk destroy` leaves nothing behind. */
  readonly keepsData: boolean;
  /** How long logs are kept. CloudWatch bills 0.03 USD per GB and month, so cost hardly matters. */
  readonly logRetention: RetentionDays;
  readonly logLevel: 'DEBUG' | 'INFO';
  /** How long published events can be replayed. */
  readonly archiveRetention: Duration;
  /** What each entrance has of its own: a flood at one takes nothing of the others. */
  readonly entrances: Readonly<Record<EntranceName, Entrance>>;
  readonly workers: Workers;
  /** Mailboxes that CloudWatch notifies when Poolkeeper itself fails, without our code, SES or Slack. Every address
   *  gets a mail to confirm. Empty: alarms only show on the dashboard. */
  readonly alarmMailboxes: Mailboxes;
  /** The VPC in which the functions that call API servers run, for clusters whose API server has no public address.
   *  Undefined: outside any VPC, which costs nothing and reaches only public API servers. */
  readonly network?: Network | undefined;
  /** Provisioned concurrency of the functions that a push goes through, where the first second matters. */
  readonly warm: Warm;
  /** Address of docs/runbook.md; alarm texts append `#<alarm>`. */
  readonly runbook: string;
}

/** Existing subnets and security groups of one VPC. From there the functions must reach the API servers and, through a
 *  NAT gateway or endpoints, Secrets Manager, SQS, EventBridge and DynamoDB; docs/cost.md says what each costs. */
export interface Network {
  /** At least two, in different availability zones: the failure of one must not cut off every cluster. */
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
}

/** Provisioned concurrency per function; AWS bills each by the hour, see docs/cost.md. 0: none, so a first request may
 *  wait a second for a cold start. */
export interface Warm {
  readonly receiveGithub: number;
  readonly keepPools: number;
}

/** Who comes in by a route of its own. `status`: the page, the health check and the list of causes. */
export type EntranceName =
  | 'github'
  | 'argocd'
  | 'cluster'
  | 'handshake'
  | 'fleetLock'
  | 'callback'
  | 'slack'
  | 'status';

export interface Entrance {
  /** Limit of each of its routes. GitHub and Argo CD do not retry what it refuses (429), but the next tick finds the
   *  sync anyway, so the limit can be tight enough to stop abuse. */
  readonly requestsPerSecond: number;
  /** Requests that may arrive at once: a sync of many Applications posts one notification for each within a second or
   *  two. */
  readonly burst: number;
  /** Executions at once that are reserved for its function, and the most that it gets. 0: it shares what the account
   *  has left. The account keeps 100 for everything else, so reserving fails where its quota is small: new accounts may
   *  have 10. Source: AWS Lambda, "Configuring reserved concurrency for a function". */
  readonly reserved: number;
}

/** Maximum concurrency of each queue's consumer. At least 2: one that hangs on a cluster must not stop the others. */
export interface Workers {
  readonly keepPools: number;
  readonly sendAlerts: number;
  readonly relayPushes: number;
  readonly previewChanges: number;
  /** Executions at once that are reserved for keep-pools, as those of entrances; 0 or at least `keepPools`. */
  readonly reservedForKeepPools: number;
}

export interface Mailboxes {
  /** Alarms that need somebody now. */
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
  entrances: {
    github: { requestsPerSecond: 20, burst: 50, reserved: 0 },
    argocd: { requestsPerSecond: 20, burst: 50, reserved: 0 },
    cluster: { requestsPerSecond: 20, burst: 50, reserved: 0 },
    handshake: { requestsPerSecond: 20, burst: 50, reserved: 0 },
    fleetLock: { requestsPerSecond: 10, burst: 50, reserved: 0 },
    callback: { requestsPerSecond: 5, burst: 20, reserved: 0 },
    slack: { requestsPerSecond: 5, burst: 20, reserved: 0 },
    status: { requestsPerSecond: 10, burst: 20, reserved: 0 },
  },
  workers: { keepPools: 5, sendAlerts: 2, relayPushes: 2, previewChanges: 2, reservedForKeepPools: 0 },
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
  // A receiver answers in well under 100 ms: 20 executions at once take 200 requests a second. A handshake waits for
  // its pools, up to 29 s.
  entrances: {
    github: { requestsPerSecond: 100, burst: 300, reserved: 20 },
    argocd: { requestsPerSecond: 100, burst: 300, reserved: 20 },
    cluster: { requestsPerSecond: 100, burst: 300, reserved: 20 },
    handshake: { requestsPerSecond: 50, burst: 150, reserved: 50 },
    // A thousand machines ask every five minutes; after a power cut all unlock at once, and ask again if refused.
    fleetLock: { requestsPerSecond: 20, burst: 100, reserved: 10 },
    // One for each node and rule; whoever is refused asks again.
    callback: { requestsPerSecond: 10, burst: 50, reserved: 5 },
    slack: { requestsPerSecond: 10, burst: 30, reserved: 5 },
    status: { requestsPerSecond: 20, burst: 50, reserved: 10 },
  },
  // 50 passes of a second each process the ticks of 1,000 clusters in 20 s of every minute.
  workers: { keepPools: 50, sendAlerts: 5, relayPushes: 10, previewChanges: 5, reservedForKeepPools: 50 },
  alarmMailboxes: { urgent: [], soon: [] },
  warm: { receiveGithub: 0, keepPools: 0 },
  runbook: 'docs/runbook.md',
};

const stages: Readonly<Record<StageName, Settings>> = { dev, prod };

/** The settings of a stage, chosen on the command line by `-c stage=prod`. Throws CannotDeploy on an unknown stage. */
export function settingsOf(stage: unknown): Settings {
  if (stage === 'dev' || stage === 'prod') return stages[stage];
  throw new CannotDeploy(`There is no stage ${JSON.stringify(stage)}: stages are dev and prod, as in -c stage=prod.`);
}

import { CfnOutput, type Environment, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { alarmsOf } from './alarms/index.ts';
import { callbacks, type DeployedConfiguration, senders, slackSecrets } from './configuration.ts';
import { Alarms } from './constructs/alarms.ts';
import { ClusterTicks } from './constructs/cluster-ticks.ts';
import { HttpEntry } from './constructs/http-entry.ts';
import { configurationSetOf, MailFeedback } from './constructs/mail-feedback.ts';
import { PublishedEvents } from './constructs/published-events.ts';
import { Schedules } from './constructs/schedules.ts';
import { StateTable } from './constructs/state-table.ts';
import { dashboard } from './dashboard.ts';
import { type Functions, poolkeeperFunctions } from './functions.ts';
import { grantPermissions } from './grants.ts';
import { type Queues, queues } from './queues.ts';
import type { Resources } from './resources.ts';
import { addRoutes } from './routes.ts';
import type { Settings, Workers } from './settings.ts';
import { type SharedSecrets, sharedSecrets } from './shared-secrets.ts';

export interface PoolkeeperStackProps {
  readonly settings: Settings;
  readonly configuration: DeployedConfiguration;
  /** The same configuration, complete and validated, as the functions read it. */
  readonly configurationFile: string;
  readonly env?: Environment | undefined;
}

/** Poolkeeper on AWS. Construct ids are part of logical ids and do not change when classes are renamed. */
export class PoolkeeperStack extends Stack {
  constructor(scope: Construct, id: string, props: PoolkeeperStackProps) {
    const { settings, configuration, env } = props;
    super(scope, id, {
      ...(env && { env }),
      stackName: `poolkeeper-${settings.stage}`,
      description: 'Poolkeeper: keeps OpenShift nodes from rebooting under a running Argo CD sync',
      terminationProtection: settings.keepsData,
      analyticsReporting: false,
      tags: { app: 'poolkeeper', stage: settings.stage },
    });

    const allQueues = queues(this, configuration);
    const table = new StateTable(this, 'Memory', { keepsData: settings.keepsData });
    const events = new PublishedEvents(this, 'Told', { settings, undelivered: allQueues.undeliveredEvents });
    const secrets = sharedSecrets(this);
    const functions = this.functions(props, { queues: allQueues, table, events, secrets });
    // The order of these three is the order of policy statements in the template.
    addOptionalConsumers(functions, allQueues, settings.workers);
    grantPermissions(this, { configuration, functions, queues: allQueues, secrets, table, events });
    addConsumers(functions, allQueues, settings.workers);
    if (senders(configuration).length > 0) {
      new MailFeedback(this, 'MailFeedback', { alerts: allQueues.alerts, undelivered: allQueues.undeliveredEvents });
    }

    const http = new HttpEntry(this, 'Door', { settings });
    addRoutes(http, functions, settings);
    const ticks = new ClusterTicks(this, 'Ticks', {
      clusters: configuration.clusters.map(({ name }) => name),
      work: allQueues.work,
      undelivered: allQueues.undeliveredTicks,
    });
    const schedules = new Schedules(this, 'Chores', { undelivered: allQueues.undeliveredTicks });
    schedules.runEveryFiveMinutes(functions['watch-ticks']);
    if (functions.redeliver) schedules.runEveryFiveMinutes(functions.redeliver);

    const resources: Resources = { settings, functions, http, ticks, events, table, ...allQueues };
    const alarms = this.alarms(resources);
    dashboard(this, { name: this.stackName, resources, alarms: alarms.metricAlarms });
    this.outputs(resources, secrets, alarms);
  }

  private functions({ settings, configuration, configurationFile }: PoolkeeperStackProps, uses: Uses): Functions {
    const { queues: all, table, events, secrets } = uses;
    return poolkeeperFunctions(this, {
      settings,
      configurationFile,
      redelivers: (configuration.github?.hooks ?? []).length > 0,
      locks: configuration.fleetLock !== undefined,
      callbacks: callbacks(configuration),
      RELAY_QUEUE_URL: all.relays?.queue.queueUrl,
      PREVIEW_QUEUE_URL: all.previews?.queue.queueUrl,
      SES_CONFIGURATION_SET: senders(configuration).length > 0 ? configurationSetOf(this) : undefined,
      WORK_QUEUE_URL: all.work.queue.queueUrl,
      ALERT_QUEUE_URL: all.alerts.queue.queueUrl,
      TABLE_NAME: table.table.tableName,
      BUS_NAME: events.bus.eventBusName,
      GITHUB_SECRET_ARN: secrets.github.arn,
      ARGOCD_TOKEN_SECRET_ARN: secrets.argocd.arn,
      CLUSTER_TOKEN_SECRET_ARN: secrets.cluster.arn,
      HANDSHAKE_TOKEN_SECRET_ARN: secrets.handshake.arn,
      STATUS_TOKEN_SECRET_ARN: secrets.status.arn,
      SLACK_SIGNING_SECRET_ARN: slackSecrets(configuration)[0],
    });
  }

  private alarms(resources: Resources): Alarms {
    const { settings, events, undeliveredEvents } = resources;
    const alarms = new Alarms(this, 'Bell', { settings, dashboardName: this.stackName });
    for (const spec of alarmsOf(resources)) {
      if (spec.kind === 'metric') alarms.addMetricAlarm(spec);
      else alarms.addEventAlarm(spec, events, undeliveredEvents);
    }
    return alarms;
  }

  /** What whoever deployed the stack needs next. */
  private outputs({ http, alerts, events, table }: Resources, secrets: SharedSecrets, { topics }: Alarms): void {
    const outputs: Readonly<Record<string, string>> = {
      Url: http.url,
      GithubSecretArn: secrets.github.arn,
      ArgocdTokenArn: secrets.argocd.arn,
      ClusterTokenArn: secrets.cluster.arn,
      HandshakeTokenArn: secrets.handshake.arn,
      StatusTokenArn: secrets.status.arn,
      AlertQueueUrl: alerts.queue.queueUrl,
      BusName: events.bus.eventBusName,
      TableName: table.table.tableName,
      UrgentAlarmsTopicArn: topics.urgent.topicArn,
      SoonAlarmsTopicArn: topics.soon.topicArn,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}

/** What the environment of the functions points at. */
interface Uses {
  readonly queues: Queues;
  readonly table: StateTable;
  readonly events: PublishedEvents;
  readonly secrets: SharedSecrets;
}

function addConsumers(functions: Functions, { work, alerts }: Queues, workers: Workers): void {
  work.addConsumer(functions['keep-pools'], { maxConcurrency: workers.keepPools });
  alerts.addConsumer(functions['send-alerts'], { maxConcurrency: workers.sendAlerts });
}

function addOptionalConsumers(functions: Functions, { relays, previews }: Queues, workers: Workers): void {
  const { 'relay-pushes': relayPushes, 'preview-changes': previewChanges } = functions;
  if (relayPushes) relays?.addConsumer(relayPushes, { maxConcurrency: workers.relayPushes });
  if (previewChanges) previews?.addConsumer(previewChanges, { maxConcurrency: workers.previewChanges });
}

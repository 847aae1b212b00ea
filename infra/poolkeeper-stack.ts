import { CfnOutput, type Environment, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { alarmsOf, type Resources } from './alarms.ts';
import {
  alertSecrets,
  clusterTokenSecrets,
  type DeployedConfiguration,
  githubSecrets,
  senders,
  slackSecrets,
} from './configuration.ts';
import { Alarms } from './constructs/alarms.ts';
import { ClusterTicks } from './constructs/cluster-ticks.ts';
import { HttpEntry } from './constructs/http-entry.ts';
import { letSendMailFrom } from './constructs/mail-sender.ts';
import { arnsOfNamedSecrets } from './constructs/named-secrets.ts';
import { PublishedEvents } from './constructs/published-events.ts';
import { Schedules } from './constructs/schedules.ts';
import { letReadSecrets, letRenewSecrets, SharedSecret } from './constructs/shared-secret.ts';
import { StateTable } from './constructs/state-table.ts';
import { dashboard } from './dashboard.ts';
import { poolkeeperFunctions } from './functions.ts';
import { queues } from './queues.ts';
import { addRoutes } from './routes.ts';
import type { Settings } from './settings.ts';

export interface PoolkeeperStackProps {
  readonly settings: Settings;
  readonly configuration: DeployedConfiguration;
  /** The same configuration, whole and checked, as the functions read it. */
  readonly configurationFile: string;
  readonly env?: Environment | undefined;
}

/** Poolkeeper on AWS. Reads from what comes in to what goes out. */
export class PoolkeeperStack extends Stack {
  constructor(scope: Construct, id: string, { settings, configuration, configurationFile, env }: PoolkeeperStackProps) {
    super(scope, id, {
      ...(env && { env }),
      stackName: `poolkeeper-${settings.stage}`,
      description: 'Poolkeeper: keeps OpenShift nodes from rebooting under a running Argo CD sync',
      terminationProtection: settings.keepsData,
      analyticsReporting: false,
      tags: { app: 'poolkeeper', stage: settings.stage },
    });

    // Work waits in queues; what fails five times lies among dead letters for fourteen days.
    const { work, alerts, relays, previews, undeliveredTicks, undeliveredTold } = queues(this, configuration);

    // What is remembered, and where it is told.
    const table = new StateTable(this, 'Memory', { keepsData: settings.keepsData });
    const told = new PublishedEvents(this, 'Told', { settings, undelivered: undeliveredTold });

    // What a caller must know. The values are made here and read in the console once, by whoever sets up the caller.
    const githubSecret = new SharedSecret(this, 'GithubSecret', { description: 'Signs GitHub webhooks' });
    const argocdToken = new SharedSecret(this, 'ArgocdToken', { description: 'Bearer token of Argo CD notifications' });
    const clusterToken = new SharedSecret(this, 'ClusterToken', { description: 'Bearer token of cluster events' });
    const handshakeToken = new SharedSecret(this, 'HandshakeToken', { description: 'Bearer token of PreSync Jobs' });
    const statusToken = new SharedSecret(this, 'StatusToken', { description: 'Bearer token of the status page' });

    // The functions, and no right that one of them does not need.
    const functions = poolkeeperFunctions(this, {
      settings,
      configurationFile,
      redelivers: (configuration.github?.hooks ?? []).length > 0,
      RELAY_QUEUE_URL: relays?.queue.queueUrl,
      PREVIEW_QUEUE_URL: previews?.queue.queueUrl,
      WORK_QUEUE_URL: work.queue.queueUrl,
      ALERT_QUEUE_URL: alerts.queue.queueUrl,
      TABLE_NAME: table.table.tableName,
      BUS_NAME: told.bus.eventBusName,
      GITHUB_SECRET_ARN: githubSecret.arn,
      ARGOCD_TOKEN_SECRET_ARN: argocdToken.arn,
      CLUSTER_TOKEN_SECRET_ARN: clusterToken.arn,
      HANDSHAKE_TOKEN_SECRET_ARN: handshakeToken.arn,
      STATUS_TOKEN_SECRET_ARN: statusToken.arn,
      SLACK_SIGNING_SECRET_ARN: slackSecrets(configuration)[0],
    });
    const {
      'receive-github': receiveGithub,
      'receive-argocd': receiveArgocd,
      'receive-cluster': receiveCluster,
      'receive-slack': receiveSlack,
      'keep-pools': keepPools,
      'send-alerts': sendAlerts,
      handshake,
      status,
      'watch-ticks': watchTicks,
      redeliver,
      'relay-pushes': relayPushes,
      'preview-changes': previewChanges,
    } = functions;
    githubSecret.readBy(receiveGithub);
    argocdToken.readBy(receiveArgocd);
    clusterToken.readBy(receiveCluster);
    handshakeToken.readBy(handshake);
    statusToken.readBy(status);
    const clusterTokens = arnsOfNamedSecrets(this, clusterTokenSecrets(configuration));
    letReadSecrets(clusterTokens, keepPools, handshake);
    // It looks at every cluster each minute; the handshake finds what it has renewed.
    letRenewSecrets(clusterTokens, keepPools);
    letReadSecrets(arnsOfNamedSecrets(this, alertSecrets(configuration)), sendAlerts);
    letSendMailFrom(senders(configuration), sendAlerts);
    work.filledBy(receiveGithub, receiveArgocd, receiveCluster, keepPools, handshake, sendAlerts);
    alerts.filledBy(keepPools, handshake, sendAlerts);
    table.keptBy(keepPools, handshake, sendAlerts);
    table.readBy(status);
    table.lookedUpBy(watchTicks);
    const githubTokens = arnsOfNamedSecrets(this, githubSecrets(configuration));
    if (configuration.github?.readsChanges) letReadSecrets(githubTokens, keepPools);
    if (redeliver) {
      letReadSecrets(githubTokens, redeliver);
      table.notedBy(redeliver);
    }
    if (receiveSlack) {
      letReadSecrets(arnsOfNamedSecrets(this, slackSecrets(configuration)), receiveSlack);
      alerts.filledBy(receiveSlack);
      table.notedBy(receiveSlack);
    }
    told.toldBy(keepPools, handshake);
    if (relays && relayPushes) {
      relays.filledBy(receiveGithub, relayPushes);
      relays.workedOffBy(relayPushes, { batchSize: 1, maxConcurrency: settings.workers.relayPushes });
      table.keptBy(relayPushes);
      told.toldBy(relayPushes);
    }
    if (previews && previewChanges) {
      previews.filledBy(receiveGithub);
      previews.workedOffBy(previewChanges, { batchSize: 1, maxConcurrency: settings.workers.previewChanges });
      table.notedBy(previewChanges);
      letReadSecrets([...clusterTokens, ...githubTokens], previewChanges);
    }

    // What comes in: webhooks and people through one door, and the clock.
    const door = new HttpEntry(this, 'Door', { settings });
    addRoutes(door, functions);
    const ticks = new ClusterTicks(this, 'Ticks', {
      clusters: configuration.clusters.map(({ name }) => name),
      work,
      undelivered: undeliveredTicks,
    });

    // What watches the clock goes by another one.
    const chores = new Schedules(this, 'Chores', { undelivered: undeliveredTicks });
    chores.run(watchTicks);
    if (redeliver) chores.run(redeliver);

    // What works it off. One event at a time: an unreachable cluster keeps nobody else's push waiting behind it.
    work.workedOffBy(keepPools, { batchSize: 1, maxConcurrency: settings.workers.keepPools });
    alerts.workedOffBy(sendAlerts, { batchSize: 5, maxConcurrency: settings.workers.sendAlerts });

    // Who hears of it when any of this fails.
    const house: Resources = {
      settings,
      functions,
      door,
      work,
      alerts,
      relays,
      previews,
      ticks,
      undeliveredTicks,
      told,
      undeliveredTold,
      table,
    };
    const bell = new Alarms(this, 'Bell', { settings, dashboardName: this.stackName });
    for (const spec of alarmsOf(house)) {
      if (spec.kind === 'figure') bell.watch(spec);
      else bell.passOn(spec, told, undeliveredTold);
    }
    dashboard(this, { name: this.stackName, house, alarms: bell.alarms });

    // What a person needs next.
    const outputs: Readonly<Record<string, string>> = {
      Url: door.url,
      GithubSecretArn: githubSecret.arn,
      ArgocdTokenArn: argocdToken.arn,
      ClusterTokenArn: clusterToken.arn,
      HandshakeTokenArn: handshakeToken.arn,
      StatusTokenArn: statusToken.arn,
      AlertQueueUrl: alerts.queue.queueUrl,
      BusName: told.bus.eventBusName,
      TableName: table.table.tableName,
      UrgentAlarmsTopicArn: bell.topics.urgent.topicArn,
      SoonAlarmsTopicArn: bell.topics.soon.topicArn,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}

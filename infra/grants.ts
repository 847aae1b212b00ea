import type { Construct } from 'constructs';
import {
  alertSecrets,
  calendarSecrets,
  clusterTokenSecrets,
  type DeployedConfiguration,
  fleetLockSecrets,
  gateSecrets,
  githubSecrets,
  ruleFunctionNames,
  ruleSecrets,
  senders,
  slackSecrets,
  ticketSecrets,
} from './configuration.ts';
import { grantInvoke } from './constructs/grant-invoke.ts';
import { configurationSetOf } from './constructs/mail-feedback.ts';
import { grantSendMailFrom } from './constructs/mail-sender.ts';
import { acknowledgePatterns, arnsOfNamedSecrets } from './constructs/named-secrets.ts';
import type { PublishedEvents } from './constructs/published-events.ts';
import { grantReadSecrets, grantRenewSecrets } from './constructs/shared-secret.ts';
import type { StateTable } from './constructs/state-table.ts';
import type { Functions } from './functions.ts';
import type { Queues } from './queues.ts';
import type { SharedSecrets } from './shared-secrets.ts';

/** What gets permissions, and what they are for. */
export interface Granted {
  readonly configuration: DeployedConfiguration;
  readonly functions: Functions;
  readonly queues: Queues;
  readonly secrets: SharedSecrets;
  readonly table: StateTable;
  readonly events: PublishedEvents;
}

/** Gives every function exactly the permissions that it needs; test/infra/least-privilege.test.ts compares them with
 *  what the code calls. */
export function grantPermissions(scope: Construct, granted: Granted): void {
  grantReceivers(granted);
  grantPasses(scope, granted);
  grantAlerts(scope, granted);
  granted.secrets.status.grantRead(granted.functions.status);
  granted.table.grantRead(granted.functions.status);
  granted.table.grantGetItem(granted.functions['watch-ticks']);
  grantRedelivery(scope, granted);
  grantFleetLock(scope, granted);
  grantCallbacks(granted);
  grantRelay(granted);
  grantPreviews(scope, granted);
}

function grantReceivers({ functions, queues: { work, relays, previews }, secrets }: Granted): void {
  const { 'receive-github': github, 'receive-argocd': argocd, 'receive-cluster': cluster } = functions;
  secrets.github.grantRead(github);
  secrets.argocd.grantRead(argocd);
  secrets.cluster.grantRead(cluster);
  work.grantSend(github, argocd, cluster);
  relays?.grantSend(github);
  previews?.grantSend(github);
}

/** keep-pools and the handshake, which makes passes of its own. */
function grantPasses(scope: Construct, granted: Granted): void {
  const { configuration, queues, secrets, table, events } = granted;
  const { 'keep-pools': keepPools, handshake } = granted.functions;
  const clusterTokens = arnsOfNamedSecrets(scope, clusterTokenSecrets(configuration));
  secrets.handshake.grantRead(handshake);
  grantReadSecrets(clusterTokens, keepPools, handshake);
  // keep-pools visits every cluster each minute and renews its token; the handshake reads the renewed one.
  grantRenewSecrets(clusterTokens, keepPools);
  acknowledgePatterns(clusterTokens, keepPools, handshake);
  grantReadSecrets(arnsOfNamedSecrets(scope, ticketSecrets(configuration)), keepPools, handshake);
  grantReadSecrets(arnsOfNamedSecrets(scope, ruleSecrets(configuration)), keepPools);
  grantReadSecrets(arnsOfNamedSecrets(scope, gateSecrets(configuration)), keepPools);
  grantInvoke(scope, ruleFunctionNames(configuration), keepPools);
  // Only ticks sweep, and only sweeps read calendars.
  grantReadSecrets(arnsOfNamedSecrets(scope, calendarSecrets(configuration)), keepPools);
  queues.work.grantSend(keepPools, handshake);
  queues.alerts.grantSend(keepPools, handshake);
  table.grantReadWrite(keepPools, handshake);
  table.grantBatchGetItem(keepPools, handshake);
  if (configuration.github?.readsChanges) {
    grantReadSecrets(arnsOfNamedSecrets(scope, githubSecrets(configuration)), keepPools);
  }
  events.grantPutEvents(keepPools, handshake);
}

/** send-alerts and the buttons in its Slack messages. */
function grantAlerts(scope: Construct, { configuration, functions, queues, table }: Granted): void {
  const { 'send-alerts': sendAlerts, 'receive-slack': receiveSlack } = functions;
  grantReadSecrets(arnsOfNamedSecrets(scope, alertSecrets(configuration)), sendAlerts);
  grantSendMailFrom(senders(configuration), configurationSetOf(scope), sendAlerts);
  queues.work.grantSend(sendAlerts);
  queues.alerts.grantSend(sendAlerts);
  table.grantReadWrite(sendAlerts);
  if (receiveSlack === undefined) return;
  grantReadSecrets(arnsOfNamedSecrets(scope, slackSecrets(configuration)), receiveSlack);
  queues.alerts.grantSend(receiveSlack);
  table.grantNoteAndTell(receiveSlack, 'approval#*', 'asked-request#*', 'sequence-request#*', 'taken#*');
}

function grantRedelivery(scope: Construct, { configuration, functions: { redeliver }, table }: Granted): void {
  if (redeliver === undefined) return;
  grantReadSecrets(arnsOfNamedSecrets(scope, githubSecrets(configuration)), redeliver);
  table.grantGetAndPutItem(redeliver, 'redelivery#*');
}

function grantFleetLock(scope: Construct, { configuration, functions, table }: Granted): void {
  const { 'fleet-lock': fleetLock } = functions;
  if (fleetLock === undefined) return;
  grantReadSecrets(arnsOfNamedSecrets(scope, fleetLockSecrets(configuration)), fleetLock);
  table.grantNoteAndTell(fleetLock, 'fleet-lock');
}

function grantCallbacks({ functions: { 'receive-callback': receiveCallback }, table }: Granted): void {
  if (receiveCallback === undefined) return;
  table.grantGetAndPutItem(receiveCallback, 'rule-callback#*');
}

function grantRelay({ functions: { 'relay-pushes': relayPushes }, queues: { relays }, table, events }: Granted): void {
  if (relays === undefined || relayPushes === undefined) return;
  relays.grantSend(relayPushes);
  table.grantReadWrite(relayPushes);
  events.grantPutEvents(relayPushes);
}

function grantPreviews(scope: Construct, { configuration, functions, table }: Granted): void {
  const { 'preview-changes': previewChanges } = functions;
  if (previewChanges === undefined) return;
  table.grantGetAndPutItem(previewChanges, 'preview#*');
  const clusterTokens = arnsOfNamedSecrets(scope, clusterTokenSecrets(configuration));
  grantReadSecrets([...clusterTokens, ...arnsOfNamedSecrets(scope, githubSecrets(configuration))], previewChanges);
  acknowledgePatterns(clusterTokens, previewChanges);
}

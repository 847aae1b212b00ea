import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dynamoTables } from '../../../functions/adapters/aws/dynamo-tables.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { handler as receiveSlack } from '../../../functions/receive-slack/lambda.ts';
import { handler as sendAlerts } from '../../../functions/send-alerts/lambda.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { aDelivery, anIncident } from '../../fakes/index.ts';
import { type SlackServer, startSlack } from '../../fakes/slack-server.ts';
import { type FakeAws, startFakeAws } from '../fake-aws.ts';
import { enterLambda, leaveLambda, writtenOut } from '../lambda-environment.ts';
import { apiEvent, lambdaContext, queueEvent } from '../receiving.ts';

let aws: FakeAws;
let table: EmbeddedTable;
let slack: SlackServer;
let folder = '';
let alertQueue = '';
let workQueue = '';
const channel = 'C0123456789';

beforeAll(async () => {
  aws = await startFakeAws({ 'poolkeeper/slack-signing': ['signing-new', 'signing-old'], slack: ['xoxb-good'] });
  table = await startEmbeddedTable();
  slack = await startSlack();
  slack.channels.set(channel, 'open');
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-slack-'));
  const filter = { clusters: [], pools: [], severities: [] };
  const target = { kind: 'slack', name: 'ops', channel, tokenSecret: 'slack', apiUrl: slack.apiUrl, filter };
  const slackButtons = {
    signingSecret: 'poolkeeper/slack-signing',
    team: 'T0123456789',
    users: [],
    acknowledgeForSeconds: 7200,
  };
  const configuration = { clusters: [], argocd: [], alerts: { targets: [target], slackButtons } };
  await writeFile(join(folder, 'poolkeeper.json'), JSON.stringify(configuration));
  alertQueue = `${aws.env['AWS_ENDPOINT_URL']}/000000000000/alerts`;
  workQueue = `${aws.env['AWS_ENDPOINT_URL']}/000000000000/work`;
});
afterAll(async () => {
  await aws.close();
  await table.stop();
  await slack.close();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  enterLambda({
    ...aws.env,
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    POOLKEEPER_STAGE: 'test',
    POOLKEEPER_CONFIG: join(folder, 'poolkeeper.json'),
    WORK_QUEUE_URL: workQueue,
    ALERT_QUEUE_URL: alertQueue,
    TABLE_NAME: table.table,
    SLACK_SIGNING_SECRET_ARN: 'poolkeeper/slack-signing',
  });
});
afterEach(leaveLambda);

/** What Slack sends when anna presses a button of `PK-7` in the channel. */
function press(actionId: string, value: string, secret = 'signing-new') {
  const payload = {
    type: 'block_actions',
    team: { id: 'T0123456789' },
    user: { id: 'U0123456789', username: 'anna' },
    channel: { id: channel },
    message: { text: 'größe' },
    actions: [{ action_id: actionId, value }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  return signed(body, secret);
}

function signed(body: string, secret = 'signing-new') {
  const at = Math.floor(Date.now() / 1000);
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': String(at),
    'x-slack-signature': `v0=${createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')}`,
  };
  // API Gateway hands over forms as base64.
  return apiEvent({ path: '/slack', headers, body: Buffer.from(body) });
}

/** What Slack sends when anna types a command in the channel. */
function typed(text: string) {
  const body = new URLSearchParams({
    team_id: 'T0123456789',
    channel_id: channel,
    user_id: 'U0123456789',
    user_name: 'anna',
    command: '/poolkeeper',
    text,
    response_url: 'https://hooks.slack.com/commands/1234/5678',
    trigger_id: '13345224609.738474920.8088930838d88f008e0',
  }).toString();
  return signed(body);
}

const sentTo = (queue: string) => aws.sent.get(queue) ?? [];

describe('the deployed receive-slack and send-alerts', () => {
  it('[C-6] [S1-13] a press acknowledges: queued once, stored, shown in the message, and the cluster is looked at', async () => {
    const { incidents } = dynamoTables({
      newId: systemRuntime.newId,
      client: table.client,
      table: table.table,
      clock: () => new Date(),
    });
    const { key } = anIncident();
    await incidents.save(anIncident({ deliveries: { ops: aDelivery({}) }, nextReminderAt: undefined }));
    const event = press('acknowledge', '7.1');

    const answers = [await receiveSlack(event, lambdaContext()), await receiveSlack(event, lambdaContext())];
    const queued = sentTo(alertQueue);
    const worked = await sendAlerts(queueEvent(queued), lambdaContext());

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
    expect(queued).toHaveLength(1);
    expect(worked).toEqual({ batchItemFailures: [] });
    expect((await incidents.loadOne(key))?.attention).toMatchObject({ kind: 'acknowledged', by: 'anna' });
    expect(JSON.stringify(slack.messages)).toContain('acknowledged by anna until');
    expect(JSON.stringify(slack.messages)).toContain('"action_id":"snooze"');
    expect(sentTo(workQueue).map((body) => JSON.parse(body).data)).toEqual([{ cluster: 'prod', why: 'person' }]);
  });

  it('[N-34] a command is answered at once, and what was looked up follows to the caller alone', async () => {
    const before = sentTo(alertQueue).length;

    const answer = await receiveSlack(typed('why größe'), lambdaContext());
    const asked = await receiveSlack(typed('why worker'), lambdaContext());
    const worked = await sendAlerts(queueEvent(sentTo(alertQueue).slice(before)), lambdaContext());

    expect([answer.statusCode, asked.statusCode]).toEqual([200, 200]);
    expect(JSON.parse(String(asked.body))).toMatchObject({ response_type: 'ephemeral', text: '⏳ why worker' });
    expect(String(answer.body)).toContain('is not the name of a pool');
    expect(worked).toEqual({ batchItemFailures: [] });
    expect(slack.calls.filter(({ method }) => method === 'chat.postEphemeral').map(({ body }) => body)).toMatchObject([
      { channel, user: 'U0123456789', text: 'There is no pool `worker`.' },
    ]);
  });

  it('[C-13] a press with another signature leaves no trace but its refusal', async () => {
    const before = sentTo(alertQueue).length;

    const { statusCode, body } = await receiveSlack(press('acknowledge', '7.1', 'guessed'), lambdaContext());

    expect(statusCode).toBe(401);
    expect(sentTo(alertQueue)).toHaveLength(before);
    expect(`${body}${writtenOut()}`).not.toMatch(/guessed|signing-|v0=|größe/);
  });
});

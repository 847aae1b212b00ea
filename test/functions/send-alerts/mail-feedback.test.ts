import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dynamoTables } from '../../../functions/adapters/aws/dynamo-tables.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { settle } from '../../../functions/core/alerts/settle.ts';
import { AlertSettings } from '../../../functions/core/configuration/alerts.ts';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import type { Incidents } from '../../../functions/ports/tables.ts';
import { handler as sendAlerts } from '../../../functions/send-alerts/lambda.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { aDelivery, anIncident } from '../../fakes/index.ts';
import { type SlackServer, startSlack } from '../../fakes/slack-server.ts';
import { wordsOf } from '../adapters/messengers/slack-words.ts';
import { type FakeAws, startFakeAws } from '../fake-aws.ts';
import { enterLambda, leaveLambda, writtenOut } from '../lambda-environment.ts';
import { lambdaContext, queueEvent } from '../receiving.ts';

const channel = 'C0123456789';
const failing = { cluster: 'prod', pool: '*', kind: 'notify-failing' } as const;

const reader = 'reader@example.com';
const failingAway = { cluster: 'away', pool: '*', kind: 'notify-failing' } as const;

let aws: FakeAws;
let table: EmbeddedTable;
let slack: SlackServer;
let folder = '';
let alertQueue = '';

function alertsTo(to: readonly string[]): AlertSettings {
  return AlertSettings.parse({
    targets: [
      { kind: 'email', name: 'mailbox', from: 'poolkeeper@example.com', to, filter: { clusters: ['prod'] } },
      {
        ...{ kind: 'email', name: 'reader', from: 'poolkeeper@example.com', to: [reader] },
        filter: { clusters: ['away'] },
      },
      { kind: 'slack', name: 'ops', channel, tokenSecret: 'slack', apiUrl: slack.apiUrl },
    ],
  });
}

beforeAll(async () => {
  aws = await startFakeAws({ slack: ['xoxb-good'] });
  table = await startEmbeddedTable();
  slack = await startSlack();
  slack.channels.set(channel, 'open');
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-feedback-'));
  const alerts = alertsTo(['On-Call@example.com', 'team@example.com']);
  await writeFile(join(folder, 'poolkeeper.json'), JSON.stringify({ clusters: [], argocd: [], alerts }));
  alertQueue = `${aws.env['AWS_ENDPOINT_URL']}/000000000000/alerts`;
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
    WORK_QUEUE_URL: `${aws.env['AWS_ENDPOINT_URL']}/000000000000/work`,
    ALERT_QUEUE_URL: alertQueue,
    TABLE_NAME: table.table,
    SES_CONFIGURATION_SET: 'poolkeeper-test',
  });
});
afterEach(leaveLambda);

function incidents(): Incidents {
  const { newId } = systemRuntime;
  return dynamoTables({ newId, client: table.client, table: table.table, clock: () => new Date() }).incidents;
}

/** The part of an event that SES writes about the mail itself. Source: Amazon SES, "Contents of event data". */
function mailTo(destination: readonly string[], incident = 'PK-7', messageId = '010701912f0a8f05-000000') {
  return {
    timestamp: '2026-11-22T10:00:02.012Z',
    source: 'poolkeeper@example.com',
    sourceArn: 'arn:aws:ses:eu-central-1:111122223333:identity/example.com',
    sendingAccountId: '111122223333',
    messageId,
    destination,
    headersTruncated: false,
    headers: [{ name: 'From', value: 'poolkeeper@example.com' }],
    commonHeaders: { from: ['poolkeeper@example.com'], to: destination, subject: 'prod/worker [PK-7]' },
    tags: {
      'ses:operation': ['SendEmail'],
      'ses:configuration-set': ['poolkeeper-test'],
      'ses:source-ip': ['192.0.2.0'],
      'ses:from-domain': ['example.com'],
      'ses:caller-identity': ['send-alerts'],
      poolkeeper_delivery: ['0123456789abcdef0123456789abcdef'],
      poolkeeper_incident: [incident],
    },
  };
}

/** As EventBridge hands it to the queue. */
function fromBus(detailType: string, detail: object): string {
  return JSON.stringify({
    version: '0',
    id: '12a18625-3328-fafd-2a5e-0b4a4b1b0a11',
    'detail-type': detailType,
    source: 'aws.ses',
    account: '111122223333',
    time: '2026-11-22T10:00:41Z',
    region: 'eu-central-1',
    resources: ['arn:aws:ses:eu-central-1:111122223333:configuration-set/poolkeeper-test'],
    detail,
  });
}

function bounce(address: string, incident?: string): string {
  return fromBus('Email Bounced', {
    eventType: 'Bounce',
    bounce: {
      feedbackId: '010701912f0a9000-52f1b0a7-0000-000000',
      bounceType: 'Permanent',
      bounceSubType: 'General',
      bouncedRecipients: [
        { emailAddress: address, action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' },
      ],
      timestamp: '2026-11-22T10:00:41.669Z',
      reportingMTA: 'dns; mx.example.com',
    },
    mail: mailTo([address], incident),
  });
}

/** What its mailbox simulator answers for `ooto@simulator.amazonses.com`, and what follows retries in vain. */
function softBounce(address: string, { at, mail, incident }: { at: string; mail: string; incident?: string }): string {
  return fromBus('Email Bounced', {
    eventType: 'Bounce',
    bounce: {
      feedbackId: '010701912f0a9002-52f1b0a7-0000-000000',
      bounceType: 'Transient',
      bounceSubType: 'General',
      bouncedRecipients: [{ emailAddress: address }],
      timestamp: at,
    },
    mail: mailTo([address], incident, mail),
  });
}

function complaint(address: string): string {
  return fromBus('Email Complaint Received', {
    eventType: 'Complaint',
    complaint: {
      feedbackId: '010701912f0a9001-52f1b0a7-0000-000000',
      complaintSubType: null,
      complainedRecipients: [{ emailAddress: address }],
      timestamp: '2026-11-22T11:00:00.000Z',
      userAgent: 'Mailbox provider',
      complaintFeedbackType: 'abuse',
      arrivalDate: '2026-11-22T10:30:00.000Z',
    },
    mail: mailTo([address]),
  });
}

function arrival(address: string, timestamp: string, mail?: string): string {
  return fromBus('Email Delivered', {
    eventType: 'Delivery',
    delivery: {
      timestamp,
      processingTimeMillis: 1080,
      recipients: [address],
      smtpResponse: '250 2.6.0 Message received',
      remoteMtaIp: '192.0.2.2',
      reportingMTA: 'a4-1.smtp-out.amazonses.com',
    },
    mail: mailTo([address], 'PK-7', mail),
  });
}

/** The incidents of the cluster as its next pass leaves them: nothing else is wrong. */
async function nextPass(
  alerts = alertsTo(['On-Call@example.com', 'team@example.com']),
  cluster = 'prod',
): Promise<readonly string[]> {
  const stored = await incidents().load(cluster);
  const input = {
    cluster,
    troubles: [],
    incidents: stored,
    unseen: () => undefined,
    policy: defaultPolicy.alerting,
  };
  const { changes } = settle({ ...input, alerts, now: new Date(), numbers: [] });
  return changes.filter(({ incident }) => incident.key.kind === 'notify-failing').map(({ incident }) => incident.state);
}

describe('the deployed send-alerts hears of its mail', () => {
  it('[C-6] [N-18] a bounce ends in an incident of the target: which address, why, and what to do; repeated, in one', async () => {
    await incidents().save(anIncident({ deliveries: { mailbox: aDelivery({ announced: true }) } }));

    const answers = [];
    for (let count = 0; count < 2; count += 1)
      answers.push(await sendAlerts(queueEvent([bounce('on-call@example.com')]), lambdaContext()));
    const due = aws.sent.get(alertQueue) ?? [];
    await sendAlerts(queueEvent(due), lambdaContext());

    expect(answers).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
    expect((await incidents().loadOne(failing))?.trouble).toMatchObject({
      severity: 'high',
      headline: 'alert mail comes back from on-call@example.com: smtp; 550 5.1.1 user unknown (permanent, General)',
      findings: [{ code: 'M3', subject: { kind: 'AlertTarget', name: expect.stringMatching(/^mailbox\/.*@/) } }],
    });
    const parents = slack.messages.filter(({ thread }) => thread === undefined).map(wordsOf);
    expect(parents).toEqual([
      expect.stringContaining('Correct the address in alert target mailbox of poolkeeper.yaml'),
    ]);
    expect(parents[0]).toContain('aws sesv2 delete-suppressed-destination --email-address on-call@example.com');
    expect(await nextPass()).not.toContain('resolving');
    // The other address of the target is told by mail, tagged so that its own return would be known.
    expect(aws.mails).toMatchObject([
      {
        ConfigurationSetName: 'poolkeeper-test',
        EmailTags: [{ Name: 'poolkeeper_delivery' }, { Name: 'poolkeeper_incident', Value: 'PK-1' }],
      },
    ]);
  });

  it('[N-18] an earlier arrival ends nothing; a later one at the same address ends it with the next pass', async () => {
    await sendAlerts(queueEvent([arrival('on-call@example.com', '2026-11-22T09:00:00.000Z')]), lambdaContext());
    expect(await nextPass()).not.toContain('resolving');
    await sendAlerts(queueEvent([arrival('team@example.com', '2026-11-22T12:00:00.000Z')]), lambdaContext());
    expect(await nextPass()).not.toContain('resolving');

    await sendAlerts(queueEvent([arrival('ON-CALL@example.com', '2026-11-22T12:00:00.000Z')]), lambdaContext());

    expect(await nextPass()).toContain('resolving');
  });

  it('[N-18] a complaint names who complained; it is over when the address is no longer configured', async () => {
    await sendAlerts(queueEvent([complaint('team@example.com')]), lambdaContext());

    expect((await incidents().loadOne(failing))?.trouble?.headline).toBe(
      'alert mail reported as spam by team@example.com',
    );
    expect(await nextPass()).not.toContain('resolving');
    expect(await nextPass(alertsTo(['on-call@example.com']))).toContain('resolving');
  });

  it('[N-18] what is about nobody of ours is logged and is no failure; what is no event of SES is', async () => {
    const strange = await sendAlerts(queueEvent([bounce('somebody@example.org')]), lambdaContext());
    const unknown = await sendAlerts(queueEvent([bounce('on-call@example.com', 'PK-9999')]), lambdaContext());
    const broken = await sendAlerts(queueEvent([fromBus('Email Opened', { eventType: 'Open' })]), lambdaContext());

    expect([strange, unknown]).toEqual([{ batchItemFailures: [] }, { batchItemFailures: [] }]);
    expect(writtenOut()).toContain('mail came back from an address that is no target');
    expect(broken.batchItemFailures).toHaveLength(1);
  });
});

describe('a bounce that is not final', () => {
  beforeAll(async () => {
    for (const number of [8, 9]) {
      const key = { cluster: 'away', pool: `pool-${number}`, kind: 'drain-blocked' } as const;
      await incidents().save(anIncident({ key, number, deliveries: { reader: aDelivery({ announced: true }) } }));
    }
  });

  async function hear(...events: readonly string[]) {
    for (const event of events)
      expect(await sendAlerts(queueEvent([event]), lambdaContext())).toEqual({ batchItemFailures: [] });
    return (await incidents().loadOne(failingAway))?.trouble;
  }
  const noon = (minutes: number) => `2026-11-22T12:${String(minutes).padStart(2, '0')}:00.000Z`;
  const bounced = (minute: number, mail: string, incident = 'PK-8') =>
    softBounce(reader, { at: noon(minute), mail, incident });
  const arrived = (minute: number, mail: string) => arrival(reader, noon(minute), mail);

  it('[N-18] is an automatic reply where the mail arrived, before or after: nobody is told, however many mails', async () => {
    const due = aws.sent.get(alertQueue)?.length;

    const told = await hear(
      // EventBridge keeps no order.
      ...[bounced(2, 'm1'), arrived(1, 'm1'), bounced(3, 'm2')],
      ...[arrived(4, 'm3'), bounced(5, 'm3'), bounced(5, 'm3')],
      ...[arrived(6, 'm4'), bounced(7, 'm4', 'PK-9')],
      ...[arrived(8, 'm5'), bounced(9, 'm5')],
    );

    expect(told).toBeUndefined();
    expect(aws.sent.get(alertQueue)).toHaveLength(due ?? -1);
    expect(writtenOut()).not.toContain('AlertsRefused');
  });

  it('[C-6] [N-18] is told from the second in a row on, as likely, and with nothing to take off a list', async () => {
    const once = await hear(arrived(10, 'm6'), bounced(12, 'm7'), bounced(12, 'm7'));
    const twice = await hear(bounced(14, 'm8', 'PK-9'));

    expect(once).toBeUndefined();
    expect(twice).toMatchObject({
      severity: 'warning',
      headline: 'alert mail comes back from reader@example.com: transient, General',
      findings: [
        {
          code: 'M3',
          confidence: 'likely',
          sentence: 'The last 2 mails to reader@example.com came back, and may not have arrived: transient, General.',
        },
      ],
    });
    expect(JSON.stringify(twice?.findings)).not.toContain('delete-suppressed-destination');
    expect(writtenOut()).toContain('AlertsRefused');
    expect(await nextPass(undefined, 'away')).not.toContain('resolving');
  });

  it('[N-18] is over once the last of them turns out to have arrived, as an automatic reply that is heard of first', async () => {
    await hear(arrived(13, 'm8'));

    expect(await nextPass(undefined, 'away')).toContain('resolving');
  });

  it('[N-18] gives way to one that is final, and does not take its place', async () => {
    const final = await hear(bounce(reader, 'PK-8'));
    const after = await hear(bounced(30, 'm9'), bounced(31, 'm10', 'PK-9'));

    for (const told of [final, after])
      expect(told).toMatchObject({ severity: 'high', findings: [{ confidence: 'certain' }] });
    expect(JSON.stringify(after?.findings)).toContain('delete-suppressed-destination');
  });
});

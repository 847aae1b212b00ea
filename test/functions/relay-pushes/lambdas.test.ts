import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebhookDue } from '../../../events/index.ts';
import { handler as receiveGithub } from '../../../functions/receive-github/lambda.ts';
import { handler as relayPushes } from '../../../functions/relay-pushes/lambda.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { fc } from '../../property.ts';
import { type FakeAws, startFakeAws } from '../fake-aws.ts';
import { enterLambda, leaveLambda } from '../lambda-environment.ts';
import { apiEvent, githubHeaders, lambdaContext, queueEvent } from '../receiving.ts';
import { type ArgocdStandIn, pushBody, startArgocdStandIn, webhookSecret } from './relay-lab.ts';

let aws: FakeAws;
let table: EmbeddedTable;
let folder = '';
let relayQueue = '';
let argocd: ArgocdStandIn;

beforeAll(async () => {
  aws = await startFakeAws({ 'arn:github': [webhookSecret] });
  table = await startEmbeddedTable();
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-relay-'));
  argocd = await startArgocdStandIn(() => ({ wasConfirmed: false, wasPaused: false, at: new Date() }));
  const relay = { url: `${argocd.url}/api/webhook`, waitAtMostSeconds: 30, sendAgainAfterSeconds: 30 };
  const hub = { name: 'hub', cluster: 'prod', namespaces: ['argocd'], controllerNamespace: 'argocd', destinations: [] };
  const configuration = { clusters: [], argocd: [{ ...hub, relay }], alerts: { targets: [] } };
  await writeFile(join(folder, 'poolkeeper.json'), JSON.stringify(configuration));
  relayQueue = `${aws.env['AWS_ENDPOINT_URL']}/000000000000/relay`;
});
afterAll(async () => {
  await argocd.stop();
  await aws.close();
  await table.stop();
  await rm(folder, { recursive: true });
});

beforeEach(async () => {
  enterLambda({
    ...aws.env,
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    POOLKEEPER_STAGE: 'test',
    POOLKEEPER_CONFIG: join(folder, 'poolkeeper.json'),
    WORK_QUEUE_URL: `${aws.env['AWS_ENDPOINT_URL']}/000000000000/work`,
    RELAY_QUEUE_URL: relayQueue,
    TABLE_NAME: table.table,
    BUS_NAME: 'poolkeeper',
    GITHUB_SECRET_ARN: 'arn:github',
  });
});
afterEach(leaveLambda);

async function deliver(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  return (await receiveGithub(apiEvent({ path: '/github', headers, body }), lambdaContext())).statusCode;
}

const sentToRelay = () => aws.sent.get(relayQueue) ?? [];
const sentToWork = () => aws.sent.get(`${aws.env['AWS_ENDPOINT_URL']}/000000000000/work`) ?? [];

/** Everything that waits on the relay queue from here on reaches the deployed function, also what that puts there. */
async function relayed(from: number, rounds: number): Promise<readonly number[]> {
  const failures: number[] = [];
  let next = from;
  for (let round = 0; round < rounds; round += 1) {
    const batch = sentToRelay().slice(next);
    next += batch.length;
    const answer = await relayPushes(queueEvent(batch), lambdaContext());
    failures.push(answer.batchItemFailures.length);
  }
  return failures;
}

describe('the deployed receive-github and relay-pushes', () => {
  it('[N-26] pass on the very bytes that GitHub signed, whatever stands in them', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(text, fc.boolean(), async (message, isBase64) => {
        // Neither a branch nor a tag, so that it waits for no pass, and is not UTF-16 that no UTF-8 spells.
        const body = pushBody({ ref: 'refs/notes/commits' }, message.toWellFormed());
        const headers = await githubHeaders({
          body,
          secret: webhookSecret,
          headers: { 'x-github-delivery': randomUUID(), 'x-gitlab-event': 'Push Hook', authorization: 'Basic canary' },
        });
        const [before, got] = [sentToRelay().length, argocd.got.length];

        const status = await deliver(isBase64 ? Buffer.from(body) : body, headers);
        const failures = await relayed(before, 3);

        expect([status, ...failures]).toEqual([202, 0, 0, 0]);
        const received = argocd.got.slice(got);
        expect(received).toHaveLength(2);
        for (const { bytes } of received) expect(bytes.equals(Buffer.from(body))).toBe(true);
        expect(received[0]?.headers['x-hub-signature-256']).toBe(headers['x-hub-signature-256']);
        expect(received[0]?.headers).not.toHaveProperty('x-gitlab-event');
        expect(received[0]?.headers).not.toHaveProperty('authorization');
      }),
      { numRuns: 20 },
    );
    expect(sentToRelay().join()).not.toContain('canary');
  });

  it('[N-26] a push that waits is not sent, and comes again by a message of its own', async () => {
    const body = pushBody();
    const headers = await githubHeaders({ body, secret: webhookSecret, headers: { 'x-github-delivery': 'd-waits' } });
    const before = sentToRelay().length;

    await deliver(body, headers);
    const failures = await relayed(before, 3);

    const sent = sentToRelay()
      .slice(before)
      .map((message) => WebhookDue.parse(JSON.parse(message)).data);
    const messages = sent.map(({ to }) => to);
    const waiting = { argocd: 'hub', endpoint: 'applications', round: 1 };
    expect(failures).toEqual([0, 0, 0]);
    expect(messages).toEqual([undefined, waiting, waiting, waiting]);
    expect(new Set(sent.map(({ repository }) => repository))).toEqual(new Set(['acme/platform']));
  });

  it('[N-26] [N-30] messages say whose push it is, also of an event that nobody reads, so that repositories take turns', async () => {
    const body = JSON.stringify({ action: 'closed', repository: { full_name: 'acme/shop' } });
    const [before, got] = [sentToRelay().length, argocd.got.length];

    for (const [event, bytes] of [
      ['pull_request', body],
      ['push', 'no JSON'],
    ] as const) {
      const own = { 'x-github-delivery': `d-whose-${event}`, 'x-github-event': event };
      await deliver(bytes, await githubHeaders({ body: bytes, secret: webhookSecret, headers: own }));
    }

    const messages = sentToRelay().slice(before);
    expect(messages.map((message) => WebhookDue.parse(JSON.parse(message)).data.repository)).toEqual([
      'acme/shop',
      undefined,
    ]);
    expect(argocd.got).toHaveLength(got);
  });

  it('[N-26] a message that is none fails alone, and so does an Argo CD that is not there', async () => {
    const body = pushBody({ ref: 'refs/notes/commits' });
    const headers = await githubHeaders({ body, secret: webhookSecret, headers: { 'x-github-delivery': 'd-down' } });
    await deliver(body, headers);
    const good = WebhookDue.parse(JSON.parse(sentToRelay().at(-1) ?? ''));
    argocd.answer = 'down';
    const unreachable = {
      ...good,
      data: {
        ...good.data,
        to: { argocd: 'hub', endpoint: 'applications', round: 1 },
      },
    };

    const answer = await relayPushes(
      queueEvent(['{"type":"x"}', JSON.stringify(unreachable), JSON.stringify(good)]),
      lambdaContext(),
    );

    argocd.answer = undefined;
    expect(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(['message-0', 'message-1']);
  });

  it('[N-26] a push too large for a message is paused for and told, not passed on', async () => {
    // Does not shrink.
    const noise = Array.from({ length: 100_000 }, () => randomUUID()).join('');
    const body = pushBody({}, noise);
    const headers = await githubHeaders({ body, secret: webhookSecret, headers: { 'x-github-delivery': 'd-large' } });
    const [before, workBefore] = [sentToRelay().length, sentToWork().length];

    const status = await deliver(body, headers);

    expect(status).toBe(202);
    expect(sentToRelay()).toHaveLength(before);
    expect(sentToWork()).toHaveLength(workBefore + 1);
  });

  it('[N-26] a relay queue that is down costs no pause: the work queue had the push first, and GitHub sees a failure', async () => {
    const body = pushBody();
    const headers = await githubHeaders({ body, secret: webhookSecret, headers: { 'x-github-delivery': 'd-503' } });
    aws.breakQueues('relay');
    const workBefore = sentToWork().length;

    const status = await deliver(body, headers);

    expect(status).toBe(503);
    expect(sentToWork()).toHaveLength(workBefore + 1);
  });
});

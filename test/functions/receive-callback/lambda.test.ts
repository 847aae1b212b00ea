import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dynamoRuleCallbacks } from '../../../functions/adapters/aws/dynamo-rule-callbacks.ts';
import { openTable } from '../../../functions/adapters/aws/table.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { newCallback } from '../../../functions/core/node-turns/rule-callback.ts';
import type { RuleCallbacks } from '../../../functions/ports/tables.ts';
import { handler } from '../../../functions/receive-callback/lambda.ts';
import { receiveCallback } from '../../../functions/receive-callback/receive-callback.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { startLocalServer } from '../../../local/run/local-server.ts';
import { fakeIds, fakeLogger, fakeMetrics } from '../../fakes/index.ts';
import { type FakeAws, startFakeAws } from '../fake-aws.ts';
import { enterLambda, leaveLambda, writtenOut } from '../lambda-environment.ts';
import { apiEvent, lambdaContext } from '../receiving.ts';

let aws: FakeAws;
let table: EmbeddedTable;
let callbacks: RuleCallbacks;
const { clock, newId } = systemRuntime;

beforeAll(async () => {
  aws = await startFakeAws({});
  table = await startEmbeddedTable();
  callbacks = dynamoRuleCallbacks(openTable({ client: table.client, table: table.table, clock, newId }), newId);
});
afterAll(async () => {
  await aws.close();
  await table.stop();
});

beforeEach(() => {
  enterLambda({
    ...aws.env,
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    POOLKEEPER_STAGE: 'test',
    TABLE_NAME: table.table,
  });
});
afterEach(leaveLambda);

/** An event that was posted, and its token. */
async function opened(id: string): Promise<string> {
  const token = callbacks.newToken();
  await callbacks.save(newCallback(id, token, 3_600, clock()));
  return token;
}

const bytes = Buffer.from('{"status": "succeeded", "message": "wörker-1 may go"}');

/** As an HTTP API hands over a body without a content type. */
function callbackEvent(id: string, token: string): APIGatewayProxyEventV2 {
  const headers = { authorization: `Bearer ${token}`, 'content-length': String(bytes.length) };
  return { ...apiEvent({ path: `/callbacks/${id}`, headers }), body: bytes.toString('base64'), isBase64Encoded: true };
}

describe('[S4-30] the exported handler, over a table that is kept', () => {
  it('takes the bytes of a callback once, and no other token; neither stands in what is written out', async () => {
    const token = await opened('00000000000000aa');
    const other = await opened('00000000000000bb');

    const answers = [];
    for (const by of [other, token, token])
      answers.push(await handler(callbackEvent('00000000000000aa', by), lambdaContext()));

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 200, 200]);
    expect(answers.map(({ body = '' }) => (JSON.parse(body) as { recorded?: boolean }).recorded)).toEqual([
      undefined,
      true,
      false,
    ]);
    expect((await callbacks.load('00000000000000aa'))?.answer).toMatchObject({
      status: 'succeeded',
      message: 'wörker-1 may go',
    });
    expect((await callbacks.load('00000000000000bb'))?.answer).toBeUndefined();
    expect(writtenOut()).not.toContain(token);
  });
});

describe('[S4-30] the local server', () => {
  it('takes the bytes of a callback that comes in pieces', async () => {
    const token = await opened('00000000000000cc');
    const ports = { callbacks, clock, newId: fakeIds(), logger: fakeLogger(), metrics: fakeMetrics() };
    const server = await startLocalServer({ '* /callbacks/{proxy+}': receiveCallback(ports) }, 0);
    const { host, hostname, port } = new URL(server.url);
    const head = `POST /callbacks/00000000000000cc HTTP/1.1\r\nauthorization: Bearer ${token}\r\nhost: ${host}\r\nconnection: close\r\ncontent-length: ${bytes.length}\r\n\r\n`;

    const socket = connect(Number(port), hostname);
    for (const piece of (head + bytes.toString('latin1')).match(/[\s\S]{1,9}/g) ?? []) socket.write(piece, 'latin1');
    const answered = await text(socket);
    await server.stop();

    expect(answered).toMatch(/^HTTP\/1\.1 200 /);
    expect((await callbacks.load('00000000000000cc'))?.answer?.message).toBe('wörker-1 may go');
  });
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { handler } from '../../../functions/fleet-lock/lambda.ts';
import { type EmbeddedTable, startEmbeddedTable } from '../../../local/run/embedded-table.ts';
import { startLocalServer } from '../../../local/run/local-server.ts';
import { type FakeAws, startFakeAws } from '../fake-aws.ts';
import { enterLambda, leaveLambda, writtenOut } from '../lambda-environment.ts';
import { apiEvent, lambdaContext } from '../receiving.ts';
import { fleetLockLab, zincatiBody } from './fleet-lock-lab.ts';

let aws: FakeAws;
let table: EmbeddedTable;
let folder = '';

beforeAll(async () => {
  aws = await startFakeAws({ 'poolkeeper/fleet-lock': ['group-token'] });
  table = await startEmbeddedTable();
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-locks-'));
  const group = { slots: 1, tokenSecret: 'poolkeeper/fleet-lock', expectedWithinSeconds: 3600, windows: [] };
  const fleetLock = { windows: [], groups: { default: group } };
  const configuration = { clusters: [], argocd: [], alerts: { targets: [] }, fleetLock };
  await writeFile(join(folder, 'poolkeeper.json'), JSON.stringify(configuration));
});
afterAll(async () => {
  await aws.close();
  await table.stop();
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  enterLambda({
    ...aws.env,
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    POOLKEEPER_STAGE: 'test',
    POOLKEEPER_CONFIG: join(folder, 'poolkeeper.json'),
    TABLE_NAME: table.table,
  });
});
afterEach(leaveLambda);

/** As an HTTP API hands over what Zincati sends: a body without a content type is no text for it. */
function zincatiEvent(step: string, id: string): APIGatewayProxyEventV2 {
  const body = zincatiBody(id);
  return {
    ...apiEvent({
      path: `/fleet-lock/group-token/v1/${step}`,
      headers: { accept: '*/*', 'content-length': String(body.length), 'Fleet-Lock-Protocol': 'true' },
    }),
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  };
}

async function ask(step: string, id: string) {
  const { statusCode, body = '' } = await handler(zincatiEvent(step, id), lambdaContext());
  return { statusCode, body: JSON.parse(body) as unknown };
}

describe('[N-25] the exported handler, over a table that is kept', () => {
  it('goes through the life of an update: unlock at boot, lock, refusal of the next, unlock, lock of the next', async () => {
    const course = [
      await ask('steady-state', 'one'),
      await ask('pre-reboot', 'one'),
      await ask('pre-reboot', 'two'),
      await ask('pre-reboot', 'one'),
      await ask('steady-state', 'two'),
      await ask('steady-state', 'one'),
      await ask('pre-reboot', 'two'),
    ];

    expect(course.map(({ statusCode }) => statusCode)).toEqual([200, 200, 423, 200, 200, 200, 200]);
    expect(course[2]?.body).toEqual({ kind: 'lock_held', value: expect.stringContaining('one since') });
    expect(course[0]?.body).toEqual({});
    expect(writtenOut()).not.toContain('group-token');
  });
});

describe('[N-25] the local server', () => {
  it.each([
    ['a whole request', (bytes: string) => [bytes]],
    ['a request that comes in pieces', (bytes: string) => bytes.match(/[\s\S]{1,7}/g) ?? []],
  ])('takes the bytes of a client: %s', async (_, cut) => {
    const lab = fleetLockLab();
    const server = await startLocalServer({ '* /fleet-lock/{proxy+}': lab.handle }, 0);
    const body = zincatiBody('one');
    const { host, hostname, port } = new URL(server.url);
    const head = `POST /fleet-lock/group-token/v1/pre-reboot HTTP/1.1\r\nfleet-lock-protocol: true\r\naccept: */*\r\nhost: ${host}\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`;

    const socket = connect(Number(port), hostname);
    for (const piece of cut(head + body)) socket.write(piece);
    const answered = await text(socket);
    await server.stop();

    expect(answered).toMatch(/^HTTP\/1\.1 200 /);
    expect(await lab.held()).toEqual(['one']);
  });

  it('has nothing beside the paths of the protocol', async () => {
    const server = await startLocalServer({ '* /fleet-lock/{proxy+}': fleetLockLab().handle }, 0);

    const answers = await Promise.all(['/fleet-lock', '/fleet-lockx/a'].map((path) => fetch(server.url + path)));
    await server.stop();

    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  });
});

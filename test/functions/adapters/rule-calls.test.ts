import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ruleCalls } from '../../../functions/adapters/tickets/rule-calls.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { TurnHttp } from '../../../functions/core/configuration/turn-http.ts';
import { ruleEvent } from '../../../functions/core/node-turns/rule-call.ts';
import { fakeSecrets } from '../receiving.ts';
import { type StubReply, startStub } from './stub-server.ts';

const event = ruleEvent(
  { run: 'upgrade', round: '1-b', node: 'wörker-1', rule: 'ops/change', part: 'before', attempt: 1 },
  { cluster: 'prod', pool: 'worker', targetConfig: 'rendered-worker-b' },
);

function calls(secrets: Readonly<Record<string, readonly string[]>> = {}) {
  return ruleCalls({ secrets: fakeSecrets(secrets), deadline: systemRuntime.deadline });
}

function http(change: object = {}) {
  return TurnHttp.parse({ internalNetworks: ['127.0.0.0/8'], timeoutSeconds: 1, ...change });
}

async function server(reply: StubReply) {
  const stub = await startStub(() => reply);
  return { stub, url: `${stub.url}/nodes` };
}

describe('[S4-30] a rule of type http', () => {
  test('posts the event once, signed over its bytes, with the secret in its header', async () => {
    const { stub, url } = await server({ status: 202, body: { state: 'waits' } });
    const rule = http({ headerSecret: 'ops/token', signingSecret: 'ops/key' });

    const answer = await calls({ 'ops/token': ['Bearer abc\n'], 'ops/key': ['key\n'] }).post(rule, url, event);

    const body = JSON.stringify(event);
    expect(answer).toEqual({ kind: 'answered', status: 202, said: '{"state":"waits"}' });
    expect(stub.seen).toMatchObject([{ method: 'POST', path: '/nodes', body }]);
    expect(stub.seen[0]?.headers).toMatchObject({
      'content-type': 'application/cloudevents+json; charset=utf-8',
      authorization: 'Bearer abc',
      'x-poolkeeper-signature-256': `sha256=${createHmac('sha256', 'key').update(body).digest('hex')}`,
    });
  });

  test('follows no redirect', async () => {
    const other = await server({ status: 200 });
    const { url } = await server({ status: 307, headers: { location: other.url } });

    expect(await calls().post(http(), url, event)).toMatchObject({ kind: 'answered', status: 307 });
    expect(other.stub.seen).toEqual([]);
  });

  test('calls no internal address that is not listed, and none without its secret', async () => {
    const { stub, url } = await server({ status: 200 });

    expect(await calls().post(http({ internalNetworks: [] }), url, event)).toEqual({
      kind: 'refused',
      why: 'its address is internal, and no network in internalNetworks',
    });
    expect(await calls({ 'ops/key': [''] }).post(http({ signingSecret: 'ops/key' }), url, event)).toEqual({
      kind: 'refused',
      why: 'the signing secret is not set',
    });
    expect(stub.seen).toEqual([]);
  });

  test('waits for who does not answer', async () => {
    for (const reply of ['hang', 'stall', 'cut'] as const) {
      const { url } = await server(reply);

      expect(await calls().post(http(), url, event)).toMatchObject({ kind: 'silent' });
    }
  });

  test.each([
    'http://changes.example.com',
    'https://u:p@example.com',
    'https://169.254.169.254/latest',
    'ftp://x',
    'x',
  ])('is never %s', (url) => {
    expect(TurnHttp.safeParse({ url }).success).toBe(false);
  });
});

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ruleFunctions } from '../../../functions/adapters/aws/rule-functions.ts';
import { signedHeaders } from '../../../functions/adapters/aws/signed-headers.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { RuleEvent } from '../../../functions/core/node-turns/rule-call.ts';
import { judgeInvocation } from '../../../functions/core/node-turns/rule-invocation.ts';

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: 'session',
};
const arn = 'arn:aws:lambda:eu-west-1:111122223333:function:take-note:live';
const at = new Date('2026-11-22T10:00:00Z');
const event: RuleEvent = {
  specversion: '1.0',
  id: 'an-id',
  source: '/poolkeeper/prod/runs/upgrade',
  type: 'poolkeeper.turn.before.v1',
  datacontenttype: 'application/json',
  data: { node: 'worker-1' },
};

interface Asked {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A Lambda on loopback that answers like this; 0: never. */
async function lambda(status: number, body = '', headers: Readonly<Record<string, string>> = {}) {
  const asked: Asked[] = [];
  const regions: string[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += String(part);
    asked.push({ path: request.url, headers: request.headers, body: text });
    if (status > 0) response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const functions = ruleFunctions({
    credentials: async () => credentials,
    region: async () => 'eu-central-1',
    clock: () => at,
    // Nobody waits for what never answers.
    deadline: status > 0 ? systemRuntime.deadline : () => AbortSignal.abort(),
    endpoint: (region) => {
      regions.push(region);
      return `http://127.0.0.1:${port}`;
    },
  });
  return { functions, asked, regions };
}

describe('functions of rules of type lambda', () => {
  it('[S4-26] are signed as AWS asks for', () => {
    const url = new URL(
      `https://lambda.eu-west-1.amazonaws.com/2015-03-31/functions/${encodeURIComponent(arn)}/invocations`,
    );
    const headers = { 'content-type': 'application/json', 'x-amz-invocation-type': 'RequestResponse' };

    const signed = signedHeaders({
      ...{ url, headers, credentials, at },
      ...{ body: '{"id":"ü"}', region: 'eu-west-1', service: 'lambda' },
    });

    // As the signer of the AWS SDK has it.
    expect(signed.authorization).toMatch(/Signature=2412d13cd391a340e213bf00ffba987fbcb6f44227a2e5c7cc653dc95438f091$/);
  });

  it('[S4-26] are invoked with the event, in the region that they name', async () => {
    const { functions, asked, regions } = await lambda(200, '{"status":"pending"}');

    expect(await functions.invoke(arn, 5, event)).toEqual({ kind: 'returned', text: '{"status":"pending"}' });
    await functions.invoke('take-note', 5, event);
    expect(regions).toEqual(['eu-west-1', 'eu-central-1']);
    expect(asked.map(({ path }) => path)).toEqual([
      `/2015-03-31/functions/${encodeURIComponent(arn)}/invocations`,
      '/2015-03-31/functions/take-note/invocations',
    ]);
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual(event);
    expect(asked[0]?.headers).toMatchObject({
      'x-amz-invocation-type': 'RequestResponse',
      'x-amz-security-token': 'session',
      authorization: expect.stringContaining('/eu-west-1/lambda/aws4_request'),
    });
  });

  it.each([
    { status: 200, headers: { 'x-amz-function-error': 'Unhandled' }, kind: 'threw' },
    { status: 403, headers: {}, kind: 'denied' },
    { status: 404, headers: {}, kind: 'denied' },
    { status: 429, headers: {}, kind: 'silent' },
    { status: 503, headers: {}, kind: 'silent' },
    { status: 0, headers: {}, kind: 'silent' },
  ])('[S4-26] answer $status $headers is $kind', async ({ status, headers, kind }) => {
    const { functions } = await lambda(status, '{"errorMessage":"no"}', headers);

    expect((await functions.invoke('take-note', 1, event)).kind).toBe(kind);
  });

  it.each([
    ['quotes a token', 'said {"token":"abc-123"}'],
    ['quotes the beginning of a key', 'said -----BEGIN RSA PRIVATE KEY-----'],
    ['ends in a data URL', 'see data:,x'],
  ])('[S4-26] [N-30] a refusal that %s stays a refusal', async (_, message) => {
    const { functions } = await lambda(200, JSON.stringify({ message, status: 'failed' }));

    const seen = judgeInvocation(await functions.invoke('take-note', 5, event));

    expect(seen.kind).toBe('failed');
    expect(JSON.stringify(seen)).not.toContain('abc-123');
  });

  it('[S4-26] [N-30] an answer that is too long to be read is none', async () => {
    const { functions } = await lambda(200, JSON.stringify({ message: 'x'.repeat(300_000), status: 'failed' }));

    expect(judgeInvocation(await functions.invoke('take-note', 5, event)).kind).toBe('refused');
  });
});

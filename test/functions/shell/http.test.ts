import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { BadInput, Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { answering, type Reply, requestIdHeader } from '../../../functions/shell/answer.ts';
import type { WebRequest } from '../../../functions/shell/exchange.ts';
import { httpFunction } from '../../../functions/shell/http.ts';
import { fakeIds, fakeLogger, fakeMetrics } from '../../fakes/index.ts';
import { apiEvent, bytesOf, fakeTelemetry, lambdaContext } from '../receiving.ts';

const hostile = 'größe 日本 🚀 \u{feff}"\\';

/** The request that the handler of a function gets for this event. */
async function requestOf(event: APIGatewayProxyEventV2): Promise<WebRequest> {
  const seen: WebRequest[] = [];
  const build = async () => async (request: WebRequest) => {
    seen.push(request);
    return new Response('{}');
  };
  await httpFunction({ telemetry: fakeTelemetry(), build })(event, lambdaContext());
  const [request] = seen;
  if (request === undefined) throw new Error('the handler was not asked');
  return request;
}

/** What a function hands to API Gateway for this response of its handler. */
function resultOf(response: Response): Promise<APIGatewayProxyStructuredResultV2> {
  const build = async () => async () => response;
  return httpFunction({ telemetry: fakeTelemetry(), build })(apiEvent({ path: '/github' }), lambdaContext());
}

describe('an event of the HTTP API', () => {
  it('becomes the request that was sent', async () => {
    const request = await requestOf(
      apiEvent({ path: '/cluster', query: 'cluster=a%20b&token=t', headers: { 'x-one': '1' }, body: hostile }),
    );

    expect(request.method).toBe('POST');
    expect(request.url).toBe('https://api.execute-api.us-east-1.amazonaws.com/cluster?cluster=a%20b&token=t');
    expect(request.headers.get('x-one')).toBe('1');
    expect(await bytesOf(request)).toEqual(Buffer.from(hostile));
  });

  it('keeps every byte of a body that comes as base64', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_each, index) => index);

    const request = await requestOf(apiEvent({ path: '/github', body: bytes }));

    expect(new Uint8Array(await bytesOf(request))).toEqual(bytes);
  });

  it('has the request id of API Gateway, whatever the caller claims', async () => {
    const request = await requestOf(apiEvent({ path: '/github', headers: { [requestIdHeader]: 'forged' } }));

    expect(request.headers.get(requestIdHeader)).toBe('JKJaXmPLvHcESHA=');
  });

  it.each(['TRACE', 'TRACK', 'CONNECT'])('[C-1] %s is refused with the methods that are allowed', async (method) => {
    const telemetry = fakeTelemetry();
    const { logger, metrics } = telemetry;
    const build = async () =>
      answering({ methods: ['POST'], logger, metrics, newId: fakeIds() }, async () => ({ status: 200, reason: 'ok' }));

    const result = await httpFunction({ telemetry, build })(apiEvent({ method, path: '/github' }), lambdaContext());

    expect(result).toMatchObject({ statusCode: 405, headers: { allow: 'POST' } });
  });

  it('cannot be moved to another host by its path', async () => {
    const request = await requestOf(apiEvent({ method: 'GET', path: '//evil.example.com/status' }));

    expect(new URL(request.url).host).toBe('api.execute-api.us-east-1.amazonaws.com');
  });
});

describe('a response', () => {
  it.each(['text/html; charset=utf-8', 'application/json', 'image/svg+xml'])('of %s goes out as text', async (type) => {
    const result = await resultOf(new Response(hostile, { status: 201, headers: { 'content-type': type } }));

    expect(result).toEqual({
      statusCode: 201,
      headers: { 'content-type': type },
      body: hostile,
      isBase64Encoded: false,
    });
  });

  it('of anything else goes out as base64', async () => {
    const result = await resultOf(
      new Response(Uint8Array.of(0, 255), { headers: { 'content-type': 'application/octet-stream' } }),
    );

    expect(result).toMatchObject({ body: 'AP8=', isBase64Encoded: true });
  });

  it('[N-35] of text that is packed goes out as base64', async () => {
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    const result = await resultOf(new Response(Uint8Array.of(0, 255), { headers }));

    expect(result).toMatchObject({ body: 'AP8=', isBase64Encoded: true, headers });
  });
});

describe('an HTTP function', () => {
  it('is built once, with the first request', async () => {
    const build = vi.fn(async () => async () => new Response('{}'));
    const handler = httpFunction({ telemetry: fakeTelemetry(), build });

    await handler(apiEvent({ path: '/github' }), lambdaContext());
    await handler(apiEvent({ path: '/github' }), lambdaContext());

    expect(build).toHaveBeenCalledTimes(1);
  });

  it('answers 500 with the request id when it cannot be built, says why in the log, and tries again', async () => {
    const telemetry = fakeTelemetry();
    const build = vi
      .fn(async () => async () => new Response('{}', { status: 202 }))
      .mockRejectedValueOnce(new Misconfigured(['environment variable WORK_QUEUE_URL is missing']));
    const handler = httpFunction({ telemetry, build });

    const first = await handler(apiEvent({ path: '/github' }), lambdaContext());
    const second = await handler(apiEvent({ path: '/github' }), lambdaContext());

    expect(first.statusCode).toBe(500);
    expect(JSON.parse(first.body ?? '')).toEqual({
      reason: 'internal error',
      requestId: 'JKJaXmPLvHcESHA=',
    });
    expect(telemetry.logger.lines).toContainEqual(
      expect.objectContaining({ level: 'error', fields: expect.objectContaining({ requestId: 'JKJaXmPLvHcESHA=' }) }),
    );
    expect(telemetry.metrics.counts).toEqual({ RequestsFailed: 1 });
    expect(second.statusCode).toBe(202);
    expect(telemetry.flushes).toBe(2);
  });
});

describe('an answer', () => {
  async function answer(reply: Reply | Error, headers: Readonly<Record<string, string>> = {}) {
    const logger = fakeLogger();
    const metrics = fakeMetrics();
    const handle = answering({ newId: fakeIds(), methods: ['GET', 'POST'], logger, metrics }, async () => {
      if (reply instanceof Error) throw reply;
      return reply;
    });
    const response = await handle(new Request('https://poolkeeper.example.com/x?token=hidden', { headers }));
    return { response, body: await response.json(), lines: logger.lines, counts: metrics.counts };
  }

  it('always has a reason and the request id, in body and header', async () => {
    const { response, body, counts } = await answer({ status: 200, reason: 'pong' }, { [requestIdHeader]: 'abc=' });

    expect(body).toEqual({ reason: 'pong', requestId: 'abc=' });
    expect(response.headers.get(requestIdHeader)).toBe('abc=');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(counts).toEqual({ RequestsAnswered: 1 });
  });

  it('gets an id of its own when the shell gave none that is fit to print', async () => {
    const { body } = await answer({ status: 200, reason: 'pong' }, { [requestIdHeader]: 'a b<script>' });

    expect(body).toMatchObject({ requestId: 'id-1' });
  });

  it.each([
    ['BadInput', new BadInput('header X is missing', { status: 422 }), 422, 'header X is missing', 'RequestsRefused'],
    ['BadInput 401', new BadInput('no', { status: 401 }), 401, 'no', 'RequestsUnauthorized'],
    ['Transient', new Transient('10.0.0.1 timed out'), 503, 'temporarily unavailable, try again', 'RequestsFailed'],
    ['Misconfigured', new Misconfigured(['no X']), 500, 'internal error', 'RequestsFailed'],
    ['a defect', new TypeError('undefined.foo'), 500, 'internal error', 'RequestsFailed'],
  ])('to %s says what the caller can do and nothing else', async (_kind, error, status, reason, counted) => {
    const { response, body, counts, lines } = await answer(error);

    expect(response.status).toBe(status);
    expect(body).toEqual({ reason, requestId: expect.any(String) });
    expect(counts).toEqual({ [counted]: 1 });
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain('hidden');
  });

  it.each([
    [7.2, '8'],
    [60, '60'],
    [86_400, '60'],
  ])('[N-30] passes on that the other side asked to wait %d s as %s', async (retryAfterSeconds, told) => {
    const { response } = await answer(new Transient('throttled', { kind: 'busy', retryAfterSeconds }));

    expect(response.headers.get('retry-after')).toBe(told);
  });
});

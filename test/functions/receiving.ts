import { Webhooks } from '@octokit/webhooks';
import type { APIGatewayProxyEventV2, Context, SQSEvent } from 'aws-lambda';
import type { Secrets } from '../../functions/ports/secrets.ts';
import type { WebAnswer, WebRequest } from '../../functions/shell/exchange.ts';
import type { LogFields } from '../../functions/shell/log-fields.ts';
import type { Telemetry } from '../../functions/shell/telemetry.ts';
import { createFaults, fakeClock, fakeIds, fakeLogger, fakeMetrics, fakeWorkQueue } from '../fakes/index.ts';

/** Secrets under their names; a name that is not here has no live value. */
export function fakeSecrets(values: Readonly<Record<string, readonly string[]>>): Secrets {
  return { read: async (name) => values[name] ?? [] };
}

/** Keeps lines with the keys that were in force, figures and the number of flushes. */
export function fakeTelemetry(): Telemetry & {
  readonly logger: ReturnType<typeof fakeLogger>;
  readonly metrics: ReturnType<typeof fakeMetrics>;
  readonly flushes: number;
  keys(): LogFields;
} {
  let keys: LogFields = {};
  let flushes = 0;
  const lines = fakeLogger();
  const keyed =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields = {}) =>
      lines[level](message, { ...keys, ...fields });
  return {
    logger: {
      lines: lines.lines,
      debug: keyed('debug'),
      info: keyed('info'),
      warn: keyed('warn'),
      error: keyed('error'),
    },
    metrics: fakeMetrics(),
    keys: () => keys,
    get flushes() {
      return flushes;
    },
    flush() {
      flushes += 1;
    },
    async within(fields, run) {
      const outer = keys;
      keys = { ...outer, ...fields };
      try {
        return await run();
      } finally {
        keys = outer;
      }
    },
  };
}

/** What every receiver takes, with two live secrets as during a rotation. */
export function receiverPorts(live: readonly string[] = ['new-secret', 'old-secret']) {
  const clock = fakeClock('2026-03-02T10:00:00.250Z');
  const faults = createFaults();
  return {
    secrets: fakeSecrets({ 'the-secret': live }),
    secret: 'the-secret',
    work: fakeWorkQueue(clock.now, faults),
    clock: clock.now,
    newId: fakeIds(),
    logger: fakeLogger(),
    metrics: fakeMetrics(),
    faults,
  };
}

export interface GithubDelivery {
  readonly body: string;
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

export const delivery = '72d3162e-cc78-11e3-81ab-4c9367dc0958';

/** Headers of a delivery as GitHub sends it, signed by the real signer; `undefined` leaves one out. */
export async function githubHeaders({ body, secret = 'new-secret', headers = {} }: GithubDelivery) {
  const all: Record<string, string | undefined> = {
    'content-type': 'application/json',
    'user-agent': 'GitHub-Hookshot/044aadd',
    'x-github-delivery': delivery,
    'x-github-event': 'push',
    'x-github-hook-id': '292430182',
    'x-hub-signature-256': body === '' ? undefined : await new Webhooks({ secret }).sign(body),
    ...headers,
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

export async function githubRequest(delivered: GithubDelivery): Promise<Request> {
  return post('/github', Buffer.from(delivered.body), await githubHeaders(delivered));
}

export function post(path: string, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request(`https://poolkeeper.example.com${path}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : Buffer.from(body),
  });
}

/** The body as it came. */
export async function bytesOf({ body }: WebRequest): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export async function answerOf(response: WebAnswer): Promise<Answer> {
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

/** An event of an HTTP API, payload format 2.0, as API Gateway makes it. */
export function apiEvent(parts: {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}): APIGatewayProxyEventV2 {
  const { method = 'POST', path, query = '', headers = {}, body } = parts;
  return {
    version: '2.0',
    routeKey: `${method} ${path}`,
    rawPath: path,
    rawQueryString: query,
    headers: { ...headers },
    isBase64Encoded: body !== undefined && typeof body !== 'string',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Buffer.from(body).toString('base64') }),
    requestContext: {
      accountId: '000000000000',
      apiId: 'api',
      domainName: 'api.execute-api.us-east-1.amazonaws.com',
      domainPrefix: 'api',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: 'JKJaXmPLvHcESHA=',
      routeKey: `${method} ${path}`,
      stage: '$default',
      time: '02/Mar/2026:10:00:00 +0000',
      timeEpoch: 1772445600000,
    },
  };
}

export function queueEvent(bodies: readonly string[]): SQSEvent {
  return {
    Records: bodies.map((body, index) => ({
      messageId: `message-${index}`,
      receiptHandle: `receipt-${index}`,
      body,
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '1772445600000',
        SenderId: 'sender',
        ApproximateFirstReceiveTimestamp: '1772445600000',
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:work',
      awsRegion: 'us-east-1',
    })),
  };
}

export function lambdaContext(): Context {
  return {
    callbackWaitsForEmptyEventLoop: false,
    functionName: 'function',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:function',
    memoryLimitInMB: '512',
    awsRequestId: 'invocation-1',
    logGroupName: '/aws/lambda/function',
    logStreamName: 'stream',
    getRemainingTimeInMillis: () => 10_000,
    done: () => {},
    fail: () => {},
    succeed: () => {},
  };
}

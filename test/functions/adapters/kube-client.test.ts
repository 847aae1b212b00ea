import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectCluster } from '../../../functions/adapters/kubernetes/connect.ts';
import { createKubeClient, type KubeClientOptions } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { secretToken } from '../../../functions/adapters/kubernetes/secret-token.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { type StubReply, startStub } from './stub-server.ts';

const things = '/apis/example.com/v1/things';

function clientOf(server: string, options: Partial<KubeClientOptions> = {}) {
  const client = createKubeClient({
    ...systemRuntime,
    server,
    token: async () => 'token-1',
    userAgent: 'poolkeeper/test',
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** A client of a server that does this with each piece that arrives. */
async function clientOfRaw(onData: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => onData(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return clientOf(`http://127.0.0.1:${port}`);
}

/** What the API server says instead of an object. */
function status(code: number, more: object = {}): StubReply {
  return { status: code, body: { kind: 'Status', code, message: `said ${code}`, reason: 'Because', ...more } };
}

async function failureOf(attempt: Promise<unknown>): Promise<Transient> {
  const failure = await attempt.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(failure).toBeInstanceOf(Transient);
  return failure as Transient;
}

describe('requests', () => {
  test('carry the token, our name and the form that is wanted', async () => {
    const stub = await startStub(() => ({ body: { items: [] } }));
    const client = clientOf(`${stub.url}/`);

    await client.get(`${things}/one`, { query: { pretty: 'false' } });
    await client.get(`${things}/one`, { form: 'metadata' });
    await client.list(things, { pageSize: 5, form: 'metadata' });
    await client.get(things, { form: 'table' });

    expect(stub.seen[0]).toMatchObject({
      method: 'GET',
      path: `${things}/one`,
      query: { pretty: 'false' },
      headers: { authorization: 'Bearer token-1', 'user-agent': 'poolkeeper/test', accept: 'application/json' },
    });
    expect(stub.seen.slice(1).map(({ headers }) => headers.accept)).toEqual([
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json',
      'application/json;as=Table;g=meta.k8s.io;v=v1,application/json',
    ]);
  });

  test.each([
    ['/api/v1/namespaces', 'List'],
    ['/api/v1/namespaces/shop', ''],
    ['/api/v1/namespaces/shop/pods', 'List'],
    ['/api/v1/namespaces/shop/pods/web-1', ''],
    ['/apis/policy/v1/namespaces/shop/poddisruptionbudgets', 'List'],
    ['/apis/policy/v1/namespaces/shop/poddisruptionbudgets/web', ''],
    ['/apis/policy/v1/poddisruptionbudgets', 'List'],
  ])('ask for the metadata of %s as PartialObjectMetadata%s', async (path, list) => {
    const stub = await startStub(() => ({}));

    await clientOf(stub.url).get(path, { form: 'metadata' });

    expect(stub.seen[0]?.headers.accept).toMatch(`as=PartialObjectMetadata${list};g=`);
  });

  test('patch by merge, under the field manager', async () => {
    const stub = await startStub(() => ({ body: { kind: 'Thing' } }));

    const answer = await clientOf(stub.url).mergePatch(`${things}/one`, { fieldManager: 'poolkeeper' }, { spec: null });

    expect(answer).toEqual({ kind: 'Thing' });
    expect(stub.seen[0]).toMatchObject({
      method: 'PATCH',
      query: { fieldManager: 'poolkeeper' },
      headers: { 'content-type': 'application/merge-patch+json' },
      body: '{"spec":null}',
    });
  });

  test('send no Authorization header without a token', async () => {
    const stub = await startStub(() => ({}));

    await clientOf(stub.url, { token: async () => '' }).get(`${things}/one`);

    expect(stub.seen[0]?.headers).not.toHaveProperty('authorization');
  });
});

describe('the token', () => {
  test('is asked for once, and anew when it is refused', async () => {
    const refused: (string | undefined)[] = [];
    const stub = await startStub(({ headers }) => (headers.authorization === 'Bearer token-2' ? {} : status(401)));
    const client = clientOf(stub.url, {
      token: async (old) => {
        refused.push(old);
        return old === undefined ? 'token-1' : 'token-2';
      },
    });

    await client.get(`${things}/one`);
    await client.get(`${things}/two`);

    expect(refused).toEqual([undefined, 'token-1']);
    expect(stub.seen.map(({ path }) => path.at(-1))).toEqual(['e', 'e', 'o']);
  });

  test('that is refused again is told without being shown', async () => {
    const stub = await startStub(() => status(401));
    const client = clientOf(stub.url, { token: async () => 'very-secret-token' });

    const failure = await failureOf(client.get(`${things}/one`));

    expect(failure).toMatchObject({ kind: 'forbidden', message: `GET ${things}/one: 401, said 401` });
    expect(JSON.stringify([failure.message, failure.stack, failure.cause])).not.toContain('very-secret-token');
    expect(stub.seen).toHaveLength(2);
  });

  test('that is no header value is told without being shown', async () => {
    const stub = await startStub(() => ({}));
    const client = clientOf(stub.url, { token: async () => '{\n"token": "very-secret"}' });

    const failure = await failureOf(client.get(`${things}/one`));

    expect(failure).toMatchObject({ kind: 'forbidden' });
    expect(JSON.stringify([failure.message, failure.stack, failure.cause])).not.toContain('very-secret');
    expect(stub.seen).toEqual([]);
  });

  test('is renewed for a write too, which was refused and not done', async () => {
    const stub = await startStub((_, nth) => (nth === 1 ? status(401) : {}));

    await clientOf(stub.url).mergePatch(`${things}/one`, {}, {});

    expect(stub.seen.map(({ method }) => method)).toEqual(['PATCH', 'PATCH']);
  });

  test('comes from a secret, past the cache and the refused value when it was refused', async () => {
    const asked: boolean[] = [];
    const token = secretToken(
      {
        async read(_, { fresh = false } = {}) {
          asked.push(fresh);
          return fresh ? ['new\n', 'old'] : ['old'];
        },
      },
      'cluster-token',
    );

    expect([await token(), await token('old'), await token('new')]).toEqual(['old', 'new', 'old']);
    expect(asked).toEqual([false, true, true]);
  });

  test('from an empty secret is a failure that names the secret', async () => {
    const failure = await failureOf(secretToken({ read: async () => [' '] }, 'cluster-token')());

    expect(failure).toMatchObject({ kind: 'forbidden', message: 'secret cluster-token has no live value' });
  });
});

describe('refusals', () => {
  test.each<[number, Transient['kind']]>([
    [400, 'unknown'],
    [403, 'forbidden'],
    [409, 'conflict'],
    [410, 'busy'],
    [422, 'unknown'],
    [429, 'busy'],
    [500, 'unreachable'],
    [503, 'unreachable'],
    [504, 'unreachable'],
  ])('%i is %s, with verb, path and what was said', async (code, kind) => {
    const stub = await startStub(() => status(code));

    const failure = await failureOf(clientOf(stub.url).mergePatch(`${things}/one`, {}, {}));

    expect(failure).toMatchObject({
      kind,
      isAnswered: true,
      message: `PATCH ${things}/one: ${code}, said ${code}`,
    });
  });

  test.each<[string, StubReply]>([
    ['the header', { status: 429, headers: { 'retry-after': '7' }, body: 'slow down' }],
    ['the details', status(429, { details: { retryAfterSeconds: 7 } })],
  ])('429 says how long to wait, from %s', async (_, reply) => {
    const stub = await startStub(() => reply);

    const failure = await failureOf(clientOf(stub.url).get(`${things}/one`));

    expect(failure).toMatchObject({ kind: 'busy', retryAfterSeconds: 7 });
  });

  test('nothing is there only when the API server names the object', async () => {
    const stub = await startStub(() => status(404, { reason: 'NotFound', details: { name: 'one', kind: 'things' } }));

    expect(await clientOf(stub.url).get(`${things}/one`)).toBeUndefined();
  });

  test.each<[string, StubReply]>([
    [
      'an API that is not served',
      { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found' },
    ],
    ['a resource that is not served', status(404, { reason: 'NotFound', details: {} })],
    ['a proxy', { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not found</h1>' }],
  ])('404 of %s proves no absence', async (_, reply) => {
    const stub = await startStub(() => reply);
    const client = clientOf(stub.url);

    expect(await failureOf(client.get(`${things}/one`))).toMatchObject({ kind: 'unknown' });
    expect(await failureOf(client.list(things, { pageSize: 5 }))).toMatchObject({ kind: 'unknown' });
    expect(await client.get(`${things}/one`, { mayBeUnserved: true })).toBeUndefined();
  });

  test('a write to what vanished is a lost race', async () => {
    const stub = await startStub(() => status(404, { reason: 'NotFound', details: { name: 'one' } }));

    expect(await failureOf(clientOf(stub.url).mergePatch(`${things}/one`, {}, {}))).toMatchObject({ kind: 'conflict' });
  });
});

describe('lists', () => {
  const pages: Readonly<Record<string, unknown>> = {
    '': { metadata: { continue: 'p2' }, items: [1, 2] },
    p2: { metadata: { continue: 'p3' }, items: null },
    p3: { metadata: {}, items: [3] },
  };

  test('are read page by page', async () => {
    const stub = await startStub(({ query }) => ({ body: pages[query['continue'] ?? ''] }));

    const items = await clientOf(stub.url).list(things, { pageSize: 2, query: { labelSelector: 'a in (b)' } });

    expect(items).toEqual([1, 2, 3]);
    expect(stub.seen.map(({ query }) => query)).toEqual([
      { labelSelector: 'a in (b)', limit: '2' },
      { labelSelector: 'a in (b)', limit: '2', continue: 'p2' },
      { labelSelector: 'a in (b)', limit: '2', continue: 'p3' },
    ]);
  });

  test('are read in smaller pages where a page is too large', async () => {
    const stub = await startStub(({ query }) => {
      const [limit, from] = [Number(query['limit']), Number(query['continue'] ?? 0)];
      const items = Array.from({ length: limit }, (_, index) => `${from + index}`.padStart(100, ' '));
      return { body: { metadata: from + limit < 64 ? { continue: String(from + limit) } : {}, items } };
    });

    const items = await clientOf(stub.url, { limitBytes: 3_000 }).list(things, { pageSize: 64 });

    expect(items.map(Number)).toEqual(Array.from({ length: 64 }, (_, index) => index));
    expect(stub.seen.map(({ query }) => query['limit'])).toEqual(['64', '16', '16', '16', '16']);
  });

  test('[N-30] are read in larger pages again behind a few large objects', async () => {
    const stub = await startStub(({ query }) => {
      const [limit, from] = [Number(query['limit']), Number(query['continue'] ?? 0)];
      const items = Array.from({ length: limit }, (_, index) =>
        `${from + index}`.padStart(from + index < 4 ? 1_000 : 9),
      );
      return { body: { metadata: from + limit < 200 ? { continue: String(from + limit) } : {}, items } };
    });

    const items = await clientOf(stub.url, { limitBytes: 3_500 }).list(things, { pageSize: 64 });

    expect(items.map(Number).slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, index) => index));
    const limits = stub.seen.map(({ query }) => Number(query['limit']));
    expect(limits.slice(0, 4)).toEqual([64, 16, 4, 1]);
    expect(limits.at(-1)).toBeGreaterThanOrEqual(32);
  });

  test('[N-30] are handed on page by page, so that there need not be room for all', async () => {
    const stub = await startStub(({ query }) => ({ body: pages[query['continue'] ?? ''] }));
    const asked: number[] = [];

    for await (const items of clientOf(stub.url).pages(things, { pageSize: 2 }))
      asked.push(stub.seen.length, ...items.map(Number));

    expect(asked).toEqual([1, 1, 2, 2, 3, 3]);
  });

  test('fail where a single object is too large', async () => {
    const stub = await startStub(() => ({ body: { items: ['x'.repeat(5_000)] } }));
    const client = clientOf(stub.url, { limitBytes: 1_000 });

    const failure = await failureOf(client.list(things, { pageSize: 2 }));

    expect(failure.message).toBe(`GET ${things}: the answer is larger than 1000 bytes`);
    expect(await failureOf(client.get(`${things}/one`))).toMatchObject({ kind: 'unknown' });
  });

  test.each([
    ['text', 'hello'],
    ['no list', { kind: 'Thing' }],
    ['no items', { items: 'x' }],
  ])('fail where the answer is %s', async (_, body) => {
    const stub = await startStub(() => ({ body }));

    const failure = await failureOf(clientOf(stub.url).list(things, { pageSize: 2 }));

    expect(failure.message).toContain('is not a list');
  });
});

describe('the connection', () => {
  test('is kept for all calls, also under TLS', async () => {
    const [ca, cert, key] = await Promise.all(['ca.pem', 'server.pem', 'server-key.pem'].map(tlsFile));
    const stub = await startStub(() => ({ body: { items: [] } }), { tls: { key: key ?? '', cert: cert ?? '' } });
    const client = clientOf(stub.url, { ca });

    for (let call = 0; call < 20; call += 1) await client.list(things, { pageSize: 1 });

    expect(stub.connections()).toBe(1);
  });

  test('is refused to a server that the CA did not sign, and taken unchecked only where that is asked for', async () => {
    const [cert, key] = await Promise.all(['server.pem', 'server-key.pem'].map(tlsFile));
    const stub = await startStub(() => ({}), { tls: { key: key ?? '', cert: cert ?? '' } });

    const failure = await failureOf(clientOf(stub.url).get(`${things}/one`));

    expect(failure.kind).toBe('unreachable');
    expect(await clientOf(stub.url, { skipTLSVerify: true }).get(`${things}/one`)).toEqual({});
  });

  test('that died is opened again for a read', async () => {
    const stub = await startStub((_, nth) => (nth === 2 ? 'cut' : {}));
    const client = clientOf(stub.url);
    await client.get(`${things}/one`);

    expect(await client.get(`${things}/one`)).toEqual({});
    expect(stub.seen).toHaveLength(3);
  });

  test('that died under a write is told: nobody knows whether it arrived', async () => {
    const stub = await startStub(() => 'cut');

    const failure = await failureOf(clientOf(stub.url).mergePatch(`${things}/one`, {}, {}));

    expect(failure.kind).toBe('unreachable');
    expect(stub.seen).toHaveLength(1);
  });

  test.each(['hang', 'stall'] as const)('to a server whose answer does not end (%s) is given up', async (reply) => {
    const stub = await startStub(() => reply);

    const failure = await failureOf(clientOf(stub.url, { callTimeoutMs: 50 }).get(`${things}/one`));

    expect(failure).toMatchObject({
      kind: 'unreachable',
      isAnswered: false,
      message: `GET ${things}/one: no complete answer in time`,
    });
    // It is not asked again; a busy machine may not get to ask at all in so short a time.
    expect(stub.seen.length).toBeLessThan(2);
  });

  test('carries packed answers, and counts their bytes unpacked', async () => {
    const packed = gzipSync(JSON.stringify({ items: [' '.repeat(5_000)] }));
    const stub = await startStub(() => ({ headers: { 'content-encoding': 'gzip' }, body: packed }));

    const items = await clientOf(stub.url).list(things, { pageSize: 1 });
    const failure = await failureOf(clientOf(stub.url, { limitBytes: 1_000 }).get(things));

    expect(items).toEqual([' '.repeat(5_000)]);
    expect(stub.seen[0]?.headers['accept-encoding']).toBe('gzip');
    expect(failure.message).toBe(`GET ${things}: the answer is larger than 1000 bytes`);
  });

  test('whose packed answer is damaged is told', async () => {
    const stub = await startStub(() => ({ headers: { 'content-encoding': 'gzip' }, body: 'not packed' }));

    expect(await failureOf(clientOf(stub.url).get(things))).toMatchObject({ kind: 'unreachable' });
  });

  test('is not led elsewhere: a redirect is no answer', async () => {
    const elsewhere = await startStub(() => ({}));
    const stub = await startStub(() => ({ status: 307, headers: { location: elsewhere.url }, body: 'go there' }));

    const failure = await failureOf(clientOf(stub.url).mergePatch(`${things}/one`, {}, {}));

    expect(failure.message).toBe(`PATCH ${things}/one: 307`);
    expect(elsewhere.seen).toEqual([]);
  });

  test('is one of eight at most, and those are kept', async () => {
    const stub = await startStub(() => ({}));
    const client = clientOf(stub.url);
    const readAll = () => Promise.all(Array.from({ length: 30 }, () => client.get(`${things}/one`)));

    await readAll();
    await readAll();

    expect(stub.seen).toHaveLength(60);
    expect(stub.connections()).toBe(8);
  });

  test('to a server that takes it and says nothing is given up before the call is, for a read and a write', async () => {
    const mute = createServer();
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void mute.close());
    const { port } = mute.address() as AddressInfo;
    const asked: number[] = [];
    const deadline = (ms: number) => {
      asked.push(ms);
      return AbortSignal.timeout(ms === 5_000 ? 20 : 300_000);
    };
    const client = clientOf(`https://127.0.0.1:${port}`, { deadline });

    const failures = [
      await failureOf(client.get(`${things}/one`)),
      await failureOf(client.mergePatch(`${things}/one`, {}, {})),
    ];

    expect(failures.map(({ kind, message }) => [kind, message])).toEqual([
      ['unreachable', `GET ${things}/one: no connection in time`],
      ['unreachable', `PATCH ${things}/one: no connection in time`],
    ]);
    // The read is tried once more.
    expect(asked).toEqual([10_000, 5_000, 5_000, 10_000, 5_000]);
  });

  test('that the server has closed meanwhile is not taken for a write', async () => {
    const sockets: Socket[] = [];
    const client = await clientOfRaw((socket) => {
      sockets.push(socket);
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n{"a":1}');
    });
    await client.get(`${things}/one`);
    const [first] = sockets;
    first?.end();
    // Its end has been sent, and this process has not looked: nothing runs in it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);

    expect(await client.mergePatch(`${things}/one`, {}, {})).toEqual({ a: 1 });
    expect(sockets).toHaveLength(2);
  });

  test('that is to become another one, as nobody asked for, ends the call', async () => {
    const client = await clientOfRaw((socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    });

    expect((await failureOf(client.mergePatch(`${things}/one`, {}, {}))).kind).toBe('unreachable');
  });

  test('carries what deletes with conditions', async () => {
    const stub = await startStub(() => ({}));

    await clientOf(stub.url).remove(`${things}/one`, {}, { preconditions: { uid: 'ü-1' } });

    expect(stub.seen[0]).toMatchObject({ method: 'DELETE', body: '{"preconditions":{"uid":"ü-1"}}' });
  });

  test('to nobody is told', async () => {
    const closed = await closedPort();

    const failure = await failureOf(clientOf(`http://127.0.0.1:${closed}`).get(`${things}/one`));

    expect(failure.kind).toBe('unreachable');
    expect(failure.message).toContain('ECONNREFUSED');
  });
});

describe('connectCluster', () => {
  const options = { token: async () => 'x', userAgent: 'poolkeeper/test', clock: () => new Date(0) };

  test.each([
    ['http://api.prod.example.com:6443', false, 'plain http'],
    ['https://api.prod.example.com:6443', true, 'skipTLSVerify'],
    ['https://127.0.0.1.example.com', true, 'skipTLSVerify'],
    ['ftp://127.0.0.1', false, 'https://'],
    ['api.prod.example.com', false, 'https://'],
  ])('refuses %s with skipTLSVerify %s', (server, skipTLSVerify, words) => {
    const attempt = () => connectCluster({ ...systemRuntime, ...options, server, skipTLSVerify });

    expect(attempt).toThrow(Misconfigured);
    expect(attempt).toThrow(words);
  });

  test.each(['http://127.0.0.1:8080', 'http://localhost:8080', 'https://[::1]:6443'])('takes %s', (server) => {
    expect(() => connectCluster({ ...systemRuntime, ...options, server, skipTLSVerify: true })).not.toThrow();
  });

  test('reads the version of Kubernetes', async () => {
    const stub = await startStub(() => ({ body: { gitVersion: 'v1.31.6', major: '1' } }));
    const cluster = connectCluster({ ...systemRuntime, ...options, server: stub.url });
    onTestFinished(() => cluster.close());

    expect(await cluster.readVersion()).toBe('v1.31.6');
  });

  test('looks without throwing: found, absent and failed are answers', async () => {
    const replies: Readonly<Record<string, StubReply>> = {
      '/found': { body: { kind: 'Pod' } },
      '/absent': { status: 404, body: '404 page not found' },
      '/failed': status(403),
    };
    const stub = await startStub(({ path }) => replies[path] ?? {});
    const cluster = connectCluster({ ...systemRuntime, ...options, server: stub.url });
    onTestFinished(() => cluster.close());

    const answers = await Promise.all(Object.keys(replies).map((path) => cluster.reader.read({ path, query: {} })));

    const readAt = new Date(0);
    expect(answers).toEqual([
      { kind: 'found', body: { kind: 'Pod' }, readAt },
      { kind: 'absent', readAt },
      { kind: 'failed', why: 'GET /failed: 403, said 403', readAt, isForbidden: true },
    ]);
  });
});

/** A port on which nobody listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function tlsFile(name: string): Promise<string> {
  return readFile(join(import.meta.dirname, 'tls', name), 'utf8');
}

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { METHODS, type RequestOptions, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { receiveGithub } from '../../../functions/receive-github/receive-github.ts';
import { arrivingBodies } from '../../../local/run/arriving-bodies.ts';
import { guardedPaths } from '../../../local/run/defaults.ts';
import { type LocalServer, startLocalServer } from '../../../local/run/local-server.ts';
import { bytesOf, receiverPorts } from '../../functions/receiving.ts';

/** What a request counts besides its body. */
const requestBytes = 64 * 1024;

let server: LocalServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

describe('the server of the local mode', () => {
  test('hands over the bytes that came, whatever they are', async () => {
    const bytes = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
    server = await startLocalServer(
      {
        'POST /github': async (request) =>
          new Response(
            createHash('sha256')
              .update(await bytesOf(request))
              .digest('hex'),
          ),
      },
      0,
    );

    const answer = await fetch(`${server.url}/github`, { method: 'POST', body: bytes });

    expect(await answer.text()).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  test('answers 404 with what there is', async () => {
    server = await startLocalServer({ '* /status': async () => new Response('ok') }, 0);

    const answer = await fetch(`${server.url}/nothing`);

    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('/status');
  });

  test('passes method, query and headers on', async () => {
    server = await startLocalServer(
      {
        '* /echo': async (request) =>
          Response.json([request.method, new URL(request.url).search, request.headers.get('x-github-event')]),
      },
      0,
    );

    const answer = await fetch(`${server.url}/echo?a=b`, {
      method: 'PUT',
      headers: { 'x-github-event': 'push' },
      body: 'x',
    });

    expect(await answer.json()).toEqual(['PUT', '?a=b', 'push']);
  });

  test('[C-1] has a body that is too large answered by the function, however much of it is still to come', async () => {
    server = await startLocalServer({ 'POST /github': receiveGithub(receiverPorts()) }, 0);
    const body = Buffer.alloc(40 * 1024 * 1024, 'x');

    const headers = { 'content-type': 'application/json', 'x-github-event': 'push', 'x-hub-signature-256': 'sha256=' };
    const answer = await fetch(`${server.url}/github`, { method: 'POST', headers, body });

    expect(answer.status).toBe(413);
    expect(await answer.text()).toMatch(/larger than 4096 KiB/);
  });

  test.each([
    ['/github', 200],
    ['/nowhere', 404],
    ['//', 400],
  ])(
    '[N-30] the oldest of many requests to %s whose bodies do not come are given up, and others are served',
    async (path, status) => {
      const bodies = arrivingBodies({ atMostBytes: 3 * requestBytes });
      server = await startLocalServer({ '* /github': async () => new Response('ok') }, 0, { bodies });
      const { port } = new URL(server.url);
      const silent = Array.from({ length: 6 }, () => beginning({ port, path }));
      const answered: (number | undefined)[] = [];
      const answers = silent.map(({ answer }) => answer.then((each) => answered.push(each)));
      await vi.waitFor(() => expect(answered).toEqual([503, 503, 503]));

      const other = await statusOf({ port, path: '/github', method: 'POST' });

      expect(other).toBe(200);
      await vi.waitFor(() => expect(answered).toHaveLength(4));
      for (const { finish } of silent) finish();
      await Promise.all(answers);
      expect(answered.filter((each) => each !== 503)).toEqual([status, status]);
    },
  );

  test('[N-30] ends the oldest connections whose headers do not end, from a thousand on', async () => {
    server = await startLocalServer({}, 0);
    const port = Number(new URL(server.url).port);
    const sockets = Array.from({ length: 1030 }, () =>
      connect(port, '127.0.0.1', function (this: Socket) {
        this.write('POST /github HTTP/1.1\r\nhost: localhost\r\nx-long: ');
      })
        .on('error', () => undefined)
        .resume(),
    );

    await vi.waitFor(() => expect(sockets.filter(({ closed }) => closed)).toHaveLength(6), 10_000);

    for (const socket of sockets) socket.destroy();
  });

  test('[N-30] one packet with a thousand requests takes nothing from a delivery that is on its way', async () => {
    server = await startLocalServer({ '* /github': async () => new Response('ok') }, 0);
    const { port } = new URL(server.url);
    const delivery = beginning({ port, path: '/github' });
    const other = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    const ended = once(other, 'close');
    other.resume().write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(1100));
    await ended;

    delivery.finish();

    expect(await delivery.answer).toBe(200);
  });

  test('[C-1] answers every method that HTTP knows: 405 with what is allowed where it is not used', async () => {
    const ports = receiverPorts();
    server = await startLocalServer({ '* /github': receiveGithub(ports) }, 0);
    const { port } = new URL(server.url);
    // A tunnel is no request: Node ends the connection.
    const methods = METHODS.filter((method) => !['POST', 'CONNECT'].includes(method));

    const answers = await Promise.all(methods.map((method) => statusOf({ port, path: '/github', method })));

    expect(methods).toContain('TRACE');
    expect(answers).toEqual(methods.map(() => 405));
    expect(ports.metrics.counts).toEqual({ RequestsRefused: methods.length });
  });

  test('says when its port is taken', async () => {
    server = await startLocalServer({}, 0);
    const port = Number(new URL(server.url).port);

    await expect(startLocalServer({}, port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('answers to the names of this machine only, so that no web page and no tunnel reads the status page', async () => {
    const routes = { '* /status': async () => new Response('ok'), '* /github': async () => new Response('ok') };
    server = await startLocalServer(routes, 0, { anyHost: ['/github'] });
    const { port } = new URL(server.url);
    const asked = (path: string, host: string) => statusOf({ port, path, headers: { host } });

    const named = await Promise.all(
      [`127.0.0.1:${port}`, 'localhost', `[::1]:${port}`].map((host) => asked('/status', host)),
    );
    const foreign = await Promise.all(
      ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', 'localhost@evil.example'].map((host) =>
        asked('/status', host),
      ),
    );

    expect(named).toEqual([200, 200, 200]);
    expect(foreign).toEqual([421, 421, 421, 421]);
    expect(await asked('/github', 'hooks.example.com')).toBe(200);
    expect(await asked('http://127.0.0.1/status', 'evil.example')).toBe(421);
  });

  test('listens on 127.0.0.1 and on no other address of this machine', async () => {
    server = await startLocalServer({ '* /status': async () => new Response('ok') }, 0);

    expect(new URL(server.url).hostname).toBe('127.0.0.1');
    await expect(statusOf({ host: '127.0.0.2', port: new URL(server.url).port, path: '/status' })).rejects.toThrow(
      'ECONNREFUSED',
    );
  });

  test('opens to tunnels the entrances whose secret was set, and none with the secret that everybody knows', () => {
    const set = {
      POOLKEEPER_GITHUB_SECRET: 'a-secret',
      POOLKEEPER_ARGOCD_TOKEN: '',
      POOLKEEPER_CLUSTER_TOKEN: 'development',
    };

    expect(guardedPaths(set)).toEqual(['/github']);
    expect(guardedPaths({})).toEqual([]);
  });
});

/** By Node's own client, which sends the Host that it is told. */
function statusOf(options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', ...options }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

/** A request whose body comes when it is told to. */
function beginning(options: RequestOptions) {
  const headers = { 'content-length': 4 };
  const sent = request({ host: '127.0.0.1', method: 'POST', headers, agent: false, ...options });
  const answer = new Promise<number | undefined>((resolve) => {
    sent.on('response', (incoming) => resolve(incoming.resume().statusCode));
  });
  // What was given up is not listened to any more.
  sent.on('error', () => undefined);
  sent.flushHeaders();
  return { answer, finish: () => sent.end('body') };
}

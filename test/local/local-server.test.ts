import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { type LocalServer, startLocalServer } from '../../local/local-server.ts';

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
              .update(Buffer.from(await request.arrayBuffer()))
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

  test('says when its port is taken', async () => {
    server = await startLocalServer({}, 0);
    const port = Number(new URL(server.url).port);

    await expect(startLocalServer({}, port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

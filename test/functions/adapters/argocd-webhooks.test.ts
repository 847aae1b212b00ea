import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { argocdWebhooks } from '../../../functions/adapters/argocd/argocd-webhooks.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { type StubReply, type StubServer, startStub } from './stub-server.ts';

const pem = (name: string) => readFileSync(new URL(`tls/${name}.pem`, import.meta.url), 'utf8');

function relayTo(url: string, ca?: string) {
  return { url, ca, waitAtMostSeconds: 30, sendAgainAfterSeconds: 30 };
}

async function postTo(
  server: Pick<StubServer, 'url'>,
  { ca, timeoutMs = 5_000 }: { ca?: string; timeoutMs?: number } = {},
) {
  const webhooks = argocdWebhooks({ deadline: systemRuntime.deadline, timeoutMs });
  return webhooks.post({
    relay: relayTo(`${server.url}/api/webhook`, ca),
    endpoint: 'applications',
    headers: { 'x-github-event': 'push', 'x-hub-signature': undefined },
    body: Buffer.from('{"zen":"ö"}'),
  });
}

describe("Argo CD's webhook", () => {
  test('[N-26] gets one POST of the bytes as they are, with the headers that are given and no cookie of anybody', async () => {
    const server = await startStub(() => ({ status: 200 }));

    const answer = await postTo(server);

    expect(answer).toEqual({ kind: 'accepted' });
    expect(server.seen).toMatchObject([{ method: 'POST', path: '/api/webhook', body: '{"zen":"ö"}' }]);
    expect(Object.keys(server.seen[0]?.headers ?? {}).sort()).toEqual([
      'connection',
      'content-length',
      'host',
      'user-agent',
      'x-github-event',
    ]);
  });

  test('[N-26] that sends us elsewhere is not followed', async () => {
    const elsewhere = await startStub(() => ({ status: 200 }));
    const server = await startStub(() => ({ status: 307, headers: { location: elsewhere.url } }));

    expect(await postTo(server)).toMatchObject({ kind: 'refused', why: expect.stringContaining('redirects') });
    expect(elsewhere.seen).toEqual([]);
  });

  test.each<StubReply>(['hang', 'cut'])('[N-26] that does not answer (%s) is given up in time', async (reply) => {
    const server = await startStub(() => reply);

    const posted = postTo(server, { timeoutMs: 200 });

    await expect(posted).rejects.toThrow(Transient);
    await expect(posted).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('[N-26] that answers and then stalls has answered', async () => {
    const server = await startStub(() => 'stall');

    expect(await postTo(server, { timeoutMs: 200 })).toEqual({ kind: 'accepted' });
  });

  test('[N-26] that is not there is said by its host and nothing more', async () => {
    const posted = postTo({ url: 'http://127.0.0.1:1' });

    await expect(posted).rejects.toThrow(/^127\.0\.0\.1:1 did not answer: ECONNREFUSED$/);
  });

  test('what it says is not repeated', async () => {
    const server = await startStub(() => ({ status: 400, body: 'canary of an answer' }));

    expect(JSON.stringify(await postTo(server))).not.toContain('canary');
  });

  test('with a certificate authority of its own is believed, without it is not', async () => {
    const server = await startStub(() => ({ status: 200 }), {
      tls: { key: pem('server-key'), cert: pem('server') },
    });

    expect(await postTo(server, { ca: pem('ca') })).toEqual({ kind: 'accepted' });
    await expect(postTo(server)).rejects.toThrow(Transient);
  });

  test.each(['http://169.254.169.254', 'https://[::ffff:169.254.169.254]', 'https://metadata.google.internal'])(
    '%s is never called, whatever an older bundle says',
    async (url) => {
      await expect(postTo({ url })).rejects.toThrow(Misconfigured);
    },
  );
});

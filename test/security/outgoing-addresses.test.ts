import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { connectCluster } from '../../functions/adapters/kubernetes/connect.ts';
import { httpPost } from '../../functions/adapters/messengers/http-post.ts';
import { slackWebhookMessenger } from '../../functions/adapters/messengers/slack-webhook.ts';
import { systemRuntime } from '../../functions/adapters/time/system-runtime.ts';
import { forbiddenHost } from '../../functions/core/configuration/outgoing-host.ts';
import { Misconfigured } from '../../functions/core/text/errors.ts';
import { readConfiguration } from '../../functions/shell/configuration/read-configuration.ts';

/** Every way that a URL can lead to the metadata service of the machine, as people and attackers write it. */
const forbidden = [
  'https://169.254.169.254/latest/meta-data',
  'https://169.254.170.2/v2/credentials',
  'https://2852039166/',
  'https://0xa9fea9fe/',
  'https://0251.0376.0251.0376/',
  'https://169.254.43518/',
  'https://169.254.169.254./',
  'https://[::ffff:169.254.169.254]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[fe80::1]/',
  'https://[fd00:ec2::254]/',
  'https://METADATA.google.internal/',
  'https://metadata.google.internal./',
  'https://100.100.100.200/',
  'https://168.63.129.16/',
  'https://0.0.0.0:6443/',
  'https://0/',
  'https://[::]/',
  'https://224.0.0.1/',
  'https://[ff02::1]/',
] as const;

const allowed = [
  'https://api.prod.example.com:6443',
  'https://10.0.0.1:6443',
  'https://192.168.1.5',
  'https://172.16.0.1',
  'https://[fd12:3456::1]:6443',
  'https://slack.com/api/',
  'https://127.0.0.1:6443',
  'https://169.253.1.1',
  'https://metadata.google.internal.example.com',
] as const;

const urlKeys = ['server', 'apiUrl', 'statusUrl', 'eventsUrl', 'alertmanager', 'webhook'] as const;

function fileWith(urls: { readonly [Key in (typeof urlKeys)[number]]?: string }): string {
  const {
    server = 'https://api.example.com:6443',
    apiUrl = 'https://slack.com/api/',
    statusUrl = 'https://pk.example.com',
    eventsUrl = 'https://events.pagerduty.com/v2/enqueue',
    alertmanager = 'https://am.example.com',
    webhook = 'https://hook.example.com',
  } = urls;
  return JSON.stringify({
    clusters: [{ name: 'prod', api: { server, tokenSecret: 'prod-token' } }],
    alerts: {
      statusUrl,
      targets: [
        { kind: 'slack', name: 'ops', channel: 'C0123456789', tokenSecret: 'slack', apiUrl },
        { kind: 'pagerduty', name: 'pd', routingKeySecret: 'key', eventsUrl },
        { kind: 'alertmanager', name: 'am', url: alertmanager },
        { kind: 'webhook', name: 'hook', url: webhook },
      ],
    },
  });
}

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run();
    return [];
  } catch (error) {
    if (error instanceof Misconfigured) return error.problems;
    throw error;
  }
}

describe('addresses that no configuration may name', () => {
  test.each(forbidden)('%s is refused for every URL of poolkeeper.yaml', (url) => {
    for (const key of urlKeys) {
      const problems = problemsOf(() => readConfiguration(fileWith({ [key]: url }), { source: 'poolkeeper.yaml' }));

      expect(problems.join('\n'), key).toContain('metadata services are never called');
    }
  });

  test.each(forbidden)('%s is no API server, wherever it was read from', (server) => {
    const connect = () =>
      connectCluster({
        ...systemRuntime,
        server,
        token: async () => 'token',
        userAgent: 'test',
        clock: () => new Date(0),
      });

    expect(problemsOf(connect)).toHaveLength(1);
  });

  test.each([...forbidden, 'http://slack.example.com/hook', 'file:///etc/passwd', 'no URL'])(
    '%s in the secret of an incoming webhook is not called',
    async (url) => {
      const messenger = slackWebhookMessenger({
        post: httpPost(systemRuntime.deadline),
        urlSecret: 'hook',
        secrets: { read: async () => [url] },
      });
      const message = { deliveryId: 'd1', occasion: 'opened' as const, slack: undefined, mail: undefined };

      const outcome = await messenger.post(message);

      expect(outcome).toEqual({ kind: 'dead', why: 'the webhook URL is not an https:// address that may be called' });
    },
  );

  test.each(allowed)('%s is an address like any other', (url) => {
    expect(forbiddenHost(new URL(url).hostname)).toBeUndefined();
    expect(problemsOf(() => readConfiguration(fileWith({ server: url }), { source: 'poolkeeper.yaml' }))).toEqual([]);
  });
});

describe('a file named in the configuration', () => {
  test.each(['/etc/passwd', '../../secret.pem'])(
    '%s that is no certificate is refused and nothing of it is shown',
    (caFile) => {
      const text = JSON.stringify({
        clusters: [{ name: 'prod', api: { server: 'https://api.example.com', tokenSecret: 'prod-token', caFile } }],
      });
      const content = 'root:x:0:0:canary-of-the-file';

      const problems = problemsOf(() =>
        readConfiguration(text, { source: 'poolkeeper.yaml', readText: () => content }),
      );

      expect(problems).toHaveLength(1);
      expect(problems.join()).toContain('holds no certificate');
      expect(problems.join()).not.toContain('canary');
    },
  );
});

describe('a redirect', () => {
  const servers: { close(): void }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** A server that sends everybody elsewhere, and where that is: how often it was called. */
  async function startRedirect(): Promise<{ readonly url: string; readonly elsewhere: () => number }> {
    let calls = 0;
    const elsewhere = createServer((_request, response) => {
      calls += 1;
      response.end('{"kind":"Status"}');
    });
    const target = await listening(elsewhere);
    const server = createServer((_request, response) => response.writeHead(307, { location: target }).end());
    servers.push(server, elsewhere);
    return { url: await listening(server), elsewhere: () => calls };
  }

  function listening(server: ReturnType<typeof createServer>): Promise<string> {
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(`http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`);
      });
    });
  }

  test('is followed neither by a messenger nor by the client of the API server, so no token travels on', async () => {
    const { url, elsewhere } = await startRedirect();
    const connection = connectCluster({
      ...systemRuntime,
      server: url,
      token: async () => 't',
      userAgent: 'test',
      clock: () => new Date(0),
    });

    const posted = await httpPost(systemRuntime.deadline)({
      url,
      headers: { authorization: 'Bearer t' },
      body: '{}',
      timeoutMs: 5_000,
    });
    const read = connection.pools.listPools();

    await expect(read).rejects.toThrow('307');
    expect(posted).toMatchObject({ kind: 'answered', status: 307 });
    expect(elsewhere()).toBe(0);
    await connection.close();
  });
});

import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { WorkEvent } from '../../events/index.ts';
import { receiveGithub } from '../../functions/receive-github/receive-github.ts';
import { githubSignature } from '../../local/run/github-signature.ts';
import { type LocalServer, startLocalServer } from '../../local/run/local-server.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab } from '../functions/keep-pools/keep-lab.ts';
import { receiverPorts } from '../functions/receiving.ts';

const root = join(import.meta.dirname, '../..');
let server: LocalServer | undefined;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

/** What somebody has who listened in on one delivery: its bytes and its headers, the signature among them. */
interface Captured {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

function captured(revision: string, before: string, delivery: string): Captured {
  const body = Buffer.from(
    JSON.stringify({
      ref: 'refs/heads/main',
      before,
      after: revision,
      created: false,
      deleted: false,
      forced: false,
      pusher: { name: 'zoë' },
      repository: {
        full_name: 'acme/platform',
        html_url: 'https://github.com/acme/platform',
        default_branch: 'main',
      },
      commits: [{ id: revision, added: [], removed: [], modified: ['nodes/99-worker-ssh.yaml'] }],
    }),
  );
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': delivery,
      'x-hub-signature-256': githubSignature(body.toString(), 'new-secret'),
    },
  };
}

/** receive-github behind a real HTTP server, and keep-pools behind its queue. */
async function startEntrance(lab: KeepLab): Promise<(sent: Captured) => Promise<number>> {
  const ports = receiverPorts();
  server = await startLocalServer({ 'POST /github': receiveGithub({ ...ports, clock: lab.world.clock.now }) }, 0);
  const { port } = new URL(server.url);
  return async (sent) => {
    const status = await postBytes(port, sent);
    for (const { event } of ports.work.take()) await lab.deliver(WorkEvent.parse(JSON.parse(JSON.stringify(event))));
    return status;
  };
}

/** Exactly these bytes. */
function postBytes(port: string, { body, headers }: Captured): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/github', method: 'POST', headers };
    request(options, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end(body);
  });
}

/** Minutes of the clock, one by one, from now on: what the lab was not asked to live through stays unlived. */
async function minutes(lab: KeepLab, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    lab.world.clock.advance(60);
    for (const { event } of lab.world.work.take()) await lab.deliver(event);
    await lab.tick();
  }
}

async function playToItsEnd(lab: KeepLab, send: () => Promise<number>, revision: string): Promise<void> {
  const { clock, pools } = lab.world;
  expect(await send()).toBe(202);
  expect(lab.pool().paused).toBe(true);
  pools.observe('worker');
  clock.advance(2);
  await lab.deliver(lab.operationOf('Running'));
  lab.syncs(revision);
  await lab.deliver(lab.operationOf('Running'));
  clock.advance(5);
  lab.ends('Succeeded');
  await lab.deliver(lab.operationOf('Succeeded'));
  await minutes(lab, 5);
  expect(lab.pool().paused).toBe(false);
}

describe('a captured delivery, sent again with its signature', () => {
  test.each([1, 3600, 30 * 86_400])('[S0-17] %i s later changes nothing on the cluster', async (laterSeconds) => {
    const lab = keepLab();
    const send = await startEntrance(lab);
    const push = captured(commitB, commitA, 'first-delivery');
    await playToItsEnd(lab, () => send(push), commitB);
    const before = lab.world.pools.patches.length;

    lab.world.clock.advance(laterSeconds);
    const status = await send(push);
    await minutes(lab, 5);

    expect(status).toBe(202);
    expect(lab.world.pools.patches).toHaveLength(before);
    expect(lab.record()?.holds ?? []).toEqual([]);
  });

  test('[S0-17] also when another commit has been synced since', async () => {
    const lab = keepLab();
    const send = await startEntrance(lab);
    const first = captured(commitB, commitA, 'first-delivery');
    const second = captured(commitC, commitB, 'second-delivery');
    await playToItsEnd(lab, () => send(first), commitB);
    lab.world.clock.advance(600);
    await playToItsEnd(lab, () => send(second), commitC);
    const before = lab.world.pools.patches.length;

    lab.world.clock.advance(600);
    const statuses = [await send(first), await send(second)];
    await minutes(lab, 5);

    expect(statuses).toEqual([202, 202]);
    expect(lab.world.pools.patches).toHaveLength(before);
  });

  test('under another delivery id, which no signature covers, an old commit pauses for the time a sync is waited for and no longer', async () => {
    const lab = keepLab();
    const send = await startEntrance(lab);
    const first = captured(commitB, commitA, 'first-delivery');
    await playToItsEnd(lab, () => send(first), commitB);
    lab.world.clock.advance(600);
    await playToItsEnd(lab, () => send(captured(commitC, commitB, 'second-delivery')), commitC);

    await send({ ...first, headers: { ...first.headers, 'x-github-delivery': 'made-up' } });
    const holds = lab.record()?.holds ?? [];
    await minutes(lab, 20);

    expect(holds.map(({ phase }) => phase)).toEqual(['expected']);
    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.holds ?? []).toEqual([]);
  });

  test.each([
    ['one byte of the body changed', (sent: Captured) => ({ ...sent, body: Buffer.from(`${sent.body} `) })],
    [
      'the SHA-1 signature in place of the other',
      ({ body, headers: { 'x-hub-signature-256': _, ...headers } }: Captured) => ({
        body,
        headers: { ...headers, 'x-hub-signature': 'sha1=0' },
      }),
    ],
    ['signed with a secret of yesterday', (sent: Captured) => forgedBy(sent, 'a-secret-of-yesterday')],
    ['signed with nothing', (sent: Captured) => forgedBy(sent, '')],
  ])('%s is refused', async (_name, change) => {
    const lab = keepLab();
    const send = await startEntrance(lab);

    const status = await send(change(captured(commitB, commitA, 'first-delivery')));

    expect(status).toBe(401);
    expect(lab.pool().paused).toBe(false);
  });
});

function forgedBy({ body, headers }: Captured, secret: string): Captured {
  return { body, headers: { ...headers, 'x-hub-signature-256': githubSignature(body.toString(), secret || ' ') } };
}

/** Where a secret is compared, read as code: what takes how long cannot be measured on a machine that others use. */
describe('comparing secrets', () => {
  const source = (path: string) => readFileSync(join(root, path), 'utf8');

  test('tokens are compared by digest with timingSafeEqual, and every live value is tried', () => {
    expect(source('functions/shell/token.ts')).toMatch(/timingSafeEqual\(sha256\(offered\), sha256\(token\)\)/);
    expect(source('functions/shell/live-secret.ts')).toMatch(/Promise\.all\(values\.map\(test\)\)\)\.includes\(true\)/);
  });

  test('signatures are compared by the library, which uses timingSafeEqual over equal lengths', () => {
    const library = source('node_modules/@octokit/webhooks-methods/dist-node/index.js');

    const ours = source('functions/receive-github/require-signature.ts');
    expect(ours).toContain('verifierOf(secret).verify(text, signature)');
    expect(ours).toContain('new Webhooks({ secret })');
    expect(library).toContain('timingSafeEqual(');
  });

  test('the signature of Slack is compared as a token is', () => {
    expect(source('functions/receive-slack/require-signature.ts')).toMatch(
      /isKnown\(\(secret\) => isToken\(signature, /,
    );
  });

  test.each([
    'receive-github/receive-github',
    'receive-argocd/receive-argocd',
    'receive-cluster/receive-cluster',
    'receive-slack/receive-slack',
  ])('%s compares no secret itself', (path) => {
    const code = source(`functions/${path}.ts`);

    expect(code).toMatch(/require(?:Token|Signature)\(/);
    expect(code).not.toMatch(/(?:token|secret|signature)\w* ?[!=]==? ?(?!undefined)/i);
  });
});

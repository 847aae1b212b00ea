import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { NodeRollout } from '../../../functions/core/openshift/node-rollout.ts';
import { Misconfigured, Transient } from '../../../functions/core/text/errors.ts';
import { liveSecret } from '../../../functions/shell/live-secret.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { reboots } from '../../../local/cli/reboots.ts';
import { aNodeRollout, aView, fakeIds, fakeTables } from '../../fakes/index.ts';

const servers: Server[] = [];
const clock = () => new Date('2026-03-02T12:00:00Z');

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** The real status function, asked over HTTP. */
async function served(rollouts: readonly NodeRollout[], token = 'status-token'): Promise<string> {
  const tables = fakeTables();
  await tables.nodeRollouts.keep(rollouts);
  await tables.views.save(aView());
  const handle = statusOf({
    newId: fakeIds(),
    ...tables,
    clock,
    token: liveSecret({ secrets: { read: async () => [token] }, secret: 'status', clock }),
  });
  const server = createServer(async (request, response) => {
    const asked = new Request(`http://localhost${request.url}`, {
      headers: { accept: request.headers.accept ?? '', authorization: request.headers.authorization ?? '' },
    });
    const answer = await handle(asked);
    response.writeHead(answer.status).end(await answer.text());
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function run(url: string, ...args: readonly string[]) {
  const said = { text: '', noted: '' };
  const status = await reboots.run(['--url', url, ...args], {
    out: (text) => {
      said.text += text;
    },
    note: (text) => {
      said.noted += text;
    },
    environment: { POOLKEEPER_STATUS_TOKEN: 'status-token' },
    now: () => new Date(),
  });
  return { status, ...said };
}

async function asked(url: string, ...args: readonly string[]): Promise<string> {
  const { status, text } = await run(url, ...args);
  expect(status).toBe(0);
  return text;
}

const commit = 'a1b2c3d4'.padEnd(40, '0');
const byCommit = aNodeRollout({
  causes: [
    {
      kind: 'git',
      sources: ['99-worker-chrony'],
      why: `MachineConfig 99-worker-chrony of Application nodes, synced to ${commit}`,
      by: { application: 'nodes', revision: commit },
    },
  ],
});
const byCertificate = aNodeRollout({
  node: 'worker-2',
  begun: { at: '2026-03-02T11:00:00Z', told: true },
  causes: [{ kind: 'certificates', sources: ['00-worker'], why: 'CA certificates of the cluster' }],
});

test('[N-20] a commit is followed through its MachineConfig and rendered config to the node that it rebooted', async () => {
  const url = await served([byCommit, byCertificate]);

  const text = await asked(url, '--commit', 'a1b2c3d');

  expect(text).toBe(
    [
      '2026-03-02T10:00:10Z  prod/worker  worker-1 rebooted',
      '    rendered-worker-aaa -> rendered-worker-bbb',
      '    targeted 10:00:10, cordon 10:00:20, drain 10:00:20 to 10:03:12 (2 min), stage (OS, files, units)',
      '      10:03:12 to 10:04:12 (1 min), reboot 10:04:12 to 10:08:40 (4 min), uncordon 10:08:40 to',
      '      10:08:50 (10 s)',
      '    cause: MachineConfig 99-worker-chrony of Application nodes, synced to',
      `      ${commit}`,
      '',
    ].join('\n'),
  );
});

test('[N-20] [N-30] image mode: names the images from which and to which a node was rebooted', async () => {
  const image = (digit: string) => `rendered-worker-aaa@sha256:${digit.repeat(64)}`;
  const url = await served([aNodeRollout({ from: image('1'), to: image('2') })]);

  expect(await asked(url, '--node', 'worker-1')).toMatch(
    /rendered-worker-aaa with image sha256:1{12} -> rendered-worker-aaa with image\s+sha256:2{12}\n/,
  );
});

test('[N-20] a reboot that no commit caused is told with what did, and nobody is blamed', async () => {
  const url = await served([byCommit, byCertificate]);

  const text = await asked(url, '--node', 'worker-2');

  expect(text).toContain('cause: CA certificates of the cluster (certificates; no change in Git)');
  expect(text).not.toContain('worker-1');
  expect(await asked(url, '--pool', 'infra')).toContain('Nothing found');
});

test('[N-20] programs get the same as JSON', async () => {
  const url = await served([byCommit, byCertificate]);

  const found = JSON.parse(await asked(url, '--output', 'json', '--limit', '1'));

  expect(found).toMatchObject([{ node: 'worker-2', rebooted: true, causes: [{ kind: 'certificates' }] }]);
});

test('a wrong token, an unknown cluster and silence are each said in words', async () => {
  const url = await served([], 'another-token');
  const open = await served([]);

  await expect(asked(url)).rejects.toThrow(Misconfigured);
  await expect(asked(open, '--cluster', 'nobody')).rejects.toThrow('Poolkeeper has no cluster with this name');
  await expect(asked('http://127.0.0.1:9')).rejects.toThrow(Transient);
});

/** As many as one answer searches, of other clusters, all later than the one that is asked for. */
function laterOnes(count: number): readonly NodeRollout[] {
  const start = Date.parse('2026-03-02T11:00:00Z');
  return Array.from({ length: count }, (_, index) =>
    aNodeRollout({
      cluster: `edge-${index % 50}`,
      node: `w-${index}`,
      begun: { at: new Date(start + index * 1000).toISOString(), told: true },
    }),
  );
}

test('[N-20] [N-29] behind thousands of later updates of other clusters, what was not looked at is not called nothing', async () => {
  const url = await served([byCommit, ...laterOnes(5_000)]);

  const ofNode = await run(url, '--cluster', 'prod', '--node', 'worker-1');
  const ofOthers = await run(url, '--node', 'w-7');
  const enough = await run(url, '--node', 'w-7', '--output', 'json');

  expect(ofNode).toEqual({
    status: 1,
    text: 'Nothing found among the last 5000 updates of all clusters.\n',
    noted: 'poolkeeper: only the last 5000 updates of all clusters were looked at; older ones were not',
  });
  expect(ofOthers).toMatchObject({ status: 1, text: expect.stringContaining('edge-7/worker  w-7 rebooted') });
  expect(JSON.parse(enough.text)).toHaveLength(1);
  expect(await run(await served([byCommit, ...laterOnes(4_999)]), '--node', 'worker-1')).toMatchObject({
    status: 0,
    noted: '',
  });
});

test('[N-20] [N-29] a list that --limit cuts says so, and one that is shorter than was asked for is incomplete', async () => {
  const url = await served(laterOnes(1_002));
  const cut = (shown: number) =>
    `poolkeeper: these are the newest ${shown}, and there are older ones (--limit: at most 1,000)`;

  expect(await run(url, '--limit', '2')).toMatchObject({ status: 0, noted: cut(2) });
  expect(await run(url, '--pool', 'worker', '--limit', '2')).toMatchObject({ status: 0, noted: cut(2) });
  expect(await run(url, '--limit', '5000')).toMatchObject({ status: 1, noted: cut(1_000) });
  expect(await run(await served([byCommit]), '--limit', '1')).toMatchObject({ status: 0, noted: '' });
});

test('[N-20] [N-29] a node that left its pool in mid-update is not told as removed for certain', async () => {
  const ended = { at: { at: '2026-03-02T10:05:00Z', told: false }, how: 'gone' } as const;
  const url = await served([aNodeRollout({ ended, rebooted: undefined })]);

  expect(await asked(url)).toContain('worker-1 was removed, or left the pool');
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../../../local/cli/commands.ts';
import { runCommand } from '../../../local/cli/run-command.ts';

/** A server that refuses everybody, as an API server and as a status page. */
const refusing = createServer((_, answer) => {
  answer.writeHead(401, { 'content-type': 'application/json' });
  answer.end(
    JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Unauthorized', code: 401 }),
  );
});

/** What is at an address that is not Poolkeeper's. */
const elsewhere = createServer(({ url = '' }, answer) => {
  const [status, type, text] = elsewhereAnswers[url.split('/')[1] ?? ''] ?? [404, 'text/html', 'not found'];
  answer.writeHead(status, { 'content-type': type, ...(status === 302 ? { location: '/login' } : {}) }).end(text);
});
const elsewhereAnswers: Readonly<Record<string, readonly [number, string, string]>> = {
  login: [200, 'text/html', '<html>Log in</html>'],
  moved: [302, 'text/html', ''],
  forbidden: [403, 'application/json', '{}'],
  empty: [200, 'application/json', '{}'],
  absent: [404, 'application/json', '{"message":"Not Found"}'],
};

let folder: string;
let elsewhereUrl = '';
const servers: Record<'closed' | 'refusing', string> = { closed: '', refusing: '' };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-exit-'));
  servers.refusing = await listen(refusing);
  elsewhereUrl = await listen(elsewhere);
  const other = createServer();
  servers.closed = await listen(other);
  await new Promise((done) => other.close(done));
  for (const [name, server] of Object.entries(servers)) await writeFile(join(folder, name), kubeconfigOf(server));
});

afterAll(async () => {
  await new Promise((done) => refusing.close(done));
  await new Promise((done) => elsewhere.close(done));
  await rm(folder, { recursive: true });
});

/** What asks a cluster, with everything else right. */
const ofClusters = [
  ['connect', '--name', 'c', '--dry-run'],
  ['disconnect', '--name', 'c', '--dry-run'],
  ['explain', '--pool', 'worker'],
  ['hold', '--pool', 'worker', '--for', '1h', '--reason', 'disks are swapped'],
  ['preflight', '--pool', 'worker'],
  ['resume', '--pool', 'worker', '--reason', 'disks are swapped'],
  ['why'],
  ['freeze', '--all', '--for', '1h', '--reason', 'disks are swapped'],
  ['thaw', '--all', '--reason', 'disks are swapped'],
  ['emergency', '--pool', 'worker', '--for', '1h', '--reason', 'disks are swapped'],
];

describe.each(ofClusters)('poolkeeper %s', (...words) => {
  test.each(['closed', 'refusing'] as const)('[N-29] exits 2 and names the address where it is %s', async (how) => {
    const { status, noted } = await run([...words, '--kubeconfig', join(folder, how)]);

    expect(noted).toContain(how === 'refusing' ? '401' : servers[how].replace('http://', ''));
    expect(status).toBe(2);
  });
});

/** What asks a running Poolkeeper. */
const ofServices = [
  ['ack', 'PK-7', '--for', '1h', '--reason', 'label comes with PR 482', '--service'],
  ['snooze', 'PK-7', '--for', '1h', '--reason', 'label comes with PR 482', '--service'],
  ['recheck', 'PK-7', '--service'],
  ['reboots', '--url'],
  ['locks', '--url'],
  ['status', '--url'],
  ['get', 'pools', '--url'],
  ['why', '--url'],
  ['explain', '--incident', 'PK-7', '--url'],
];

/** What asks nobody, or cannot begin without more than an address, and what it ends with. */
const others: readonly (readonly [status: number, words: readonly string[]])[] = [
  [0, ['completion', 'bash']],
  [2, ['completion', 'tcsh']],
  [0, ['manifests']],
  [2, ['manifests', '--level', 'high']],
  [0, ['config', 'check', 'poolkeeper.example.yaml']],
  [2, ['config', 'check', 'nowhere.yaml']],
  [2, ['config']],
  [0, ['windows', '--config', 'poolkeeper.example.yaml']],
  [2, ['windows', '--config', 'nowhere.yaml']],
  [2, ['doctor', '--config', 'nowhere.yaml']],
  [1, ['doctor', '--config', 'poolkeeper.example.yaml']],
  [0, ['replay', 'test/corpus/recordings/drain-in-deadlock.json']],
  [2, ['replay', 'nowhere.jsonl']],
  [1, ['explain', '--snapshot', 'test/corpus/recordings/drain-in-deadlock.json']],
  [0, ['impact', '--dir', 'docs/install', 'docs/install', '--everything']],
  [2, ['impact', '--repo', 'nowhere', '--from', 'a', '--to', 'b']],
  [2, ['record', '--pool', 'worker']],
  [2, ['approve', '--pool', 'worker', '--reason', 'reviewed']],
  [2, ['locks', 'release', '--url', 'http://127.0.0.1:1', '--id', 'a', '--reason', 'its disk is broken']],
  [2, ['sequence', 'status', 'virt', '--config', 'nowhere.yaml']],
  [2, ['sequence', 'render', 'virt', '--config', 'nowhere.yaml']],
  [2, ['run', 'status', 'upgrade', '--config', 'nowhere.yaml']],
  [2, ['run', 'import', 'nowhere.yaml']],
  [2, ['serve']],
  [2, ['serve', '--config', 'nowhere.yaml', '--data', 'nowhere', '--account', 'nowhere']],
];

test.each(others)('[C-9] exits %i: poolkeeper %j', async (expected, words) => {
  expect(await run(words)).toMatchObject({ status: expected });
});

test('[C-9] wait goes on while nothing answers, and exits 1 at the end of its time', async () => {
  const line = ['wait', 'worker', '--timeout', '1m', '--url', servers.closed];

  expect(await run(line)).toMatchObject({ status: 1, noted: expect.stringContaining('does not answer') });
  expect(await run([...line.slice(0, -1), servers.refusing])).toMatchObject({ status: 2 });
});

test('[C-9] the exit status of every command is tested here', () => {
  const tested = new Set(
    [...ofClusters, ...ofServices, ...others.map(([, words]) => words), ['wait'], ['record']].map(([name]) => name),
  );

  expect(Object.keys(commands).filter((name) => !tested.has(name))).toEqual([]);
});

describe.each(ofServices)('poolkeeper %s', (...words) => {
  test.each(['closed', 'refusing'] as const)('[N-29] exits 2 and names the address where it is %s', async (how) => {
    const { status, noted } = await run([...words, servers[how]]);

    expect(noted).toContain(servers[how]);
    expect(noted).toContain(how === 'closed' ? 'does not answer' : 'POOLKEEPER_STATUS_TOKEN');
    expect(status).toBe(2);
  });

  test.each(Object.keys(elsewhereAnswers))('[N-29] exits 2 where something else answers: %s', async (path) => {
    const { status, noted } = await run([...words, `${elsewhereUrl}/${path}`]);

    expect(noted).toContain(`${elsewhereUrl}/${path}`);
    expect(noted).not.toContain('--cluster');
    expect(status).toBe(2);
  });
});

test.each(['closed', 'refusing'] as const)('[N-29] record exits 2 and says why where it is %s', async (how) => {
  const file = join(folder, `recorded-${how}`);
  const line = ['record', '--pool', 'worker', '-o', file, '--kubeconfig', join(folder, how)];
  const { status, noted } = await run(line);

  expect(noted).toContain('0 answers, 1 failed: GET /apis/machineconfiguration.openshift.io/v1/machineconfigpools');
  expect(status).toBe(2);
});

test('[N-29] a host that no name server knows is 2 as well', async () => {
  // A label of 64 characters cannot be asked for: no name server is involved.
  const host = `${'a'.repeat(64)}.invalid`;
  await writeFile(join(folder, 'unknown'), kubeconfigOf(`https://${host}:6443`));
  const { status, noted } = await run(['explain', '--pool', 'worker', '--kubeconfig', join(folder, 'unknown')]);

  expect(noted).toContain(host);
  expect(status).toBe(2);
});

test('[C-9] the list of commands says what each exit status means', async () => {
  const { status, out } = await run([]);

  expect(out).toContain('2  it could not begin: command line, configuration, network or credentials');
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(status).toBe(0);
});

test('[C-9] a command that is nearly one is answered in one line, which the overview does not push away', async () => {
  expect(await run(['statsu'])).toMatchObject({
    status: 2,
    noted: 'poolkeeper: unknown command statsu; did you mean status? --help lists all commands\n',
  });
});

test.each(['\u001B', '\u009B', '\u0007', '\r', '\u202E'])(
  '[N-30] no command steers the terminal with what it repeats: %j',
  async (mark) => {
    const unknown = await run([`x${mark}[2Jy`]);
    const refused = await run(['explain', '--node', `x${mark}[2Jy`]);

    expect(unknown.noted).toContain('unknown command x[2Jy\n');
    expect(refused.noted).toContain('--node: x[2Jy');
    expect(`${unknown.noted}${refused.noted}`).not.toContain(mark);
  },
);

async function run(line: readonly string[]) {
  const said = { out: '', noted: '' };
  const clock = { at: Date.parse('2026-03-03T10:00:00.000Z') };
  const status = await runCommand(line, {
    out: (text) => {
      said.out += text;
    },
    note: (text) => {
      said.noted += `${text}\n`;
    },
    environment: { USER: 'ada', HOME: folder },
    now: () => new Date(clock.at),
    wait: async (ms) => {
      clock.at += ms;
    },
  });
  return { status, ...said };
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'c',
    users: [{ name: 'u', user: { token: 'abc' } }],
  });
}

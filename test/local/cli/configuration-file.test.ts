import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  anywhere,
  configurationFile,
  configurationFileIfAny,
  notReadHere,
} from '../../../local/cli/configuration-file.ts';
import { runCommand } from '../../../local/cli/run-command.ts';

let folder: string;
let folders: { readonly own: string; readonly current: string };
let ours: Listener;
let tenants: Listener;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-folders-'));
  folders = { own: join(folder, 'poolkeeper'), current: join(folder, 'clone') };
  await Promise.all(Object.values(folders).map((each) => mkdir(each)));
  ours = await listen();
  tenants = await listen();
});

afterEach(async () => {
  await Promise.all([ours.close(), tenants.close()]);
  await rm(folder, { recursive: true });
});

interface Listener {
  readonly url: string;
  /** What it was sent as `authorization`. */
  readonly heard: readonly string[];
  close(): Promise<unknown>;
}

/** An API server that refuses everything. */
async function listen(): Promise<Listener> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers.authorization ?? '');
    response.writeHead(403, { 'content-type': 'application/json' }).end('{"kind":"Status","code":403,"message":"no"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    heard,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** Writes a poolkeeper.yaml with one cluster, by which secrets would be sent to its server. */
async function lay(where: string, { url }: Listener): Promise<string> {
  const file = join(where, 'poolkeeper.yaml');
  const api = `{ server: "${url}", tokenSecret: AWS_SECRET_ACCESS_KEY }`;
  await writeFile(
    file,
    `clusters: [{ name: prod-eu, api: ${api} }]\nargocd: [{ name: hub, cluster: prod-eu }]\nalerts: { targets: [] }\n`,
  );
  return file;
}

async function run(words: readonly string[]) {
  const said = { out: '', noted: '' };
  const kubeconfig = join(folder, 'kubeconfig');
  const contexts = { 'prod-eu': ours.url, tenant: tenants.url };
  await writeFile(
    kubeconfig,
    JSON.stringify({
      'current-context': 'prod-eu',
      contexts: Object.keys(contexts).map((name) => ({ name, context: { cluster: name, user: 'ann' } })),
      clusters: Object.entries(contexts).map(([name, at]) => ({
        name,
        cluster: { server: at, 'insecure-skip-tls-verify': true },
      })),
      users: [{ name: 'ann', user: { token: 'anns-own' } }],
    }),
  );
  const status = await runCommand(words, {
    environment: { AWS_SECRET_ACCESS_KEY: 'not-a-real-key', KUBECONFIG: kubeconfig },
    out: (text) => {
      said.out += text;
    },
    note: (text) => {
      said.noted += `${text}\n`;
    },
    now: () => new Date('2026-03-02T08:00:00Z'),
    wait: async () => undefined,
    folders,
  });
  return { status, ...said };
}

const hint = 'poolkeeper.yaml of this folder is not read: --config poolkeeper.yaml takes it';

describe('the poolkeeper.yaml of a command', () => {
  test('[C-8] is the one that is named, else that of the variable, else that of its checkout', () => {
    const environment = { POOLKEEPER_YAML: '/etc/poolkeeper.yaml' };

    expect(configurationFile('prod.yaml', { environment, folders })).toBe('prod.yaml');
    expect(configurationFile(undefined, { environment, folders })).toBe('/etc/poolkeeper.yaml');
    expect(configurationFile(undefined, { environment: {}, folders })).toBe(join(folders.own, 'poolkeeper.yaml'));
    expect(configurationFile(undefined, { environment: { POOLKEEPER_YAML: '' }, folders })).toBe(
      join(folders.own, 'poolkeeper.yaml'),
    );
  });

  test('[C-8] is by default that of the checkout with these files', () => {
    expect(configurationFile(undefined, { environment: {} })).toBe(
      join(import.meta.dirname, '../../../poolkeeper.yaml'),
    );
  });

  test('[C-8] is never another one in each folder by the variable', () => {
    const environment = { POOLKEEPER_YAML: 'poolkeeper.yaml' };

    expect(() => configurationFile(undefined, { environment, folders })).toThrow(
      'POOLKEEPER_YAML: must be an absolute path',
    );
  });

  test('[C-8] is none where only the current folder has one, which is said', async () => {
    await lay(folders.current, tenants);
    const usual = join(folders.own, 'poolkeeper.yaml');

    expect(await configurationFileIfAny(undefined, { environment: {}, folders })).toBeUndefined();
    expect(await notReadHere(usual, { folders })).toBe(hint);
    expect(await notReadHere('prod.yaml', { folders })).toBeUndefined();

    await lay(folders.own, ours);

    expect(await configurationFileIfAny(undefined, { environment: {}, folders })).toBe(usual);
    expect(await notReadHere(usual, { folders })).toBeUndefined();
  });

  test('[C-8] is printed so that it is the same in whatever folder it is pasted', () => {
    expect(anywhere('prod.yaml', { folders })).toBe(join(folders.current, 'prod.yaml'));
    expect(anywhere('/etc/prod.yaml', { folders })).toBe('/etc/prod.yaml');
  });

  test('[C-8] that is named, and is not there, is not taken for none', async () => {
    const environment = { POOLKEEPER_YAML: join(folder, 'gone.yaml') };

    expect(await configurationFileIfAny(undefined, { environment, folders })).toBe(environment.POOLKEEPER_YAML);
  });
});

describe('a poolkeeper.yaml in the clone of a repository in which somebody stands', () => {
  beforeEach(async () => {
    await lay(folders.current, tenants);
  });

  test.each([
    ['doctor'],
    ['why --cluster prod-eu worker'],
    ['explain --cluster prod-eu'],
    ['record --cluster prod-eu -o FOLDER/recorded.json'],
    ['impact --cluster prod-eu --record FOLDER/recorded.json'],
  ])('[C-8] sends no secret to its server: %s', async (line) => {
    const { status, noted } = await run(line.replace('FOLDER', folder).split(' '));

    expect(status).toBe(2);
    expect(tenants.heard).toEqual([]);
    expect(noted).toContain(hint);
  });

  test.each([
    ['windows'],
    ['run status upgrade'],
    ['run abort upgrade --reason wrong'],
    ['sequence status virtualization'],
    ['sequence abort virtualization --reason wrong'],
    ['sequence render virtualization'],
    ['freeze --fleet --for 1h --reason disks'],
    ['thaw --fleet --reason done'],
  ])('[C-8] is not what is gone by: %s', async (line) => {
    const { status, noted } = await run(line.split(' '));

    expect(status).toBe(2);
    expect(tenants.heard).toEqual([]);
    expect(noted).toContain(hint);
  });

  test.each([
    ['hold --pool worker --for 1h --reason disks'],
    ['resume --pool worker --reason done'],
    ['freeze --all --for 1h --reason disks'],
    ['thaw --all --reason done'],
    ['emergency --pool worker --for 1h --reason disks'],
  ])('[C-8] gives the name of a cluster to no other: %s', async (line) => {
    const { noted } = await run([...line.split(' '), '--cluster', 'prod-eu']);

    expect(tenants.heard).toEqual([]);
    expect(ours.heard).toContain('Bearer anns-own');
    expect(noted).toContain(hint);
  });

  test('[C-8] is read where it is named', async () => {
    const { status } = await run(['why', '--cluster', 'prod-eu', '--config', join(folders.current, 'poolkeeper.yaml')]);

    expect(status).toBe(2);
    expect(tenants.heard).toContain('Bearer not-a-real-key');
  });

  test('[C-8] is neither read nor mentioned where the checkout has one', async () => {
    await lay(folders.own, ours);

    const { noted, out } = await run(['windows']);

    expect(noted).toBe('');
    expect(out).toBe('No window is configured: pools resume as soon as their other gates are open.\n');
  });
});

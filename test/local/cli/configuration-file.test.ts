import { execFile as execFileOf } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anywhere, configurationFile, configurationFileIfAny } from '../../../local/cli/configuration-file.ts';
import { runCommand } from '../../../local/cli/run-command.ts';

const execFile = promisify(execFileOf);

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

const refusal =
  'poolkeeper: poolkeeper.yaml of this folder is not read unless --config names it, as it says where tokens are sent: --config poolkeeper.yaml, if it is yours';

describe('the poolkeeper.yaml of a command', () => {
  test('[C-8] is the one that is named, else that of the variable, else that of its checkout', async () => {
    const environment = { POOLKEEPER_YAML: '/etc/poolkeeper.yaml' };
    const usual = join(folders.own, 'poolkeeper.yaml');

    expect(await configurationFile('prod.yaml', { environment, folders })).toBe('prod.yaml');
    expect(await configurationFile(undefined, { environment, folders })).toBe('/etc/poolkeeper.yaml');
    expect(await configurationFile(undefined, { environment: {}, folders })).toBe(usual);
    expect(await configurationFile(undefined, { environment: { POOLKEEPER_YAML: '' }, folders })).toBe(usual);
  });

  test('[C-8] is by default that of the checkout with these files', async () => {
    expect(await configurationFile(undefined, { environment: {} })).toBe(
      join(import.meta.dirname, '../../../poolkeeper.yaml'),
    );
  });

  test('[C-8] is never another one in each folder by the variable', async () => {
    const environment = { POOLKEEPER_YAML: 'poolkeeper.yaml' };

    await expect(configurationFile(undefined, { environment, folders })).rejects.toThrow(
      'POOLKEEPER_YAML: must be an absolute path',
    );
  });

  test('[C-8] must be named where the current folder has another one, whether or not the checkout has one', async () => {
    const [here, usual] = [await lay(folders.current, tenants), join(folders.own, 'poolkeeper.yaml')];
    const asked = (named?: string) => configurationFile(named, { environment: {}, folders });

    await expect(asked()).rejects.toThrow(/if it is yours$/);
    await expect(configurationFileIfAny(undefined, { environment: {}, folders })).rejects.toThrow('is not read unless');

    await lay(folders.own, ours);

    await expect(asked()).rejects.toThrow(`if it is yours, or --config ${usual}`);
    expect(await asked('poolkeeper.yaml')).toBe('poolkeeper.yaml');
    expect(await configurationFile(undefined, { environment: { POOLKEEPER_YAML: here }, folders })).toBe(here);
  });

  test('[C-8] is that of the checkout for who stands there, or where a link leads to it', async () => {
    const usual = await lay(folders.own, ours);
    await symlink(usual, join(folders.current, 'poolkeeper.yaml'));
    const there = { own: folders.own, current: folders.own };

    expect(await configurationFile(undefined, { environment: {}, folders })).toBe(usual);
    expect(await configurationFile(undefined, { environment: {}, folders: there })).toBe(usual);
  });

  test.each([
    ['resume --pool worker --reason done', 'there is no context (none is set as current)'],
    ['freeze --all --for 1h --reason disks --cluster prod-eu', 'there is no context (none is set as current)'],
    ['resume --pool worker --reason done --cluster prod-eu --config p.yaml', 'p.yaml: must be an absolute path'],
  ])('[C-8] is that of the checkout in a folder that is deleted: %s', async (line, said) => {
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, '');
    const main = join(import.meta.dirname, '../../../local/cli/main.ts');
    const words = [main, ...line.split(' '), '--kubeconfig', kubeconfig];

    const script = 'rmdir "$PWD" && exec "$0" "$@"';
    const ran = execFile('/bin/sh', ['-c', script, process.execPath, ...words], { cwd: folders.current });

    await expect(ran).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
    await expect(ran).rejects.not.toMatchObject({ stderr: expect.stringContaining('uv_cwd') });
  });

  test('[C-8] is printed so that it is the same in whatever folder it is pasted', () => {
    expect(anywhere('prod.yaml', { folders })).toBe(join(folders.current, 'prod.yaml'));
    expect(anywhere('/etc/prod.yaml', { folders })).toBe('/etc/prod.yaml');
  });

  test('[C-8] that is named, and is not there, is not taken for none', async () => {
    const environment = { POOLKEEPER_YAML: join(folder, 'gone.yaml') };

    expect(await configurationFileIfAny(undefined, { environment, folders })).toBe(environment.POOLKEEPER_YAML);
    expect(await configurationFileIfAny(undefined, { environment: {}, folders })).toBeUndefined();
  });
});

const byFile = [
  ['doctor'],
  ['why worker'],
  ['why --cluster prod-eu worker'],
  ['explain --cluster prod-eu'],
  ['record --cluster prod-eu -o FOLDER/recorded.json'],
  ['impact --cluster prod-eu --record FOLDER/recorded.json'],
  ['windows'],
  ['run status upgrade'],
  ['run abort upgrade --reason wrong'],
  ['run skip upgrade worker-3 --reason wrong'],
  ['sequence status virtualization'],
  ['sequence abort virtualization --reason wrong'],
  ['sequence skip virtualization storage --reason wrong'],
  ['sequence render virtualization'],
  ['freeze --fleet --for 1h --reason disks'],
  ['thaw --fleet --reason done'],
  ['hold --pool worker --for 1h --reason disks --cluster prod-eu'],
  ['resume --pool worker --reason done --cluster prod-eu'],
  ['freeze --all --for 1h --reason disks --cluster prod-eu'],
  ['thaw --all --reason done --cluster prod-eu'],
  ['emergency --pool worker --for 1h --reason disks --cluster prod-eu'],
];

describe('a poolkeeper.yaml in the clone of a repository, or another checkout, in which somebody stands', () => {
  beforeEach(async () => {
    await lay(folders.current, tenants);
  });

  test.each(byFile)('[C-8] is not gone by: %s', async (line) => {
    const { status, noted, out } = await run(line.replace('FOLDER', folder).split(' '));

    expect([status, out, noted]).toEqual([2, '', `${refusal}\n`]);
    expect([...tenants.heard, ...ours.heard]).toEqual([]);
  });

  test.each(byFile)('[C-8] [N-29] is not passed over for that of the own checkout: %s', async (line) => {
    const usual = await lay(folders.own, ours);

    const { status, noted, out } = await run(line.replace('FOLDER', folder).split(' '));

    expect([status, out, noted]).toEqual([2, '', `${refusal}, or --config ${usual}\n`]);
    expect([...tenants.heard, ...ours.heard]).toEqual([]);
  });

  test.each([
    ['hold --pool worker --for 1h --reason disks'],
    ['resume --pool worker --reason done'],
    ['freeze --all --for 1h --reason disks'],
    ['thaw --all --reason done'],
    ['emergency --pool worker --for 1h --reason disks'],
    ['explain --pool worker'],
    ['record --pool worker -o FOLDER/recorded.json'],
    ['impact --context prod-eu --record FOLDER/recorded.json'],
  ])('[C-8] keeps nobody from what goes by no file: %s', async (line) => {
    const { noted } = await run(line.replace('FOLDER', folder).split(' '));

    expect(tenants.heard).toEqual([]);
    expect(ours.heard).toContain('Bearer anns-own');
    expect(noted).not.toContain('poolkeeper.yaml');
  });

  test('[C-8] is read where it is named', async () => {
    const { status } = await run(['why', '--cluster', 'prod-eu', '--config', join(folders.current, 'poolkeeper.yaml')]);

    expect(status).toBe(2);
    expect(tenants.heard).toContain('Bearer not-a-real-key');
  });

  test('[C-8] leaves that of the own checkout to who names it', async () => {
    const usual = await lay(folders.own, ours);

    const { noted, out } = await run(['windows', '--config', usual]);

    expect(noted).toBe('');
    expect(out).toBe('No window is configured: pools resume as soon as their other gates are open.\n');
  });
});

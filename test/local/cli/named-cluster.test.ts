import { readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { isSameServer } from '../../../local/cli/connection/configuration-entry.ts';
import { kubeconfigFiles } from '../../../local/cli/pick-cluster.ts';
import { runCommand } from '../../../local/cli/run-command.ts';
import { machineConfigPools } from '../../../local/openshift/api-server/resource-types.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

let demo: DemoCluster;

beforeEach(async () => {
  demo = await demoCluster();
});

afterEach(() => demo.close());

const elsewhere = 'https://api.prod-us.example.com:6443';

async function run(...words: readonly string[]) {
  return runIn({}, ...words);
}

/** With more, or others, in its environment. */
async function runIn(environment: Readonly<Record<string, string>>, ...words: readonly string[]) {
  const said = { out: '', noted: '' };
  const status = await runCommand(words, {
    ...demo.surroundings,
    environment: { ...demo.surroundings.environment, ...environment },
    out: (text) => {
      said.out += text;
    },
    note: (text) => {
      said.noted += `${text}\n`;
    },
  });
  const pool = demo.world.openshift.registry.get(machineConfigPools, 'worker');
  return { status, ...said, paused: pool?.spec.paused === true };
}

const hold = ['hold', '--pool', 'worker', '--for', '1h', '--reason', 'disks'];

async function configured(servers: Readonly<Record<string, string>>): Promise<string> {
  const file = join(demo.folder, 'poolkeeper.yaml');
  const clusters = Object.entries(servers).map(
    ([name, server]) => `  - { name: ${name}, api: { server: "${server}", tokenSecret: a/${name} } }\n`,
  );
  await writeFile(
    file,
    `clusters:\n${clusters.join('')}argocd: [{ name: hub, cluster: ${Object.keys(servers)[0]} }]\nalerts: { targets: [] }\n`,
  );
  return file;
}

const Kubeconfig = z.looseObject({
  contexts: z.array(z.looseObject({})),
  clusters: z.array(z.unknown()),
});

/** A second cluster in the kubeconfig, which is the current one. */
async function currentIs(context: string, server: string): Promise<void> {
  const read = Kubeconfig.parse(parse(await readFile(demo.kubeconfig, 'utf8')));
  const content = {
    ...read,
    'current-context': context,
    contexts: [...read.contexts, { name: context, context: { cluster: context, user: context } }],
    clusters: [...read.clusters, { name: context, cluster: { server } }],
  };
  await writeFile(demo.kubeconfig, JSON.stringify(content));
}

/** The only context, of the simulated cluster, as oc login names it. */
async function contextIs(name: string): Promise<void> {
  const read = Kubeconfig.parse(parse(await readFile(demo.kubeconfig, 'utf8')));
  const contexts = read.contexts.map((each) => ({ ...each, name }));
  await writeFile(demo.kubeconfig, JSON.stringify({ ...read, 'current-context': name, contexts }));
}

/** The simulated cluster is the current one again. */
async function useAgain(): Promise<void> {
  const read = Kubeconfig.parse(parse(await readFile(demo.kubeconfig, 'utf8')));
  await writeFile(demo.kubeconfig, JSON.stringify({ ...read, 'current-context': 'simulated' }));
}

test('[C-9] a command that names its cluster goes there, whatever the current context', async () => {
  const config = await configured({ 'prod-eu': demo.world.openshift.url, 'prod-us': elsewhere });
  await currentIs('admin@prod-us', elsewhere);

  const held = await run(...hold, '--cluster', 'prod-eu', '--config', config);
  const resumed = await run(
    'resume',
    '--pool',
    'worker',
    '--reason',
    'done',
    '--cluster',
    'prod-eu',
    '--config',
    config,
  );

  expect([held.status, held.paused, resumed.status, resumed.paused]).toEqual([0, true, 0, false]);
  expect(held.out).toContain('--context simulated');
});

test.each([['hold'], ['freeze']])('[C-9] %s is refused where the context leads to another cluster', async (command) => {
  const config = await configured({
    'prod-eu': 'https://api.prod-eu.example.com:6443',
    'prod-us': demo.world.openshift.url,
  });

  const words = [command, ...hold.slice(1), '--cluster', 'prod-eu', '--config', config];
  const refused = [await run(...words), await run(...words, '--context', 'simulated')];

  for (const { status, noted, paused } of refused) {
    expect([status, paused]).toEqual([2, false]);
    expect(noted).toContain('which is cluster prod-us, but this is about cluster prod-eu');
  }
});

test('[C-9] with a kubeconfig alone, a cluster is known by the name of its context', async () => {
  const held = await run(...hold, '--cluster', 'simulated');

  expect([held.status, held.paused]).toEqual([0, true]);
  expect(held.noted).not.toContain('not certain');
});

test.each([
  ['is not there', undefined, 'cannot be read'],
  ['is half merged', '<<<<<<< ours\nclusters: []\n=======\n>>>>>>> theirs\n', 'not YAML'],
  ['has no clusters', 'cluster: []\n', 'clusters: is missing'],
])('[C-9] a file that is named and %s is not taken for none', async (_, text, why) => {
  const file = join(demo.folder, 'named.yaml');
  if (text !== undefined) await writeFile(file, text);

  const typed = await run(...hold, '--cluster', 'in-cluster', '--config', file);
  const set = await runIn({ POOLKEEPER_YAML: file }, ...hold, '--cluster', 'in-cluster');

  for (const { status, noted, paused } of [typed, set]) {
    expect([status, paused]).toEqual([2, false]);
    expect(noted).toContain(`poolkeeper: ${file}`);
    expect(noted).toContain(why);
  }
});

test('[C-9] [N-29] an address with a path is the same with and without a slash at its end', () => {
  const proxied = 'https://proxy.example.com/k8s/clusters/c-1';

  expect(isSameServer(proxied, `${proxied}/`)).toBe(true);
  expect(isSameServer(elsewhere, `${elsewhere}/`)).toBe(true);
  expect(isSameServer(proxied, `${proxied}2`)).toBe(false);
  expect(isSameServer('', '')).toBe(false);
});

test('[C-9] where nothing tells which cluster it is, the command goes on and says so', async () => {
  const held = await run(...hold, '--cluster', 'in-cluster');

  expect([held.status, held.paused]).toEqual([0, true]);
  expect(held.noted).toContain('It is not certain that this is cluster in-cluster: context simulated leads to');
});

test('[C-9] --cluster and --fleet exclude each other', async () => {
  const { status, noted } = await run('freeze', '--fleet', '--for', '1h', '--reason', 'disks', '--cluster', 'prod-eu');

  expect(status).toBe(2);
  expect(noted).toContain('--cluster and --fleet exclude each other');
});

test('[C-9] a file that has the cluster of the context under another name alone leaves no doubt', async () => {
  const config = await configured({ 'prod-eu': demo.world.openshift.url });

  const { status, noted, paused } = await run(...hold, '--cluster', 'prod-us', '--config', config);

  expect([status, paused]).toEqual([2, false]);
  expect(noted).toContain('which is cluster prod-eu, but this is about cluster prod-us');
});

const ownAddress = 'https://kubernetes.default.svc';

test.each([['prod-eu'], ['default/prod-eu:6443/admin']])(
  '[C-9] a Poolkeeper that runs in its cluster does not tell where that is: context %s is known by its name',
  async (context) => {
    const config = await configured({ 'prod-eu': ownAddress });
    await currentIs(context, elsewhere);
    await useAgain();

    const { status, paused } = await run(...hold, '--cluster', 'prod-eu', '--config', config);

    expect([status, paused]).toEqual([2, false]);
  },
);

test.each([['with'], ['without']])(
  '[C-9] where a kubeconfig has several clusters and nothing tells which it is, a context is asked for: %s a file',
  async (file) => {
    const named = file === 'with' ? ['--config', await configured({ 'prod-eu': ownAddress })] : [];
    await currentIs('admin@prod-us', elsewhere);
    await useAgain();
    const words = [...hold, '--cluster', 'prod-eu', ...named];

    const unsaid = await run(...words);
    const said = await run(...words, '--context', 'simulated');

    expect([unsaid.status, unsaid.paused]).toEqual([2, false]);
    expect(unsaid.noted).toContain('but this is about cluster prod-eu; --context names one of that cluster');
    expect([said.status, said.paused]).toEqual([0, true]);
    expect(said.noted).toContain('It is not certain that this is cluster prod-eu');
  },
);

test('[C-9] the file of a Poolkeeper in its cluster, whose authority is not here, keeps nobody from a pool', async () => {
  const file = join(demo.folder, 'poolkeeper.yaml');
  const api = `{ server: "${ownAddress}", caFile: /nowhere/ca.crt, tokenSecret: service-account }`;
  await writeFile(file, `clusters: [{ name: simulated, api: ${api} }]\nalerts: { targets: [] }\n`);

  const { status, paused } = await run(...hold, '--cluster', 'simulated', '--config', file);

  expect([status, paused]).toEqual([0, true]);
});

const podFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

test.each([
  ['at its address', 'prod-eu', () => `{ server: "${demo.world.openshift.url}", tokenSecret: a/b }`],
  [
    'by the file of a Poolkeeper in it',
    'simulated',
    () => `{ server: "${ownAddress}", caFile: ${podFolder}/ca.crt, tokenSecret: service-account }`,
  ],
])(
  '[C-9] a freeze of a named cluster leaves the pools alone that are only observed there: %s',
  async (_, name, api) => {
    const file = await observing(name, api());

    const words = ['freeze', '--all', '--for', '1h', '--reason', 'disks', '--cluster', name, '--config', file];
    const { noted, paused } = await run(...words);

    expect(paused).toBe(false);
    expect(noted).toContain('worker (only observed)');
  },
);

/** One cluster, whose pool worker is only observed. */
async function observing(name: string, api: string): Promise<string> {
  const file = join(demo.folder, 'poolkeeper.yaml');
  const cluster = `{ name: ${name}, api: ${api}, pools: { worker: { protection: observe } } }`;
  await writeFile(file, `clusters: [${cluster}]\nargocd: [{ name: hub, cluster: ${name} }]\nalerts: { targets: [] }\n`);
  return file;
}

test('[C-9] a thaw of a named cluster names the frozen pools that are only observed there, and one alone is thawed', async () => {
  const file = await observing('prod-eu', `{ server: "${demo.world.openshift.url}", tokenSecret: a/b }`);
  await run('freeze', '--all', '--for', '4h', '--reason', 'disks');

  const words = ['--reason', 'done', '--cluster', 'prod-eu', '--config', file];
  const all = await run('thaw', '--all', ...words);
  const one = await run('thaw', '--pool', 'worker', ...words);

  expect([all.status, all.noted]).toEqual([1, 'prod-eu: still frozen: worker (only observed); --pool P thaws one.\n']);
  expect([one.status, one.out]).toEqual([0, expect.stringContaining('prod-eu/worker is thawed')]);
});

/** Nothing listens there. */
const euServer = 'https://127.0.0.1:1';

/** A file of its own, whose only context has this name. */
async function secondFile(context: string, server: string): Promise<string> {
  const file = join(demo.folder, 'second');
  const content = {
    'current-context': context,
    contexts: [{ name: context, context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 'x' } }],
  };
  await writeFile(file, JSON.stringify(content));
  return file;
}

test.each([
  ['by its name', 'prod-eu', {}],
  ['by its API server', 'admin', { 'prod-eu': euServer }],
])(
  '[C-9] with several files in KUBECONFIG, the context of the named cluster is found in each of them: %s',
  async (_, context, servers) => {
    await run(...hold);
    const named = Object.keys(servers).length === 0 ? [] : ['--config', await configured(servers)];
    const files = [demo.kubeconfig, join(demo.folder, 'missing'), await secondFile(context, euServer)];
    const resume = ['resume', '--pool', 'worker', '--reason', 'done', ...named];

    const first = await runIn({ KUBECONFIG: files.join(delimiter) }, ...resume, '--cluster', 'prod-eu');
    const typed = [...resume, '--cluster', 'prod-eu', '--context', 'simulated'];
    const second = await runIn({ KUBECONFIG: files.toReversed().join(delimiter) }, ...typed);

    expect(first.noted).toContain('127.0.0.1:1');
    expect([first.status, first.paused]).toEqual([2, true]);
    expect(second.noted).toContain('but this is about cluster prod-eu');
    expect(second.paused).toBe(true);
  },
);

test('[C-9] an empty entry in KUBECONFIG is passed over', async () => {
  const { status, paused } = await runIn({ KUBECONFIG: `${delimiter}${demo.kubeconfig}${delimiter}` }, ...hold);

  expect([status, paused]).toEqual([0, true]);
});

test('[C-9] an empty KUBECONFIG counts as unset, and one that names no file does not', () => {
  expect(kubeconfigFiles(undefined, { KUBECONFIG: '' })).toEqual([join(homedir(), '.kube', 'config')]);
  expect(kubeconfigFiles('a', { KUBECONFIG: 'b' })).toEqual(['a']);
  expect(() => kubeconfigFiles(undefined, { KUBECONFIG: delimiter })).toThrow('KUBECONFIG names no file');
});

test('[C-9] the only context is not believed where its cluster is not at the address that is known of the named one', async () => {
  const config = await configured({ 'prod-eu': euServer });
  const words = [...hold, '--cluster', 'prod-eu', '--config', config];

  const unsaid = await run(...words);
  const said = await run(...words, '--context', 'simulated');

  expect([unsaid.status, unsaid.paused]).toEqual([2, false]);
  expect(unsaid.noted).toContain(
    `but this is about cluster prod-eu at ${euServer}; --context names one of that cluster`,
  );
  expect([said.status, said.paused]).toEqual([0, true]);
  expect(said.noted).toContain('It is not certain that this is cluster prod-eu');
});

/** The command behind `undo:`, as words. */
function undoIn({ out }: { readonly out: string }): readonly string[] {
  const line = /undo: poolkeeper (.*) --reason "..."/.exec(out)?.[1] ?? '';
  return [...line.split(' '), '--reason', 'not so'];
}

test.each([
  ['freeze', ['freeze', '--pool', 'worker', '--for', '4h']],
  ['freeze', ['freeze', '--all', '--for', '4h']],
  ['hold', ['hold', '--pool', 'worker', '--for', '1h']],
])(
  '[C-9] the undo of %s of a named cluster names its context and the cluster, and undoes it there alone: %j',
  async (_, words) => {
    const config = await configured({ 'prod-eu': demo.world.openshift.url, 'prod-us': elsewhere });
    // A context of that name is another cluster's.
    await currentIs('prod-eu', elsewhere);
    const place = ['--cluster', 'prod-eu', '--config', config];

    const done = await run(...words, '--reason', 'disks', ...place);
    const undone = await run(...undoIn(done));
    await configured({ 'prod-eu': elsewhere, 'prod-us': demo.world.openshift.url });
    const moved = await run(...undoIn(done));

    expect(undoIn(done).join(' ')).toContain(`--context simulated ${place.join(' ')}`);
    expect(undone.status).toBe(0);
    expect(moved.status).toBe(2);
    expect(moved.noted).toContain('which is cluster prod-us, but this is about cluster prod-eu');
  },
);

test('[C-9] the undo of thaw and of resume of a named cluster freezes and holds again there', async () => {
  const config = await configured({ 'prod-eu': demo.world.openshift.url, 'prod-us': elsewhere });
  const place = ['--cluster', 'prod-eu', '--config', config];
  await run('freeze', '--all', '--for', '4h', '--reason', 'disks', ...place);

  const thawed = await run('thaw', '--all', '--reason', 'oops', ...place);
  const frozen = await run(...undoIn(thawed));
  await run('thaw', '--all', '--reason', 'oops', ...place);
  await run(...hold, ...place);
  const resumed = await run('resume', '--pool', 'worker', '--reason', 'oops', ...place);
  const held = await run(...undoIn(resumed));

  expect([thawed.status, frozen.status, frozen.paused]).toEqual([0, 0, true]);
  expect([resumed.paused, held.status, held.paused]).toEqual([false, 0, true]);
  expect(undoIn(resumed).join(' ')).toContain(`--context simulated ${place.join(' ')}`);
});

const login = 'default/api-prod-us-example-com:6443/ann';

test.each([
  ['explain', 'emergency', 'prod-us'],
  ['why', 'resume', 'prod-us'],
  ['explain', 'emergency', undefined],
])(
  '[N-29] [C-9] what %s prints acts on the cluster that was looked at: %s, in a file as %s',
  async (command, act, name) => {
    const other = { 'prod-eu': elsewhere };
    const config = await configured(name === undefined ? other : { [name]: demo.world.openshift.url, ...other });
    await contextIs(login);
    const asked = act === 'resume' ? hold : ['emergency', ...hold.slice(1)];
    await run(...asked);

    const printed = await run(
      ...(command === 'why' ? ['why', 'worker'] : ['explain', '--pool', 'worker']),
      '--config',
      config,
    );
    const line = new RegExp(`poolkeeper (${act} [^\n]*)`).exec(printed.out)?.[1]?.replace('"..."', 'done') ?? '';
    const pasted = await run(...line.trim().split(/\s+/), '--config', config);

    expect(line).toContain(`--cluster ${name ?? 'api-prod-us-example-com'}`);
    expect([pasted.status, pasted.noted]).toEqual([0, '']);
  },
);

test('[C-9] a name that is only that of a context is refused with the name of the cluster that it leads to', async () => {
  const config = await configured({ 'prod-us': demo.world.openshift.url, 'prod-eu': elsewhere });
  await contextIs(login);

  const words = [...hold, '--config', config, '--context', login, '--cluster'];
  const unknown = await run(...words, 'api-prod-us-example-com');
  const known = await run(...words, 'prod-eu');

  expect([unknown.status, unknown.paused, known.status]).toEqual([2, false, 2]);
  expect(unknown.noted).toContain('which is cluster prod-us, but this is about cluster api-prod-us-example-com');
  expect(unknown.noted).toContain('; --context names one of that cluster, --cluster prod-us this one');
  expect(known.noted).not.toContain('--cluster prod-us');
});

test('[C-9] contexts that read alike and lead to several clusters are none of them believed', async () => {
  await contextIs('prod@eu');
  await currentIs('prod/eu', elsewhere);
  const words = [...hold, '--cluster', 'prod-eu'];

  const unsaid = await run(...words);
  const said = await run(...words, '--context', 'prod@eu');

  expect([unsaid.status, unsaid.paused]).toEqual([2, false]);
  expect(unsaid.noted).toContain('contexts prod/eu and prod@eu lead to several clusters that may be prod-eu');
  expect([said.status, said.paused]).toEqual([0, true]);
});

test.each([
  ['why', 'worker'],
  ['explain', '--pool', 'worker'],
])('[N-29] [C-9] %s does not name a cluster that is behind another path of the same proxy', async (...words) => {
  const config = await configured({ 'prod-us': `${demo.world.openshift.url}/k8s/clusters/c-1` });
  await run('emergency', ...hold.slice(1));
  await run(...hold);

  const { out } = await run(...words, '--config', config);

  expect(out).toContain('--cluster simulated');
  expect(out).not.toContain('prod-us');
});

test('[N-16] [C-9] what why prints goes, pasted, by the file that was typed', async () => {
  const config = await configured({ 'prod-eu': demo.world.openshift.url, 'prod-us': elsewhere });
  await currentIs('admin@prod-us', elsewhere);
  await run('freeze', ...hold.slice(1), '--cluster', 'prod-eu', '--config', config);

  const { out } = await run('why', 'worker', '--context', 'simulated', '--config', config);
  const [line = ''] = /(?<=poolkeeper )thaw .*(?= --reason)/.exec(out) ?? [];
  const pasted = await run(...line.split(' '), '--reason', 'done');

  expect(line).toContain(`--config ${config}`);
  expect([pasted.status, pasted.noted]).toEqual([0, '']);
});

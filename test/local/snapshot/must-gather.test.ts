import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openMustGather } from '../../../local/snapshot/must-gather.ts';

/** A folder with these files; a Buffer is written as it is. */
async function folderWith(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-gathered-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}

/** As Go prints a time. */
const stamp = (time: string) => `2026-03-02 ${time}.123456789 +0000 UTC m=+0.1\n`;
const node = (name: string, config: string) =>
  `kind: Node\nmetadata:\n  annotations:\n    machineconfiguration.openshift.io/currentConfig: ${config}\n  name: ${name}\n`;
const nodeFile = (name: string) => `cluster-scoped-resources/core/nodes/${name}.yaml`;
const list = (kind: string, ...names: readonly string[]) =>
  `items:\n${names.map((name) => `- metadata:\n    name: ${name}\n    namespace: shop\n`).join('')}kind: ${kind}List\n`;

async function read(folder: string, path: string) {
  const { observed } = await openMustGather(folder);
  return observed.reader.read({ path, query: {} });
}

const pods = '/api/v1/namespaces/shop/pods';

test.each<[string, string | Buffer, string]>([
  ['is empty', '', 'is empty'],
  ['ends in the middle of a line', list('Pod', 'web-a', 'web-b').slice(0, -30), 'is cut off, or no list'],
  ['ends after one of its items', list('Pod', 'web-a', 'web-b').split('- metadata')[0] ?? '', 'is cut off, or no list'],
  ['ends in its kind', list('Pod', 'web-a').slice(0, -3), 'is cut off, or no list'],
  ['is in UTF-16', Buffer.from(`\uFEFF${list('Pod', 'web-a')}`, 'utf16le'), 'is cut off, or no list'],
  ['is not YAML', 'items:\n- a: "x', 'is not YAML'],
  ['is nested too deep', `items: ${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'is not YAML'],
  ['has aliases', 'a: &a [x, x]\nb: &b [*a, *a]\nitems: *b\n', 'is not YAML'],
])('[N-12] [N-29] a list of a must-gather that %s is not one of fewer objects', async (_what, content, why) => {
  const folder = await folderWith({
    [nodeFile('worker-0')]: node('worker-0', 'a'),
    'namespaces/shop/core/pods.yaml': content,
  });

  expect(await read(folder, pods)).toMatchObject({
    kind: 'failed',
    why: expect.stringMatching(`^namespaces/shop/core/pods.yaml: ${why}`),
  });
  expect(await read(folder, `${pods}/web-a`)).toMatchObject({ kind: 'failed' });
});

test('[N-12] a list of a must-gather without items is one of none, also as Go writes it where it has no array', async () => {
  const folder = await folderWith({
    'namespaces/shop/core/pods.yaml': 'items: []\nkind: PodList\n',
    'namespaces/shop/core/events.yaml': 'items: null\nkind: EventList\n',
  });

  expect(await read(folder, pods)).toMatchObject({ kind: 'found', body: { items: [] } });
  expect(await read(folder, '/api/v1/namespaces/shop/events')).toMatchObject({ kind: 'found', body: { items: [] } });
});

test.each([
  ['is empty', ''],
  ['is cut off within a line', node('worker-0', 'rendered-worker-a').slice(0, -3)],
  ['is cut off before its name', 'kind: Node\nmetadata:\n  annotations: {}\n'],
])('[N-12] [N-29] a node of a must-gather whose file %s is not known, and the others are', async (_what, content) => {
  const folder = await folderWith({ [nodeFile('worker-0')]: content, [nodeFile('worker-1')]: node('worker-1', 'b') });
  const { observed, gaps } = await openMustGather(folder);
  const named = (name: string) => observed.reader.read({ path: `/api/v1/nodes/${name}`, query: {} });

  expect([(await named('worker-0')).kind, (await named('worker-1')).kind]).toEqual(['failed', 'found']);
  expect(gaps()).toEqual([expect.stringContaining('nodes/worker-0.yaml: is ')]);
});

test('[N-12] [N-29] a pool of a must-gather whose file is empty is one that cannot be parsed, not one that is not there', async () => {
  const pools = 'cluster-scoped-resources/machineconfiguration.openshift.io/machineconfigpools';
  const { observed, gaps } = await openMustGather(await folderWith({ [`${pools}/worker.yaml`]: '' }));

  const { items, unreadable } = await observed.pools.listPools();

  expect(items).toEqual([]);
  expect(unreadable).toMatchObject([{ kind: 'MachineConfigPool', name: 'worker' }]);
  expect(gaps()).toEqual([`${pools}/worker.yaml: is empty`]);
});

test('[N-30] one file that is not YAML keeps nobody from the pods of other namespaces, and is told', async () => {
  const { observed, gaps } = await openMustGather(
    await folderWith({
      'namespaces/shop/core/pods.yaml': list('Pod', 'web-a'),
      'namespaces/tenant/core/pods.yaml': 'items:\n- a: "x',
    }),
  );
  const ask = (query: Record<string, string>) => observed.reader.read({ path: '/api/v1/pods', query });

  const first = await ask({ limit: '100' });
  const next = await ask({ limit: '100', continue: 'more' });

  const more = { continue: expect.stringMatching(/./) };
  expect(first).toMatchObject({ body: { items: [{ metadata: { name: 'web-a' } }], metadata: more } });
  expect(next).toMatchObject({ kind: 'failed', why: expect.stringContaining('namespaces/tenant/core/pods.yaml') });
  expect(gaps()).toContainEqual(expect.stringMatching('^namespaces/tenant/core/pods.yaml: is not YAML'));
});

test('[N-30] what the folder of one namespace says of objects of another is not believed', async () => {
  const budgets = 'policy/poddisruptionbudgets.yaml';
  const forged = list('PodDisruptionBudget', 'web').replace(
    'namespace: shop',
    'namespace: shop\n    labels: {a: forged}',
  );
  const { observed, gaps } = await openMustGather(
    await folderWith({
      [`namespaces/shop/${budgets}`]: list('PodDisruptionBudget', 'web'),
      [`namespaces/tenant/${budgets}`]: forged,
      'namespaces/shop/pods/web-a/web-a.yaml': 'metadata:\n  name: web-a\n  namespace: tenant\n',
    }),
  );

  const all = await observed.reader.read({ path: '/apis/policy/v1/poddisruptionbudgets', query: {} });
  const pod = await observed.reader.read({ path: `${pods}/web-a`, query: {} });

  expect(JSON.stringify(all)).not.toContain('forged');
  expect(all).toMatchObject({ body: { items: [{ metadata: { name: 'web', namespace: 'shop' } }] } });
  expect(pod).toMatchObject({ kind: 'failed', why: expect.stringContaining('web-a.yaml: is another object') });
  expect(gaps()).toContainEqual(expect.stringContaining(`namespaces/tenant/${budgets}: has objects that are not in`));
});

test('[N-30] a time that no clock shows is not when it was gathered', async () => {
  const { takenAt } = await openMustGather(
    await folderWith({
      [nodeFile('worker-0')]: node('worker-0', 'a'),
      timestamp: `${stamp('08:00:00')}9999-99-99 99:99:99 +0000 UTC\n`,
    }),
  );

  expect(takenAt.toISOString()).toBe('2026-03-02T08:00:00.000Z');
});
const image = 'quay-io-openshift-sha256-1';
const other = 'quay-io-kubevirt-sha256-2';

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  [
    'two folders of must-gathers, minutes apart',
    {
      'must-gather.local.2/timestamp': stamp('08:00:00'),
      [`must-gather.local.2/${image}/${nodeFile('worker-0')}`]: node('worker-0', 'a'),
      'must-gather.local.1/timestamp': stamp('08:06:00'),
      [`must-gather.local.1/${image}/${nodeFile('worker-0')}`]: node('worker-0', 'b'),
    },
    ['must-gather.local.1 (2026-03-02T08:06:00.000Z)', 'must-gather.local.2 (2026-03-02T08:00:00.000Z)'],
  ],
  [
    'two of which only the logs were kept',
    {
      'before/must-gather.logs': '',
      [`before/${image}/${nodeFile('worker-0')}`]: node('worker-0', 'a'),
      'after/must-gather.logs': '',
      [`after/${image}/${nodeFile('worker-0')}`]: node('worker-0', 'b'),
    },
    ['before', 'after'],
  ],
  [
    'two without any marks',
    {
      [`before/${image}/${nodeFile('worker-0')}`]: node('worker-0', 'a'),
      [`after/${image}/${nodeFile('worker-0')}`]: node('worker-0', 'b'),
    },
    ['before', 'after'],
  ],
  [
    'one in this folder, and one below it',
    {
      timestamp: stamp('08:00:00'),
      [`${image}/${nodeFile('worker-0')}`]: node('worker-0', 'a'),
      'must-gather.local.1/timestamp': stamp('08:06:00'),
      [`must-gather.local.1/${image}/${nodeFile('worker-0')}`]: node('worker-0', 'b'),
    },
    ['must-gather.local.1 (2026-03-02T08:06:00.000Z)'],
  ],
  [
    'two of oc adm inspect, 20 min apart',
    {
      'inspect.local.2/timestamp': stamp('08:00:00'),
      [`inspect.local.2/${nodeFile('worker-0')}`]: node('worker-0', 'a'),
      'inspect.local.1/timestamp': stamp('08:20:00'),
      [`inspect.local.1/${nodeFile('worker-0')}`]: node('worker-0', 'b'),
    },
    ['inspect.local.1 (2026-03-02T08:20:00.000Z)', 'inspect.local.2 (2026-03-02T08:00:00.000Z)'],
  ],
])('[N-12] [N-29] %s are not one cluster at one time', async (_what, files, names) => {
  const folder = await folderWith(files);

  const refused = openMustGather(folder);

  await expect(refused).rejects.toThrow(`${folder}: was gathered more than once`);
  for (const name of names) await expect(refused).rejects.toThrow(name);
});

test('[N-12] where one folder is of a must-gather, it is said where what was inspected an hour later belongs', async () => {
  const folder = await folderWith({
    'must-gather.local.1/timestamp': stamp('08:00:00'),
    [`must-gather.local.1/${image}/${nodeFile('worker-0')}`]: node('worker-0', 'a'),
    'inspect.local.1/timestamp': stamp('09:00:00'),
    'inspect.local.1/namespaces/shop/core/pods.yaml': list('Pod', 'web-a'),
  });

  await expect(openMustGather(folder)).rejects.toThrow(
    `oc adm inspect ns/NAME --dest-dir ${join(folder, 'must-gather.local.1', 'NAME')}`,
  );
});

test.each([
  ['the folder of the must-gather', 'must-gather.local.1'],
  ['the folder above it', '.'],
  ['the folder above it, with the end of its name', './'],
])('[N-12] several images of one must-gather are read together, by %s', async (_what, given) => {
  const home = 'must-gather.local.1';
  const folder = await folderWith({
    [`${home}/timestamp`]: stamp('08:00:00') + stamp('08:10:00'),
    [`${home}/must-gather.logs`]: '',
    [`${home}/event-filter.html`]: '',
    [`${home}/${image}/timestamp`]: stamp('08:09:00'),
    [`${home}/${image}/event-filter.html`]: '',
    [`${home}/${image}/${nodeFile('worker-0')}`]: node('worker-0', 'last'),
    [`${home}/${other}/timestamp`]: stamp('08:04:00'),
    [`${home}/${other}/${nodeFile('worker-0')}`]: node('worker-0', 'first'),
    [`${home}/${other}/${nodeFile('worker-1')}`]: node('worker-1', 'first'),
  });

  const { observed, takenAt, gaps } = await openMustGather(`${folder}/${given}`);
  const { items } = await observed.pools.listNodes({ matchLabels: {}, matchExpressions: [] });

  expect(takenAt.toISOString()).toBe('2026-03-02T08:09:00.000Z');
  expect(items.map(({ name, currentConfig }) => [name, currentConfig])).toEqual([
    ['worker-0', 'last'],
    ['worker-1', 'first'],
  ]);
  expect(gaps()).toEqual([]);
});

test('[N-12] one image of several, and what gathered on one node each, are one must-gather', async () => {
  const folder = await folderWith({
    timestamp: stamp('08:10:00'),
    [`worker-0/${image}/${nodeFile('worker-0')}`]: node('worker-0', 'a'),
    [`worker-1/${image}/${nodeFile('worker-1')}`]: node('worker-1', 'a'),
  });

  const nodesIn = async (path: string) =>
    (await (await openMustGather(path)).observed.pools.listNodes({ matchLabels: {}, matchExpressions: [] })).items;

  expect(await nodesIn(folder)).toHaveLength(2);
  expect(await nodesIn(`${folder}/worker-0/${image}`)).toHaveLength(1);
});

test.each([
  ['by its folder', 'must-gather.local.1'],
  ['by the folder above it', '.'],
])(
  '[N-12] [N-29] a must-gather whose own timestamp was not kept is of the time of its images, %s',
  async (_what, given) => {
    const folder = await folderWith({
      'must-gather.local.1/must-gather.logs': '',
      [`must-gather.local.1/${image}/timestamp`]: stamp('08:04:00'),
      [`must-gather.local.1/${image}/${nodeFile('worker-0')}`]: node('worker-0', 'a'),
      [`must-gather.local.1/${other}/${nodeFile('worker-1')}`]: node('worker-1', 'a'),
    });

    const { takenAt } = await openMustGather(join(folder, given));

    expect(takenAt.toISOString()).toBe('2026-03-02T08:04:00.000Z');
  },
);

test('[N-12] what was inspected within a quarter of an hour is read together, the last of each namespace', async () => {
  const folder = await folderWith({
    'inspect.local.2/timestamp': stamp('08:00:00'),
    'inspect.local.2/namespaces/shop/core/pods.yaml': list('Pod', 'web-a', 'web-b'),
    'inspect.local.1/timestamp': stamp('08:15:00'),
    'inspect.local.1/namespaces/shop/core/pods.yaml': list('Pod', 'web-c'),
  });
  const { observed, takenAt } = await openMustGather(folder);

  const answer = await observed.reader.read({ path: '/api/v1/pods', query: {} });

  expect(takenAt.toISOString()).toBe('2026-03-02T08:15:00.000Z');
  expect(answer).toMatchObject({ body: { items: [{ metadata: { name: 'web-c' } }] } });
});

test('[N-12] [N-29] a namespace that was added an hour later is of its own time, and nodes and pools stay of theirs', async () => {
  const { takenAt, observed, gaps } = await openMustGather(
    await folderWith({
      timestamp: stamp('08:00:00'),
      'must-gather.logs': '',
      [`${image}/${nodeFile('worker-0')}`]: node('worker-0', 'a'),
      'shop/timestamp': stamp('09:09:00'),
      'shop/namespaces/shop/core/pods.yaml': list('Pod', 'web-a'),
    }),
  );

  const [nodes, ofShop] = await Promise.all(
    ['/api/v1/nodes', pods].map((path) => observed.reader.read({ path, query: {} })),
  );

  expect(takenAt.toISOString()).toBe('2026-03-02T08:00:00.000Z');
  expect(nodes).toMatchObject({ kind: 'found', readAt: new Date('2026-03-02T08:00:00Z') });
  expect(ofShop).toMatchObject({ kind: 'found', readAt: new Date('2026-03-02T09:09:00Z') });
  expect(gaps()).toEqual([
    'shop at 2026-03-02T08:00:00.000Z: it was gathered at 2026-03-02T09:09:00.000Z, later than nodes and pools',
  ]);
});

test('[N-12] [N-29] what is far older than the nodes of its must-gather is told, as where these were inspected later', async () => {
  const { takenAt, gaps } = await openMustGather(
    await folderWith({
      timestamp: stamp('08:00:00'),
      'must-gather.logs': '',
      [`${image}/namespaces/shop/core/pods.yaml`]: list('Pod', 'web-a'),
      'nodes/timestamp': stamp('09:09:00'),
      [`nodes/${nodeFile('worker-0')}`]: node('worker-0', 'a'),
    }),
  );

  expect(takenAt.toISOString()).toBe('2026-03-02T09:09:00.000Z');
  expect(gaps()).toEqual([`changes after 2026-03-02T08:00:00.000Z in ${image}: nodes or pools were gathered later`]);
});

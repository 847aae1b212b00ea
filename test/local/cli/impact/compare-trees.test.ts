import { describe, expect, test } from 'vitest';
import { compareTrees, type Tree } from '../../../../local/cli/impact/compare-trees.ts';

type Texts = Readonly<Record<string, string>>;

function compared(before: Texts, after: Texts) {
  const treeOf = (texts: Texts): Tree =>
    new Map(Object.entries(texts).map(([path, id]) => [path, { id, kind: 'file', sizeBytes: id.length }]));
  return compareTrees(treeOf(before), treeOf(after), async (_tree, _path, { id }) => id);
}

describe('[N-1] [S1-15] what kustomizations take from beside their folders', () => {
  test('is read at both commits', async () => {
    const { tools } = await compared(
      { 'a/kustomization.yaml': 'resources: [../base]', 'base/kustomization.yaml': 'resources: [x.yaml]' },
      { 'a/kustomization.yaml': 'resources: [../other/x]', 'base/kustomization.yaml': 'resources: [x.yaml]' },
    );

    expect(tools).toEqual([
      { folder: 'a', tool: 'kustomize', uses: ['base', 'other/x'] },
      { folder: 'base', tool: 'kustomize', uses: [] },
    ]);
  });

  test('is not known of one that cannot be read, nor of hundreds', async () => {
    const broken = await compared({}, { 'kustomization.yaml': 'resources: [' });
    const many = Object.fromEntries(
      Array.from({ length: 201 }, (_, at) => [`${at}/kustomization.yaml`, 'resources: []']),
    );
    const all = await compared({}, many);

    expect(broken.tools).toEqual([{ folder: '', tool: 'kustomize', uses: undefined }]);
    expect(all.tools.every(({ uses }) => uses === undefined)).toBe(true);
  });
});

describe('[S1-21] [N-29] what Butane files include', () => {
  const including = (local: string) =>
    `variant: openshift\nmetadata: { name: a }\nstorage: { trees: [{ local: ${local} }] }`;

  test('is found by whole segments of paths, at either commit, and never left out', async () => {
    const { included } = await compared(
      { 'x/a.bu': including('conf/etc'), 'x/conf/etc/a': '1', 'conf/etcd/a': '1', 'keys/a': '1' },
      { 'x/a.bu': including('./keys'), 'x/conf/etc/a': '2', 'conf/etcd/a': '2', 'keys/a': '2' },
    );

    expect(included).toEqual([
      { path: 'x/conf/etc/a', by: 'x/a.bu', makes: 'a' },
      { path: 'keys/a', by: 'x/a.bu', makes: 'a' },
    ]);
  });

  test.each(['contents: { local: {{ file }} }', 'local: *file', 'local: |-', 'contents: { local: "{{ dir }}/a" }'])(
    'may be any file where a template or an alias decides: %s',
    async (line) => {
      const { included } = await compared({ 'a.bu.j2': `{% if x %}\n${line}\n`, a: '1' }, { 'a.bu.j2': line, a: '2' });

      expect(included?.map(({ path }) => path)).toContain('a');
    },
  );

  test('may be any but texts for people where there are hundreds', async () => {
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`${at}.bu`, `variant: ${at}`]));
    const { included } = await compared({ ...many, a: '1', 'a.md': '1' }, { ...many, a: '2', 'a.md': '2' });

    expect(included).toEqual([{ path: 'a', by: '', makes: undefined }]);
  });
});

test.each([
  ['file', 'link'],
  ['link', 'file'],
] as const)('[N-1] [S1-15] a %s that becomes a %s with the same content has changed', async (before, after) => {
  const treeOf = (kind: typeof before | typeof after): Tree => {
    return new Map([['nodes/worker.yaml', { id: 'payload.txt', kind, sizeBytes: 11 }]]);
  };

  const { files } = await compareTrees(treeOf(before), treeOf(after), async (_tree, _path, { id }) => id);

  const link = { kind: 'unread', why: 'it is a symbolic link' };
  const file = { kind: 'text', text: 'payload.txt' };
  expect(files).toEqual([
    {
      path: 'nodes/worker.yaml',
      before: before === 'link' ? link : file,
      after: after === 'link' ? link : file,
    },
  ]);
});

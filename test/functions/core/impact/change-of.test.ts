import { describe, expect, test } from 'vitest';
import { manifestReader } from '../../../../functions/adapters/yaml/read-manifests.ts';
import type { ApplicationSource } from '../../../../functions/core/argocd/application.ts';
import { changeOf } from '../../../../functions/core/impact/change-of.ts';
import { directoryGlobs } from '../../../../functions/core/impact/directory-glob.ts';
import type { Manifest } from '../../../../functions/core/openshift/manifest.ts';
import type { ObservedFile, ToolFolder } from '../../../../functions/core/routing/changed-file.ts';
import { parseFiles } from '../../../../functions/core/routing/manifest-file.ts';

const source: ApplicationSource = {
  repoURL: 'https://github.com/acme/platform',
  path: 'nodes',
  targetRevision: 'HEAD',
  chart: '',
};

function machineConfig(name: string, role = 'worker', argument = 'a=1'): string {
  return [
    'apiVersion: machineconfiguration.openshift.io/v1',
    'kind: MachineConfig',
    'metadata:',
    `  name: ${name}`,
    `  labels: {machineconfiguration.openshift.io/role: ${role}}`,
    'spec:',
    `  kernelArguments: ["${argument}"]`,
    '',
  ].join('\n');
}

const kustomize = { folder: 'nodes', tool: 'kustomize' as const };

type Files = Readonly<Record<string, readonly [string | undefined, string | undefined]>>;

interface Asked {
  readonly sources?: readonly ApplicationSource[];
  readonly generatePaths?: string;
  readonly tools?: readonly ToolFolder[];
  readonly incomplete?: string;
}

function observed(text: string | undefined): ObservedFile {
  return text === undefined ? { kind: 'absent' } : { kind: 'text', text };
}

/** Names of the objects that changed with what happened to them, and the paths that cannot be told. */
function ask(files: Files, { sources = [source], generatePaths, tools = [], incomplete }: Asked = {}) {
  const changed = Object.entries(files).map(([path, [before, after]]) => ({
    path,
    before: observed(before),
    after: observed(after),
  }));
  const parsed = parseFiles(changed, manifestReader());
  const change = changeOf({ sources, concerned: sources, generatePaths }, { files: parsed, tools, incomplete });
  return {
    manifests: change.manifests.map(({ before, after }) => {
      const happened = before === undefined ? '+' : after === undefined ? '-' : '~';
      return `${happened}${(after ?? before)?.name}`;
    }),
    unknown: change.unknown.map(({ path }) => path),
  };
}

describe('a plain folder', () => {
  test('[S0-3] holds the manifests in it, not those below or beside it', () => {
    const file = [undefined, machineConfig('a')] as const;

    const change = ask({
      'nodes/a.yaml': file,
      'nodes/sub/b.yaml': file,
      'other/c.yaml': file,
      'nodes/README.md': file,
    });

    expect(change).toEqual({ manifests: ['+a'], unknown: [] });
  });

  test('[S0-3] holds those below where it recurses, and what include and exclude say', () => {
    const directory = { recurse: true, include: '{*.yaml,*.json}', exclude: 'sub/no*' };
    const files: Files = {
      'nodes/sub/a.yaml': [undefined, machineConfig('a')],
      'nodes/sub/no.yaml': [undefined, machineConfig('b')],
      'nodes/c.yml': [undefined, machineConfig('c')],
    };

    expect(ask(files, { sources: [{ ...source, directory }] }).manifests).toEqual(['+a']);
  });

  test('a file that is renamed, or whose objects move to another of its files, changes nothing', () => {
    const two = `${machineConfig('a')}---\n${machineConfig('b')}`;
    const files: Files = {
      'nodes/old.yaml': [two, undefined],
      'nodes/a.yaml': [undefined, machineConfig('a')],
      'nodes/b.yaml': [undefined, `# moved\n${machineConfig('b')}`],
    };

    expect(ask(files)).toEqual({ manifests: [], unknown: [] });
  });

  test('[S0-3] an object that leaves the folder is removed, for the Application that it goes to added', () => {
    const files: Files = {
      'nodes/a.yaml': [machineConfig('a'), undefined],
      'infra/a.yaml': [undefined, machineConfig('a')],
    };

    expect(ask(files).manifests).toEqual(['-a']);
    expect(ask(files, { sources: [{ ...source, path: './infra/' }] }).manifests).toEqual(['+a']);
  });

  test('[N-1] other comments, quotes, anchors and order of keys are no change', () => {
    const json = JSON.stringify({
      spec: { kernelArguments: ['a=1'] },
      kind: 'MachineConfig',
      apiVersion: 'machineconfiguration.openshift.io/v1',
      metadata: { labels: { 'machineconfiguration.openshift.io/role': 'worker' }, name: 'a' },
    });

    expect(ask({ 'nodes/a.yaml': [machineConfig('a'), json] })).toEqual({ manifests: [], unknown: [] });
  });

  test('[S0-3] two objects of one name count each: which of them wins is left to Argo CD', () => {
    const files: Files = {
      'nodes/a.yaml': [machineConfig('a', 'worker'), machineConfig('a', 'infra')],
      'nodes/b.yaml': [machineConfig('a', 'infra'), machineConfig('a', 'worker')],
    };

    expect(ask(files).manifests).toEqual(['-a', '-a', '+a', '+a']);
  });

  test('what cannot be read is unknown, and what can is known all the same', () => {
    const files: Files = {
      'nodes/a.yaml': [undefined, machineConfig('a')],
      'nodes/b.yaml': [undefined, 'kind: MachineConfig\nx: ['],
    };

    expect(ask(files, { incomplete: 'too many files' })).toEqual({
      manifests: ['+a'],
      unknown: ['the list of changed files', 'nodes/b.yaml'],
    });
  });

  test('[S0-2] a commit that changes a Deployment changes nothing that is asked for', () => {
    const web = 'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n';

    expect(ask({ 'nodes/web.yaml': [undefined, web] })).toEqual({ manifests: [], unknown: [] });
  });
});

describe('where a tool renders', () => {
  test.each(['kustomize', 'helm'] as const)(
    '[S0-3] [N-30] the mark by which Argo CD skips a file of a plain folder hides nothing from %s',
    (tool) => {
      const marked = (argument: string) => `# +argocd:skip-file-rendering\n${machineConfig('a', 'worker', argument)}`;
      const files = { 'nodes/a.yaml': [marked('a=1'), marked('a=2')] } as const;

      expect(ask(files)).toMatchObject({ manifests: [], unknown: [] });
      expect(ask(files, { tools: [{ folder: 'nodes', tool }] }).unknown).toEqual(['nodes/a.yaml']);
    },
  );

  test('[S0-3] an object counts as itself, and whatever else changes is unknown', () => {
    const files: Files = {
      'nodes/a.yaml': [undefined, machineConfig('a')],
      'nodes/values.yaml': ['a: 1', 'a: 2'],
      'nodes/kustomization.yaml': ['resources: []', 'resources: [a.yaml]'],
    };

    expect(ask(files, { tools: [kustomize] })).toEqual({
      manifests: ['+a'],
      unknown: ['nodes/values.yaml', 'nodes/kustomization.yaml'],
    });
  });

  test('[N-1] Kustomize reaches the folders that it names, and no cluster beside it', () => {
    const tools: readonly ToolFolder[] = [
      { ...kustomize, uses: ['base'] },
      { folder: 'base', tool: 'kustomize', uses: [] },
      { folder: 'other', tool: 'kustomize', uses: [] },
    ];
    const files: Files = {
      'base/a.yaml': [undefined, machineConfig('a')],
      'other/b.yaml': [undefined, machineConfig('b')],
    };

    expect(ask(files, { tools })).toEqual({ manifests: ['+a'], unknown: [] });
    expect(ask(files, { tools: [kustomize, { folder: 'other', tool: 'kustomize' }] }).manifests).toEqual(['+b']);
  });

  test('[S0-3] an annotation that names its folders is believed', () => {
    const files: Files = {
      'lib/a.yaml': ['x: 1', 'x: 2'],
      'web/b.yaml': ['x: 1', 'x: 2'],
    };
    const helm = { ...source, tool: 'helm' as const };

    expect(ask(files, { sources: [helm] }).unknown).toEqual(['lib/a.yaml', 'web/b.yaml']);
    expect(ask(files, { sources: [helm], generatePaths: '.;/lib' }).unknown).toEqual(['lib/a.yaml']);
  });

  test('of a plugin, of value files for other sources, and of a chart everything is unknown', () => {
    const files: Files = { 'nodes/a.yaml': [undefined, machineConfig('a')] };

    expect(ask(files, { sources: [{ ...source, tool: 'plugin' }] }).unknown).toEqual(['nodes/a.yaml']);
    expect(ask(files, { sources: [{ ...source, path: '', ref: 'values' }] }).unknown).toEqual(['nodes/a.yaml']);
    expect(ask(files, { sources: [{ ...source, chart: 'redis' }] }).unknown).toEqual(['nodes/a.yaml']);
  });

  test('a file of parameters, a Jsonnet file and a symbolic link make unknown what they may reach', () => {
    const files: Files = { 'nodes/a.yaml': [undefined, machineConfig('a')], 'lib/b.yaml': ['x: 1', 'x: 2'] };

    const at = (tool: ToolFolder['tool'], folder = 'nodes') => ask(files, { tools: [{ folder, tool }] }).unknown;

    expect(at('plugin')).toEqual(['nodes/a.yaml', 'lib/b.yaml']);
    expect(at('jsonnet')).toEqual(['nodes/a.yaml', 'lib/b.yaml']);
    expect(at('link', 'nodes/l.yaml')).toEqual(['lib/b.yaml']);
  });

  test('an Application that asks for a plain folder gets one, whatever lies in it', () => {
    const directory = { recurse: false, include: '', exclude: '' };

    const change = ask(
      { 'nodes/a.yaml': [undefined, machineConfig('a')], 'nodes/values.yaml': ['a: 1', 'a: 2'] },
      { sources: [{ ...source, directory }], tools: [kustomize] },
    );

    expect(change).toEqual({ manifests: ['+a'], unknown: [] });
  });
});

describe('[N-30] a file that is reached through a symbolic link or a submodule', () => {
  const link = (folder: string): ToolFolder => ({ folder, tool: 'link' });
  const changed: Files = { 'base/node.txt': ['x: 1', machineConfig('a')] };
  const subfolders = { ...source, directory: { recurse: true, include: '', exclude: 'no/*' } };

  test('is unknown whatever its own name is: Argo CD looks at the name of the link', () => {
    expect(ask(changed, { tools: [link('nodes/a.yaml')] }).unknown).toEqual(['base/node.txt']);
  });

  test.each([
    ['the name of the link is no manifest either', source, 'nodes/a.txt'],
    ['the link is below a folder that is not entered', source, 'nodes/sub/a.yaml'],
    ['the link is excluded', subfolders, 'nodes/no/a.yaml'],
    ['the link leads to a folder, which is not entered', subfolders, 'nodes/base'],
    ['the link is elsewhere', subfolders, 'other/a.yaml'],
  ])('is no part of a plain folder where %s', (_, of, at) => {
    expect(ask(changed, { sources: [of], tools: [link(at)] })).toEqual({ manifests: [], unknown: [] });
  });

  test('is unknown where the folder of the source is itself behind a link, unless an annotation names its files', () => {
    const sources = [{ ...source, path: 'current/nodes' }];
    const files: Files = { 'v2/nodes/a.yaml': [machineConfig('a'), machineConfig('a', 'worker', 'a=2')] };

    expect(ask(files, { sources, tools: [link('current')] }).unknown).toEqual(['v2/nodes/a.yaml']);
    expect(ask(files, { sources, tools: [link('current')], generatePaths: '.' }).unknown).toEqual([]);
  });

  test.each([
    ['in its folder', 'nodes/shared'],
    ['in a base', 'lib/shared/a.txt'],
    ['above a base', 'lib'],
  ])('is unknown for a kustomization with a link of any name %s', (_, at) => {
    const tools: readonly ToolFolder[] = [
      { ...kustomize, uses: ['lib/shared'] },
      { folder: 'other', tool: 'kustomize', uses: [] },
    ];

    expect(ask(changed, { tools: [...tools, link(at)] }).unknown).toEqual(['base/node.txt']);
    expect(ask(changed, { tools: [...tools, link('other/a.yaml')] }).unknown).toEqual([]);
  });

  test('is unknown for a chart with a link', () => {
    const helm: ToolFolder = { folder: 'nodes', tool: 'helm' };

    expect(ask(changed, { tools: [helm, link('nodes/templates')] }).unknown).toEqual(['base/node.txt']);
    expect(ask(changed, { tools: [helm, link('docs/a.yaml')] }).unknown).toEqual([]);
  });

  test('is unknown where a submodule moved to another commit', () => {
    const moved: Files = { 'nodes/vendor': ['', 'moved'] };
    const tools: readonly ToolFolder[] = [{ folder: 'nodes/vendor', tool: 'submodule' }];
    const within = { ...source, path: 'nodes/vendor/pool' };
    const elsewhere = { ...subfolders, path: 'other' };

    expect(ask(moved, { tools }).unknown).toEqual([]);
    expect(ask(moved, { tools, sources: [subfolders] }).unknown).toEqual(['nodes/vendor']);
    expect(ask(moved, { tools, sources: [within] }).unknown).toEqual(['nodes/vendor']);
    expect(ask(moved, { tools, sources: [elsewhere] }).unknown).toEqual([]);
    expect(ask(moved, { tools: [...tools, { ...kustomize, uses: ['nodes/vendor/base'] }] }).unknown).toEqual([
      'nodes/vendor',
    ]);
  });
});

describe('[N-30] kustomizations that lead to more places than are followed', () => {
  test('make every changed file part of the source', () => {
    const uses = Array.from({ length: 3_000 }, (_, at) => `lib/${at}`);

    const change = ask(
      { 'elsewhere/a.yaml': [undefined, machineConfig('a')] },
      { tools: [{ folder: 'nodes', tool: 'kustomize', uses }] },
    );

    expect(change.manifests).toEqual(['+a']);
  });
});

describe('patterns of include and exclude', () => {
  test.each([
    ['*.yaml', 'a/b.yaml', true],
    ['{a,b{c,d}}.yaml', 'bd.yaml', true],
    ['[a-c]?.json', 'bx.json', true],
    ['[!a]*', 'abc', false],
    ['\\*', '*', true],
    ['**/x/**', 'a/x/b', true],
    ['{*.yml,*.yaml}', 'a/b.yaml', true],
    ['mc{?,-new}.yaml', 'mc.yaml', undefined],
    ['{**/,}mc.yaml', 'mc.yaml', undefined],
    ['[ab]{*.yaml,b}', 'aa.yaml', undefined],
    ['{*.yaml,b}{*.yaml,b}', 'b.yaml', undefined],
    ['[', 'a', undefined],
    ['{a,b}'.repeat(20), 'a', undefined],
  ])('[S0-9] %s on %s: %s', (pattern, path, expected) => {
    expect(directoryGlobs().matches(pattern, path)).toBe(expected);
  });

  test('take no longer for stars upon stars', () => {
    expect(directoryGlobs().matches(`${'*a'.repeat(500)}b`, 'a'.repeat(1_000))).toBe(false);
  });

  test('[N-30] share the steps of one push, after which every file counts as included', () => {
    const steps = { left: 100_000 };
    const globs = directoryGlobs(steps);
    const costly = `{${Array(190).fill('*a*b*').join(',')}}${'*a'.repeat(400)}`;

    expect(globs.matches('*.yaml', 'a.json')).toBe(false);
    expect(globs.matches(costly, `${'a/'.repeat(900)}x.yaml`)).toBeUndefined();
    expect(globs.matches('*.yaml', 'a.json')).toBeUndefined();
    expect(steps.left).toBeGreaterThan(-200_000);
  });
});

test('[N-30] ten thousand objects of one name in one file are not each compared with each other', () => {
  let compared = 0;
  const body = (argument: string): Manifest['body'] =>
    new Proxy(
      { argument },
      {
        ownKeys: (target) => {
          compared += 1;
          return Reflect.ownKeys(target);
        },
      },
    );
  const side = (argument: string) => ({
    kind: 'read' as const,
    manifests: Array.from({ length: 10_000 }, () => ({
      ...{ group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', name: 'a' },
      ...{ labels: {}, annotations: {}, body: body(argument) },
    })),
    isWhole: true,
  });

  const { manifests } = changeOf(
    { sources: [source], concerned: [source], generatePaths: undefined },
    {
      files: [{ path: 'nodes/a.yaml', before: side('a=1'), after: side('a=2') }],
      tools: [],
      incomplete: undefined,
    },
  );

  expect(manifests).toHaveLength(20_000);
  expect(compared).toBeLessThan(20_000);
});

test('[N-30] patterns of an annotation share their time over all files and sources of a push, then every file counts', () => {
  const at = (nth: number) => `clusters/prod/emea/region-${nth}/nodes/configs/${'a'.repeat(80)}-${nth}.yaml`;
  const files = Object.fromEntries(Array.from({ length: 200 }, (_, nth) => [at(nth), [undefined, 'a: 1\n'] as const]));
  const patterns = Array.from(
    { length: 200 },
    (_, nth) => `/*/*/*/*/*/*/*[${'a-b'.repeat(10)}]${'z'.repeat(80)}${nth}`,
  );
  const sources = Array.from({ length: 9 }, (_, nth) => ({ ...source, path: `${nth}`, tool: 'helm' as const }));

  const { unknown } = ask(files, { sources, generatePaths: patterns.join(';') });

  expect(unknown).not.toHaveLength(0);
});

test('[S0-3] a tool whose annotation names too many paths may read any file', () => {
  const generatePaths = Array.from({ length: 3_000 }, (_, at) => `/x${at}`).join(';');

  const { unknown } = ask(
    { 'common/values.yaml': [undefined, 'a: 1\n'] },
    { generatePaths, tools: [{ folder: 'nodes', tool: 'helm' }] },
  );

  expect(unknown).toEqual(['common/values.yaml']);
});

test('[N-30] a file is compared once, however many Applications read it', () => {
  let compared = 0;
  const side = (argument: string) => {
    const body = new Proxy(
      { argument },
      {
        ownKeys: (target) => {
          compared += 1;
          return Reflect.ownKeys(target);
        },
      },
    );
    const head = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '', name: 'a' };
    const manifests = [{ ...head, labels: {}, annotations: {}, body }];
    return { kind: 'read' as const, manifests, isWhole: true };
  };
  const file = { path: 'nodes/a.yaml', before: side('a'), after: side('b') };
  const read = { files: [file, { ...file, path: 'other/b.yaml' }], tools: [], incomplete: undefined };
  const ofApplication = (path: string) =>
    changeOf({ sources: [{ ...source, path }], concerned: [{ ...source, path }], generatePaths: undefined }, read);

  const changes = Array.from({ length: 100 }, () => ofApplication('nodes'));
  const [first] = changes;
  const comparisons = compared;

  expect(changes.map(({ manifests }) => manifests)).toEqual(changes.map(() => first?.manifests));
  expect(first?.manifests.map(({ files }) => files)).toEqual([['nodes/a.yaml']]);
  expect(ofApplication('other').manifests.map(({ files }) => files)).toEqual([['other/b.yaml']]);
  expect(comparisons).toBeLessThan(10);
});

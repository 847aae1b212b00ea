import { describe, expect, test } from 'vitest';
import type { GitGenerator, Route, SetRoute } from '../../../../functions/core/routing/route.ts';
import {
  type RoutingTable,
  routingTable,
  type Surroundings,
} from '../../../../functions/core/routing/routing-table.ts';
import { aPush, aRoute, aSource } from './builders.ts';

const elsewhere = [aSource({ repoURL: 'https://github.com/acme/elsewhere' })];

/** Name of an Application -> through whom it is concerned. */
function concerned(table: RoutingTable, push = aPush()): Record<string, string> {
  return Object.fromEntries(
    table
      .concernedBy(push)
      .map(({ route, through }) => [
        `${route.ref.argocd === 'hub' ? '' : `${route.ref.argocd}:`}${route.ref.name}`,
        through.map(({ name }) => name).join(' and ') || 'the push',
      ]),
  );
}

function tableOf(routes: readonly Route[], surroundings: Surroundings = {}): RoutingTable {
  return routingTable(routes, surroundings);
}

/** In the namespace of {@link aRoute}. */
function children(...names: readonly string[]) {
  return names.map((name) => ({ namespace: 'openshift-gitops', name }));
}

describe('app of apps', () => {
  test('[S0-12] a push to the parent concerns its children and theirs, and says through whom', () => {
    const root = aRoute({ name: 'root', children: children('team') });
    const team = aRoute({ name: 'team', sources: elsewhere, children: children('nodes', 'not-there') });
    const nodes = aRoute({ name: 'nodes', sources: elsewhere });
    const other = aRoute({ name: 'other', sources: elsewhere });
    const table = tableOf([nodes, other, root, team]);

    expect(concerned(table)).toEqual({ root: 'the push', team: 'root', nodes: 'team' });
    expect(table.explain(nodes.ref, aPush())).toEqual({
      concerned: true,
      why: 'the push concerns team, which writes this Application',
    });
    expect(table.explain(other.ref, aPush())?.why).toContain('github.com/acme/elsewhere');
    expect(table.explain({ ...other.ref, name: 'unheard-of' }, aPush())).toBeUndefined();
  });

  test('[N-30] [S0-12] all that list an Application are kept, in either order: none hides another', () => {
    const root = aRoute({ name: 'root', children: children('nodes') });
    const claims = aRoute({ name: 'claims', children: children('nodes', 'nodes', 'claims') });
    const nodes = aRoute({ name: 'nodes', sources: elsewhere });

    expect(concerned(tableOf([root, claims, nodes]))['nodes']).toBe('root and claims');
    expect(concerned(tableOf([claims, nodes, root]))['nodes']).toBe('claims and root');
    expect(tableOf([root, claims, nodes]).explain(nodes.ref, aPush())?.why).toBe(
      'the push concerns root and claims, which all list this Application among what they manage',
    );
  });

  test('a child that the push concerns by itself is concerned by itself', () => {
    const root = aRoute({ name: 'root', children: children('nodes') });

    expect(concerned(tableOf([root, aRoute()]))).toEqual({ root: 'the push', nodes: 'the push' });
  });

  test('a circle of Applications ends, and so does one that manages itself', () => {
    const a = aRoute({ name: 'a', children: children('b', 'a') });
    const b = aRoute({ name: 'b', sources: elsewhere, children: children('c') });
    const c = aRoute({ name: 'c', sources: elsewhere, children: children('a', 'b') });

    expect(concerned(tableOf([c, b, a]))).toEqual({ a: 'the push', b: 'a and c', c: 'b' });
  });

  test('a chain is followed for ten levels', () => {
    const chain = Array.from({ length: 30 }, (_, at) =>
      aRoute({ name: `a${at}`, children: children(`a${at + 1}`), ...(at === 0 ? {} : { sources: elsewhere }) }),
    );

    expect(Object.keys(concerned(tableOf(chain)))).toHaveLength(11);
  });

  test('children in other namespaces are told apart by them', () => {
    const root = aRoute({ name: 'root', children: [{ namespace: 'team-a', name: 'nodes' }] });
    const [here, there] = ['team-a', 'team-b'].map((namespace) => {
      const route = aRoute({ sources: elsewhere });
      return { ...route, ref: { ...route.ref, namespace } };
    });

    const found = tableOf([root, ...(here && there ? [here, there] : [])]).concernedBy(aPush());

    expect(found.map(({ route }) => route.ref.namespace)).toEqual(['openshift-gitops', 'team-a']);
  });

  test('a child belongs to an Argo CD of the cluster that its parent deploys to', () => {
    const root = aRoute({ name: 'root', cluster: 'spoke', children: children('nodes') });
    const at = (argocd: string): Route => {
      const route = aRoute({ sources: elsewhere });
      return { ...route, ref: { ...route.ref, argocd } };
    };
    const homes = new Map([
      ['hub', 'hub'],
      ['spoke', 'spoke'],
      ['other', 'other'],
    ]);
    const routes = [root, at('hub'), at('spoke'), at('other')];

    expect(concerned(tableOf(routes, { homes }))).toEqual({ root: 'the push', 'spoke:nodes': 'root' });
    expect(concerned(tableOf(routes))).toEqual({ root: 'the push', nodes: 'root' });
  });
});

describe('ApplicationSets', () => {
  const ofFiles: GitGenerator = {
    repoURL: 'git@github.com:acme/ocp.git',
    revision: 'HEAD',
    reads: 'files',
    paths: ['clusters/*/config.json'],
  };
  const ofFolders: GitGenerator = { ...ofFiles, reads: 'folders', paths: ['clusters/*'] };
  const set: SetRoute = {
    ref: { argocd: 'hub', namespace: 'openshift-gitops', name: 'fleet' },
    generators: [ofFiles],
    readsAnyPush: false,
    looksEverySeconds: 180,
  };
  const generated = aRoute({ sources: elsewhere, generatedBy: 'fleet' });
  const stranger = aRoute({ name: 'stranger', sources: elsewhere, generatedBy: 'other' });

  test.each<[string, Partial<SetRoute>, Parameters<typeof aPush>[0], boolean]>([
    ['a file that its generator reads', {}, { files: ['clusters/a/config.json'] }, true],
    ['a file beside them', {}, { files: ['README.md'] }, false],
    ['unknown files', {}, { files: { kind: 'unknown', why: 'forced' } }, true],
    ['another branch', {}, { ref: 'refs/heads/x' }, false],
    ['another repository', {}, { htmlUrl: 'https://github.com/acme/x' }, false],
    ['anything, for a plugin', { readsAnyPush: true }, { htmlUrl: 'https://github.com/acme/x' }, true],
    ['anything, without patterns', { generators: [{ ...ofFiles, revision: 'main', paths: [] }] }, {}, true],
    [
      'the last part of the name of a branch, as Argo CD compares it',
      { generators: [{ ...ofFiles, revision: 'team/a', paths: [] }] },
      { ref: 'refs/heads/a' },
      true,
    ],
    ['another file of a folder that it reads one of', {}, { files: ['clusters/a/nodes/99-x.yaml'] }, false],
    [
      'a file in a folder that it makes Applications of',
      { generators: [ofFolders] },
      { files: ['clusters/a/x'] },
      true,
    ],
    ['a file outside of these folders', { generators: [ofFolders] }, { files: ['docs/x'] }, false],
    [
      'a folder, which to Git is all that is in it',
      { generators: [{ ...ofFiles, paths: ['clusters/a'] }] },
      { files: ['clusters/a/b/c'] },
      true,
    ],
    [
      'any depth',
      { generators: [{ ...ofFiles, paths: ['clusters/**/config.json'] }] },
      { files: ['clusters/config.json'] },
      true,
    ],
    ['one of several', { generators: [{ ...ofFiles, paths: ['c/{a,b}.json'] }] }, { files: ['c/b.json'] }, true],
    [
      'whatever another generator names',
      { generators: [{ ...ofFiles, repoURL: 'https://github.com/{{org}}/{{repo}}', revision: '{{branch}}' }] },
      { htmlUrl: 'https://github.com/acme/x', ref: 'refs/heads/x', files: ['clusters/a/config.json'] },
      true,
    ],
  ])('[S0-12] what they generate is concerned by a push of %s: %4$s', (_what, change, push, expected) => {
    const table = tableOf([generated, stranger], { sets: [{ ...set, ...change }] });

    expect(concerned(table, aPush(push))).toEqual(expected ? { nodes: 'fleet' } : {});
  });

  test('what a managed ApplicationSet generates is below the Application that manages it', () => {
    const root = aRoute({ name: 'root', childSets: children('fleet') });

    expect(concerned(tableOf([generated, stranger, root]))).toEqual({ root: 'the push', nodes: 'root' });
  });
});

describe('a hostile world', () => {
  test('50,000 files and 5,000 Applications with patterns that match nothing take bounded effort', () => {
    const files = Array.from({ length: 50_000 }, (_, at) => `${'a'.repeat(40)}/${at}/${'a'.repeat(100)}`);
    const routes = Array.from({ length: 5_000 }, (_, at) =>
      aRoute({ name: `a${at}`, generatePaths: `/${'*a'.repeat(30)}/*/${'*a'.repeat(30)}${at}b` }),
    );

    const found = tableOf(routes).concernedBy(aPush({ files }));

    // What there was no more time for counts as a match.
    expect(found.length).toBeGreaterThan(4_000);
  });

  test('an annotation of a hundred thousand paths matches everything, and the words stay short', () => {
    const generatePaths = Array.from({ length: 100_000 }, (_, at) => `x${at}`).join(';');

    const [found] = tableOf([aRoute({ generatePaths })]).concernedBy(aPush());

    expect(found?.why).toBe('its source follows main; its annotation names too many paths');
  });

  test('[N-30] an annotation is read once for all sources of its Application, and of long paths matches everything', () => {
    const long = { sources: 200, up: 'x/../'.repeat(600) };
    const sources = Array.from({ length: long.sources }, (_, at) => aSource({ path: `${long.up}${at}` }));
    const generatePaths = Array.from({ length: 10 }, (_, at) => `${long.up}${at}`).join(';');

    const [found] = tableOf([aRoute({ sources, generatePaths })]).concernedBy(aPush());

    expect(found?.why).toContain('its annotation names too many paths');
  });

  test('[N-30] a thousand Applications of a thousand paths each leave the annotations of others as they are', () => {
    const generatePaths = Array.from({ length: 1_000 }, (_, at) => `x${at}`).join(';');
    const hostile = Array.from({ length: 1_000 }, (_, at) => aRoute({ name: `a${at}`, generatePaths }));
    const other = aRoute({ name: 'other', generatePaths: '/elsewhere' });

    const found = concerned(tableOf([...hostile, other]), aPush());

    expect(Object.keys(found).length).toBeGreaterThan(900);
    expect(found).not.toHaveProperty('other');
  });

  test('[N-30] ranges of a hundred sources, made to be slow to read, count as any version', () => {
    const targets = [' '.repeat(1_000), '1'.repeat(1_000), '1 - '.repeat(250)];
    const routes = targets.flatMap((target) =>
      Array.from({ length: 100 }, (_, route) => {
        const sources = Array.from({ length: 100 }, (_, at) => aSource({ targetRevision: `${target}${at} x` }));
        return aRoute({ name: `${target.slice(0, 3)}${route}`, sources });
      }),
    );

    const found = concerned(tableOf(routes), aPush({ ref: 'refs/tags/v1.2.3' }));

    expect(Object.keys(found)).toHaveLength(routes.length);
  });

  test('targets and patterns made to be slow to read are read in no time', () => {
    const targets = [`1${' '.repeat(50_000)}!`, '1 - '.repeat(20_000), '>'.repeat(50_000), `1.${'0'.repeat(50_000)}`];
    const patterns = ['['.repeat(20_000), '/[a-'.repeat(5_000), '\\'.repeat(9_999), `/${'?*'.repeat(5_000)}`];
    const routes = [
      ...targets.map((targetRevision, at) => aRoute({ name: `t${at}`, sources: [aSource({ targetRevision })] })),
      ...patterns.map((generatePaths, at) => aRoute({ name: `p${at}`, generatePaths })),
      aRoute({ name: 'u', sources: [aSource({ repoURL: `https://${'@:'.repeat(20_000)}/x` })] }),
    ];
    const table = tableOf(routes);

    expect(() => table.concernedBy(aPush({ ref: `refs/tags/1.2.3-${'a.'.repeat(20_000)}` }))).not.toThrow();
    expect(() => table.concernedBy(aPush({ files: ['a'.repeat(4_000)] }))).not.toThrow();
  });

  test('names are told without control characters and cut short', () => {
    const route = aRoute({ sources: [aSource({ targetRevision: `\u202e<b>\u0007${'x'.repeat(500)}` })] });

    const why = tableOf([route]).explain(route.ref, aPush())?.why ?? '';

    expect(why).toMatch(/^its source follows <b>x{70,80}…, the push is to main$/);
  });
});

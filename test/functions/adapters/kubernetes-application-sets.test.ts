import { describe, expect, onTestFinished, test } from 'vitest';
import { setRouteOf } from '../../../functions/adapters/kubernetes/application-set-of.ts';
import { clusterArgoCd } from '../../../functions/adapters/kubernetes/argocd.ts';
import { itemByItem } from '../../../functions/adapters/kubernetes/item-by-item.ts';
import { createKubeClient } from '../../../functions/adapters/kubernetes/kube-client.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import { fc } from '../../property.ts';
import { startStub } from './stub-server.ts';

const repoURL = 'https://github.com/acme/fleet.git';
const files = { git: { repoURL, revision: 'HEAD', files: [{ path: 'clusters/*/config.json' }] } };
const folders = {
  git: { repoURL, revision: 'main', directories: [{ path: 'apps/*' }, { path: 'apps/old', exclude: true }] },
};

function body(generators: readonly unknown[], more: object = {}) {
  const template = {
    metadata: { name: '{{path.basename}}' },
    spec: {
      source: { repoURL, path: '{{path}}', targetRevision: 'HEAD' },
      destination: { name: '{{cluster}}' },
      syncPolicy: { automated: {} },
    },
  };
  return { metadata: { name: 'fleet', namespace: 'argocd' }, spec: { generators, template, ...more } };
}

describe('an ApplicationSet', () => {
  test('is what its Git generators read and what it makes of it', () => {
    expect(setRouteOf('hub', body([{ list: { elements: [] } }, files, folders]))).toEqual({
      ref: { argocd: 'hub', namespace: 'argocd', name: 'fleet' },
      generators: [
        { repoURL, revision: 'HEAD', reads: 'files', paths: ['clusters/*/config.json'] },
        { repoURL, revision: 'main', reads: 'folders', paths: ['apps/*'] },
      ],
      readsAnyPush: false,
      looksEverySeconds: 180,
      template: {
        sources: [{ repoURL, path: '{{path}}', targetRevision: 'HEAD', chart: '' }],
        destination: { server: '', name: '{{cluster}}' },
        automated: true,
      },
    });
  });

  test('[S1-18] is kept without what gives access to its repositories', () => {
    const secret = 'https://user:hunter2@git.example.com/acme/fleet.git';
    const template = {
      spec: { source: { repoURL: secret, path: 'a' }, destination: { name: 'prod' }, syncPolicy: { automated: {} } },
    };

    const set = setRouteOf('hub', body([{ git: { ...files.git, repoURL: secret } }], { template }));

    expect(set?.template?.sources).toMatchObject([{ repoURL: 'https://git.example.com/acme/fleet.git' }]);
    expect(JSON.stringify(set)).not.toContain('hunter2');
  });

  test.each([
    ['in a matrix', [{ matrix: { generators: [{ clusters: {} }, files] } }]],
    ['in a merge in a matrix', [{ matrix: { generators: [{ merge: { generators: [files] } }, { list: {} }] } }]],
  ])('has its Git generator %s', (_, generators) => {
    expect(setRouteOf('hub', body(generators))?.generators).toMatchObject([{ reads: 'files' }]);
  });

  test('[N-30] nested in another, it is read whatever the case of its keys, as Go reads it', () => {
    const git = { repoURL, revision: 'main', files: [{ path: 'a/*.json' }], requeueAfterSeconds: 600 };
    const template = { spec: { source: { path: 'x' }, destination: { name: 'y' } } };
    const plain = [{ merge: { generators: [{ git: { ...git, template } }, { plugin: {} }] } }];
    const expected = setRouteOf('hub', body([{ matrix: { generators: plain } }]));

    fc.assert(
      fc.property(inAnyCase(plain), (generators) => {
        expect(setRouteOf('hub', body([{ matrix: { generators } }]))).toEqual(expected);
      }),
    );
    expect(expected).toMatchObject({
      readsAnyPush: true,
      looksEverySeconds: 600,
      generators: [{ paths: ['a/*.json'] }],
    });
    expect(expected).not.toHaveProperty('template');
  });

  test('[N-30] on the first level, where the API server knows the fields, has its keys as they are written', () => {
    expect(setRouteOf('hub', body([{ Git: files.git }]))).toBeUndefined();
  });

  // What Go 1.26 makes of each, recorded.
  test.each<[string, unknown, object | undefined]>([
    [
      'its keys in other letters that fold',
      { git: { REPOURL: 'a', 'file\u017F': [{ PATH: 'x' }] } },
      { repoURL: 'a', paths: ['x'] },
    ],
    [
      'two generators of one name',
      { Git: { repourl: 'a', revision: 'r' }, git: { repoURL: 'b' } },
      { repoURL: 'b', revision: 'r' },
    ],
    ['a text and null', { git: { repoURL: 'b', RepoURL: null } }, { repoURL: 'b' }],
    ['a generator and null', { git: { repoURL: 'b' }, GIT: null }, undefined],
    [
      'two lists',
      { git: { files: [{ path: 'a' }, { path: 'b' }], Files: [{}, { path: 'c' }] } },
      { paths: ['a', 'c'] },
    ],
    ['a list and null', { git: { files: [{ path: 'a' }], Files: null } }, { paths: [] }],
    ['a letter that does not fold', { git: { repoURL: 'a', 'f\u0131les': [{ path: 'n' }] } }, { paths: [] }],
  ])('[N-30] nested, with %s, is read as Go reads it', (_, generator, git) => {
    const read = setRouteOf('hub', body([{ matrix: { generators: [generator] } }]));

    if (git === undefined) expect(read).toBeUndefined();
    else expect(read?.generators).toMatchObject([git]);
  });

  test.each([
    ['of its own', Array.from({ length: 130_000 }, () => ({ git: {} }))],
    ['nested', [{ matrix: { generators: Array.from({ length: 130_000 }, () => ({ git: {} })) } }]],
  ])('[N-30] with a hundred thousand generators %s cannot be read, which is told of it alone', (_, generators) => {
    const { items, unreadable } = itemByItem('ApplicationSet', [body(generators), body([files])], (each) =>
      setRouteOf('hub', each),
    );

    expect(items).toHaveLength(1);
    expect(unreadable).toEqual([
      {
        kind: 'ApplicationSet',
        namespace: 'argocd',
        name: 'fleet',
        why: 'cannot be parsed at spec.generators: more than 1000',
      },
    ]);
  });

  test('[N-30] whose generator reads thousands of places is concerned by any', () => {
    const places = Array.from({ length: 2_000 }, (_, index) => ({ path: `clusters/${index}/config.json` }));

    expect(setRouteOf('hub', body([{ git: { repoURL, files: places } }]))?.generators).toEqual([
      { repoURL, revision: '', reads: 'files', paths: [] },
    ]);
  });

  test('[N-30] nested too deep to be read, reads nothing and spoils nothing', () => {
    let deep: unknown = files;
    for (let level = 0; level < 5000; level += 1) deep = { SPEC: deep };

    expect(setRouteOf('hub', body([{ matrix: { generators: [{ Template: deep }, files] } }]))?.generators).toHaveLength(
      1,
    );
  });

  test.each([
    ['a patch of the template', body([files], { templatePatch: 'spec: {}' })],
    ['a template of a generator', body([{ git: { ...files.git, template: { spec: { source: { path: 'x' } } } } }])],
  ])('with %s is made of nobody knows what', (_, set) => {
    expect(setRouteOf('hub', set)).not.toHaveProperty('template');
  });

  test('keeps its template where that of a generator is empty, as Argo CD writes it', () => {
    const empty = { metadata: {}, spec: { destination: {}, project: '' } };

    expect(setRouteOf('hub', body([{ git: { ...files.git, template: empty } }]))).toHaveProperty('template');
  });

  test('that asks a plugin says so; one that reads neither is of no interest', () => {
    expect(setRouteOf('hub', body([{ plugin: { configMapRef: { name: 'x' } } }]))).toMatchObject({
      generators: [],
      readsAnyPush: true,
    });
    expect(setRouteOf('hub', body([{ clusters: {} }]))).toBeUndefined();
  });

  test.each([
    ['RollingSync', [{ maxUpdate: 1 }], true],
    ['RollingSync', [], undefined],
    ['AllAtOnce', [{}], undefined],
  ])('[S0-1] with strategy %s and steps %j starts the syncs of its Applications: %s', (type, steps, rolls) => {
    const read = (spec: object) =>
      setRouteOf('hub', body([{ clusters: {} }], { strategy: { type, rollingSync: { steps } }, ...spec }));
    const manual = { spec: { source: { repoURL }, destination: { name: 'prod' } } };

    expect(read({})?.rolls).toBe(rolls);
    expect(read({ template: manual })?.template?.automated).toBe(rolls);
  });

  test('looks as often as its slowest Git generator', () => {
    const slow = { git: { ...files.git, requeueAfterSeconds: 600 } };

    expect(setRouteOf('hub', body([files, slow]))?.looksEverySeconds).toBe(600);
  });

  test('in a generator that nobody understands reads what the others do', () => {
    expect(setRouteOf('hub', body([{ git: 'x' }, 7, files]))?.generators).toHaveLength(1);
  });
});

describe('those of an instance', () => {
  async function instanceThatAnswers(answer: Parameters<typeof startStub>[0]) {
    const stub = await startStub(answer);
    const client = createKubeClient({
      ...systemRuntime,
      server: stub.url,
      token: async () => 't',
      userAgent: 'poolkeeper/test',
    });
    onTestFinished(() => client.close());
    return clusterArgoCd(client, { name: 'hub', namespaces: ['a', 'b'], controllerNamespace: 'a' });
  }

  test('are those of its namespaces', async () => {
    const argocd = await instanceThatAnswers(({ path }) => ({
      body: { items: path === '/apis/argoproj.io/v1alpha1/namespaces/b/applicationsets' ? [body([files])] : [] },
    }));

    expect((await argocd.listApplicationSets()).items.map(({ ref }) => ref.name)).toEqual(['fleet']);
  });

  test('are none where the kind is not served', async () => {
    const argocd = await instanceThatAnswers(() => ({ status: 404, body: '404 page not found' }));

    expect((await argocd.listApplicationSets()).items).toEqual([]);
  });

  test('are not known without the right to list them', async () => {
    const argocd = await instanceThatAnswers(() => ({ status: 403, body: {} }));

    await expect(argocd.listApplicationSets()).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

/** The same with the letters of its keys in any case. */
function inAnyCase(value: unknown): fc.Arbitrary<unknown[]> {
  const letters = fc.infiniteStream(fc.boolean());
  return letters.map((upper) => {
    const cased = (text: string) =>
      [...text].map((each) => (upper.next().value ? each.toUpperCase() : each.toLowerCase())).join('');
    const walk = (each: unknown): unknown => {
      if (Array.isArray(each)) return each.map(walk);
      if (typeof each !== 'object' || each === null) return each;
      return Object.fromEntries(Object.entries(each).map(([key, below]) => [cased(key), walk(below)]));
    };
    return [walk(value)].flat();
  });
}

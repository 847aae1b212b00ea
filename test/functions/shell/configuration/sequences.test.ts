import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { readConfiguration } from '../../../../functions/shell/configuration/read-configuration.ts';

type Data = Readonly<Record<string, unknown>>;

const base = {
  clusters: ['prod', 'edge'].map((name) => ({
    name,
    api: { server: `https://api.${name}.example.com:6443`, tokenSecret: `poolkeeper/${name}/token` },
  })),
  argocd: [{ name: 'hub', cluster: 'prod' }],
};

const storage = { kind: 'subscription', name: 'odf-operator', namespace: 'openshift-storage', wave: 5 };

function textOf(sequences: Data): string {
  return stringify({ ...base, sequences }, { aliasDuplicateObjects: false });
}

function read(text: string) {
  return readConfiguration(text, { source: 'poolkeeper.yaml' });
}

function problemsOf(sequences: Data): readonly string[] {
  return problemsIn(textOf(sequences));
}

/** Without file, line and column. */
function problemsIn(text: string): readonly string[] {
  try {
    read(text);
    return [];
  } catch (error) {
    if (error instanceof Misconfigured) return error.problems.map((each) => each.replace(/^\S+ /, ''));
    throw error;
  }
}

function withSteps(steps: Data, more: Data = {}): Data {
  return { virt: { clusters: ['prod'], steps, ...more } };
}

function waitingFor(waitFor: Data): Data {
  return withSteps({ storage: { ...storage, waitFor } });
}

const path = 'sequences.virt.steps.storage.waitFor';

describe('sequences in poolkeeper.yaml', () => {
  it('[S2-1] [S2-3] [S2-10] a step with the gate of the reference has every default filled in', () => {
    const gate = { resourceType: 'sc', resourceName: 'ocs-storagecluster-ceph-rbd', timeout: '2h' };

    const { sequences } = read(textOf(waitingFor(gate)));

    expect(sequences?.['virt']).toMatchObject({
      clusters: ['prod'],
      canary: [],
      after: [],
      extraObjects: {},
      steps: {
        storage: {
          kind: 'subscription',
          wave: 5,
          namespace: 'openshift-storage',
          olm: 'v0',
          disabled: false,
          waitFor: {
            resourceType: 'sc',
            resourceName: 'ocs-storagecluster-ceph-rbd',
            hookType: 'Sync',
            timeoutSeconds: 7200,
            intervalSeconds: 60,
            onTimeout: 'alert',
          },
        },
      },
    });
  });

  it('[S2-3] [S2-5] [S2-6] [S2-7] every key of sequenceJob is one of waitFor', () => {
    const gates = [
      { resourceType: 'csv', resourceName: 'odf', resourceNamespace: 'openshift-storage', syncWave: 7 },
      { hookType: 'PostSync', image: 'registry.example.com/team/check:v1', command: ['/bin/check', 'x'] },
      { resourceType: 'sc', image: 'registry.example.com/team/check:v1' },
      { disabled: true },
    ];

    for (const gate of gates) expect(problemsOf(waitingFor(gate))).toEqual([]);
  });

  it.each([-3, 0, 7])('[S2-1] a wave is a whole number, as %i', (wave) => {
    expect(problemsOf(withSteps({ one: { kind: 'pool', name: 'worker', wave } }))).toEqual([]);
  });

  it.each(['5', 1.5, 1e9])('[S2-1] a wave that is no whole number is refused: %j', (wave) => {
    expect(problemsOf(withSteps({ one: { kind: 'pool', name: 'worker', wave } }))).toEqual([
      expect.stringMatching(/^sequences\.virt\.steps\.one\.wave: must be a whole number/),
    ]);
  });

  it.each([
    [{ resourceType: 'sc', resouceName: 'x' }, `${path}.resouceName: unknown key; did you mean \`resourceName\`?`],
    [{ resourceType: 'sc', hookType: 'Nonsense' }, /hookType: must be one of PreSync, Sync, PostSync, SyncFail/],
    [{ resourceType: 'sc; echo x' }, /resourceType: must be a kind of the API server/],
    [{ resourceName: 'x' }, /waitFor: must have exactly one of resourceType/],
    [{}, /waitFor: must have exactly one of resourceType/],
    [{ resourceType: 'sc', image: 'a/b', command: ['c'] }, /must have exactly one of/],
    [{ resourceType: 'sc', equals: 'x' }, /must have path beside equals/],
    [{ resourceType: 'sc', health: 'Healthy' }, /health: must stand beside resourceType/],
    [{ resourceType: 'sc', timeout: '5' }, /timeout: must be a length of time/],
    [{ all: [{ resourceType: 'sc', onTimeout: 'wiat' }] }, /all\[0\]\.onTimeout: .*did you mean `wait`/],
    [{ resourceType: 'sc', resourceName: 'a', selector: { a: 'b' } }, /selector: must not stand beside/],
    [{ any: [{ resourceType: 'sc', timeout: '1h' }] }, /any\[0\]\.timeout: must stand beside any/],
    [{ http: { url: 'https://x.example.com/{pool}' } }, /http\.url: may have \{cluster\} in it/],
    [{ all: [{ resourceType: 'sc' }], syncWave: 3 }, /syncWave: must stand in each gate of all/],
  ])('[S2-16] a gate that means nothing is refused with its place: %j', (gate, expected) => {
    const problems = problemsOf(waitingFor(gate));

    expect(problems).toEqual([
      typeof expected === 'string' ? expected : expect.stringMatching(new RegExp(expected.source, 's')),
    ]);
  });

  it('[S2-16] clusters, instances, objects and sequences that do not exist are named, with what was meant', () => {
    const sequences = {
      virt: {
        clusters: ['prdo'],
        canary: ['edge'],
        after: ['storge'],
        steps: {
          one: { kind: 'application', name: 'virt', argocd: 'hubb' },
          two: { kind: 'object', object: 'class' },
          three: { kind: 'check' },
        },
      },
      storage: { clusters: ['prod'], steps: {} },
    };

    expect(problemsOf(sequences)).toEqual([
      'sequences.virt.clusters[0]: names no cluster of this file; did you mean `prod`?',
      'sequences.virt.canary[0]: is no cluster of this sequence',
      'sequences.virt.after[0]: names no sequence of this file; did you mean `storage`?',
      'sequences.virt.steps.one.argocd: names no Argo CD instance of this file; did you mean `hub`?',
      'sequences.virt.steps.two.object: names nothing in extraObjects of this sequence',
      'sequences.virt.steps.three.waitFor: is missing; a check consists of what it waits for',
      'sequences.storage.steps: must have at least one step',
    ]);
  });

  it('[S2-16] sequences that wait for each other are refused, with the circle', () => {
    const steps = { one: { kind: 'pool', name: 'worker' } };
    const other = { one: { kind: 'pool', name: 'infra' } };
    const third = { one: { kind: 'pool', name: 'gpu' } };
    const sequences = {
      a: { clusters: ['prod'], steps, after: ['b'] },
      b: { clusters: ['prod'], steps: other, after: ['c'] },
      c: { clusters: ['prod'], steps: third, after: ['a'] },
    };

    expect(problemsOf(sequences)).toEqual(['sequences.a.after: leads back to itself: a -> b -> c -> a']);
  });

  it('[S2-16] one thing in two sequences is refused, on another cluster it is another thing', () => {
    const worker = { kind: 'pool', name: 'worker' };
    const sequences = {
      a: { clusters: ['prod'], steps: { first: worker } },
      b: { clusters: ['prod', 'edge'], steps: { again: worker, elsewhere: { ...worker, name: 'infra' } } },
      c: { clusters: ['edge'], steps: { left: { ...worker, disabled: true } } },
    };

    expect(problemsOf(sequences)).toEqual(['sequences.b.steps.again: is the same as step first of sequence a']);
  });

  it('[S2-16] an Application in two sequences is refused also where one step leaves out the only Argo CD', () => {
    const nodes = { kind: 'application', name: 'nodes' };
    const sequences = {
      a: { clusters: ['prod'], steps: { first: nodes } },
      b: { clusters: ['prod'], steps: { again: { ...nodes, argocd: 'hub' } } },
    };

    expect(problemsOf(sequences)).toEqual(['sequences.b.steps.again: is the same as step first of sequence a']);
  });

  it('[S2-12] a manifest needs a kind and a name, a wave that Argo CD reads, and is no Secret', () => {
    const annotations = { 'argocd.argoproj.io/sync-wave': 'first' };
    const extraObjects = {
      good: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { a: '1', b: '' }, disabled: false },
      nameless: { apiVersion: 'v1', kind: 'ConfigMap' },
      secret: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
      waved: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', annotations } },
      off: { disabled: true },
    };

    expect(problemsOf(withSteps({ one: { kind: 'object', object: 'good' } }, { extraObjects }))).toEqual([
      'sequences.virt.extraObjects.nameless.metadata.name: is missing; every manifest has one',
      'sequences.virt.extraObjects.secret.kind: must not be Secret: this file holds no secrets',
      'sequences.virt.extraObjects.waved.metadata.annotations["argocd.argoproj.io/sync-wave"]: is no whole number; Argo CD would read it as 0',
    ]);
  });

  it('[S2-16] 10,000 steps are read, and more are refused in one line', () => {
    const text = (count: number) =>
      [
        stringify({ ...base, sequences: { virt: { clusters: ['prod'], steps: {} } } }).replace('{}\n', ''),
        ...Array.from({ length: count }, (_, index) => `      s${index}: { kind: pool, name: p${index} }`),
      ].join('\n');

    expect(problemsIn(text(10_000))).toEqual([]);
    expect(problemsIn(text(10_001))).toEqual(['sequences: has 10001 steps; at most 10000 are possible']);
  });
});

describe('docs/sequences.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/sequences.md'), 'utf8');
  const [first = '', objects = '', gates = '', clusters = ''] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(
    ([, text = '']) => text,
  );
  const named = ['prod', 'test', 'prod-eu', 'prod-us'].map((name) => ({
    name,
    api: { server: `https://api.${name}.example.com:6443`, tokenSecret: `poolkeeper/${name}/token` },
  }));
  const virt = 'sequences:\n  virt:\n';
  const onProd = `${virt}    clusters: [prod]\n`;

  it.each([
    ['the case of the reference', first],
    ['objects', `${onProd}${objects}`],
    ['gates', `${onProd}    steps:\n      it:\n        kind: check\n${gates.replace(/^(?=.)/gm, '        ')}`],
    ['clusters', `${virt}${clusters}    steps: { it: { kind: pool, name: worker } }\n`],
  ])('[S2-17] [S2-9] [S2-25] its examples are read: %s', (_, text) => {
    expect(problemsIn(`${stringify({ ...base, clusters: named })}${text}`)).toEqual([]);
  });
});

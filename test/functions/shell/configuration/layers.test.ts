import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { planOf } from '../../../../functions/core/sequences/plan.ts';
import { Misconfigured } from '../../../../functions/core/text/errors.ts';
import { readConfiguration } from '../../../../functions/shell/configuration/read-configuration.ts';

type Files = Readonly<Record<string, string>>;

function absent(): never {
  throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
}

/** `own` is read as env/poolkeeper.yaml, the others by their paths relative to it. */
function read(own: string, files: Files = {}) {
  return readConfiguration(own, { source: 'env/poolkeeper.yaml', readText: (path) => files[path] ?? absent() });
}

function problemsOf(own: string, files: Files = {}): readonly string[] {
  try {
    read(own, files);
    return [];
  } catch (error) {
    if (error instanceof Misconfigured) return error.problems;
    throw error;
  }
}

const fleet = stringify({
  clusters: ['prod', 'edge'].map((name) => ({
    name,
    api: { server: `https://api.${name}.example.com:6443`, tokenSecret: `poolkeeper/${name}/token` },
    pools: { worker: { wave: 3 }, infra: { wave: 1 } },
  })),
  argocd: [{ name: 'hub', cluster: 'prod' }],
  sequences: {
    virt: {
      clusters: ['prod'],
      steps: {
        storage: { kind: 'application', name: 'storage', wave: 5, waitFor: { resourceType: 'sc', timeout: '2h' } },
        virt: { kind: 'application', name: 'virt', wave: 10 },
        marker: { kind: 'object', object: 'marker' },
      },
      extraObjects: {
        marker: {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'marker', namespace: 'shop' },
          data: { a: 'b' },
        },
      },
    },
  },
});

function over(data: Readonly<Record<string, unknown>>): string {
  return stringify({ extends: ['fleet.yaml'], ...data });
}

function planWith(virt: Readonly<Record<string, unknown>>) {
  const { sequences } = read(over({ sequences: { virt } }), { 'fleet.yaml': fleet });
  const sequence = sequences?.['virt'];
  return sequence === undefined ? undefined : planOf('virt', sequence);
}

describe('a configuration of several files', () => {
  it('[S2-7] is the same as one file, where only one of them says anything', () => {
    expect(read('extends: [fleet.yaml]', { 'fleet.yaml': fleet })).toEqual(read(fleet));
  });

  it('[S2-7] is layered key by key, and lists of names entry by entry', () => {
    const own = over({
      clusters: [
        { name: 'edge', pools: { worker: { wave: 7 } } },
        { name: 'new', api: { server: 'https://api.new.example.com:6443', tokenSecret: 'poolkeeper/new/token' } },
      ],
    });

    const { clusters } = read(own, { 'fleet.yaml': fleet });

    expect(clusters.map(({ name }) => name)).toEqual(['prod', 'edge', 'new']);
    expect(clusters.map(({ pools }) => [pools['worker']?.wave, pools['infra']?.wave])).toEqual([
      [3, 1],
      [7, 1],
      [undefined, undefined],
    ]);
    expect(clusters[1]?.api.server).toBe('https://api.edge.example.com:6443');
  });

  it('[S2-7] the last file wins, in the order in which they are named', () => {
    const waves = (order: readonly string[]) =>
      read(stringify({ extends: ['fleet.yaml', ...order] }), {
        'fleet.yaml': fleet,
        'a.yaml': 'sequences: { virt: { steps: { virt: { wave: 20 } } } }',
        'b.yaml': 'sequences: { virt: { steps: { virt: { wave: 30 } } } }',
      }).sequences?.['virt']?.steps['virt']?.wave;

    expect(waves(['a.yaml', 'b.yaml'])).toBe(30);
    expect(waves(['b.yaml', 'a.yaml'])).toBe(20);
  });

  it('[S2-7] disabled in a later file takes away a step, a gate, an object or a sequence', () => {
    const whole = planWith({});
    expect(whole?.steps.map(({ step }) => step)).toEqual(['storage', 'virt', 'marker']);
    expect(whole?.gates).toHaveLength(1);

    expect(planWith({ steps: { storage: { disabled: true } } })?.steps.map(({ step }) => step)).toEqual([
      'virt',
      'marker',
    ]);
    expect(planWith({ steps: { storage: { waitFor: { disabled: true } } } })?.gates).toEqual([]);
    expect(planWith({ extraObjects: { marker: { disabled: true } } })?.steps.map(({ step }) => step)).toEqual([
      'storage',
      'virt',
    ]);
    expect(planWith({ disabled: true })).toEqual({ name: 'virt', steps: [], gates: [] });
  });

  it('[S2-7] what is taken away comes back by disabled: false in a still later file, and by nothing else', () => {
    const gates = (last: string) => {
      const { sequences } = read('extends: [fleet.yaml, off.yaml, last.yaml]', {
        'fleet.yaml': fleet,
        'off.yaml': 'sequences: { virt: { steps: { storage: { waitFor: { disabled: true } } } } }',
        'last.yaml': `sequences: { virt: { steps: { storage: { waitFor: ${last} } } } }`,
      });
      const virt = sequences?.['virt'];
      return virt === undefined ? [] : planOf('virt', virt).gates;
    };

    expect(gates('{ disabled: false }')).toHaveLength(1);
    expect(gates('{ resourceName: other }')).toEqual([]);
  });

  it('[S2-7] a sequence that is left out takes nothing from another one', () => {
    const own = over({
      sequences: {
        virt: { disabled: true },
        other: { clusters: ['prod'], steps: { storage: { kind: 'application', name: 'storage' } } },
      },
    });

    expect(problemsOf(own, { 'fleet.yaml': fleet })).toEqual([]);
  });

  it('[S2-16] a problem is told in the file where its cause was written last', () => {
    const own = 'extends: [fleet.yaml]\nsequences:\n  virt:\n    steps:\n      virt:\n        wave: first\n';
    const broken = fleet.replace('timeout: 2h', 'timeout: 2h\n          tiemout: 3h');

    expect(problemsOf(own, { 'fleet.yaml': broken })).toEqual([
      expect.stringMatching(/^env\/fleet\.yaml:\d+:11 sequences\.virt\.steps\.storage\.waitFor\.tiemout: unknown key/),
      expect.stringMatching(/^env\/poolkeeper\.yaml:6:15 sequences\.virt\.steps\.virt\.wave: must be/),
    ]);
  });

  it('[S2-16] entries of lists are told by their own place, wherever they stand in the whole', () => {
    const own = 'extends: [fleet.yaml]\nclusters:\n  - name: edge\n    api: { tokenSecret: 5 }\n';

    expect(problemsOf(own, { 'fleet.yaml': fleet })).toEqual([
      expect.stringMatching(/^env\/poolkeeper\.yaml:4:25 clusters\[1\]\.api\.tokenSecret: must be/),
    ]);
  });

  it('[S2-16] a file that cannot be read, is no mapping or extends others is told', () => {
    const files = {
      'fleet.yaml': fleet,
      'list.yaml': '- a\n',
      'more.yaml': 'extends: [x.yaml]\n',
      'broken.yaml': 'a: [',
    };

    expect(problemsOf('extends: [fleet.yaml, gone.yaml]', files)).toEqual([
      'env/poolkeeper.yaml:1:23 extends[1]: cannot be read (ENOENT); the path is relative to this file',
    ]);
    expect(problemsOf('extends: [fleet.yaml, list.yaml]', files)).toEqual([
      'env/list.yaml:1:1 (the file): must be a mapping of keys to values',
    ]);
    expect(problemsOf('extends: [fleet.yaml, more.yaml]', files)).toEqual([
      'env/more.yaml:1:1 extends: stands in a file that another one extends; name all files in the last one, in their order',
    ]);
    expect(problemsOf('extends: [fleet.yaml, broken.yaml]', files)).toEqual([
      expect.stringMatching(/^env\/broken\.yaml:1:\d+ /),
    ]);
    expect(problemsOf('extends: fleet.yaml', files)).toContainEqual(
      'env/poolkeeper.yaml:1:10 extends: must be a list of paths',
    );
  });

  it('[C-8] a secret in any of the files is refused where it stands, even if a later file has another value', () => {
    const token = ['gh', 'p_', 'a'.repeat(36)].join('');
    const secret = fleet.replace('poolkeeper/prod/token', token);
    const own = over({ clusters: [{ name: 'prod', api: { tokenSecret: 'poolkeeper/prod/token' } }] });

    const problems = problemsOf(own, { 'fleet.yaml': secret });

    expect(problems).toEqual([
      expect.stringMatching(/^env\/fleet\.yaml:\d+:\d+ clusters\[0\]\.api\.tokenSecret: looks/),
    ]);
    expect(problems.join()).not.toContain(token);
  });

  it('[C-8] the files of node turns that a lower file names are relative to that file', () => {
    const own = 'extends: [../fleet/poolkeeper.yaml]\n';
    const asked: string[] = [];

    problemsOf(own, {
      '../fleet/poolkeeper.yaml': `${fleet}nodeTurns:\n  files: [./turns.yaml]\n`,
      get '../fleet/turns.yaml'() {
        asked.push('../fleet/turns.yaml');
        return '';
      },
    });

    expect(asked).not.toEqual([]);
  });

  it('[C-8] a file that a lower file names is relative to that file', () => {
    const own = 'extends: [../fleet/poolkeeper.yaml]\n';
    const lower = fleet.replace(
      'tokenSecret: poolkeeper/prod/token',
      'caFile: ca.pem\n      tokenSecret: poolkeeper/prod/token',
    );
    const asked: string[] = [];

    problemsOf(own, {
      get '../fleet/poolkeeper.yaml'() {
        return lower;
      },
      get '../fleet/ca.pem'() {
        asked.push('../fleet/ca.pem');
        return 'no certificate';
      },
    });

    expect(asked).toEqual(['../fleet/ca.pem']);
  });
});

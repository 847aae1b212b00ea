import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { readConfiguration } from '../../../../functions/shell/configuration/read-configuration.ts';
import { runCommand } from '../../../../local/cli/run-command.ts';

const hub = `clusterGroup:
  name: hub
  sharedValueFiles: ['/overrides/values-{{ $.Values.global.clusterPlatform }}.yaml', '{{ include "x" . }}']
  nodes: []
  subscriptions:
    storage:
      name: odf-operator
      namespace: openshift-storage
      annotations: { argocd.argoproj.io/sync-wave: "5" }
      sequenceJob: { resourceType: sc, resourceName: ceph-rbd }
    old: { name: gone, disabled: yes }
    kept: { name: kept, disabled: no }
  applications:
    storage: { name: storage, path: charts/storage }
    virt: { name: virt, path: charts/virt, annotations: { argocd.argoproj.io/sync-wave: "10" } }
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-import-'));
  await put('root/values-global.yaml', 'global: { pattern: shop }\n');
  await put('root/values-hub.yaml', hub);
  await put('root/values-AWS-4.18.yaml', 'clusterGroup: { applications: { virt: { namespace: vms } } }\n');
  await put('root/overrides/values-AWS.yaml', 'clusterGroup: { subscriptions: { storage: { channel: stable } } }\n');
  await put('variants/values-global.yaml', 'global: { pattern: shop }\n');
  await put('variants/values-hub.yaml', 'not: read\n');
  await put('variants/variants/hub/values-hub.yaml', 'clusterGroup: { name: hub, applications: { a: { name: a } } }\n');
});

afterAll(() => rm(folder, { recursive: true }));

async function put(path: string, text: string): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  return file;
}

async function run(...args: readonly string[]) {
  const said = { out: '', noted: '' };
  const status = await runCommand(['sequence', ...args], {
    out: (each) => {
      said.out += each;
    },
    note: (each) => {
      said.noted += `${each}\n`;
    },
    environment: {},
    now: () => new Date('2026-11-22T10:00:00.000Z'),
  });
  return { status, ...said };
}

/** Lines folded again. */
function flat(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

describe('poolkeeper sequence import', () => {
  test('[S2-21] finds the files of a group in a checkout and prints its steps in their waves', async () => {
    const { status, out, noted } = await run(
      ...['import', '--group', 'hub', '--platform', 'AWS', '--version', '4.18', '--cluster-name', 'east'],
      join(folder, 'root'),
    );

    expect(status).toBe(0);
    expect(parse(out)).toEqual({
      sequences: {
        'shop-hub': {
          description: 'cluster group hub of the pattern shop',
          clusters: ['east'],
          steps: {
            kept: { kind: 'subscription', name: 'kept', namespace: 'openshift-operators', wave: 0 },
            'storage-application': {
              kind: 'application',
              name: 'storage',
              namespace: 'shop-hub',
              project: 'default',
              wave: 0,
              disabled: true,
            },
            'storage-operator': {
              kind: 'subscription',
              name: 'odf-operator',
              namespace: 'openshift-storage',
              wave: 5,
              waitFor: { resourceType: 'sc', resourceName: 'ceph-rbd' },
            },
            virt: { kind: 'application', name: 'virt', namespace: 'shop-hub', project: 'default', wave: 10 },
          },
        },
      },
    });
    expect(noted).toContain(
      'Read, later ones win: values-global.yaml, values-hub.yaml, values-AWS-4.18.yaml, overrides/values-AWS.yaml\n' +
        'Looked for and not there: values-AWS.yaml, values-AWS-hub.yaml, values-4.18-hub.yaml, values-east.yaml',
    );
    expect(noted).toContain('2 operators, 2 Applications, 0 objects and 1 gate, in 3 waves: 0, 5 and 10.');
  });

  test('[S2-21] [S2-24] names what it does not take, and the traps', async () => {
    const { noted } = await run('import', '--group', 'hub', '--platform', 'AWS', join(folder, 'root'));

    expect(noted).toContain('clusterGroup.nodes\n');
    expect(flat(noted)).toContain('virt (10): these waves wait for nothing in the framework');
    expect(flat(noted)).toContain('clusterGroup.sharedValueFiles only look-ups of values are understood');
  });

  test('[S2-21] finds them in the folder of a variant', async () => {
    const { status, noted } = await run('import', '--group', 'hub', join(folder, 'variants'));

    expect(status).toBe(0);
    expect(noted).toContain('later ones win: values-global.yaml, variants/hub/values-hub.yaml');
  });

  test('[S2-21] takes files in their order, and parameters over them', async () => {
    const later = await put(
      'later.yaml',
      'clusterGroup: { subscriptions: { storage: { sequenceJob: { resourceName: x } } } }\n',
    );
    const { out, noted } = await run(
      ...['import', '--pattern', 'shop', '--cluster', 'prod', '--argocd', 'hub', '--name', 'virt'],
      ...['--set', 'clusterGroup.subscriptions.storage.sequenceJob.syncWave=7'],
      join(folder, 'root/values-hub.yaml'),
      later,
    );

    expect(parse(out).sequences.virt.steps['storage-operator'].waitFor).toEqual({
      resourceType: 'sc',
      resourceName: 'x',
      syncWave: 7,
    });
    expect(parse(out).sequences.virt.steps.virt).toMatchObject({ argocd: 'hub', namespace: 'shop-hub' });
    expect(noted).not.toContain('global.pattern');
  });

  test('[S2-21] prints what poolkeeper.yaml takes, hooks, commands, several namespaces and bad waves included', async () => {
    const file = await put(
      'all.yaml',
      stringify({
        global: { pattern: 'shop' },
        clusterGroup: {
          name: 'hub',
          subscriptions: [
            { name: 'a', namespaces: ['one', 'two'], sequenceJob: { command: ['/bin/true'], hookType: 'PreSync' } },
            {
              name: 'b',
              csv: 'b.v1',
              installPlanApproval: 'Manual',
              annotations: {},
              sequenceJob: { resourceType: 'pvc', hookType: 'PostDelete' },
            },
            { name: 'c', version: '1.*' },
          ],
          extraObjects: {
            'Wait For': {
              apiVersion: 'v1',
              kind: 'ConfigMap',
              metadata: { name: 'w', annotations: { 'argocd.argoproj.io/sync-wave': 'first' } },
            },
            password: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } },
          },
        },
      }),
    );
    const { status, out, noted } = await run('import', file);
    const read = readConfiguration(
      `${stringify({
        clusters: [{ name: 'hub', api: { server: 'https://api.hub.example.com:6443', tokenSecret: 'a/b' } }],
        argocd: [{ name: 'hub', cluster: 'hub' }],
      })}${out}`,
      { source: 'poolkeeper.yaml' },
    );

    expect(status).toBe(0);
    expect(read.sequences?.['shop-hub']?.steps).toMatchObject({
      'a-one': { kind: 'subscription', namespace: 'one', waitFor: { command: ['/bin/true'], hookType: 'PreSync' } },
      'a-two': { namespace: 'two' },
      b: { csv: 'b.v1', waitFor: { resourceType: 'pvc', disabled: true } },
      c: { olm: 'v1' },
      'wait-for': { kind: 'object', object: 'wait-for', wave: 0 },
    });
    expect(flat(noted)).toContain('a Secret: poolkeeper.yaml holds none');
  });

  test('[S2-21] reads yes and no as Helm does, and a date as text', async () => {
    const file = await put(
      'dates.yaml',
      'clusterGroup: { applications: { a: { name: 2026-11-22, disabled: off }, b: { name: b, disabled: on } } }\n',
    );
    const { out } = await run('import', file);

    expect(Object.values(parse(out).sequences)).toMatchObject([{ steps: { a: { name: '2026-11-22' } } }]);
    expect(out).not.toContain('name: b');
  });

  test('[S2-21] says so if there is nothing to put in order', async () => {
    const { out, noted } = await run('import', await put('empty.yaml', 'clusterGroup: { name: hub }\n'));

    expect(parse(out)).toEqual({ sequences: {} });
    expect(flat(noted)).toContain('nothing to put in order');
  });

  test('[S2-24] a refused gate is named, and the exit status says so', async () => {
    const file = await put(
      'refused.yaml',
      'clusterGroup: { subscriptions: { a: { name: a, sequenceJob: { resourceType: sc, resourceName: "a b; reboot" } } } }\n',
    );
    const { status, out, noted } = await run('import', file);

    expect(status).toBe(1);
    expect(out).not.toContain('waitFor');
    expect(noted).toContain('clusterGroup.subscriptions.a.sequenceJob.resourceName');
  });
});

describe('poolkeeper sequence import --render', () => {
  test('[S2-20] [S2-21] prints what would stand in Git, with a hook Job that ends for each gate', async () => {
    const { status, out } = await run(
      ...[
        'import',
        '--render',
        '--group',
        'hub',
        '--platform',
        'AWS',
        '--set',
        'global.repoURL=https://git.example.org/p.git',
      ],
      join(folder, 'root'),
    );
    const objects = parseAllDocuments(out).map((each) => each.toJS());

    expect(status).toBe(0);
    expect(objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`)).toEqual([
      'Subscription kept',
      'Subscription odf-operator',
      'ServiceAccount odf-operator-sequencejob',
      'ClusterRole poolkeeper-gate-openshift-storage-odf-operator-sequencejob',
      'ClusterRoleBinding poolkeeper-gate-openshift-storage-odf-operator-sequencejob',
      'Job odf-operator-sequencejob',
      'Application storage',
      'Application virt',
    ]);
    expect(objects[5]).toMatchObject({
      metadata: { namespace: 'openshift-storage', annotations: { 'argocd.argoproj.io/sync-wave': '5' } },
      spec: { activeDeadlineSeconds: 15_000, ttlSecondsAfterFinished: 86_400 },
    });
    expect(objects[6].spec.source.repoURL).toBe('https://git.example.org/p.git');
  });

  test('[S2-20] [S2-21] an image that is none is refused by its key, with and without --render', async () => {
    const file = await put(
      'image.yaml',
      'clusterGroup: { subscriptions: { g: { name: g, sequenceJob: { resourceType: sc, image: "a b" } } } }\n',
    );

    for (const flags of [[], ['--render']]) {
      const { status, noted } = await run('import', ...flags, file);
      expect(status).toBe(1);
      expect(noted).toMatch(/(?:sequenceJob|waitFor)\.image/);
      expect(noted).not.toMatch(/\n {4}at \w/);
    }
  });

  test('[S2-20] a kind that is not known without a cluster is refused, and parameters of the framework are named', async () => {
    const file = await put(
      'gadget.yaml',
      'clusterGroup: { applications: { a: { name: a } }, subscriptions: { g: { name: g, sequenceJob: { resourceType: gadget } } } }\n',
    );
    const { status, out, noted } = await run('import', '--render', '--namespace', 'gates', file);

    expect(status).toBe(1);
    expect(out).not.toContain('kind: Job');
    expect(flat(noted)).toContain('`gadget` is not known without a cluster');
    expect(flat(noted)).toContain('the framework passes repoURL, originURL');
  });
});

describe('bad input', () => {
  test.each([
    [['import'], 'sequence import: needs values files, or --group and a checkout'],
    [['import', 'nowhere.yaml'], 'nowhere.yaml: does not exist'],
    [['import', '--platform', 'AWS', 'x.yaml'], '--platform: finds files in a checkout, so it needs --group'],
    [['import', '--group', 'hub'], '--group: must be followed by one checkout'],
    [['import', '--group', 'hub', 'nowhere'], 'nowhere: is no folder'],
    [['import', '--group', '../x', '.'], '--group ../x: must be a part of a file name'],
    [['import', '--set', 'x', 'x.yaml'], '--set x: must be NAME=VALUE'],
    [['import', '--wave', '5'], "Unknown option '--wave'"],
    [['imprt'], 'sequence imprt: must be followed by one of'],
    [[], 'sequence: must be followed by one of'],
  ])('[S2-16] [S2-21] %j: %s', async (args, problem) => {
    const { status, out, noted } = await run(...args);

    expect([status, out]).toEqual([2, '']);
    expect(noted).toContain(`poolkeeper: ${problem}`);
    expect(noted).not.toMatch(/\n {4}at \w/);
  });

  test.each([
    ['a: [1', 'Flow sequence in block collection'],
    ['- a\n- b\n', 'must be a map of values'],
    ['text', 'must be a map of values'],
    [`a: &a [x]\nb: [${Array.from({ length: 200 }, () => '*a').join(', ')}]\n`, ''],
    [`${'a: {'.repeat(100)}${'}'.repeat(100)}`, 'must be a map of values, nested at most 64 deep'],
    ['a: *nothing', 'nothing'],
  ])('[S2-21] a file with %j is a problem of one line', async (text, problem) => {
    const file = await put('bad.yaml', text);
    const { status, noted } = await run('import', file);

    expect(noted).not.toMatch(/\n {4}at \w/);
    expect(problem === '' ? '' : noted).toContain(problem);
    expect(problem === '' ? 2 : status).toBe(2);
  });

  test.each([
    { clusterGroup: 'x' },
    {
      clusterGroup: { subscriptions: 'x', applications: 7, namespaces: 'x', extraObjects: 'x', sharedValueFiles: 'x' },
    },
    { clusterGroup: { subscriptions: { a: 'x', b: { name: ['x'], annotations: 'x', sequenceJob: 'x' } } } },
    {
      clusterGroup: {
        subscriptions: { a: { name: {}, annotations: { x: {} } } },
        extraObjects: { a: { metadata: 'x' } },
      },
    },
    {
      clusterGroup: {
        namespaces: [{ a: 'x' }, 1, null, []],
        applications: { a: { name: 'x', overrides: 'x', extraValueFiles: 7 } },
      },
    },
    { global: 'x', clusterGroup: { applications: [null, 'x', { name: 'a' }] } },
  ])('[S2-21] values of another type than meant, %j, are named, and nothing breaks', async (values) => {
    const { status, noted } = await run('import', await put('odd.yaml', stringify(values)));

    expect([0, 1]).toContain(status);
    expect(noted).not.toMatch(/\n {4}at \w/);
  });

  test('[S2-21] a group that the checkout does not have is an error', async () => {
    const { status, noted } = await run('import', '--group', 'hubb', join(folder, 'root'));

    expect(status).toBe(2);
    expect(noted).toContain('has no values-hubb.yaml');
  });

  test('[S2-21] [S2-24] a group whose files call it by another name is taken, and that is said', async () => {
    const checkout = join(folder, 'root');
    await put('root/values-edge.yaml', 'clusterGroup: { name: factory, applications: { a: { name: a } } }\n');
    const { status, out, noted } = await run('import', '--group', 'edge', checkout);

    expect(status).toBe(0);
    expect(out).toContain('namespace: shop-factory');
    expect(flat(noted)).toContain('is factory, though the files are those of edge');
  });

  test('[N-30] nothing outside of the checkout is read', async () => {
    await put('out/values-hub.yaml', "clusterGroup: { name: hub, sharedValueFiles: ['/../secret.yaml'] }\n");
    await put('secret.yaml', 'clusterGroup: { applications: { secret: { name: secret } } }\n');
    const { status, out, noted } = await run('import', '--group', 'hub', join(folder, 'out'));

    expect([status, out]).toEqual([2, '']);
    expect(noted).toContain('../secret.yaml: is outside of the checkout');
  });
});

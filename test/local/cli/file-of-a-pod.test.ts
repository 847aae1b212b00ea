import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runCommand } from '../../../local/cli/run-command.ts';
import { machineConfigPools } from '../../../local/openshift/api-server/resource-types.ts';
import { type DemoCluster, demoCluster } from './demo-cluster.ts';

/** The poolkeeper.yaml of a Poolkeeper in its cluster, used on a laptop: its `caFile` is one that only the pod has. */
let demo: DemoCluster;
let file: string;

beforeEach(async () => {
  demo = await demoCluster();
  file = join(demo.folder, 'poolkeeper.yaml');
});

afterEach(() => demo.close());

const rule = {
  jobNamespace: 'databases',
  jobSpec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'job', image: 'registry.example.com/tools' }] } },
  },
};

async function write(server: string): Promise<void> {
  const caFile = '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt';
  const content = {
    clusters: [{ name: 'simulated', api: { server, caFile, tokenSecret: 'service-account' } }],
    argocd: [{ name: 'hub', cluster: 'simulated' }],
    nodeTurns: {
      rules: { move: rule },
      targets: { workers: { machineConfigPools: ['worker'] } },
      runs: {
        upgrade: {
          ...{ cluster: 'simulated', mode: 'turns' },
          ...{ mutexRules: [{ name: 'move' }], mutexTargets: [{ name: 'workers' }] },
        },
      },
    },
    sequences: {
      storage: {
        clusters: ['simulated'],
        steps: {
          class: {
            ...{ kind: 'subscription', name: 'odf-operator', namespace: 'openshift-storage', wave: 5 },
            waitFor: { resourceType: 'sc', resourceName: 'fast' },
          },
        },
      },
    },
  };
  await writeFile(file, stringify(content, { aliasDuplicateObjects: false }));
}

async function run(line: string, more: Partial<typeof demo.surroundings> = {}) {
  const said = { out: '', noted: '' };
  const status = await runCommand(
    [...line.split(' '), ...(line.includes('FILE') ? [] : ['--config', file])].map(named),
    {
      ...demo.surroundings,
      ...more,
      out: (text) => {
        said.out += text;
      },
      note: (text) => {
        said.noted += `${text}\n`;
      },
    },
  );
  const pool = demo.world.openshift.registry.get(machineConfigPools, 'worker');
  return { status, ...said, paused: pool?.spec.paused === true };
}

function named(word: string): string {
  return word === 'FILE' ? file : word;
}

test.each([
  ['windows', 0],
  ['why', 0],
  ['run status upgrade', 0],
  ['sequence status storage', 1],
  ['sequence render storage', 0],
  ['manifests --sequences FILE --cluster simulated --level observe --only access', 0],
  ['manifests --runs FILE --cluster simulated --level observe --only access', 0],
])('[C-8] is enough for what goes by the kubeconfig, or asks no cluster: %s', async (line, expected) => {
  await write(demo.world.openshift.url);

  const { status, noted } = await run(line);

  expect(noted).not.toContain('only the pod itself has it');
  expect(status).toBe(expected);
});

test('[C-8] is enough to freeze the fleet, and the undo names it wherever it is pasted', async () => {
  await write(demo.world.openshift.url);

  const { status, out, paused } = await run('freeze --fleet --for 4h --reason disks');

  expect([status, paused]).toEqual([0, true]);
  expect(out).toContain(`--config ${file}`);
});

test.each([['doctor'], ['why --cluster simulated']])(
  '[C-8] is refused where its token would be sent without its certificate authority: %s',
  async (line) => {
    await write(demo.world.openshift.url);

    const { status, out, noted } = await run(line);

    expect(status).toBeGreaterThan(0);
    expect(out + noted).toContain('only the pod itself has it');
  },
);

test('[C-8] in the checkout is found from any folder', async () => {
  await write(demo.world.openshift.url);
  const elsewhere = join(demo.folder, 'elsewhere');
  await mkdir(elsewhere);
  const folders = { own: demo.folder, current: elsewhere };
  const said: string[] = [];

  const status = await runCommand(['freeze', '--fleet', '--for', '4h', '--reason', 'disks'], {
    ...demo.surroundings,
    folders,
    out: (text) => said.push(text),
  });

  expect(status).toBe(0);
  expect(said.join('')).toContain(`--config ${file}`);
});

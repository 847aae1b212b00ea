import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { manifests } from '../../local/cli/manifests.ts';
import { type StartedControlPlane, startControlPlane } from './harness/control-plane.ts';
import type { Draft, Kube } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, pool } from './harness/objects.ts';
import { collectionOf, paths } from './harness/paths.ts';
import { refusalOf } from './harness/refusal-of.ts';
import { until } from './harness/until.ts';
import { refusedIn } from './refused-in.ts';

const lab = useLab();
const breakGlass = 'poolkeeper.dev/break-glass';
const poolLabel = 'pools.operator.machineconfiguration.openshift.io';

// The policy is for every pool of its cluster: it must not be that of the other files.
let plane: StartedControlPlane;
let kube: Kube;

beforeAll(async () => {
  plane = await startControlPlane(lab.toolchain);
  kube = plane.kube;
  kubectl(['apply', '-f', '-'], await printed());
  const required = { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' };
  const builtIn = { 'machineconfiguration.openshift.io/mco-built-in': '' };
  await plane.ensure(
    pool({ name: 'master', roles: ['master'], labels: { ...required, ...builtIn } }),
    pool({ name: 'worker', roles: ['worker'], labels: { ...builtIn, size: 'large' } }),
    pool({ name: 'gpu', labels: { custom: 'gpu' } }),
    pool({ name: 'alone', roles: ['alone'] }),
    {
      ...pool({ name: 'odd' }),
      spec: {
        machineConfigSelector: {
          matchLabels: { site: 'north' },
          matchExpressions: [
            { key: 'tier', operator: 'Exists' },
            { key: 'old', operator: 'DoesNotExist' },
            { key: 'machineconfiguration.openshift.io/role', operator: 'NotIn', values: ['master'] },
          ],
        },
        nodeSelector: { matchLabels: { 'node-role.kubernetes.io/odd': '' } },
      },
    },
  );
  await pauseOnly('worker', 'gpu', 'odd', 'alone');
  // The API server takes a new policy up within a second or two.
  await pauseOnly('gpu', 'odd', 'alone');
  let attempt = 0;
  await until(
    async () => {
      attempt += 1;
      return (await refused(machineConfig(`50-try-${attempt}`, 'worker'))).includes('worker');
    },
    30_000,
    'the policy to be in force',
  );
  return () => plane.stop();
}, 240_000);

async function printed(...args: readonly string[]): Promise<string> {
  let text = '';
  await manifests.run(['--level', 'admission', '--only', 'pause-first', ...args], {
    out: (more) => {
      text += more;
    },
    note: () => {},
    environment: {},
    now: () => new Date(),
  });
  return text;
}

function kubectl(args: readonly string[], input = ''): string {
  const run = spawnSync(
    join(dirname(lab.toolchain.kubeApiserver), 'kubectl'),
    ['--kubeconfig', plane.kubeconfig, ...args],
    {
      encoding: 'utf8',
      input,
    },
  );
  expect(run.stderr.replaceAll(/^Warning:.*\n/gm, '')).toBe('');
  return run.stdout;
}

const pools = ['worker', 'gpu', 'alone', 'odd'] as const;

/** The policy sees a pool as the API server's cache has it, a moment after the write. */
async function pauseOnly(...paused: readonly string[]): Promise<void> {
  for (const name of pools) await kube.patch(`${paths.pools}/${name}`, { spec: { paused: paused.includes(name) } });
}

/** For which pool's sake creating this is refused, asked again until the cache of pools has settled; empty: it is
 *  taken. */
async function refused(object: Draft, as: Kube = kube): Promise<readonly string[]> {
  return poolsOf(await refusalOf(() => as.post(collectionOf(object), object)));
}

function poolsOf(words: string | undefined): readonly string[] {
  if (words === undefined) return [];
  const found = refusedIn(words);
  if (found.length === 0) throw new Error(words);
  return found;
}

/** Every pool for whose sake it is refused, found by pausing one after the other. */
async function reached(object: Draft): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of pools) {
    await pauseOnly(...pools.filter((each) => each !== name));
    await settled(name);
    if ((await refused(object)).includes(name)) found.push(name);
    else await kube.delete(`${collectionOf(object)}/${object.metadata.name}`);
  }
  return found;
}

/** Waits until the policy takes exactly this pool for not paused. */
async function settled(name: string): Promise<void> {
  const probes = new Map([
    ['worker', machineConfig('00-probe', 'worker')],
    ['gpu', machineConfig('00-probe', 'gpu')],
    ['alone', machineConfig('00-probe', 'alone')],
    ['odd', labelled('00-probe', { site: 'north', tier: 'x' })],
  ]);
  await until(
    async () => {
      for (const [each, probe] of probes) {
        const said = poolsOf(await refusalOf(() => kube.post(paths.machineConfigs, probe)));
        if (said.length === 0) await kube.delete(`${paths.machineConfigs}/00-probe`);
        if (said.includes(name) !== (each === name || (each === 'worker' && name === 'gpu'))) return false;
        if (said.some((other) => other !== name)) return false;
      }
      return true;
    },
    30_000,
    `the policy to see that only ${name} is not paused`,
  );
}

function labelled(name: string, labels: Readonly<Record<string, string>>): Draft {
  const made = machineConfig(name, 'worker');
  return { ...made, metadata: { name, labels } };
}

function kubeletConfig(name: string, machineConfigPoolSelector: unknown): Draft {
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'KubeletConfig',
    metadata: { name },
    spec: { machineConfigPoolSelector, kubeletConfig: { maxPods: 100 } },
  };
}

describe('which pools a change waits for, by the selectors that the pools have now', () => {
  test.each([
    [
      'a MachineConfig of a role, and a custom pool that takes from it',
      machineConfig('60-a', 'worker'),
      ['worker', 'gpu'],
    ],
    ['a MachineConfig of a custom pool alone', machineConfig('60-b', 'gpu'), ['gpu']],
    ['every matchExpression at once', labelled('60-c', { site: 'north', tier: '' }), ['odd']],
    ['a label that must not be there', labelled('60-d', { site: 'north', tier: '', old: '' }), []],
    ['labels that no pool selects', labelled('60-e', { 'machineconfiguration.openshift.io/role': 'nobody' }), []],
    ['no labels at all', labelled('60-f', {}), []],
    ['a pool that upgrades wait for, which nobody named', machineConfig('60-g', 'master'), []],
    [
      'a KubeletConfig for worker, and who takes from worker',
      kubeletConfig('60-h', { matchLabels: { [`${poolLabel}/worker`]: '' } }),
      ['worker', 'gpu'],
    ],
    [
      'a KubeletConfig for one custom pool by its own label',
      kubeletConfig('60-i', { matchExpressions: [{ key: `${poolLabel}/gpu`, operator: 'Exists' }] }),
      ['gpu'],
    ],
    [
      'a KubeletConfig for the built-in pools',
      kubeletConfig('60-j', { matchLabels: { 'machineconfiguration.openshift.io/mco-built-in': '' } }),
      ['worker', 'gpu'],
    ],
    [
      'a KubeletConfig by a label that worker may have as well',
      kubeletConfig('60-k', { matchLabels: { size: 'large' } }),
      ['worker', 'gpu'],
    ],
    ['a KubeletConfig that chooses nothing', kubeletConfig('60-l', {}), []],
  ] as const)('[N-27] [S0-3] %s', async (_what, object, expected) => {
    expect(await reached(object)).toEqual(expected);
  });
});

describe('what a change of it is', () => {
  const at = (name: string) => `${paths.machineConfigs}/${name}`;
  const roles = (role: string) => ({ metadata: { labels: { 'machineconfiguration.openshift.io/role': role } } });

  /** A MachineConfig of that role that was made while everything was paused; then only worker and gpu are. */
  async function standing(name: string, role: string, more: Partial<Draft['metadata']> = {}): Promise<void> {
    await pauseOnly(...pools);
    const made = machineConfig(name, role);
    await until(
      async () =>
        (await refused({ ...made, metadata: { ...made.metadata, ...more } }).catch(() => ['there'])).length === 0,
      30_000,
      `${name} to be made`,
    );
    await pauseOnly('worker', 'gpu', 'odd');
    await settled('alone');
  }

  test('[N-27] a changed spec and a deletion are refused, a change of metadata alone is not', async () => {
    await standing('70-alone', 'alone');

    expect(await words(() => kube.patch(at('70-alone'), { spec: { kernelArguments: ['quiet'] } }))).toEqual(['alone']);
    expect(await words(() => kube.delete(at('70-alone')))).toEqual(['alone']);
    expect(await words(() => kube.delete(`${paths.machineConfigs}`))).toEqual(['alone']);
    await kube.patch(at('70-alone'), { metadata: { annotations: { note: 'free' }, labels: { note: 'free' } } });
    await kube.patch(at('70-alone'), { metadata: { finalizers: ['example.com/stay'] } });
    await kube.patch(at('70-alone'), { metadata: { finalizers: null } });
  });

  test('[N-27] a label that moves it into a pool or out of one is refused, by the old labels and by the new', async () => {
    await standing('71-moves', 'alone');
    await standing('72-moves', 'gpu');

    expect(await words(() => kube.patch(at('71-moves'), roles('gpu')))).toEqual(['alone']);
    expect(await words(() => kube.patch(at('72-moves'), roles('alone')))).toEqual(['alone']);
    expect(
      await words(() => kube.patch(at('71-moves'), { ...roles('gpu'), spec: { kernelArguments: ['quiet'] } })),
    ).toEqual(['alone']);
  });

  test('[N-27] what has been generated and whoever generates is let pass', async () => {
    await standing('73-generated', 'alone', {
      annotations: { 'machineconfiguration.openshift.io/generated-by-controller-version': 'v1' },
    });
    const accounts = [
      ['openshift-machine-config-operator', 'machine-config-controller'],
      ['openshift-cluster-node-tuning-operator', 'cluster-node-tuning-operator'],
      ['kube-system', 'generic-garbage-collector'],
    ] as const;

    await kube.patch(at('73-generated'), { spec: { kernelArguments: ['quiet'] } });
    await kube.delete(at('73-generated'));
    for (const [namespace, name] of accounts) {
      const own = plane.kubeAs(
        plane.tokenFor({ name: `system:serviceaccount:${namespace}:${name}`, groups: ['system:masters'] }),
      );
      onTestFinished(() => own.close());
      expect(await refused(machineConfig(`74-${name}`, 'alone'), own)).toEqual([]);
    }
    const claimed = machineConfig('75-claimed', 'alone');
    const annotations = { 'machineconfiguration.openshift.io/generated-by-controller-version': 'v1' };
    expect(await refused({ ...claimed, metadata: { ...claimed.metadata, annotations } })).toEqual(['alone']);
  });

  test('[N-27] a dry run is let pass: a diff on the server shows no error', async () => {
    await standing('76-dry', 'alone');

    await kube.patch(`${at('76-dry')}?dryRun=All`, { spec: { kernelArguments: ['quiet'] } });
    expect((await kube.get(at('76-dry'))).spec.kernelArguments).toBeUndefined();
  });

  test('[N-27] in an emergency a reason opens the way, and no reason does not', async () => {
    await standing('77-glass', 'alone');
    const broken = (reason: string) => ({
      metadata: { annotations: { [breakGlass]: reason } },
      spec: { kernelArguments: ['quiet'] },
    });

    expect(await words(() => kube.patch(at('77-glass'), broken('  ')))).toEqual(['alone']);
    await kube.patch(at('77-glass'), broken('CVE of tonight'));
    await kube.delete(at('77-glass'));
  });

  test('[N-27] the refusal tells a person what to do', async () => {
    await pauseOnly('worker', 'gpu', 'odd');
    await settled('alone');

    const said = await refusalOf(() => kube.post(paths.machineConfigs, machineConfig('78-words', 'alone')));

    expect(said).toContain('pool alone is not paused yet: MachineConfig 78-words');
    expect(said).toContain('npx poolkeeper hold --pool alone');
    expect(said).toContain(breakGlass);
  });
});

async function words(attempt: () => Promise<unknown>): Promise<readonly string[]> {
  return poolsOf(await refusalOf(attempt));
}

describe('kinds that are no MachineConfig', () => {
  const mco = 'machineconfiguration.openshift.io/v1';
  const config = 'config.openshift.io/v1';
  const mirrors = [{ source: 'registry.example.com', mirrors: ['mirror.example.com'] }];
  const cluster = (kind: string, spec: unknown): Draft => ({
    apiVersion: config,
    kind,
    metadata: { name: 'cluster' },
    spec,
  });

  beforeAll(async () => {
    await pauseOnly('worker', 'gpu', 'odd');
    await settled('alone');
  });

  test.each([
    ['ImageDigestMirrorSet', { imageDigestMirrors: mirrors }],
    ['ImageTagMirrorSet', { imageTagMirrors: mirrors }],
  ])('[N-27] a new %s waits for every protected pool', async (kind, spec) => {
    expect(await refused({ apiVersion: config, kind, metadata: { name: 'mirrors' }, spec })).toEqual(['alone']);
  });

  test.each([
    ['Image', { registrySources: { insecureRegistries: ['registry.example.com'] } }],
    ['Node', { cgroupMode: 'v2' }],
    ['FeatureGate', { featureSet: 'TechPreviewNoUpgrade' }],
    ['Proxy', { httpProxy: 'http://proxy.example.com' }],
    ['APIServer', { tlsSecurityProfile: { type: 'Modern', modern: {} } }],
  ])('[N-27] the %s of the cluster waits for every protected pool', async (kind, spec) => {
    expect(await refused(cluster(kind, spec))).toEqual(['alone']);
  });

  test('[N-27] fields of which no rendered config knows are free', async () => {
    await pauseOnly(...pools);
    const made = [cluster('Image', {}), cluster('APIServer', {})];
    for (const each of made)
      await until(
        async () => (await refused(each).catch(() => ['there'])).length === 0,
        30_000,
        `${each.kind} to be made`,
      );
    await pauseOnly('worker', 'gpu', 'odd');
    await settled('alone');

    await kube.patch('/apis/config.openshift.io/v1/apiservers/cluster', { spec: { audit: { profile: 'None' } } });
    await kube.patch('/apis/config.openshift.io/v1/images/cluster', {
      spec: { externalRegistryHostnames: ['registry.example.com'] },
    });
    expect(
      await words(() =>
        kube.patch('/apis/config.openshift.io/v1/apiservers/cluster', {
          spec: { tlsSecurityProfile: { type: 'Old', old: {} } },
        }),
      ),
    ).toEqual(['alone']);
  });

  test('[N-27] a MachineOSConfig waits for the pool that it names, a PinnedImageSet for none', async () => {
    const builds = (name: string): Draft => ({
      apiVersion: mco,
      kind: 'MachineOSConfig',
      metadata: { name },
      spec: {
        machineConfigPool: { name },
        imageBuilder: { imageBuilderType: 'Job' },
        renderedImagePushSecret: { name: 'push' },
        renderedImagePushSpec: 'registry.example.com/os/image:latest',
      },
    });
    const role = { 'machineconfiguration.openshift.io/role': 'alone' };
    const pinned: Draft = {
      apiVersion: mco,
      kind: 'PinnedImageSet',
      metadata: { name: 'pinned', labels: role },
      spec: { pinnedImages: [{ name: `registry.example.com/a@sha256:${'0'.repeat(64)}` }] },
    };

    expect(await refused(builds('alone'))).toEqual(['alone']);
    expect(await refused(builds('gpu'))).toEqual([]);
    expect(await refused(pinned)).toEqual([]);
  });
});

describe('how it is installed', () => {
  test('[N-27] kustomize takes it as it was printed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-kustomize-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'pause-first.yaml'), await printed());
    await writeFile(join(folder, 'kustomization.yaml'), 'resources: [pause-first.yaml]\n');

    const said = kubectl(['apply', '-k', folder]);

    expect(said).toContain('validatingadmissionpolicy.admissionregistration.k8s.io/poolkeeper-pause-first unchanged');
  });

  test('[N-27] [S0-18] where pools are named only these are protected, and one that is not there stops nobody', async () => {
    const yaml = await printed('--pools', 'alone,nowhere', '--namespace', 'named', '--except', 'team/deployer');
    kubectl(['delete', '-f', '-'], await printed());
    kubectl(['apply', '-f', '-'], yaml);
    onTestFinished(async () => {
      kubectl(['delete', '-f', '-'], yaml);
      kubectl(['apply', '-f', '-'], await printed());
    });
    await pauseOnly();
    const deployer = plane.kubeAs(
      plane.tokenFor({ name: 'system:serviceaccount:team:deployer', groups: ['system:masters'] }),
    );
    onTestFinished(() => deployer.close());
    let attempt = 0;

    const inForce = () =>
      until(
        async () => {
          attempt += 1;
          const said = await refused(machineConfig(`80-alone-${attempt}`, 'alone'));
          return said.includes('alone') && (await refused(machineConfig(`80-gpu-${attempt}`, 'gpu'))).length === 0;
        },
        30_000,
        'the policy of named pools to be in force, and the other to be gone',
      );

    await inForce();
    expect(await refused(machineConfig('81-worker', 'worker'))).toEqual([]);
    expect(await refused(machineConfig('81-nobody', 'nobody'))).toEqual([]);
    expect(await refused(machineConfig('81-alone', 'alone'), deployer)).toEqual([]);
  });

  test('[N-27] without a single pool nothing is refused', async () => {
    for (const name of [...pools, 'master']) await kube.delete(`${paths.pools}/${name}`);

    await until(
      async () => (await refused(machineConfig('90-any', 'worker')).catch(() => ['refused'])).length === 0,
      30_000,
      'the API server to see that there are no pools',
    );
  });
});

import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { manifests } from '../../local/cli/manifests.ts';
import {
  kubeletConfig,
  machineOSBuild,
  machineOSConfig,
  pauseFirstContract,
  poolLabel,
  poolsIn,
  protectedPools,
  rescuer,
  tenant,
} from '../admission/pause-first.contract.ts';
import { type ClusterAdmission, openAdmission } from './harness/admission-lab.ts';
import { type StartedControlPlane, startControlPlane } from './harness/control-plane.ts';
import { connectKube, type Draft, type Kube } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig } from './harness/objects.ts';
import { collectionOf, paths } from './harness/paths.ts';
import { refusalOf } from './harness/refusal-of.ts';
import { until } from './harness/until.ts';

const lab = useLab();

// The policy is for every pool of its cluster: it must not be that of the other files.
let plane: StartedControlPlane;
let kube: Kube;
let admission: ClusterAdmission;

const { publicKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

beforeAll(async () => {
  plane = await startControlPlane(lab.toolchain);
  kube = plane.kube;
  kubectl(['apply', '-f', '-'], await printed());
  admission = await openAdmission(plane);
  return async () => {
    admission.close();
    await plane.stop();
  };
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

pauseFirstContract('a real kube-apiserver', async () => admission);

/** For which pool's sake creating this is refused; empty: it is taken. */
async function refused(object: Draft, as: Kube = kube): Promise<readonly string[]> {
  return words(() => as.post(collectionOf(object), object));
}

async function words(attempt: () => Promise<unknown>): Promise<readonly string[]> {
  return poolsIn(await refusalOf(attempt));
}

describe('ways round the policy that only a real API server has', () => {
  const at = (name: string) => `${paths.machineConfigs}/${name}`;
  const quiet = { kernelArguments: ['quiet'] };
  let ordinary: Kube;
  let rescue: Kube;

  beforeAll(async () => {
    ordinary = admission.kubeAs(tenant);
    rescue = admission.kubeAs(rescuer);
    await admission.pauseAllBut('alone');
  });

  test.each(['machine-config-controller', 'machine-config-operator', 'argocd-controller', 'poolkeeper'])(
    '[N-27] [C-11] server-side apply as field manager %s is nobody else',
    async (fieldManager) => {
      const object = machineConfig(`67-${fieldManager}`, 'alone');
      await admission.place(object);
      const options = { type: 'apply', fieldManager } as const;
      const fresh = machineConfig(`67-new-${fieldManager}`, 'alone');

      expect(
        await words(() => ordinary.patch(at(object.metadata.name ?? ''), { ...object, spec: quiet }, options)),
      ).toEqual(['alone']);
      expect(await words(() => ordinary.patch(at(fresh.metadata.name ?? ''), fresh, options))).toEqual(['alone']);
    },
  );

  test('[N-27] [C-11] a whole object with the managed fields of the operator is no better', async () => {
    const object = machineConfig('67-put', 'alone');
    await admission.place(object);
    const { metadata } = await ordinary.get(at('67-put'));
    const [first] = metadata.managedFields ?? [];
    const managedFields = [{ ...first, manager: 'machine-config-controller', time: '2020-01-01T00:00:00Z' }];

    expect(
      await words(() =>
        ordinary.put(at('67-put'), { ...object, metadata: { ...metadata, managedFields }, spec: quiet }),
      ),
    ).toEqual(['alone']);
  });

  test('[N-27] a JSON patch, a name that the API server makes up and a whole collection are no better', async () => {
    await admission.place(machineConfig('67-json', 'alone'));
    const { name: _name, ...unnamed } = machineConfig('67-made-', 'alone').metadata;
    const generated = { ...machineConfig('67-made-', 'alone'), metadata: { ...unnamed, generateName: '67-made-' } };

    expect(
      await words(() =>
        ordinary.patch(at('67-json'), [{ op: 'add', path: '/spec/kernelArguments', value: ['quiet'] }], {
          type: 'json',
        }),
      ),
    ).toEqual(['alone']);
    expect(await words(() => ordinary.post(paths.machineConfigs, generated))).toEqual(['alone']);
    expect(await words(() => ordinary.delete(paths.machineConfigs))).toEqual(['alone']);
  });

  test('[N-27] one of almost the size that etcd takes, with many annotations, is judged and not refused for its cost', async () => {
    const files = Array.from({ length: 400 }, (_, index) => ({
      path: `/etc/lab/large-${index}`,
      contents: { source: `data:,${`${index}`.padEnd(2_200, 'x')}` },
    }));
    const annotations = Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`example.com/note-${index}`, 'x'.repeat(1_000)]),
    );
    const large = machineConfig('67-large', 'alone');
    const object = { ...large, metadata: { ...large.metadata, annotations } };
    const spec = { config: { ignition: { version: '3.4.0' }, storage: { files } } };
    await admission.place({ ...object, spec });
    const [first, ...others] = files;
    const other = { config: { ignition: { version: '3.4.0' }, storage: { files: [...others, first] } } };

    expect(await words(() => ordinary.patch(at('67-large'), { spec: other }))).toEqual(['alone']);
    await ordinary.patch(at('67-large'), { metadata: { annotations: { note: 'free' } } });
    await admission.pauseAllBut();
    await ordinary.patch(at('67-large'), { spec: other });
    await ordinary.delete(at('67-large'));
    await admission.pauseAllBut('alone');
  });

  test('[N-27] [C-11] nobody takes the name of the operator without the right to', async () => {
    const impersonate = 'system:serviceaccount:openshift-machine-config-operator:machine-config-controller';
    const actor = connectKube({
      server: plane.server,
      ca: plane.ca,
      token: plane.tokenFor({ name: tenant.user }),
      impersonate,
    });
    onTestFinished(() => actor.close());

    const answer = await refusalOf(() => actor.post(paths.machineConfigs, machineConfig('67-impersonated', 'alone')));

    expect(answer).toContain('cannot impersonate');
  });

  test('[N-27] the status of a KubeletConfig carries neither its spec nor its metadata', async () => {
    const object = kubeletConfig('67-status', { matchLabels: { [`${poolLabel}/alone`]: '' } });
    await admission.place(object);
    const before = await ordinary.get(`${paths.kubeletConfigs}/67-status`);
    const change = {
      metadata: { finalizers: ['67-put'], annotations: { note: 'x' }, labels: { note: 'x' } },
      spec: { machineConfigPoolSelector: {}, kubeletConfig: { maxPods: 1 } },
      status: { conditions: [] },
    };

    await ordinary.patch(`${paths.kubeletConfigs}/67-status/status`, change);

    const { metadata, spec } = await ordinary.get(`${paths.kubeletConfigs}/67-status`);
    expect(spec).toEqual(before.spec);
    expect([metadata['finalizers'], metadata.annotations, metadata.labels]).toEqual([
      before.metadata['finalizers'],
      before.metadata.annotations,
      before.metadata.labels,
    ]);
  });

  test('[N-27] every version in which the API server serves these kinds goes through the policy', async () => {
    const [policy] = await kube.list('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies');
    const rules: readonly { readonly apiGroups: readonly string[]; readonly apiVersions: readonly string[] }[] =
      policy?.spec.matchConstraints.resourceRules;

    expect(policy?.spec.matchConstraints.matchPolicy).toBe('Equivalent');
    expect(rules.flatMap(({ apiVersions }) => apiVersions)).toEqual(rules.map(() => '*'));
  });

  test('[N-27] [C-11] an owner that is not there has the garbage collector delete nothing', async () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'gone', uid: '0f5c1f0e-5a4e-4c0d-9f5e-000000000002' };
    const [guarded, free] = [machineConfig('67-owned', 'alone'), machineConfig('67-owned-free', 'nobody')];
    for (const each of [guarded, free]) await admission.place(each);

    for (const each of [guarded, free])
      await ordinary.patch(at(each.metadata.name ?? ''), { metadata: { ownerReferences: [owner] } });
    await until(async () => !(await admission.isThere(free)), 60_000, 'the garbage collector to have been there');

    expect(await admission.isThere(guarded)).toBe(true);
    await admission.pauseAllBut();
    await until(async () => !(await admission.isThere(guarded)), 60_000, 'it to be collected while paused');
    await admission.pauseAllBut('alone');
  });

  test('[N-27] [C-11] a deletion that a dependent holds up is finished only while the pool is paused', async () => {
    const [guarded, free] = [machineConfig('67-held', 'alone'), machineConfig('67-held-free', 'nobody')];
    const dependentOf = async (object: Draft): Promise<Draft> => {
      const { metadata } = await kube.get(at(object.metadata.name ?? ''));
      const owner = { apiVersion: object.apiVersion, kind: object.kind, name: metadata.name, uid: metadata.uid };
      return {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: `holds-${metadata.name}`,
          namespace: 'default',
          finalizers: ['example.com/stay'],
          ownerReferences: [{ ...owner, blockOwnerDeletion: true }],
        },
      };
    };
    await admission.pauseAllBut();
    for (const each of [guarded, free]) {
      await admission.place(each);
      const dependent = await dependentOf(each);
      await kube.post(collectionOf(dependent), dependent);
      await ordinary.delete(`${at(each.metadata.name ?? '')}?propagationPolicy=Foreground`);
    }
    await admission.pauseAllBut('alone');

    for (const each of [guarded, free])
      await kube.patch(`/api/v1/namespaces/default/configmaps/holds-${each.metadata.name}`, {
        metadata: { finalizers: null },
      });
    await until(async () => !(await admission.isThere(free)), 60_000, 'the garbage collector to have been there');

    expect(await admission.isThere(guarded)).toBe(true);
    await admission.pauseAllBut();
    await until(async () => !(await admission.isThere(guarded)), 60_000, 'it to be finished while paused');
    await admission.pauseAllBut('alone');
  });

  test('[N-27] [C-11] the end of a break-glass is not put off by forged times of writers', async () => {
    const late = `until ${new Date(Date.now() - 3_600_000).toISOString().slice(0, 19)}Z: CVE`;
    const forged = [
      [{}],
      [],
      [
        {
          manager: 'a',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2020-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: {},
        },
      ],
    ];

    for (const [index, managedFields] of forged.entries()) {
      const object = machineConfig(`67-forged-${index}`, 'alone');
      await admission.place(object);
      const { metadata } = await rescue.get(at(`67-forged-${index}`));
      const broken = {
        ...metadata,
        managedFields,
        annotations: { 'poolkeeper.dev/break-glass': `update of 67-forged-${index} at generation 1 ${late}` },
      };
      expect(
        await words(() => rescue.put(at(`67-forged-${index}`), { ...object, metadata: broken, spec: quiet })),
        `${index}`,
      ).toEqual(['alone']);
    }
  });

  test('[N-27] [C-11] an ImagePolicy goes with its namespace only while every protected pool is paused', async () => {
    const made = (namespace: string): Draft => ({
      apiVersion: 'config.openshift.io/v1',
      kind: 'ImagePolicy',
      metadata: { name: 'signed', namespace },
      spec: {
        scopes: ['registry.example.com'],
        policy: {
          rootOfTrust: { policyType: 'PublicKey', publicKey: { keyData: Buffer.from(publicKey).toString('base64') } },
        },
      },
    });
    for (const name of ['with-policy', 'without-policy'])
      await kube.post(paths.namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    expect(await words(() => ordinary.post(collectionOf(made('with-policy')), made('with-policy')))).toEqual(['alone']);
    await admission.place(made('with-policy'));

    for (const name of ['with-policy', 'without-policy']) await kube.delete(`${paths.namespaces}/${name}`);
    await until(
      async () => (await kube.find(`${paths.namespaces}/without-policy`)) === undefined,
      60_000,
      'the other namespace to be gone',
    );

    expect(await admission.isThere(made('with-policy'))).toBe(true);
    await admission.pauseAllBut();
    await until(async () => !(await admission.isThere(made('with-policy'))), 60_000, 'it to go while paused');
    await admission.pauseAllBut('alone');
  });
});

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

  beforeAll(() => admission.pauseAllBut('alone'));

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
    for (const each of [cluster('Image', {}), cluster('APIServer', {})]) await admission.place(each);

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

  test.each([
    ['Image', { registrySources: { insecureRegistries: ['registry.example.com'] } }],
    ['Node', { cgroupMode: 'v2' }],
    ['FeatureGate', { featureSet: 'TechPreviewNoUpgrade' }],
    ['Proxy', { httpProxy: 'http://proxy.example.com' }],
    ['APIServer', { tlsSecurityProfile: { type: 'Modern', modern: {} } }],
  ])('[N-27] [C-11] the %s of the cluster goes with all of its kind no more than alone', async (kind, spec) => {
    const object = cluster(kind, spec);
    if (!(await admission.isThere(object))) await admission.place(object);
    const own = admission.kubeAs(tenant);

    expect(await words(() => own.delete(collectionOf(object)))).toEqual(['alone']);
    expect(await admission.isThere(object)).toBe(true);
    expect(await words(() => own.delete(`${collectionOf(object)}/cluster`))).toEqual(['alone']);
  });

  test('[N-27] a MachineOSConfig waits for the pool that it names, a PinnedImageSet for none', async () => {
    const role = { 'machineconfiguration.openshift.io/role': 'alone' };
    const pinned: Draft = {
      apiVersion: mco,
      kind: 'PinnedImageSet',
      metadata: { name: 'pinned', labels: role },
      spec: { pinnedImages: [{ name: `registry.example.com/a@sha256:${'0'.repeat(64)}` }] },
    };

    expect(await refused(machineOSConfig('alone', 'alone'))).toEqual(['alone']);
    expect(await refused(machineOSConfig('gpu', 'gpu'))).toEqual([]);
    expect(await refused(pinned)).toEqual([]);
  });
});

describe('builds of an image', () => {
  const builds = '/apis/machineconfiguration.openshift.io/v1/machineosbuilds';
  const configs = '/apis/machineconfiguration.openshift.io/v1/machineosconfigs';
  const foreground = ['foregroundDeletion'];
  const isGone = async (path: string) => (await kube.find(path)) === undefined;
  let builder: Kube;

  beforeAll(async () => {
    builder = admission.kubeAs({ user: 'system:serviceaccount:openshift-machine-config-operator:machine-os-builder' });
    await admission.pauseAllBut('gpu', 'alone');
  });

  test('[N-27] that the MCO deletes are gone within its 90 s, though no pool of theirs is paused', async () => {
    const object = machineOSBuild('alone-rebuilt', {}, { finalizers: foreground });
    await builder.post(builds, object);

    await builder.delete(`${builds}/alone-rebuilt`);

    await until(() => isGone(`${builds}/alone-rebuilt`), 90_000, 'the build to be gone');
    expect(await refusalOf(() => builder.post(builds, object))).toBeUndefined();
  });

  test('[N-27] go with their MachineOSConfig in the foreground, as Argo CD prunes, while its pool alone is paused', async () => {
    const ordinary = admission.kubeAs(tenant);
    const config = machineOSConfig('alone', 'alone');
    await admission.place(config);
    const { metadata } = await kube.get(`${configs}/alone`);
    const { apiVersion, kind } = config;
    const owner = { apiVersion, kind, name: 'alone', uid: metadata.uid, controller: true, blockOwnerDeletion: true };
    const owned = { finalizers: foreground, ownerReferences: [owner] };
    await builder.post(builds, machineOSBuild('alone-owned', {}, owned));

    expect(await words(() => ordinary.delete(`${configs}/alone?propagationPolicy=Foreground`))).toEqual(['alone']);
    await admission.pauseAllBut('gpu');
    await ordinary.delete(`${configs}/alone?propagationPolicy=Foreground`);

    await until(() => isGone(`${configs}/alone`), 90_000, 'the MachineOSConfig to be gone');
    expect(await isGone(`${builds}/alone-owned`)).toBe(true);
    await admission.pauseAllBut('gpu', 'alone');
  });

  test('[N-27] [C-11] are let go by nobody else than the MCO while their pool is not paused', async () => {
    const ordinary = admission.kubeAs(tenant);
    await builder.post(builds, machineOSBuild('alone-held', {}, { finalizers: ['example.com/stay'] }));

    expect(await words(() => ordinary.delete(`${builds}/alone-held`))).toEqual(['alone']);
    await builder.delete(`${builds}/alone-held`);
    expect(await words(() => ordinary.patch(`${builds}/alone-held`, { metadata: { finalizers: null } }))).toEqual([
      'alone',
    ]);
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
    await admission.pause();
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
        60_000,
        'the policy of named pools to be in force, and the other to be gone',
      );

    await inForce();
    expect(await refused(machineConfig('81-worker', 'worker'))).toEqual([]);
    expect(await refused(machineConfig('81-nobody', 'nobody'))).toEqual([]);
    expect(await refused(machineConfig('81-alone', 'alone'), deployer)).toEqual([]);
  });

  test('[N-27] without a single pool nothing is refused', async () => {
    for (const name of [...protectedPools, 'master']) await kube.delete(`${paths.pools}/${name}`);

    await until(
      async () => (await refused(machineConfig('90-any', 'worker')).catch(() => ['refused'])).length === 0,
      60_000,
      'the API server to see that there are no pools',
    );
  });
});

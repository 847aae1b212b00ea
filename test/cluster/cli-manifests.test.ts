import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifests } from '../../local/cli/manifests.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import { untilGranted, untilPoliciesInForce } from './harness/in-force.ts';
import type { Draft, Kube } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { collectionOf, paths } from './harness/paths.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { refusalOf } from './harness/refusal-of.ts';
import { until } from './harness/until.ts';
import { readPool, startProduct } from './product.ts';

const lab = useLab();
const { kube, argocd, git, controlPlane } = lab;

const poolName = 'limited';
const otherPool = 'not-ours';
const home = 'poolkeeper-limited';

async function printed(...args: readonly string[]): Promise<string> {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  await manifests.run(args, { out, note: () => {}, environment: {}, now: () => new Date() });
  return text;
}

/** Applies server-side, as field manager of whoever installs. */
async function apply(yaml: string): Promise<readonly Draft[]> {
  const objects: readonly Draft[] = parseAllDocuments(yaml).map((document) => document.toJS());
  for (const object of objects) {
    await kube.patch(`${collectionOf(object)}/${object.metadata.name}`, object, {
      type: 'apply',
      fieldManager: 'installer',
    });
  }
  return objects;
}

let token = '';
let ours: Kube;

beforeAll(async () => {
  for (const name of [poolName, otherPool]) await controlPlane.ensure(pool({ name, roles: [name], maxUnavailable: 1 }));
  const objects = await apply(
    await printed(
      ...['--only', 'access,admission-limit', '--pools', poolName, '--namespace', home],
      ...['--argocd-namespace', argocd.namespace],
    ),
  );
  const account = { namespace: home, name: 'poolkeeper' };
  token = await controlPlane.serviceAccountToken(account);
  ours = controlPlane.kubeAs(token);
  await untilGranted(ours, account, objects);
  await untilPoliciesInForce(kube);
  return async () => {
    for (const name of [poolName, otherPool]) await kube.delete(at(name));
  };
});

const at = (name: string) => `${paths.pools}/${name}`;

describe('what poolkeeper manifests prints, on a real API server', () => {
  test('[S0-18] [C-11] the account does the whole job: push, pause, sync, resume', async () => {
    const observer = await startPoolObserver(controlPlane, { renderDelayMs: 300, targetDelayMs: 1000 });
    onTestFinished(observer.stop);
    for (const index of [1, 2]) await lab.create(node(`${poolName}-${index}`, 'worker', poolName));
    const repository = await git.createRepository(`acme/${poolName}`);
    const write = (content: string) => ({
      'config.json': JSON.stringify(machineConfig(`99-${poolName}`, poolName, content)),
    });
    const first = await repository.commit(write('first'));
    const application = await argocd.createApplication({
      name: poolName,
      repository,
      labels: { 'poolkeeper.dev/watch': 'true' },
    });
    onTestFinished(async () => {
      await application.delete();
      await kube.delete(`${paths.machineConfigs}/99-${poolName}`);
    });
    await application.untilPhase('Succeeded', first.after);
    const product = await startProduct(lab, { notifications: true, token });
    const commit = await repository.commit(write('second'));

    expect(await product.push(repository, commit)).toBe(202);
    await product.untilTold('pool.paused', poolName);
    await deliver({ url: argocd.webhookUrl, body: githubPush(repository, commit) });
    await application.untilPhase('Succeeded', commit.after);
    await product.untilTold('pool.resumed', poolName);

    expect((await readPool(lab, poolName)).paused).toBe(false);
    const events = await kube.list(paths.in('default').events);
    expect(events.map((event) => (event as unknown as { reason: string }).reason)).toEqual(
      expect.arrayContaining(['PausedByPoolkeeper', 'ResumedByPoolkeeper']),
    );
  });

  test('[C-11] of a pool it changes spec.paused and its own annotations, and nothing else', async () => {
    const attempts: readonly (readonly [unknown, string])[] = [
      [{ spec: { maxUnavailable: 5 } }, 'may change only spec.paused of a pool'],
      [{ spec: { maxUnavailable: null } }, 'may change only spec.paused of a pool'],
      [{ spec: { paused: true, nodeSelector: { matchLabels: { a: 'b' } } } }, 'may change only spec.paused of a pool'],
      [{ spec: { machineConfigSelector: null } }, 'may change only spec.paused of a pool'],
      [{ metadata: { annotations: { 'example.com/note': 'x' } } }, 'annotations that begin with poolkeeper.dev/'],
      [{ metadata: { labels: { extra: 'x' } } }, 'labels, finalizers or owners'],
      [{ metadata: { finalizers: ['example.com/stay'] } }, 'labels, finalizers or owners'],
    ];

    for (const [patch, words] of attempts)
      expect(await refusalOf(() => ours.patch(at(poolName), patch)), JSON.stringify(patch)).toContain(words);
    await ours.patch(at(poolName), {
      spec: { paused: true },
      metadata: { annotations: { 'poolkeeper.dev/note': 'x' } },
    });
    await ours.patch(at(poolName), {
      spec: { paused: null },
      metadata: { annotations: { 'poolkeeper.dev/note': null } },
    });
  });

  test('[C-11] the policy is for our account alone', async () => {
    await kube.patch(at(poolName), { spec: { maxUnavailable: 2 } });

    expect((await kube.get(at(poolName))).spec.maxUnavailable).toBe(2);
  });

  test('[S0-18] a pool that was not named is refused', async () => {
    expect(await refusalOf(() => ours.patch(at(otherPool), { spec: { paused: true } }))).toContain('403');
  });

  test('[S0-18] [C-11] every other verb on every kind that this API server has is refused', async () => {
    const allowed = new Set([
      ...['get machineconfigpools', 'list machineconfigpools', 'get machineconfigs', 'list machineconfigs'],
      ...['get machineconfignodes', 'get nodes', 'list nodes', 'get pods', 'list pods', 'list events'],
      ...['list kubeletconfigs', 'list containerruntimeconfigs', 'list machineosconfigs'],
      ...['list poddisruptionbudgets', 'get replicasets', 'get statefulsets', 'get namespaces', 'list endpointslices'],
      ...['list validatingwebhookconfigurations', 'list mutatingwebhookconfigurations'],
      ...['get applications', 'list applications', 'list applicationsets'],
      // What a diagnosis asks for once it has a reason to.
      ...['get clusteroperators', 'get controllerconfigs', 'get daemonsets', 'get deployments', 'get machineosbuilds'],
      ...['get machines', 'list machines', 'list machinesets', 'list certificatesigningrequests'],
      // The gates `upgrade` and `image`.
      ...['get clusterversions', 'list machineosbuilds'],
    ]);
    // Every authenticated account may ask about itself: system:basic-user.
    const aboutItself = /^create self(subject|user)/;

    const kinds = await servedKinds();
    const passed: string[] = [];
    for (const { plural, collection } of kinds) {
      for (const [verb, attempt] of attemptsOn(collection)) {
        const said = await refusalOf(attempt);
        if (said === undefined || !/ 403 /.test(said)) passed.push(`${verb} ${plural}`);
      }
    }

    expect(kinds.length).toBeGreaterThan(80);
    expect(passed.filter((each) => !aboutItself.test(each)).toSorted()).toEqual([...allowed].toSorted());
  });

  test('[S0-18] a token of another account is not given out, its own is', async () => {
    const accounts = paths.in(home).serviceAccounts;
    await controlPlane.ensure({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'other', namespace: home },
    });
    const lasting = (seconds: number) => ({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: seconds },
    });

    expect(await refusalOf(() => ours.post(`${accounts}/other/token`, lasting(600)))).toContain('403');
    expect((await ours.post(`${accounts}/poolkeeper/token`, lasting(600))).status.token).toMatch(/^ey/);
    expect(await refusalOf(() => ours.post(`${accounts}/poolkeeper/token`, lasting(48 * 3600)))).toContain('24 h');
  });

  test('[S0-19] kubectl applies the folder of the documentation, again over itself, and takes it away', async () => {
    const gitops = `${paths.namespaces}/openshift-gitops`;
    await controlPlane.ensure({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openshift-gitops' } });
    onTestFinished(async () => {
      kubectl('delete', '-k', installFolder, '--ignore-not-found');
      // Other tests look for an Argo CD where that namespace is.
      await kube.delete(gitops);
      await until(async () => (await kube.find(gitops)) === undefined, 60_000, 'openshift-gitops to be gone');
    });

    const first = kubectl('apply', '-k', installFolder);
    const second = kubectl('apply', '-k', installFolder);
    const removed = kubectl('delete', '-k', installFolder);

    const policy = 'validatingadmissionpolicy.admissionregistration.k8s.io/poolkeeper-may-only-pause';
    expect([first, second, removed].map(({ stderr }) => stderr)).toEqual(['', '', '']);
    expect(first.stdout).toContain(`${policy} created`);
    expect(first.stdout).toContain('serviceaccount/poolkeeper created');
    expect(second.stdout).not.toContain(' created');
    expect(removed.stdout.trim().split('\n')).toHaveLength(first.stdout.trim().split('\n').length);
  });
});

describe('the health of a pool as Argo CD sees it', () => {
  const healthy = { type: 'Updated', status: 'True', message: 'All nodes are updated' };
  test.each([
    ['Healthy', false, 'a', 'a', healthy],
    ['Degraded', false, 'a', 'a', { type: 'NodeDegraded', status: 'True', message: 'Node w is reporting' }],
    ['Degraded', false, 'a', 'a', { type: 'RenderDegraded', status: 'True', message: '' }],
    ['Suspended', true, 'b', 'a', { type: 'Updating', status: 'False', message: 'Pool is paused' }],
    ['Progressing', false, 'b', 'a', { type: 'Updating', status: 'True', message: 'All nodes are updating' }],
    ['Healthy', true, 'a', 'a', healthy],
  ])('%s', async (expected, paused, target, current, condition) => {
    const folder = await mkdtemp(join(tmpdir(), 'poolkeeper-health-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const settings = await printed('--only', 'argocd-settings', '--argocd-namespace', 'argocd');
    await writeFile(join(folder, 'cm.yaml'), settings);
    const subject = {
      ...pool({ name: 'seen', paused }),
      status: { configuration: { name: current }, conditions: [condition] },
    };
    const withTarget = { ...subject, spec: { ...subject.spec, configuration: { name: target } } };
    await writeFile(join(folder, 'pool.json'), JSON.stringify(withTarget));

    const run = spawnSync(
      lab.toolchain.argocd,
      [
        ...['admin', 'settings', 'resource-overrides', 'health', join(folder, 'pool.json')],
        ...['--argocd-cm-path', join(folder, 'cm.yaml')],
      ],
      { encoding: 'utf8', env: { ...process.env, ARGOCD_BINARY_NAME: 'argocd' } },
    );

    expect(run.stdout + run.stderr).toContain(`STATUS: ${expected}`);
  });
});

const installFolder = join(import.meta.dirname, '../../docs/install');

function kubectl(...args: readonly string[]) {
  return spawnSync(lab.toolchain.kubectl, ['--kubeconfig', controlPlane.kubeconfig, ...args], { encoding: 'utf8' });
}

interface ServedKind {
  readonly plural: string;
  readonly collection: string;
}

/** Every kind that discovery names, subresources left out. */
async function servedKinds(): Promise<readonly ServedKind[]> {
  interface Resources {
    readonly resources: readonly { readonly name: string; readonly namespaced: boolean }[];
  }
  const groups = (await kube.get('/apis')) as unknown as {
    readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
  };
  const bases = ['/api/v1', ...groups.groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const lists = await Promise.all(
    bases.map(async (base) => ({ base, ...((await kube.get(base)) as unknown as Resources) })),
  );
  return lists.flatMap(({ base, resources }) =>
    resources
      .filter(({ name }) => !name.includes('/'))
      .map(({ name, namespaced }) => ({
        plural: name,
        collection: `${base}/${namespaced ? `namespaces/${argocd.namespace}/` : ''}${name}`,
      })),
  );
}

/** One attempt per verb. What is refused is refused before its body is looked at. */
function attemptsOn(collection: string): readonly (readonly [string, () => Promise<unknown>])[] {
  const one = `${collection}/poolkeeper-was-here`;
  return [
    ['get', () => ours.get(one)],
    ['list', () => ours.list(collection)],
    ['create', () => ours.post(collection, {})],
    ['update', () => ours.put(one, {})],
    ['patch', () => ours.patch(one, {})],
    ['delete', () => ours.delete(one)],
    ['deletecollection', () => ours.delete(collection)],
  ];
}

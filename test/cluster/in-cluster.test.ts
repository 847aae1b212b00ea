import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { manifests } from '../../local/cli/manifests.ts';
import { startEmbeddedTable } from '../../local/run/embedded-table.ts';
import { deliver, githubPush } from './harness/github-push.ts';
import { untilGranted, untilPoliciesInForce } from './harness/in-force.ts';
import type { Draft, Kube } from './harness/kube.ts';
import { useLab } from './harness/lab.ts';
import { removeFolder, temporaryFolder } from './harness/leave-nothing.ts';
import { machineConfig, node, pool } from './harness/objects.ts';
import { type PackedImage, packImage } from './harness/packed-image.ts';
import { collectionOf, paths } from './harness/paths.ts';
import { startPod, writePodFiles } from './harness/pods.ts';
import { startPoolObserver } from './harness/pool-observer.ts';
import { refusalOf } from './harness/refusal-of.ts';
import { until, untilGone } from './harness/until.ts';
import { readPool } from './product.ts';

const lab = useLab();
const { kube, argocd, git, controlPlane } = lab;

const home = 'poolkeeper-in-cluster';
const pools = ['leased-1', 'leased-2'] as const;
const account = { namespace: home, name: 'poolkeeper' };
const leases = `/apis/coordination.k8s.io/v1/namespaces/${home}/leases`;
const lease = `${leases}/poolkeeper`;
const common = ['--pools', pools.join(','), '--namespace', home, '--argocd-namespace', argocd.namespace];
/** Seconds of the Lease: a machine that is busy for two thirds of them changes no leader. */
const patience = 30;
const patiently = ['--lease-seconds', String(patience)];
const webhookSecret = 'in-cluster-github-secret';

async function printed(...args: readonly string[]): Promise<string> {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  await manifests.run([...common, '--cluster', 'here', ...args], {
    out,
    note: () => {},
    environment: {},
    now: () => new Date(0),
  });
  return text;
}

function objectsIn(yaml: string): readonly Draft[] {
  return parseAllDocuments(yaml).map((document) => document.toJS());
}

let image: PackedImage;
let token = '';
let ours: Kube;

beforeAll(async () => {
  const folder = await temporaryFolder('image');
  image = await packImage(folder);
  // What would run is only tried: other files have controllers that would start it.
  const objects = objectsIn(await printed('--only', 'access,admission-limit,in-cluster')).filter(
    ({ apiVersion, kind }) => /^(?:rbac|admission)/.test(apiVersion) || ['Namespace', 'ServiceAccount'].includes(kind),
  );
  for (const object of objects)
    await kube.patch(`${collectionOf(object)}/${object.metadata.name}`, object, {
      type: 'apply',
      fieldManager: 'installer',
    });
  token = await controlPlane.serviceAccountToken(account);
  ours = controlPlane.kubeAs(token);
  await untilGranted(ours, account, objects);
  await untilPoliciesInForce(kube);
  return async () => {
    await removeFolder(folder);
    for (const object of objects.toReversed()) await kube.delete(`${collectionOf(object)}/${object.metadata.name}`);
    await untilGone(kube, `${paths.namespaces}/${home}`);
  };
});

describe('[C-11] the manifests of one process in a cluster, on a real API server', () => {
  test.each([
    ['a volume', []],
    ['DynamoDB', ['--table', 'poolkeeper', '--region', 'eu-central-1', '--url', 'https://pk.example.com']],
  ])('are taken as they are printed, with %s and no field that is unknown', async (_, more) => {
    const input = await printed('--only', 'in-cluster', ...more);
    const run = spawnSync(
      lab.toolchain.kubectl,
      ['--kubeconfig', controlPlane.kubeconfig, 'apply', '--dry-run=server', '--validate=strict', '--filename', '-'],
      { encoding: 'utf8', input },
    );

    expect(run.stderr.split('\n').filter((line) => !/^Warning: resource|^$/.test(line))).toEqual([]);
    expect(run.stdout.trim().split('\n')).toHaveLength(objectsIn(input).length);
  });

  test('have a pod that the strictest standard for pods admits', async () => {
    const strict = `${home}-strict`;
    await lab.create({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: strict, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
    const { template } = (await printedKind('Deployment')).spec;
    const podOf = (spec: unknown) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'poolkeeper' }, spec });
    const attempt = (spec: unknown) => kube.post(`${paths.in(strict).pods}?dryRun=All`, podOf(spec));

    expect((await attempt(template.spec)).kind).toBe('Pod');
    expect(await refusalOf(() => attempt({ ...template.spec, securityContext: {} }))).toContain('PodSecurity');
  });

  test('give the account its Lease and no other, in no other namespace, and nothing of the objects that it runs from', async () => {
    await kube.post(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'of-others' } });
    onTestFinished(() => kube.delete(`${leases}/of-others`));
    const elsewhere = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const draft = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'poolkeeper' } };

    await ours.post(leases, draft);
    await ours.patch(lease, { spec: { holderIdentity: '' } });
    expect((await ours.get(lease)).metadata.name).toBe('poolkeeper');
    const attempts: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['delete its own', () => ours.delete(lease)],
      ['replace its own', () => ours.put(lease, draft)],
      ['list', () => ours.list(leases)],
      ['read another', () => ours.get(`${leases}/of-others`)],
      ['change another', () => ours.patch(`${leases}/of-others`, { spec: { holderIdentity: 'x' } })],
      ['make one elsewhere', () => ours.post(elsewhere, draft)],
      ['read the Secret', () => ours.get(`${paths.in(home).secrets}/poolkeeper-secrets`)],
      ['change the ConfigMap', () => ours.patch(`${paths.in(home).configMaps}/poolkeeper-config`, { data: {} })],
      ['change the Deployment', () => ours.patch(`/apis/apps/v1/namespaces/${home}/deployments/poolkeeper`, {})],
      ['make a pod', () => ours.post(paths.in(home).pods, {})],
    ];
    for (const [what, attempt] of attempts) expect(await refusalOf(attempt), what).toContain('403');
    await kube.delete(lease);
  });
});

describe('[C-11] two processes with one Lease, packed as the image has them', () => {
  test('one acts, the other refuses; when the first is killed the other takes over and acts, each pool once', async () => {
    const observer = await startPoolObserver(controlPlane, { renderDelayMs: 300, targetDelayMs: 1000 });
    onTestFinished(observer.stop);
    await kube.delete(lease);
    const pushes = await Promise.all(pools.map(inSync));
    const table = await startEmbeddedTable();
    onTestFinished(() => table.stop());
    const env = {
      AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    };
    const files = await podFiles(await ownConfiguration());
    const start = () => startPod({ image, controlPlane, files, env, args: [...patiently, '--table', table.table] });
    onTestFinished(() => kube.delete(lease));

    const first = await start();
    await first.untilReady();
    const second = await start();
    await until(() => second.log().includes('waiting: '), 120_000, 'the second to wait');

    expect([await second.status('/readyz'), await second.status('/healthz')]).toEqual([503, 200]);
    expect([await first.status('/status'), await first.status('/attention')]).toEqual([401, 404]);
    const one = await pushes[0]?.();
    expect(await deliverTo(second.url, one)).toBe(503);
    expect(await deliverTo(first.url, one)).toBe(202);
    await untilPaused(pools[0]);
    expect((await readPool(lab, pools[1])).paused).toBe(false);

    first.signal('SIGKILL');
    await second.untilReady();
    expect((await kube.get(lease)).spec).toMatchObject({ leaseTransitions: 1, leaseDurationSeconds: patience });
    expect(await deliverTo(second.url, await pushes[1]?.())).toBe(202);
    await untilPaused(pools[1]);

    await until(async () => (await timesPaused(pools[1])) > 0, 120_000, 'the event about the pause');
    expect(await Promise.all(pools.map(timesPaused))).toEqual([1, 1]);
  });

  test('one that stood still ends when it goes on, and one that is asked to end gives the Lease back', async () => {
    await kube.delete(lease);
    const configuration = JSON.stringify({ clusters: [await ownCluster()], alerts: { targets: [] } });
    const files = await podFiles(configuration);
    const folder = await temporaryFolder('volumes');
    onTestFinished(() => removeFolder(folder));
    const start = (volume: string) =>
      startPod({ image, controlPlane, files, args: [...patiently, '--data', join(folder, volume)] });
    onTestFinished(() => kube.delete(lease));
    const first = await start('one');
    await first.untilReady();
    const second = await start('two');

    first.signal('SIGSTOP');
    await second.untilReady();
    const { spec } = await kube.get(lease);
    first.signal('SIGCONT');

    expect(await first.ended).toBe(1);
    expect(first.log()).toContain('the lease is lost');
    expect((await kube.get(lease)).spec.holderIdentity).toBe(spec.holderIdentity);
    second.signal('SIGTERM');
    expect(await second.ended, second.log()).toBe(0);
    expect((await kube.get(lease)).spec).toMatchObject({ holderIdentity: '', leaseTransitions: 1 });
  });
});

/** The one object of this kind that runs Poolkeeper. */
async function printedKind(kind: string): Promise<Draft> {
  const found = objectsIn(await printed('--only', 'in-cluster')).find((object) => object.kind === kind);
  if (found === undefined) throw new Error(`no ${kind} is printed`);
  return found;
}

async function printedConfiguration() {
  const data = (await printedKind('ConfigMap'))['data'] as Readonly<Record<string, string>>;
  return parse(data['poolkeeper.yaml'] ?? '');
}

/** The configuration of the printed ConfigMap, for an API server at an address that can be resolved here. */
async function ownConfiguration(): Promise<string> {
  return JSON.stringify({ ...(await printedConfiguration()), clusters: [await ownCluster()] });
}

async function ownCluster() {
  const [cluster] = (await printedConfiguration()).clusters;
  expect(cluster.api).toEqual({
    server: 'https://kubernetes.default.svc',
    caFile: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
    tokenSecret: 'service-account',
  });
  return { ...cluster, api: { ...cluster.api, server: controlPlane.server, caFile: 'account/ca.crt' } };
}

async function podFiles(configuration: string) {
  const folder = await temporaryFolder('pod');
  onTestFinished(() => removeFolder(folder));
  const secrets = { github: `${webhookSecret}\n`, status: 'a-status-token' };
  return writePodFiles(folder, { controlPlane, namespace: home, token, secrets, configuration });
}

/** An Application of this pool that is in sync. Answers what commits a change and says what GitHub would tell of it. */
async function inSync(name: string): Promise<() => Promise<unknown>> {
  await lab.create(pool({ name, roles: [name], maxUnavailable: 1 }));
  await lab.create(node(`${name}-1`, 'worker', name));
  const repository = await git.createRepository(`acme/${name}`);
  const write = (content: string) => ({ 'config.json': JSON.stringify(machineConfig(`99-${name}`, name, content)) });
  const first = await repository.commit(write('first'));
  const application = await argocd.createApplication({ name, repository });
  onTestFinished(async () => {
    await application.delete();
    await kube.delete(`${paths.machineConfigs}/99-${name}`);
  });
  await application.untilPhase('Succeeded', first.after);
  return async () => githubPush(repository, await repository.commit(write('second')));
}

async function deliverTo(url: string, body: unknown): Promise<number> {
  return (await deliver({ url: `${url}/github`, body, secret: webhookSecret })).status;
}

function untilPaused(name: string) {
  return until(async () => (await readPool(lab, name)).paused, 120_000, `${name} to be paused`);
}

/** By the events that Poolkeeper leaves in the cluster. */
async function timesPaused(name: string): Promise<number> {
  const events = (await kube.list(paths.in('default').events)) as unknown as readonly {
    readonly reason: string;
    readonly involvedObject: { readonly name: string };
  }[];
  return events.filter(({ reason, involvedObject }) => reason === 'PausedByPoolkeeper' && involvedObject.name === name)
    .length;
}

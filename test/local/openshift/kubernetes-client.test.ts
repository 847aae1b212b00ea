import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ApiException,
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PatchStrategy,
  PolicyV1Api,
  setHeaderOptions,
  VersionApi,
} from '@kubernetes/client-node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PodDisruptionBudget } from '../../../local/openshift/api-server/cluster-objects.ts';
import { podDisruptionBudgets } from '../../../local/openshift/api-server/resource-types.ts';
import { fastNode, type ReferenceWorld } from '../../../local/openshift/reference-world.ts';
import { startReferenceWorld } from './start-reference-world.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

let clock: VirtualClock;
let world: ReferenceWorld;
let kubeconfig: KubeConfig;

beforeEach(async () => {
  clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  world = await startReferenceWorld({ clock });
  await clock.advance(60_000);
  kubeconfig = new KubeConfig();
  kubeconfig.loadFromString(JSON.stringify(world.openshift.kubeconfig));
});

afterEach(() => world.openshift.stop());

const mco = { group: 'machineconfiguration.openshift.io', version: 'v1', plural: 'machineconfigpools' };

/** A budget that leaves no room for any disruption. */
async function demandBothPods(): Promise<void> {
  const demand = ({ spec }: PodDisruptionBudget) => Object.assign(spec, { minAvailable: 2 });
  world.openshift.registry.modify(podDisruptionBudgets, { name: 'web', namespace: 'shop' }, demand, {
    manager: 'test',
  });
  await clock.advance(5_000);
}

interface PoolView {
  readonly metadata: {
    readonly name: string;
    readonly generation: number;
    readonly resourceVersion: string;
    readonly managedFields: { manager: string; fieldsV1: Record<string, unknown> }[];
  };
  readonly spec: { readonly paused?: boolean };
}

test('the real client lists pools and reads one', async () => {
  const api = kubeconfig.makeApiClient(CustomObjectsApi);

  const list = (await api.listClusterCustomObject(mco)) as { kind: string; items: PoolView[] };
  const one = (await api.getClusterCustomObject({ ...mco, name: 'worker' })) as PoolView;

  expect(list.kind).toBe('MachineConfigPoolList');
  expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['master', 'worker']);
  expect(one.metadata.name).toBe('worker');
});

test('the real client pauses with a guarded merge patch, and a stale one is a conflict', async () => {
  const api = kubeconfig.makeApiClient(CustomObjectsApi);
  const before = (await api.getClusterCustomObject({ ...mco, name: 'worker' })) as PoolView;
  const patch = (paused: boolean) =>
    api.patchClusterCustomObject(
      {
        ...mco,
        name: 'worker',
        fieldManager: 'poolkeeper',
        body: { metadata: { resourceVersion: before.metadata.resourceVersion }, spec: { paused } },
      },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );

  const after = (await patch(true)) as PoolView;
  const stale = await patch(false).catch((error: unknown) => error);

  expect(after.spec.paused).toBe(true);
  expect(after.metadata.generation).toBe(before.metadata.generation + 1);
  expect(after.metadata.managedFields.find(({ manager }) => manager === 'poolkeeper')?.fieldsV1).toEqual({
    'f:spec': { 'f:paused': {} },
  });
  expect(stale).toBeInstanceOf(ApiException);
  expect((stale as ApiException<string>).code).toBe(409);
});

test('the patch that the client sends unasked, a JSON patch with an object in it, is refused', async () => {
  const api = kubeconfig.makeApiClient(CustomObjectsApi);

  const refusal = await api
    .patchClusterCustomObject({ ...mco, name: 'worker', body: { spec: { paused: true } } })
    .catch((error: unknown) => error);

  expect((refusal as ApiException<string>).code).toBe(400);
});

test('the real client reads nodes, pods of one node, budgets, events and owners', async () => {
  const core = kubeconfig.makeApiClient(CoreV1Api);
  const policy = kubeconfig.makeApiClient(PolicyV1Api);
  const apps = kubeconfig.makeApiClient(AppsV1Api);
  await demandBothPods();

  const workers = await core.listNode({ labelSelector: 'node-role.kubernetes.io/worker' });
  const guarded = await core.listPodForAllNamespaces({
    fieldSelector: `spec.nodeName=${fastNode}`,
    labelSelector: 'app in (web)',
  });
  const budget = await policy.readNamespacedPodDisruptionBudget({ name: 'web', namespace: 'shop' });
  const scheduled = await core.listNamespacedEvent({
    namespace: 'shop',
    fieldSelector: 'involvedObject.kind=Pod,reason=Scheduled',
  });
  const owners = await apps.listNamespacedReplicaSet({ namespace: 'shop' });
  const page = await core.listNode({ limit: 4 });

  expect(workers.items.map(({ metadata }) => metadata?.name)).toEqual(['worker-0', 'worker-1', 'worker-2']);
  expect(guarded.items).toHaveLength(2);
  expect(guarded.items[0]?.metadata?.creationTimestamp).toBeInstanceOf(Date);
  expect(budget.status).toMatchObject({ disruptionsAllowed: 0, desiredHealthy: 2 });
  expect(scheduled.items.map(({ message }) => message)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^Successfully assigned shop\/web-\S+ to worker-2$/)]),
  );
  expect(owners.items[0]?.metadata?.ownerReferences?.[0]).toMatchObject({ kind: 'Deployment', name: 'web' });
  expect(page.items).toHaveLength(4);
  expect(page.metadata?._continue).toBeTruthy();
});

test('the real client is refused an eviction with the cause', async () => {
  const core = kubeconfig.makeApiClient(CoreV1Api);
  await demandBothPods();
  const { items } = await core.listNamespacedPod({ namespace: 'shop' });
  const name = items[0]?.metadata?.name ?? '';

  const refusal = await core
    .createNamespacedPodEviction({
      name,
      namespace: 'shop',
      dryRun: 'All',
      body: { metadata: { name, namespace: 'shop' } },
    })
    .catch((error: unknown) => error);

  expect((refusal as ApiException<string>).code).toBe(429);
  expect((refusal as ApiException<string>).body).toContain(
    'The disruption budget web needs 2 healthy pods and has 2 currently',
  );
});

test('the version is that of the release', async () => {
  const version = await kubeconfig.makeApiClient(VersionApi).getCode();

  expect(version).toMatchObject({ major: '1', minor: '34', gitVersion: 'v1.34.4' });
});

test('a wrong token is refused', async () => {
  const { kubeconfig: good } = world.openshift;
  const stranger = new KubeConfig();
  stranger.loadFromString(JSON.stringify({ ...good, users: [{ name: 'simulated', user: { token: 'wrong' } }] }));

  const refusal = await stranger
    .makeApiClient(CustomObjectsApi)
    .listClusterCustomObject(mco)
    .catch((error: unknown) => error);

  expect((refusal as ApiException<string>).code).toBe(401);
});

test('the kubeconfig is written for its owner alone and loads from the file', async () => {
  const path = join(tmpdir(), `kubeconfig-${process.pid}-${Date.now()}.json`);

  await world.openshift.writeKubeconfig(path);
  const loaded = new KubeConfig();
  loaded.loadFromFile(path);

  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(world.openshift.kubeconfig);
  expect(loaded.getCurrentCluster()?.server).toBe(world.openshift.url);
  await rm(path);
});

test('a fault hits as many requests as it was ordered for, also after the work was done', async () => {
  const api = kubeconfig.makeApiClient(CustomObjectsApi);
  const { faults } = world.openshift;
  const code = (request: Promise<unknown>) =>
    request.then(
      () => 200,
      (error: ApiException<string>) => error.code,
    );
  const get = () => code(api.getClusterCustomObject({ ...mco, name: 'worker' }));
  const pause = () =>
    code(
      api.patchClusterCustomObject(
        { ...mco, name: 'worker', body: { spec: { paused: true } } },
        setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
      ),
    );

  faults.inject({ fault: { kind: 'status', code: 503 }, times: 2, matches: ({ verb }) => verb === 'get' });
  const reads = [await get(), await get(), await get()];
  faults.inject({
    fault: { kind: 'status', code: 504 },
    times: 1,
    afterwards: true,
    matches: ({ verb }) => verb === 'patch',
  });
  const written = await pause();
  const after = (await api.getClusterCustomObject({ ...mco, name: 'worker' })) as PoolView;

  expect(reads).toEqual([503, 503, 200]);
  expect(written).toBe(504);
  expect(after.spec.paused).toBe(true);
});

test('a connection can be cut, held back, or left without an answer', async () => {
  const { faults, url, token } = world.openshift;
  const get = (signal?: AbortSignal) =>
    fetch(`${url}/api/v1/nodes`, { headers: { authorization: `Bearer ${token}` }, ...(signal && { signal }) });

  faults.inject({ fault: { kind: 'reset' }, times: 1, matches: ({ plural }) => plural === 'nodes' });
  const cut = await get().catch((error: unknown) => error);
  faults.inject({ fault: { kind: 'timeout' }, times: 1, matches: ({ plural }) => plural === 'nodes' });
  const abort = new AbortController();
  const silent = get(abort.signal).catch(() => 'given up');
  await new Promise((resolve) => setImmediate(resolve));
  abort.abort();
  faults.delay(500);
  let answered = false;
  const late = get().then((response) => {
    answered = true;
    return response.status;
  });
  while (!world.openshift.apiServer.requests().at(-1)?.path.includes('nodes'))
    await new Promise((resolve) => setImmediate(resolve));
  const before = answered;
  while (!answered) await clock.advance(100);

  expect(cut).toBeInstanceOf(TypeError);
  expect(await silent).toBe('given up');
  expect(before).toBe(false);
  expect(await late).toBe(200);
});

test('requests are counted by verb and kind', async () => {
  const { apiServer } = world.openshift;
  const api = kubeconfig.makeApiClient(CustomObjectsApi);
  apiServer.forgetRequests();

  await api.listClusterCustomObject(mco);
  await api.getClusterCustomObject({ ...mco, name: 'worker' });

  expect(apiServer.requests().map(({ verb, plural, name }) => `${verb} ${plural} ${name}`.trim())).toEqual([
    'list machineconfigpools',
    'get machineconfigpools worker',
  ]);
});

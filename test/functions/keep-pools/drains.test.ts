import { describe, expect, test } from 'vitest';
import { defaultPoolSettings, type PoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import type { ObjectReader, Pools } from '../../../functions/ports/cluster.ts';
import { aCondition, aNode, anApplication, aPool, naming } from '../../fakes/index.ts';
import { commitB, commitC, type KeepLab, keepLab, tickOf } from './keep-lab.ts';

const budgets = '/apis/policy/v1/poddisruptionbudgets';
const podsOfShop = '/api/v1/namespaces/shop/pods';
const next = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };

function labWith(drainable: PoolSettings['drainable']): KeepLab {
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, drainable } } });
  guard(lab, 0);
  lab.world.reader.put(podsOfShop, {
    items: [
      {
        metadata: { name: 'web-a', namespace: 'shop', labels: { app: 'web' }, uid: 'a' },
        spec: { nodeName: 'worker-1' },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
      },
    ],
  });
  return lab;
}

/** The one pod of shop/web and its budget, which spares so many. */
function guard(lab: KeepLab, spared: number): void {
  lab.world.reader.put(budgets, {
    items: [
      {
        metadata: { name: 'web', namespace: 'shop' },
        spec: { minAvailable: 1 - spared, selector: { matchLabels: { app: 'web' } } },
        status: { expectedPods: 1, desiredHealthy: 1 - spared, currentHealthy: 1, disruptionsAllowed: spared },
      },
    ],
  });
}

/** A push, its sync, and the render of what it brought: all that is left is to resume. */
async function syncAndRender(lab: KeepLab): Promise<void> {
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  await lab.pass(4);
  lab.syncs(commitB);
  lab.world.pools.change('worker', 'machine-config-controller', { target: next });
  lab.ends('Succeeded');
  await lab.pass(60);
  await lab.pass(20);
}

describe('the gate drainable', () => {
  test('[N-13] [S1-7] block: the pool stays paused, its view says why and what to do, and people are told', async () => {
    const lab = labWith('block');

    await syncAndRender(lab);

    expect(lab.pool().paused).toBe(true);
    const [view] = await lab.world.tables.views.list();
    expect(view?.pools[0]?.closedGates).toContainEqual(
      expect.objectContaining({
        gate: 'drainable',
        why: expect.stringContaining(
          '1 of 3 nodes will block. Pod web-a runs one pod and PDB shop/web forbids losing it',
        ),
        opens: 'In Git: run two replicas, or let the budget spare one pod',
      }),
    );
    expect(lab.troubles()).toEqual(['no-progress']);
  });

  test('[N-13] [S3-15] block: a node that reboots for an earlier push, without its config daemon, is no obstacle to the next one', async () => {
    const lab = labWith('block');
    guard(lab, 1);
    const mco = 'openshift-machine-config-operator';
    const partOf = (app: string, nodeName: string, ready: string) => ({
      metadata: { name: app, namespace: mco, labels: { 'k8s-app': app }, uid: app },
      spec: { nodeName },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready }] },
    });
    lab.world.reader.put(`/apis/apps/v1/namespaces/${mco}/daemonsets/machine-config-daemon`, {
      metadata: { name: 'machine-config-daemon', namespace: mco },
      status: { desiredNumberScheduled: 3, numberReady: 2 },
    });
    lab.world.reader.put(`/api/v1/namespaces/${mco}/pods`, {
      items: [partOf('machine-config-controller', 'master-1', 'True')],
    });
    const daemonOf = (name: string) => ({
      fieldSelector: `spec.nodeName=${name}`,
      labelSelector: 'k8s-app=machine-config-daemon',
      limit: '5',
    });
    for (const [name, ready] of [
      ['worker-1', 'False'],
      ['worker-2', 'True'],
      ['worker-3', 'True'],
    ] as const) {
      const items = [partOf('machine-config-daemon', name, ready)];
      lab.world.reader.put(`/api/v1/namespaces/${mco}/pods`, { items }, daemonOf(name));
    }
    lab.world.pools.changeNode('worker-1', {
      desiredConfig: 'rendered-worker-before',
      state: 'Working',
      postConfigAction: 'Rebooting',
    });

    await syncAndRender(lab);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.last?.why).not.toContain('block');
  });

  test('[N-13] block: where nothing is ever drained, as on a single node, no budget keeps the pool paused', async () => {
    const lab = labWith('block');
    for (const name of ['worker-1', 'worker-2', 'worker-3'])
      lab.world.pools.putNode(aNode({ name, isNeverDrained: true }));

    await syncAndRender(lab);

    expect(lab.pool().paused).toBe(false);
    expect(lab.troubles()).toEqual([]);
  });

  test('[N-13] block: it resumes by itself once nothing stops the drains, and the incident ends', async () => {
    const lab = labWith('block');
    await syncAndRender(lab);

    guard(lab, 1);
    await lab.pass(60);
    const isPaused = lab.pool().paused;
    lab.world.pools.change('worker', 'machine-config-controller', { current: next });
    await lab.pass(600);

    expect(isPaused).toBe(false);
    expect(lab.troubles()).toEqual([]);
  });

  test('[N-13] [S1-18] warn: it resumes, and the event says what to expect', async () => {
    const lab = labWith('warn');

    await syncAndRender(lab);

    expect(lab.pool().paused).toBe(false);
    const [resumed] = lab.world.bus.published.filter(({ type }) => type === 'poolkeeper.pool.resumed.v1');
    expect(resumed?.data).toMatchObject({
      why: expect.stringContaining('expect blocked drains: 1 of 3 nodes will block'),
    });
    expect(lab.record()?.last?.why).toContain('PDB shop/web');
  });

  test('off: nobody looks', async () => {
    const lab = labWith('off');

    await syncAndRender(lab);

    expect(lab.pool().paused).toBe(false);
    expect(lab.world.reader.asked.filter(({ path }) => path === budgets)).toEqual([]);
  });

  test('block: budgets that cannot be read keep it paused and are named; warn: it goes', async () => {
    const [careful, easy] = [labWith('block'), labWith('warn')];
    for (const lab of [careful, easy]) lab.world.reader.refuse(budgets, 'forbidden');

    for (const lab of [careful, easy]) await syncAndRender(lab);

    expect(careful.pool().paused).toBe(true);
    const [view] = await careful.world.tables.views.list();
    expect(view?.pools[0]?.closedGates.map(({ why }) => why).join()).toContain(
      'could not be read: the PodDisruptionBudgets (forbidden)',
    );
    expect(easy.pool().paused).toBe(false);
  });

  test('warn: an API server that takes ten seconds for each answer keeps the pool for seconds, not for forty answers', async () => {
    const lab = labWith('warn');
    lab.world.reader.put(budgets, {
      items: Array.from({ length: 20 }, (_, index) => ({
        metadata: { name: `web-${index}`, namespace: `shop-${index}` },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
        status: { expectedPods: 1, desiredHealthy: 1, currentHealthy: 1, disruptionsAllowed: 0 },
      })),
    });
    const { read } = lab.world.reader;
    const slow: ObjectReader = {
      async read(question) {
        lab.world.clock.advance(10);
        return read(question);
      },
    };
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    await lab.pass(4);
    lab.syncs(commitB);
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));
    lab.world.clock.advance(60);
    const before = lab.world.reader.asked.length;

    await keep(tickOf(lab.world.clock.now()), {
      ...lab.ports,
      cluster: async (name) => ({ ...(await lab.ports.cluster(name)), reader: slow }),
    });

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.last?.why).toContain('what will block its drains could not be read');
    expect(lab.world.reader.asked.length - before).toBeLessThan(6);
  });

  test('warn: a fault of ours in the look keeps no pool paused', async () => {
    const lab = labWith('warn');
    const reader: ObjectReader = {
      read: async (question) => {
        if (question.path === budgets) throw new TypeError('x is undefined');
        return lab.world.reader.read(question);
      },
    };
    const ports: KeepPorts = {
      ...lab.ports,
      cluster: async (name) => ({ ...(await lab.ports.cluster(name)), reader }),
    };
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    await lab.pass(4);
    lab.syncs(commitB);
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));
    lab.world.clock.advance(60);

    await keep(tickOf(lab.world.clock.now()), ports);

    expect(lab.pool().paused).toBe(false);
  });

  test('block: while it is closed no tick lists the Applications, and a sync that began meanwhile is seen before the resume', async () => {
    const lab = labWith('block');
    await syncAndRender(lab);
    const lists = () => lab.world.faults.calls.filter(({ op }) => op === 'argocd.list').length;
    const before = lists();

    // Within the five minutes between two sweeps.
    await lab.pass(3 * 60);
    const during = lists();
    guard(lab, 1);
    lab.syncs(commitC);
    await lab.pass(60);

    expect(during).toBe(before);
    expect(lab.pool().paused).toBe(true);
    expect(lab.record()?.holds).toMatchObject([{ phase: 'syncing' }]);
  });

  test('looks once before a resume, not at every tick of a pool that is held', async () => {
    const lab = labWith('warn');
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });
    await lab.pass(300);
    const before = lab.world.reader.asked.filter(({ path }) => path === budgets).length;

    lab.syncs(commitB);
    lab.ends('Succeeded');
    await lab.pass(120);

    expect(before).toBe(0);
    expect(lab.pool().paused).toBe(false);
    expect(lab.world.reader.asked.filter(({ path }) => path === budgets)).toHaveLength(1);
  });

  test('[N-1] a pool that a push must pause does not wait for the look at another', async () => {
    const lab = labWith('block');
    await syncAndRender(lab);
    const sources = { name: 'rendered-infra-1', sources: ['99-infra'] };
    const nodeSelector = { matchLabels: { 'node-role.kubernetes.io/infra': '' } };
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', nodeSelector, target: sources, current: sources }));
    const [resource] = anApplication().resources;
    lab.world.argocd.put(
      anApplication({
        name: 'infra',
        uid: 'uid-infra-app',
        sources: [{ repoURL: 'https://github.com/acme/infra', path: '', targetRevision: 'main', chart: '' }],
        resources: resource === undefined ? [] : [{ ...resource, name: '99-infra' }],
        operation: undefined,
      }),
    );
    const paused = Promise.withResolvers<void>();
    const pools: Pools = {
      ...lab.world.pools,
      async patchPool(pool, change) {
        const patched = await lab.world.pools.patchPool(pool, change);
        if (pool.name === 'infra') paused.resolve();
        return patched;
      },
    };
    const reader: ObjectReader = { read: (question) => paused.promise.then(() => lab.world.reader.read(question)) };
    const ports: KeepPorts = {
      ...lab.ports,
      cluster: async (name) => ({ ...(await lab.ports.cluster(name)), pools, reader }),
    };
    const repository = { htmlUrl: 'https://github.com/acme/infra', fullName: 'acme/infra', defaultBranch: 'main' };

    await keep(lab.pushOf(commitC, { repository }), ports);

    expect(lab.pool('infra').paused).toBe(true);
    expect(lab.pool().paused).toBe(true);
  });
});

describe('[S1-14] stop the bleeding', () => {
  const infraSelector = { matchLabels: { 'node-role.kubernetes.io/infra': '' } };
  const broken = [
    aCondition({ type: 'Degraded', status: 'True' }),
    aCondition({ type: 'NodeDegraded', status: 'True', message: 'Node infra-1 is reporting: "disk is full"' }),
  ];

  /** Pool infra was let go in a wave before worker, and its first node failed. */
  function labWithSickInfra(): KeepLab {
    const lab = keepLab();
    const infra = aPool({
      name: 'infra',
      uid: 'uid-infra',
      nodeSelector: infraSelector,
      machineConfigSelector: infraSelector,
      target: { name: 'rendered-infra-2', sources: [] },
      current: { name: 'rendered-infra-1', sources: [] },
      counts: { machines: 1, updated: 0, ready: 0, unavailable: 0, degraded: 1 },
      conditions: broken,
      record: {
        kind: 'record',
        record: { v: 1, holds: [], last: { did: 'resumed', at: '2026-03-02T09:50:00Z', why: 'synced' } },
      },
    });
    lab.world.pools.put(infra);
    lab.world.pools.putNode(
      aNode({
        name: 'infra-1',
        labels: { 'node-role.kubernetes.io/infra': '' },
        state: 'Degraded',
        reason: 'disk is full',
        currentConfig: 'rendered-infra-1',
        desiredConfig: 'rendered-infra-2',
      }),
    );
    return lab;
  }

  test('a pool degrades after our resume: the next one stays paused after its sync, says whom it waits for, and the incident says who waits', async () => {
    const lab = labWithSickInfra();

    await syncAndRender(lab);
    await lab.pass(300);

    expect(lab.pool().paused).toBe(true);
    const views = await lab.world.tables.views.list();
    const worker = views[0]?.pools.find(({ name }) => name === 'worker');
    expect(worker?.closedGates).toContainEqual(
      expect.objectContaining({ gate: 'health', why: 'pool infra is degraded since Poolkeeper resumed it' }),
    );
    const [incident] = lab.world.tables.incidents.all().filter(({ key }) => key.pool === 'infra');
    expect(incident?.trouble?.facts).toContainEqual({
      label: 'Held back',
      value: 'pool worker stays paused until this one is healthy',
    });
  });

  test('it goes on by itself when that pool is healthy again', async () => {
    const lab = labWithSickInfra();
    await syncAndRender(lab);

    lab.world.pools.change('infra', 'machine-config-controller', {
      current: { name: 'rendered-infra-2', sources: [] },
      counts: { machines: 1, updated: 1, ready: 1, unavailable: 0, degraded: 0 },
      conditions: [aCondition({ type: 'Updated', status: 'True' })],
    });
    await lab.pass(60);

    expect(lab.pool().paused).toBe(false);
  });

  test('a sync that pauses the sick pool again does not let the others go', async () => {
    const lab = labWithSickInfra();
    await lab.deliver(lab.pushOf(commitB));
    lab.world.argocd.change('nodes', naming('worker,infra'));
    await lab.deliver(lab.pushOf(commitB, { delivery: 'again' }));
    expect(lab.pool('infra').paused).toBe(true);
    expect(lab.record('infra')).toMatchObject({ resumedAt: '2026-03-02T09:50:00Z' });

    lab.world.argocd.change('nodes', naming('worker'));
    lab.world.pools.observe('worker');
    await lab.pass(4);
    lab.syncs(commitB);
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });
    lab.world.pools.change('infra', 'poolkeeper', { paused: true });
    lab.ends('Succeeded');
    await lab.pass(16);

    const views = await lab.world.tables.views.list();
    const worker = views[0]?.pools.find(({ name }) => name === 'worker');
    expect(worker?.closedGates.map(({ gate }) => gate)).toContain('health');
  });
});

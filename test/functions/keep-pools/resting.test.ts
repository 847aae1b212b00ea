import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { freezeManually } from '../../../functions/core/holds/manual-freeze.ts';
import type { Node } from '../../../functions/core/openshift/node.ts';
import { poolHealth } from '../../../functions/core/sequences/target-health.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { aNode, anOperation, aPool } from '../../fakes/index.ts';
import { fc, runs } from '../../property.ts';
import { commitA, commitB, commitC, keepLab, type LabOptions, tickOf } from './keep-lab.ts';

/** The lab begins on Monday 2026-03-02 at 10:00 UTC. */
const fromNoon = Window.parse({ kind: 'allow', schedule: '0 12 * * *', durationSeconds: 4 * 3600 });

const ann = { who: 'ann', why: 'storage migration' };

function restingLab(options: LabOptions = {}) {
  const lab = keepLab({ pools: { worker: { ...defaultPoolSettings, protection: 'rest' } }, ...options });
  const mco = 'machine-config-controller';
  return {
    ...lab,
    /** Somebody applies a MachineConfig, with or without Argo CD. */
    renders: (name: string) =>
      lab.world.pools.change('worker', mco, {
        target: { name, sources: ['99-worker-ssh'] },
        counts: { ...lab.pool().counts, updated: 0 },
      }),
    /** The MCO has taken all nodes there. */
    isDone: () =>
      lab.world.pools.change('worker', mco, {
        current: lab.pool().target,
        counts: { ...lab.pool().counts, updated: 3 },
      }),
    moves: () => lab.told().filter((type) => /^pool\.(?:paused|resumed|overridden)$/.test(type)),
  };
}

test('[N-7] a pool of level rest is paused between changes, which is no trouble', async () => {
  const lab = restingLab();

  await lab.pass(6 * 3600);
  const [view] = await lab.ports.views.list();

  expect(lab.pool().paused).toBe(true);
  expect(lab.record()).toMatchObject({
    pause: 'ours',
    holds: [],
    last: { why: 'the pool rests paused between changes' },
  });
  expect(lab.moves()).toEqual(['pool.paused']);
  expect(lab.troubles()).toEqual([]);
  expect(JSON.stringify(view)).toContain('the pool rests paused: no change waits for it');
});

test('[N-7] what waits goes in the window as one rollout, and then the pool is paused again', async () => {
  const lab = restingLab({ windows: [fromNoon] });
  await lab.pass(600);
  lab.renders('rendered-worker-bbb');
  await lab.pass(1800);
  lab.renders('rendered-worker-ccc');
  await lab.pass(4500);
  const beforeNoon = lab.pool().paused;
  await lab.pass(1800);
  const inWindow = lab.pool().paused;
  lab.isDone();
  await lab.pass(120);

  expect([beforeNoon, inWindow, lab.pool().paused]).toEqual([true, false, true]);
  expect(lab.moves()).toEqual(['pool.paused', 'pool.resumed', 'pool.paused']);
});

test('[N-7] [S2-1] a sync that changes nothing for it is over some time later, and pools of higher waves go on', async () => {
  const infra = { ...defaultPoolSettings, wave: 1 };
  const lab = restingLab({ pools: { worker: { ...defaultPoolSettings, protection: 'rest' }, infra } });
  lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra' }));
  await lab.pass(120);
  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded', { results: [] });
  await lab.pass(120);
  const soon = [lab.pool().paused, lab.pool('infra').paused, lab.record()?.release !== undefined];
  await lab.pass(900);

  expect([soon, lab.pool().paused, lab.pool('infra').paused]).toEqual([[true, true, true], true, false]);
  expect(poolHealth(lab.pool())).toMatchObject({ kind: 'healthy' });
});

test('[N-7] [S0-1] a push and its sync find it paused; after the sync it is let through', async () => {
  const lab = restingLab();
  await lab.pass(120);

  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  lab.renders('rendered-worker-bbb');
  await lab.pass(300);
  const duringSync = lab.pool().paused;
  lab.ends('Succeeded');
  await lab.pass(300);
  const afterwards = lab.pool().paused;
  lab.isDone();
  await lab.pass(120);

  expect([duringSync, afterwards, lab.pool().paused]).toEqual([true, false, true]);
});

describe('[N-7] a sync that first brings something for a pool at rest', () => {
  /** Its own Application has brought nothing so far, and Argo CD says what it compared and wrote only later. */
  async function firstSync() {
    const lab = restingLab();
    lab.world.argocd.change('nodes', { resources: [], sync: { status: 'Synced', revisions: [commitA] } });
    await lab.pass(120);
    lab.syncs(commitB, { results: [] });
    await lab.pass(2);
    lab.renders('rendered-worker-bbb');
    await lab.pass(180);
    return lab;
  }
  const resources = [
    {
      group: 'machineconfiguration.openshift.io',
      kind: 'MachineConfig',
      namespace: '',
      name: '99-worker-ssh',
      status: 'OutOfSync',
    },
  ];
  const gatesOf = async (lab: ReturnType<typeof restingLab>) =>
    (await lab.ports.views.list())[0]?.pools[0]?.closedGates;

  test('does not roll out while it runs, though a look comes before Argo CD says what it writes', async () => {
    const lab = await firstSync();
    const before = lab.pool().paused;
    const said = await gatesOf(lab);
    lab.world.argocd.change('nodes', { resources, sync: { status: 'OutOfSync', revisions: [commitB] } });
    await lab.pass(20 * 60);
    const during = [lab.pool().paused, lab.record()?.holds.map(({ phase }) => phase)];
    lab.ends('Succeeded');
    await lab.pass(180);

    expect([before, during, lab.pool().paused]).toEqual([true, [true, ['syncing']], false]);
    expect(said?.map(({ gate, why }) => [gate, why])).toEqual([
      [
        'quiet',
        'the running sync of openshift-gitops/nodes may have brought rendered-worker-bbb: Argo CD does not say yet what it changes',
      ],
    ]);
  });

  test('[property] [N-30] does not roll out while it runs, in whatever order Argo CD, the MCO and our looks come', async () => {
    const deeds = ['renders', 'compares', 'tells'] as const;
    const orders = fc.shuffledSubarray([...deeds], { minLength: 3 });
    const gaps = fc.array(fc.constantFrom(2, 15, 61, 130), { minLength: 3, maxLength: 3 });
    // Argo CD notes when it began to compare with Git, before it begins the sync; later looks at the cluster alone show
    // what is Synced by then, and leave that time as it was.
    const reconciles = fc.constantFrom('before the sync', 'by then');
    await fc.assert(
      fc.asyncProperty(orders, gaps, reconciles, async (order, seconds, reconciled) => {
        const lab = restingLab();
        lab.world.argocd.change('nodes', { resources: [], sync: { status: 'Synced', revisions: [commitA] } });
        await lab.pass(120);
        const synced = resources.map((each) => ({ ...each, status: 'Synced' }));
        const before = lab.world.clock.now().toISOString();
        await lab.pass(1);
        const { operation } = lab.syncs(commitB, { results: [] });
        const does = {
          renders: () => lab.renders('rendered-worker-bbb'),
          compares: () =>
            lab.world.argocd.change('nodes', {
              reconciledAt: reconciled === 'by then' ? lab.world.clock.now().toISOString() : before,
              resources: order.indexOf('renders') < order.indexOf('compares') ? synced : resources,
              sync: { status: 'Synced', revisions: [commitB] },
            }),
          tells: () =>
            lab.world.argocd.change('nodes', {
              operation: operation && { ...operation, results: anOperation().results },
            }),
        };
        for (const [index, each] of order.entries()) {
          does[each]();
          await lab.pass(seconds[index] ?? 0);

          expect([each, lab.pool().paused]).toEqual([each, true]);
        }
        lab.ends('Succeeded');
        await lab.pass(180);

        expect(lab.pool().paused).toBe(false);
      }),
      { numRuns: runs(25) },
    );
  });

  test('is not waited for once Argo CD says that it changes nothing here', async () => {
    const lab = await firstSync();
    lab.world.argocd.change('nodes', { sync: { status: 'OutOfSync', revisions: [commitB] } });
    await lab.pass(120);

    expect(lab.pool().paused).toBe(false);
  });

  test('[N-30] is not waited for any longer than for any other sync that is expected, if Argo CD never says', async () => {
    const lab = await firstSync();
    await lab.pass(10 * 60);
    const soon = lab.pool().paused;
    await lab.pass(5 * 60);

    expect([soon, lab.pool().paused]).toEqual([true, false]);
  });
});

describe('[N-7] [N-30] a rendered config that comes while a pool at rest is about to be let go for another', () => {
  /** What waits is let go by a tick; `meanwhile` happens after its last read and before its write. */
  async function lateRender(meanwhile: (lab: ReturnType<typeof restingLab>) => void, options: LabOptions = {}) {
    const lab = restingLab(options);
    lab.world.argocd.change('nodes', { resources: [], sync: { status: 'Synced', revisions: [commitA] } });
    await lab.pass(120);
    lab.renders('rendered-worker-bbb');
    await lab.pass(1);
    const { argocd } = lab.world;
    let isListed = false;
    const listApplications = async () => {
      const before = await argocd.listApplications();
      if (!isListed) meanwhile(lab);
      isListed = true;
      return before;
    };
    const tick = keep(tickOf(lab.world.clock.now()), {
      ...lab.ports,
      argocd: async () => ({ ...argocd, listApplications }),
    });
    await tick;
    return { lab, isListed };
  }

  test('stays, as the work of a sync that began after the Applications were read', async () => {
    const { lab, isListed } = await lateRender(({ syncs, renders }) => {
      syncs(commitB, { results: [] });
      renders('rendered-worker-ccc');
    });
    const atOnce = lab.pool().paused;
    await lab.pass(180);

    expect([isListed, atOnce, lab.pool().paused]).toEqual([true, true, true]);
  });

  test('goes with the next look, if no sync brought it', async () => {
    const { lab, isListed } = await lateRender(({ renders }) => renders('rendered-worker-ccc'));
    const atOnce = lab.pool().paused;
    await lab.pass(60);

    expect([isListed, atOnce, lab.pool().paused]).toEqual([true, true, false]);
  });

  test('does not keep it waiting, if only the counts of its nodes have changed', async () => {
    const { lab, isListed } = await lateRender(({ world, pool }) =>
      world.pools.change('worker', 'machine-config-controller', { counts: { ...pool().counts, ready: 2 } }),
    );

    expect([isListed, lab.pool().paused]).toEqual([true, false]);
  });
});

test('[N-7] [S0-12] a pool that a person resumed stays so for an hour', async () => {
  const lab = restingLab();
  await lab.pass(120);
  lab.world.pools.change('worker', 'kubectl-patch', { paused: false });

  await lab.pass(50 * 60);
  const soon = lab.pool().paused;
  await lab.pass(15 * 60);

  expect([soon, lab.pool().paused]).toEqual([false, true]);
  expect(lab.moves()).toEqual(['pool.paused', 'pool.overridden', 'pool.paused']);
});

test('[N-7] [S0-15] also if it was held for a sync that has ended since, and whose change is rendered later', async () => {
  const lab = restingLab();
  await lab.pass(120);
  lab.syncs(commitB);
  await lab.pass(310);
  lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
  await lab.pass(60);
  lab.ends('Succeeded');

  await lab.pass(40 * 60);
  const soon = lab.pool().paused;
  lab.renders('rendered-worker-bbb');
  await lab.pass(40 * 60);
  const rolling = lab.pool().paused;
  lab.isDone();
  await lab.pass(120);

  expect([soon, rolling, lab.pool().paused]).toEqual([false, false, true]);
  expect(lab.moves()).toEqual(['pool.paused', 'pool.overridden', 'pool.paused']);
});

test('[N-7] a degraded rollout is not paused before it is done', async () => {
  const lab = restingLab();
  await lab.pass(120);
  lab.renders('rendered-worker-bbb');
  await lab.pass(120);
  lab.world.pools.change('worker', 'machine-config-controller', { counts: { ...lab.pool().counts, degraded: 1 } });

  await lab.pass(3600);

  expect(lab.pool().paused).toBe(false);
});

describe('[N-7] [N-30] a change that is reverted in the middle of its rollout', () => {
  const mco = 'machine-config-controller';
  const [before, after] = ['rendered-worker-aaa', 'rendered-worker-bbb'];

  /** Worker-1 has the change when it is reverted: the pool has the config again that it had before. */
  async function reverted(options: LabOptions = {}, node: Partial<Node> = {}) {
    const lab = restingLab(options);
    await lab.pass(120);
    lab.renders(after);
    await lab.pass(120);
    lab.world.pools.putNode(aNode({ name: 'worker-1', currentConfig: after, desiredConfig: after, ...node }));
    lab.world.pools.change('worker', mco, { counts: { ...lab.pool().counts, updated: 1 } });
    await lab.pass(60);
    const isTakenBack = () => {
      lab.world.pools.putNode(aNode({ name: 'worker-1', currentConfig: before, desiredConfig: before }));
      lab.world.pools.change('worker', mco, { counts: { ...lab.pool().counts, updated: 3 } });
    };
    const revert = () =>
      lab.world.pools.change('worker', mco, {
        target: lab.pool().current,
        counts: { ...lab.pool().counts, updated: 2 },
      });
    return { ...lab, revert, isTakenBack };
  }

  test('is taken back before the pool rests again', async () => {
    const lab = await reverted();
    lab.revert();
    await lab.pass(3600);
    const during = lab.pool().paused;
    lab.isTakenBack();
    await lab.pass(120);

    expect([during, lab.pool().paused]).toEqual([false, true]);
    expect(lab.moves()).toEqual(['pool.paused', 'pool.resumed', 'pool.paused']);
  });

  test.each([
    ['has it', {}],
    ['failed with it', { currentConfig: before, desiredConfig: after, state: 'Degraded' }],
  ])('by a sync, too, that paused the pool: the node that %s is let through', async (_, node) => {
    const lab = await reverted({}, node);
    await lab.deliver(lab.pushOf(commitC, { before: commitB }));
    const held = lab.pool().paused;
    lab.syncs(commitC);
    await lab.pass(60);
    lab.revert();
    await lab.pass(60);
    const duringSync = lab.pool().paused;
    lab.ends('Succeeded');
    await lab.pass(180);

    expect([held, duringSync, lab.pool().paused]).toEqual([true, true, false]);
    expect(lab.record()?.last?.why).toContain('worker-1 has another config or image than the pool');
  });

  test('and whose nodes wait behind the gates for too long, is told', async () => {
    const lab = await reverted();
    await lab.deliver(lab.pushOf(commitC, { before: commitB }));
    lab.world.pools.change('worker', 'kubectl-annotate', { annotations: { 'poolkeeper.dev/keep-paused': 'disks' } });
    lab.syncs(commitC);
    lab.revert();
    lab.ends('Succeeded');
    await lab.pass(5 * 3600);

    expect(lab.pool().paused).toBe(true);
    expect(await lab.world.tables.incidents.list()).toMatchObject([
      {
        key: { kind: 'paused-too-long' },
        trouble: {
          facts: expect.arrayContaining([
            { label: 'Config', value: 'rendered-worker-aaa (no change pending; 2 of 3 nodes updated)' },
          ]),
        },
      },
    ]);
  });

  test('[N-16] and whose nodes cannot be read for too long, is told', async () => {
    const lab = await reverted();
    await lab.deliver(lab.pushOf(commitC, { before: commitB }));
    lab.syncs(commitC);
    await lab.pass(60);
    lab.revert();
    lab.world.faults.failAll(['pools.nodes'], new Transient('GET /api/v1/nodes: 503'));
    lab.ends('Succeeded');
    await lab.pass(2 * 3600);
    const early = lab.troubles();
    await lab.pass(3 * 3600);

    expect(lab.pool().paused).toBe(true);
    expect(early).toEqual(['objects-unreadable']);
    const told = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'paused-too-long');
    expect(told?.trouble?.findings[0]?.because[0]).toMatchObject({
      subject: { kind: 'gate', name: 'rest' },
      sentence: expect.stringContaining('could not be read: GET /api/v1/nodes: 503'),
    });
  });

  test('is nothing where a node is only new or drifted: the pool rests', async () => {
    const lab = restingLab();
    await lab.pass(120);
    lab.world.pools.putNode(aNode({ name: 'worker-1', state: 'Degraded' }));
    lab.world.pools.putNode(aNode({ name: 'worker-4', currentConfig: '', desiredConfig: '', state: '' }));
    lab.world.pools.change('worker', mco, { counts: { ...lab.pool().counts, machines: 4, updated: 2 } });

    await lab.pass(3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.moves()).toEqual(['pool.paused']);
  });

  test('keeps to the window on its way back, too', async () => {
    const fromNine = Window.parse({ kind: 'allow', schedule: '0 9 * * *', durationSeconds: 2 * 3600 });
    const lab = await reverted({ windows: [fromNine] });
    lab.revert();
    await lab.pass(3600);
    const [afterwards, why] = [lab.pool().paused, lab.record()?.last?.why];
    await lab.pass(22 * 3600);
    const nextDay = lab.pool().paused;
    lab.isTakenBack();
    await lab.pass(120);

    expect([afterwards, nextDay, lab.pool().paused]).toEqual([true, false, true]);
    expect(why).toMatch(/^its window closes in .* 2 of 3 nodes are updated, the rest waits for the next opening$/);
    expect(lab.moves().filter((type) => type === 'pool.resumed')).toHaveLength(2);
  });

  test('[S0-12] goes back outside of the window where a person resumed the pool for that', async () => {
    const lab = await reverted({
      windows: [Window.parse({ kind: 'allow', schedule: '0 9 * * *', durationSeconds: 7200 })],
    });
    lab.revert();
    await lab.pass(2 * 3600);
    const before = lab.pool().paused;
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(3 * 3600);
    const during = lab.pool().paused;
    lab.isTakenBack();
    await lab.pass(120);

    expect([before, during, lab.pool().paused]).toEqual([true, false, true]);
  });

  test('leaves the pool as it is while its nodes cannot be read', async () => {
    const lab = await reverted();
    lab.world.faults.failAll(['pools.nodes']);
    lab.revert();
    await lab.pass(300);

    expect(lab.pool().paused).toBe(false);
  });
});

describe('[N-7] [N-30] a new image of a pool of image mode, whose rendered config is the same', () => {
  const image = (digest: string) => `registry.openshift-image-registry.svc:5000/mco/os@sha256:${digest.repeat(64)}`;
  const [old, built] = [image('a'), image('b')];

  /** The MachineOSConfig was changed, and its build is done: the MCO counts no node as updated any more. */
  async function builtLab(options: LabOptions = {}) {
    const lab = restingLab(options);
    for (const name of ['worker-1', 'worker-2', 'worker-3'])
      lab.world.pools.changeNode(name, { currentImage: old, desiredImage: old });
    await lab.pass(120);
    lab.world.pools.change('worker', 'machine-config-controller', {
      counts: { ...lab.pool().counts, updated: 0, ready: 0 },
      conditions: [
        {
          type: 'Updating',
          status: 'False',
          reason: '',
          message: `Pool is paused; will not update to MachineConfig ${lab.pool().target.name} / Image ${built}`,
          since: '2026-03-02T10:02:00Z',
        },
      ],
    });
    return lab;
  }

  test('is let through, and then the pool rests again', async () => {
    const lab = await builtLab();
    await lab.pass(120);
    const during = lab.pool().paused;
    for (const name of ['worker-1', 'worker-2', 'worker-3'])
      lab.world.pools.changeNode(name, { currentImage: built, desiredImage: built });
    lab.world.pools.change('worker', 'machine-config-controller', {
      counts: { ...lab.pool().counts, updated: 3, ready: 3 },
      conditions: [],
    });
    await lab.pass(120);

    expect([during, lab.pool().paused]).toEqual([false, true]);
  });

  test('[N-17] goes only once people have approved it, who are asked', async () => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE'], needed: 1 });
    const lab = await builtLab({ pools: { worker: { ...defaultPoolSettings, protection: 'rest', approve } } });
    await lab.pass(300);
    const [before, asked] = [lab.pool().paused, await lab.world.tables.incidents.list()];
    await lab.world.tables.approvals.save({
      cluster: 'prod',
      pool: 'worker',
      config: lab.pool().target.name,
      who: 'slack:U0000ALICE',
      name: '',
      verb: 'approve',
      at: lab.world.clock.now().toISOString(),
      reason: '',
    });
    await lab.pass(120);

    expect([before, lab.pool().paused]).toEqual([true, false]);
    expect(asked).toMatchObject([{ key: { kind: 'approval-needed' } }]);
  });

  test('and whose nodes wait behind the gates for too long, is told', async () => {
    const lab = await builtLab();
    lab.world.pools.change('worker', 'kubectl-annotate', { annotations: { 'poolkeeper.dev/keep-paused': 'disks' } });
    await lab.pass(5 * 3600);

    expect(await lab.world.tables.incidents.list()).toMatchObject([
      {
        key: { kind: 'paused-too-long' },
        trouble: {
          facts: expect.arrayContaining([
            {
              label: 'Config',
              value: `${lab.pool().current.name} (image ${built} pending; 0 of 3 nodes updated)`,
            },
          ]),
        },
      },
    ]);
    expect((await lab.ports.views.list())[0]?.pools).toMatchObject([{ pending: true }]);
  });
});

test('[N-7] [N-30] nodes of a pool that cannot be parsed are not taken for those of a pool that rests', async () => {
  const lab = restingLab();
  const own = { name: 'rendered-infra-aaa', sources: [] };
  lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', target: own, current: own }));
  lab.world.pools.putNode(aNode({ name: 'infra-1', currentConfig: own.name, desiredConfig: own.name }));
  lab.world.pools.spoil('infra');
  await lab.pass(120);
  // A node of worker is new, or has drifted.
  lab.world.pools.change('worker', 'machine-config-controller', { counts: { ...lab.pool().counts, updated: 2 } });
  await lab.pass(600);

  expect(lab.pool().paused).toBe(true);
  expect(lab.moves()).toEqual(['pool.paused']);
});

test('[N-7] a change that waits behind its gates for too long is told', async () => {
  const lab = restingLab({ windows: [Window.parse({ kind: 'allow', from: '2026-05-01', to: '2026-05-02' })] });
  await lab.pass(6 * 3600);
  const atRest = lab.troubles();
  lab.renders('rendered-worker-bbb');
  await lab.pass(5 * 3600);

  expect(atRest).toEqual([]);
  expect(lab.troubles()).toContain('paused-too-long');
});

describe('[N-7] [N-29] [S1-13] a pool that has rested for days', () => {
  async function held() {
    const lab = restingLab();
    await lab.pass(30 * 3600);
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    lab.world.pools.observe('worker');
    return lab;
  }

  test('is not paused too long as soon as a sync holds it', async () => {
    const lab = await held();
    await lab.pass(300);
    lab.ends('Succeeded');
    await lab.pass(900);

    expect(lab.world.tables.incidents.all().map(({ key }) => key.kind)).not.toContain('paused-too-long');
  });

  test('is, once the sync has held it for too long', async () => {
    const lab = await held();
    await lab.pass(4 * 3600 - 300);
    const before = lab.troubles();
    await lab.pass(900);

    expect(before).not.toContain('paused-too-long');
    expect(lab.troubles()).toContain('paused-too-long');
  });
});

test.each([
  ['in eight days: it rests', '2026-03-10T12:00:00Z', true],
  ['in six days: it no longer rests', '2026-03-08T12:00:00Z', false],
  ['a day ago: that is of the past', '2026-03-01T12:00:00Z', true],
])('[N-7] [S0-24] the first certificate expires %s', async (_, certificatesExpire, rests) => {
  const lab = restingLab({ windows: [Window.parse({ kind: 'deny', from: '2026-01-01', to: '2026-12-31' })] });
  await lab.pass(120);
  lab.world.pools.change('worker', 'machine-config-controller', { certificatesExpire });

  await lab.pass(1800);

  expect(lab.pool().paused).toBe(rests);
  expect(lab.record()?.last?.why.includes('because the first certificate of the pool expires at')).toBe(!rests);
});

test('[N-7] [N-21] a freeze stays, however soon the first certificate expires', async () => {
  const lab = restingLab();
  await lab.pass(120);
  const until = new Date('2026-03-03T10:00:00Z');
  const { record } = freezeManually(lab.pool(), { scope: 'pool', until }, { ...ann, now: lab.world.clock.now() });
  if (record) lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record } });
  lab.world.pools.change('worker', 'machine-config-controller', { certificatesExpire: '2026-03-04T10:00:00Z' });
  lab.renders('rendered-worker-bbb');

  await lab.pass(23 * 3600);
  const frozen = lab.pool().paused;
  await lab.pass(2 * 3600);

  expect([frozen, lab.pool().paused]).toEqual([true, false]);
});

test('[N-7] with another level it resumes', async () => {
  const resting = restingLab();
  await resting.pass(120);
  const lab = keepLab();
  lab.world.pools.put(resting.pool());

  await lab.pass(300);

  expect(lab.pool().paused).toBe(false);
});

test('[N-4] [N-7] a pool at rest that upgrades wait for, and that is opted in no longer, is not left paused untold', async () => {
  const rests = { ...defaultPoolSettings, protection: 'rest' as const };
  const lab = restingLab({ pools: { worker: { ...rests, manageRequired: true } } });
  const labels = { 'operator.machineconfiguration.openshift.io/required-for-upgrade': '' };
  lab.world.pools.change('worker', 'admin', { labels });
  await lab.pass(120);
  expect(lab.pool().paused).toBe(true);

  const { configuration } = lab.ports;
  const clusters = configuration.clusters.map((each) => ({ ...each, pools: { worker: rests } }));
  Object.assign(lab.ports, { configuration: { ...configuration, clusters } });
  await lab.pass(5 * 3600);

  expect([lab.pool().paused, lab.troubles()]).not.toEqual([true, []]);
});

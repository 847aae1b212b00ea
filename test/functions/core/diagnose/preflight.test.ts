import { describe, expect, test } from 'vitest';
import { nodesToDrain, type Preflight, preflight } from '../../../../functions/core/diagnose/preflight/preflight.ts';
import { preflightText } from '../../../../functions/core/diagnose/preflight/preflight-text.ts';
import { inquireAll } from '../../../../functions/keep-pools/watch/look-into.ts';
import { aCondition, aNode, aPool } from '../../../fakes/index.ts';
import {
  aBudget,
  aController,
  aLiveNode,
  aMaster,
  aPendingPod,
  aPod,
  aRollingPool,
  aWorld,
  type Json,
  membersIn,
  now,
  readerOver,
  type World,
} from './world.ts';

const bounds = { budgets: 50, pages: 5, nodes: 20 };
const pool = aRollingPool();

async function ahead(world: World, touched?: readonly string[]): Promise<Preflight & { readonly calls: number }> {
  const nodes = membersIn(world, pool);
  const reader = readerOver(world);
  const subject = {
    cluster: 'prod',
    pool,
    nodes,
    touched: nodes.filter(({ name }) => touched === undefined || touched.includes(name)),
    readAt: now,
  };
  const result = await inquireAll(() => preflight(subject, bounds), reader, { maxCalls: 100, readAt: new Date(now) });
  return { ...result, calls: reader.asked.length };
}

/** Both pods of shop/web run on the only worker; one of the two may be away. */
function threePlusOne(change: Partial<World> = {}): World {
  return aWorld({
    nodes: [aMaster('master-1'), aMaster('master-2'), aMaster('master-3'), aLiveNode('worker-1')],
    pods: [aPod('web-a', { node: 'worker-1' }), aPod('web-b', { node: 'worker-1' })],
    budgets: [
      aBudget('web', {
        spec: { minAvailable: 1 },
        status: { expectedPods: 2, desiredHealthy: 1, currentHealthy: 2, disruptionsAllowed: 1 },
      }),
    ],
    ...change,
  });
}

describe('budgets that expect no pod', () => {
  const bare = [aPod('bare', { node: 'worker-1', owner: null })];
  const counts = { expectedPods: 0, desiredHealthy: 0, disruptionsAllowed: 0 };
  const byOwners = { minAvailable: undefined, maxUnavailable: 1 };

  test('[S1-8] block all the same where they count by owners and the pods have none, or cannot be computed', async () => {
    const failed = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'no scale' };
    const ownerless = aBudget('web', { spec: byOwners, status: { ...counts, currentHealthy: 1 } });
    const uncountable = aBudget('web', {
      spec: byOwners,
      status: { ...counts, currentHealthy: 0, conditions: [failed] },
    });

    for (const budget of [ownerless, uncountable]) {
      const { obstacles } = await ahead(threePlusOne({ pods: bare, budgets: [budget] }));
      expect(obstacles.map(({ finding }) => finding.code)).toEqual(['P6']);
    }
  });

  test('block nothing where they have no pods', async () => {
    const budget = aBudget('web', { spec: byOwners, status: { ...counts, currentHealthy: 0 } });

    const { obstacles } = await ahead(threePlusOne({ pods: bare, budgets: [budget] }));

    expect(obstacles).toEqual([]);
  });
});

describe('where the control plane is a single node', () => {
  const single = { annotations: { controlPlaneTopology: 'SingleReplica' } };
  const guarded = {
    pods: [
      aPod('web-a', { node: 'worker-1' }),
      aPod('bare', { node: 'worker-1', owner: null, app: 'bare' }),
      aPod('web-b', { node: 'worker-2' }),
    ],
    budgets: [aBudget('web')],
  };

  test('[S1-8] [N-13] no node is drained, workers neither: no budget blocks, and nothing is lost', async () => {
    const world = aWorld({ ...guarded, nodes: [aLiveNode('worker-1', single)] });

    const { obstacles, losses, undrained, calls } = await ahead(world);
    const text = preflightText({ pool: 'worker', touched: 1, preflight: await ahead(world) });

    expect({ obstacles, losses, undrained }).toEqual({ obstacles: [], losses: [], undrained: ['worker-1'] });
    expect(text).toContain('worker-1: rebooted with all its pods, without a drain');
    expect(calls).toBeLessThan(6);
  });

  test('[S1-8] it still counts that nobody does what a resume asks for', async () => {
    const world = aWorld({ ...guarded, nodes: [aLiveNode('worker-1', single)] });

    const { obstacles } = await ahead({ ...world, pods: [...world.pods, aController(false)] });

    expect(obstacles.map(({ finding }) => finding.code)).toEqual(['S13']);
  });

  test.each(['HighlyAvailable', 'HighlyAvailableArbiter', 'DualReplica', 'External'])(
    '[S1-8] [decoy] with topology %s budgets block',
    async (controlPlaneTopology) => {
      const world = aWorld({ ...guarded, nodes: [aLiveNode('worker-1', { annotations: { controlPlaneTopology } })] });

      expect((await ahead(world)).obstacles.map(({ finding }) => finding.code)).toEqual(['P1']);
    },
  );
});

describe('one budget over several workloads of a node', () => {
  const selector = { matchLabels: { tier: 'shop' } };
  const pinned = { app: 'db', spec: { nodeSelector: { disk: 'ssd' } } };

  function aPodOf(name: string, change: Parameters<typeof aPod>[1] = {}) {
    return aPod(name, { node: 'worker-1', labels: { tier: 'shop' }, ...change });
  }

  /** Two of the four pods may be away; only worker-1 has an SSD. */
  function aTier(pods: readonly Json[]): World {
    const status = { expectedPods: 4, desiredHealthy: 2, currentHealthy: 4, disruptionsAllowed: 2 };
    return aWorld({
      nodes: [aLiveNode('worker-1', { labels: { disk: 'ssd' } }), aLiveNode('worker-2')],
      pods,
      budgets: [aBudget('shop', { spec: { selector }, status })],
    });
  }

  test('[S1-7] [N-29] blocks nothing where all but what it spares run elsewhere, too', async () => {
    const world = aTier([aPodOf('a', pinned), aPodOf('b'), aPodOf('c'), aPodOf('d')]);

    expect((await ahead(world, ['worker-1'])).obstacles).toEqual([]);
  });

  test('[S1-7] [N-29] blocks where more than it spares run nowhere else, whichever comes first', async () => {
    const world = aTier([aPodOf('a'), aPodOf('b', pinned), aPodOf('c', pinned), aPodOf('d', pinned)]);

    const { obstacles } = await ahead(world, ['worker-1']);

    expect(obstacles.map(({ finding }) => finding)).toMatchObject([{ code: 'self-deadlock', confidence: 'strong' }]);
    expect(obstacles[0]?.finding.sentence).toContain('no other node takes 3 of them (they ask for disk=ssd)');
    expect(obstacles[0]?.finding.remedies.at(-1)?.command).toContain('"minAvailable":0');
  });

  test('[S1-7] [N-30] says that it is not known of pods that ask for thousands of things', async () => {
    const tolerations = Array.from({ length: 3_000 }, (_, nth) => ({ key: `k${nth}`, operator: 'Exists' }));
    const form = { spec: { ...pinned.spec, tolerations } };
    const world = aTier([aPodOf('a', form), aPodOf('b', form), aPodOf('c', form), aPodOf('d', form)]);

    const { obstacles } = await ahead(world, ['worker-1']);

    expect(obstacles.map(({ finding }) => finding)).toMatchObject([{ code: 'P3', class: 'unknown' }]);
    expect(obstacles[0]?.finding.sentence).toMatch(/Not read: where \S+ may run could not be read \(it asks for more/);
  });

  test('[S1-7] [N-29] probably blocks where those that run nowhere else may take all that it spares', async () => {
    const world = aTier([aPodOf('a', pinned), aPodOf('b', pinned), aPodOf('c'), aPodOf('d')]);

    const { obstacles } = await ahead(world, ['worker-1']);

    expect(obstacles.map(({ finding }) => finding)).toMatchObject([{ code: 'self-deadlock', confidence: 'likely' }]);
  });
});

describe('virtual machines', () => {
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'db', controller: true };
  const guard = aBudget('kubevirt-disruption-budget-1', {
    spec: { minAvailable: 1 },
    status: { expectedPods: 1, desiredHealthy: 1, currentHealthy: 1 },
    metadata: { ownerReferences: [owner] },
  });

  function aMachineThatMoves(status: string, change: Partial<World> = {}): World {
    const conditions = [{ type: 'LiveMigratable', status, reason: '', message: 'PVC db-disk is not shared' }];
    return aWorld({
      nodes: [aLiveNode('worker-1'), aLiveNode('worker-2')],
      pods: [aPod('virt-launcher-db-x', { node: 'worker-1', owner, labels: { 'vm.kubevirt.io/name': 'db' } })],
      budgets: [guard],
      others: {
        '/apis/kubevirt.io/v1/namespaces/shop/virtualmachineinstances': [
          { metadata: { name: 'db', namespace: 'shop' }, status: { conditions } },
        ],
      },
      ...change,
    });
  }

  const found = async (world: World) => (await ahead(world, ['worker-1'])).obstacles.map(({ finding }) => finding.code);

  test('[S1-7] [N-29] block nothing where they can be migrated: their eviction begins it', async () => {
    expect(await found(aMachineThatMoves('True'))).toEqual([]);
  });

  test('[S1-7] [N-29] block where no other node takes them, though they can be migrated', async () => {
    const nodes = [aLiveNode('worker-1', { labels: { disk: 'ssd' } }), aLiveNode('worker-2')];
    const form = { node: 'worker-1', owner, labels: { 'vm.kubevirt.io/name': 'db' } };
    const pods = [aPod('virt-launcher-db-x', { ...form, spec: { nodeSelector: { disk: 'ssd' } } })];

    expect(await found(aMachineThatMoves('True', { nodes, pods }))).toEqual(['P8']);
  });

  test('[S1-7] [decoy] block where they cannot be, where nobody can tell, or where another budget covers them, too', async () => {
    const other = aBudget('web', { spec: { minAvailable: 0 }, status: { expectedPods: 1, disruptionsAllowed: 1 } });
    const [pod] = aMachineThatMoves('True').pods;

    expect(await found(aMachineThatMoves('False'))).toEqual(['P8']);
    expect(await found(aMachineThatMoves('True', { others: {} }))).toEqual(['P2']);
    expect(await found(aMachineThatMoves('True', { budgets: [guard, other] }))).toEqual(['P5']);
    expect(
      await found(aMachineThatMoves('True', { budgets: [aBudget('own')], pods: pod === undefined ? [] : [pod] })),
    ).toEqual(['P1']);
  });
});

describe('before a resume', () => {
  test('[S1-7] [N-13] one worker beside three unschedulable masters and a budget that needs a second node is found', async () => {
    const { obstacles } = await ahead(threePlusOne());

    expect(obstacles).toHaveLength(1);
    expect(obstacles[0]).toMatchObject({
      nodes: ['worker-1'],
      finding: { code: 'self-deadlock', class: 'structural', confidence: 'strong' },
    });
    expect(obstacles[0]?.finding.sentence).toBe(
      'The drain of worker-1 will stop half way: it runs 2 pods of PDB shop/web, which spares 1, and no other node takes them; 3 other nodes refuse it by the taint node-role.kubernetes.io/master, so the replacements wait for worker-1 while its drain waits for them.',
    );
    expect(obstacles[0]?.finding.remedies.map(({ title }) => title)).toEqual([
      'Add a second node on which they may run, before the rollout',
      'Let the control plane take workloads for this window; other pods may land there too, and stay until they restart',
      'Relax the budget for this window, then put it back',
    ]);
  });

  test('[S1-8] [N-30] a pod that only says that a DaemonSet of another API keeps it is evicted, and its budget asked', async () => {
    const owner = { apiVersion: 'x/v1', kind: 'DaemonSet', name: 'web', controller: true };
    const budgets = [aBudget('web', { spec: { minAvailable: 1 }, status: { expectedPods: 1, currentHealthy: 1 } })];
    const of = (apiVersion: string) =>
      threePlusOne({ budgets, pods: [aPod('web-a', { node: 'worker-1', owner: { ...owner, apiVersion } })] });

    const [theirs, real] = await Promise.all([ahead(of('x/v1')), ahead(of('apps/v1'))]);

    expect(theirs.obstacles).toMatchObject([{ nodes: ['worker-1'], finding: { subject: { name: 'web' } } }]);
    expect(real.obstacles).toEqual([]);
  });

  test('[S1-7] [decoy] with a second worker there is nothing to find', async () => {
    const world = threePlusOne();

    const { obstacles } = await ahead({ ...world, nodes: [...world.nodes, aLiveNode('worker-2')] });

    expect(obstacles).toEqual([]);
  });

  test('[S1-8] [N-13] a budget that never spares a pod is named once, with every node it stops', async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-1'), aLiveNode('worker-2'), aLiveNode('worker-3')],
      pods: [aPod('web-a', { node: 'worker-1' }), aPod('web-b', { node: 'worker-2' })],
      budgets: [aBudget('web')],
    });

    const { obstacles } = await ahead(world);

    expect(obstacles).toHaveLength(1);
    expect(obstacles[0]).toMatchObject({ nodes: ['worker-1', 'worker-2'], finding: { code: 'P1' } });
  });

  test('[S1-8] [N-30] image mode: nodes that boot another image than the pool wants are drained, with the same rendered config', () => {
    const message =
      'Pool is paused; will not update to MachineConfig rendered-worker-aaa / Image registry.example/os@sha256:b';
    const pool = aPool({ conditions: [aCondition({ type: 'Updating', status: 'False', message })] });
    const nodes = ['a', 'b'].map((digest) =>
      aNode({ name: `worker-${digest}`, currentImage: `registry.example/os@sha256:${digest}` }),
    );

    expect(nodesToDrain(pool, nodes).map(({ name }) => name)).toEqual(['worker-a']);
    expect(nodesToDrain({ ...pool, conditions: [] }, nodes)).toEqual([]);
  });

  test('[S1-8] nodes that are not touched are nobody’s obstacle', async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-1'), aLiveNode('worker-2')],
      pods: [aPod('web-a', { node: 'worker-1' }), aPod('web-b', { node: 'worker-2' })],
      budgets: [aBudget('web')],
    });

    const { obstacles } = await ahead(world, ['worker-2']);

    expect(obstacles.map(({ nodes }) => nodes)).toEqual([['worker-2']]);
  });

  test('[S1-8] a replacement that waits for a label no other node has is a dead end now and then', async () => {
    const pinned = { spec: { nodeSelector: { disk: 'ssd' } } };
    const world = aWorld({
      nodes: [aLiveNode('worker-1', { labels: { disk: 'ssd' } }), aLiveNode('worker-2')],
      pods: [
        aPod('web-a', { node: 'worker-1', ...pinned }),
        aPendingPod('web-b', '0/2 nodes are available: 2 node(s) had no room', pinned),
      ],
      budgets: [
        aBudget('web', {
          spec: { minAvailable: 1 },
          status: { expectedPods: 2, desiredHealthy: 1, currentHealthy: 1, disruptionsAllowed: 0 },
        }),
      ],
    });

    const { obstacles } = await ahead(world);

    expect(obstacles[0]?.finding).toMatchObject({ code: 'P3' });
    expect(obstacles[0]?.nodes).toEqual(['worker-1']);
  });

  test('[S1-8] [S1-18] what goes with the node is told: pods nobody makes again, local storage', async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-1')],
      pods: [
        aPod('bare', { node: 'worker-1', owner: null }),
        aPod('cache', { node: 'worker-1', spec: { volumes: [{ name: 'data', emptyDir: {} }] } }),
        aPod('stays', { node: 'worker-1', spec: { volumes: [{ name: 'config', configMap: { name: 'x' } }] } }),
      ],
    });

    const { losses, obstacles } = await ahead(world);

    expect(losses).toEqual([{ node: 'worker-1', unmanaged: ['shop/bare'], localStorage: ['shop/cache'] }]);
    expect(obstacles).toEqual([]);
  });

  test('[N-13] costs two calls for the MCO, one for all budgets, one a budget in doubt, one for what a dead end could grow by, one for what all nodes run and two more a node with a config daemon, never a list of all pods', async () => {
    const budgets: readonly Json[] = Array.from({ length: 200 }, (_, index) =>
      aBudget(`operator-${index}`, { namespace: 'openshift-x', status: { disruptionsAllowed: 1 } }),
    );

    const { calls } = await ahead(threePlusOne({ budgets: [...budgets, ...threePlusOne().budgets] }));

    expect(calls).toBe(9);
  });

  test('[N-13] budgets that cannot be read make no promise', async () => {
    const world = threePlusOne({ refused: [{ path: /poddisruptionbudgets/, why: 'forbidden' }] });

    const { obstacles, unread } = await ahead(world);

    expect(obstacles).toEqual([]);
    expect(unread).toMatchObject([{ what: 'the PodDisruptionBudgets', why: 'forbidden' }]);
  });

  const fine = (count: number): readonly Json[] =>
    Array.from({ length: count }, (_, index) =>
      aBudget(`fine-${index}`, { namespace: 'openshift-x', status: { disruptionsAllowed: 1 } }),
    );

  test('[S1-8] [N-13] a budget on a later page is found, and more than ten pages make no promise', async () => {
    const { unread, obstacles } = await ahead(threePlusOne({ budgets: [...fine(1_200), ...threePlusOne().budgets] }));
    const beyond = await ahead(threePlusOne({ budgets: fine(5_001) }));

    expect(unread).toEqual([]);
    expect(obstacles).toEqual((await ahead(threePlusOne())).obstacles);
    expect(obstacles).not.toEqual([]);
    expect(beyond.unread).toMatchObject([{ what: 'every PodDisruptionBudget', why: 'there are more than 5000' }]);
  });

  test('[S1-8] [N-30] budgets that somebody has made too large for a page are read in smaller ones', async () => {
    const pageOf = (items: number) => ({ path: /poddisruptionbudgets/, items });
    const budgets = [...fine(120), ...threePlusOne().budgets];

    const { unread, obstacles } = await ahead(threePlusOne({ budgets, tooLarge: pageOf(40) }));
    const none = await ahead(threePlusOne({ budgets, tooLarge: pageOf(0) }));

    expect(unread).toEqual([]);
    expect(obstacles).toEqual((await ahead(threePlusOne())).obstacles);
    expect(none.unread).toMatchObject([{ what: 'the PodDisruptionBudgets' }]);
  });

  test('[S1-8] [N-30] forty large budgets of a tenant leave room for the hundreds of others', async () => {
    const large = Array.from({ length: 40 }, (_, index) =>
      aBudget(`large-${index}`, { namespace: 'team-a', status: { disruptionsAllowed: 1 } }),
    );
    const budgets = [...large, ...fine(1_200), ...threePlusOne().budgets];
    const tooLarge = { path: /poddisruptionbudgets/, items: 10, namespace: 'team-a' };

    const { unread, obstacles } = await ahead(threePlusOne({ budgets, tooLarge }));

    expect(unread).toEqual([]);
    expect(obstacles.length).toBeGreaterThan(0);
  });
});

describe('[S3-15] the parts of the MCO before a resume', () => {
  const daemons = '/apis/apps/v1/namespaces/openshift-machine-config-operator/daemonsets';

  function aPart(app: string, change: { readonly ready?: boolean; readonly node?: string } = {}): Json {
    return aPod(`${app}-x`, {
      namespace: 'openshift-machine-config-operator',
      labels: { 'k8s-app': app },
      owner: null,
      ...change,
    });
  }

  function daemonSet(desired: number, ready: number): World['others'] {
    const status = { desiredNumberScheduled: desired, numberReady: ready };
    return { [daemons]: [{ metadata: { name: 'machine-config-daemon' }, status }] };
  }

  test('well, they are no obstacle', async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-1')],
      pods: [aPart('machine-config-controller'), aPart('machine-config-server')],
      others: daemonSet(4, 4),
    });

    expect((await ahead(world)).obstacles).toEqual([]);
  });

  test('a controller that is not ready stops the rollout of the whole pool, with what stands still and what to look at', async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-1')],
      pods: [aPart('machine-config-controller', { ready: false, node: 'master-1' }), aPart('machine-config-server')],
      others: daemonSet(4, 4),
    });

    const { obstacles } = await ahead(world);

    expect(obstacles).toHaveLength(1);
    expect(obstacles[0]).toMatchObject({ nodes: [], finding: { code: 'S13', confidence: 'certain' } });
    expect(obstacles[0]?.finding.sentence).toContain(
      'The machine-config-controller does not run: 1 pod on master-1, none ready; meanwhile nothing is rendered',
    );
    expect(obstacles[0]?.finding.remedies[0]?.command).toContain('-l k8s-app=machine-config-controller');
  });

  test('a daemon that a touched node lacks stops that node; a server that is not ready stops none and is named', async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-1'), aLiveNode('worker-2'), aLiveNode('worker-3')],
      pods: [
        aPart('machine-config-controller'),
        aPart('machine-config-server', { ready: false }),
        aPart('machine-config-daemon', { node: 'worker-1' }),
      ],
      others: daemonSet(4, 1),
    });

    const { obstacles, besides } = await ahead(world, ['worker-1', 'worker-2']);

    expect(obstacles.map(({ nodes, finding }) => [finding.code, ...nodes])).toEqual([['S4', 'worker-2']]);
    expect(besides.map(({ code }) => code)).toEqual(['S14']);
  });

  test('[S3-15] [N-13] the daemon of a node that reboots is away with it, and starts with it', async () => {
    const world = aWorld({
      nodes: [aLiveNode('worker-1', { annotations: { 'post-config-action': 'Rebooting' } }), aLiveNode('worker-2')],
      pods: [
        aPart('machine-config-controller'),
        aPart('machine-config-server'),
        aPart('machine-config-daemon', { node: 'worker-1', ready: false }),
        aPart('machine-config-daemon', { node: 'worker-2', ready: false }),
      ],
      others: daemonSet(4, 2),
    });

    const { obstacles } = await ahead(world);

    expect(obstacles.map(({ nodes, finding }) => [finding.code, ...nodes])).toEqual([['S4', 'worker-2']]);
  });

  test('[decoy] where none of them can be seen, as on a hosted control plane, nothing is claimed', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1')] });

    expect(await ahead(world)).toMatchObject({ obstacles: [], unread: [] });
  });
});

describe('nothing hides behind another', () => {
  test('[N-30] a budget with hundreds of expressions is compared with no pod: it counts for all of its namespace', async () => {
    const expressions = [
      ...Array.from({ length: 400 }, (_, index) => ({ key: `k${index}`, operator: 'DoesNotExist' })),
      { key: 'app', operator: 'In', values: ['nobody'] },
    ];
    const huge = aBudget('huge', { namespace: 'tenant', spec: { selector: { matchExpressions: expressions } } });
    const long = aBudget('long', {
      namespace: 'values',
      spec: { selector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: Array(400).fill('web') }] } },
    });
    const world = threePlusOne({
      pods: [
        aPod('web-a', { node: 'worker-1' }),
        aPod('own', { node: 'worker-1', namespace: 'tenant' }),
        aPod('own', { node: 'worker-1', namespace: 'values' }),
      ],
      budgets: [aBudget('web'), huge, long],
    });

    const { obstacles } = await ahead(world);

    expect(obstacles.map(({ finding: { subject } }) => `${subject.namespace}/${subject.name}`).toSorted()).toEqual([
      'shop/web',
      'tenant/huge',
      'values/long',
    ]);
  });

  const two = [aLiveNode('worker-1'), aLiveNode('worker-2')];
  const sparing = { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 };

  test('[S1-8] [N-13] a pod that no budget keeps stands before one that it keeps', async () => {
    const starting = aPod('web-a', { node: 'worker-1', ready: false, phase: 'Pending' });
    const broken = aPod('web-a', { node: 'worker-1', ready: false });
    const mayGo = aBudget('web', { spec: { minAvailable: 2, unhealthyPodEvictionPolicy: 'AlwaysAllow' } });
    const kept = aPod('web-b', { node: 'worker-1' });

    for (const [first, budget] of [[starting, aBudget('web')] as const, [broken, mayGo] as const]) {
      const { obstacles } = await ahead(aWorld({ nodes: two, pods: [first, kept], budgets: [budget] }));
      expect(obstacles).toMatchObject([{ nodes: ['worker-1'], finding: { code: 'P1' } }]);
    }
  });

  test('[S1-8] [N-13] a pod of two budgets is found though both would spare it, once for all its nodes', async () => {
    const pods = [aPod('web-a', { node: 'worker-1' }), aPod('web-b', { node: 'worker-2' })];
    const budgets = [aBudget('web', { status: sparing }), aBudget('all', { status: sparing })];

    const { obstacles } = await ahead(aWorld({ nodes: two, pods, budgets }));

    expect(obstacles).toMatchObject([{ nodes: ['worker-1', 'worker-2'], finding: { code: 'P5' } }]);
  });

  test('[S1-8] [N-13] pods beyond the first page are seen, or said not to be', async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        aPod(`web-${1000 + at}`, { node: at === count - 1 ? 'worker-2' : 'worker-3' }),
      );
    const nodes = [aLiveNode('worker-2')];

    const seen = await ahead(aWorld({ nodes, pods: many(250), budgets: [aBudget('web')] }));
    const beyond = await ahead(aWorld({ nodes, pods: many(501), budgets: [aBudget('web')] }));

    expect(seen.obstacles).toMatchObject([{ nodes: ['worker-2'], finding: { code: 'P1' } }]);
    expect(beyond.unread).toMatchObject([{ what: 'every pod of PodDisruptionBudget shop/web' }]);
  });

  test('[S1-8] [N-13] budgets that spare nothing and are over the bound are said', async () => {
    const budgets = Array.from({ length: 52 }, (_, at) => aBudget(`web-${at}`));

    const { unread } = await ahead(aWorld({ nodes: two, pods: [], budgets }));

    expect(unread).toMatchObject([{ what: 'the pods of 2 further PodDisruptionBudgets that spare none' }]);
  });

  test('[S1-8] [N-13] a pod that should have been gone long ago, not one that is on its way', async () => {
    const ending = (deletionTimestamp: string) =>
      aPod('web-a', { node: 'worker-1', metadata: { deletionTimestamp, finalizers: ['shop/x'] }, containers: [] });

    const stuck = await ahead(aWorld({ nodes: two, pods: [ending('2020-01-01T00:00:00Z')] }));
    const leaving = await ahead(aWorld({ nodes: two, pods: [ending(now)] }));

    expect(stuck.obstacles).toMatchObject([{ nodes: ['worker-1'], finding: { code: 'T2' } }]);
    expect(preflightText({ pool: 'worker', touched: 2, preflight: { ...stuck, skippedNodes: 3 } })).toContain(
      'Not looked at: what is lost, and pods that never end, on 3 further nodes.',
    );
    expect(stuck.skippedNodes).toBe(0);
    expect(leaving.obstacles).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import type { NodeSubject } from '../../../../functions/core/diagnose/subject.ts';
import type { LabelSelector } from '../../../../functions/core/openshift/selector.ts';
import { aPool } from '../../../fakes/builders.ts';
import { codes, drainOf, flat, look, withCode } from './look.ts';
import {
  aBudget,
  aController,
  accepted,
  aDrainingNode,
  aLiveNode,
  aMaster,
  anEvent,
  aPendingPod,
  aPod,
  aReplicaSet,
  aRollingPool,
  aWorld,
  drainFailing,
  type Json,
  minutesAgo,
  newConfig,
  nodeSubject,
  now,
  refused,
  silentFor,
  type World,
} from './world.ts';

/** worker-2 is drained, and the drain says that the eviction of shop/web-a is refused. */
function aBlockedDrain(change: Partial<World> = {}): World {
  return aWorld({
    nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
    machines: [drainFailing('worker-2', refused('web-a'))],
    pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })],
    budgets: [aBudget('web')],
    ...change,
  });
}

/** Of node affinity and of anti-affinity. */
const manyTerms = Array.from({ length: 3_000 }, (_, nth) => ({
  topologyKey: 'kubernetes.io/hostname',
  matchExpressions: [{ key: `k${nth}`, operator: 'Exists' }],
}));

const cordonedAndOtherLabels =
  "0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) didn't match Pod's node affinity/selector. preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.";

describe('a budget that can never spare a pod', () => {
  test('[S1-5] [N-12] is named with pod, numbers, the first blocked time, and a patch that fits and can be taken back', async () => {
    const diagnosis = await drainOf(aBlockedDrain());

    expect(codes(diagnosis)).toEqual(['D1', 'P1']);
    const budget = withCode(diagnosis, 'P1');
    expect(budget.sentence).toBe(
      'PDB shop/web demands all 2 of 2 pods (minAvailable 2), so no pod of Deployment web can ever be evicted.',
    );
    expect(budget).toMatchObject({ class: 'structural', confidence: 'strong' });
    expect(Object.fromEntries(budget.evidence.map(({ path, value }) => [path, value]))).toEqual({
      'status.disruptionsAllowed': '0',
      'status.currentHealthy': '2',
      'status.desiredHealthy': '2',
      'status.expectedPods': '2',
    });
    expect(budget.evidence.every(({ readAt }) => readAt === now)).toBe(true);
    const live = budget.remedies.find(({ title }) => title.startsWith('Relax'));
    expect(live?.command).toBe(`oc -n shop patch pdb web --type merge -p '{"spec":{"minAvailable":1}}'`);
    expect(live?.undo).toBe(`oc -n shop patch pdb web --type merge -p '{"spec":{"minAvailable":2}}'`);
    const top = withCode(diagnosis, 'D1');
    expect(top.evidence.find(({ path }) => path.includes('lastTransitionTime'))?.value).toBe(minutesAgo(12));
    expect(top.evidence.find(({ ref }) => ref.kind === 'Pod')?.ref).toMatchObject({ namespace: 'shop', name: 'web-a' });
  });

  test('is patched where it states its rule: the API server refuses minAvailable beside maxUnavailable', async () => {
    const budget = aBudget('web', { spec: { minAvailable: undefined, maxUnavailable: 0 } });

    const diagnosis = await drainOf(aBlockedDrain({ budgets: [budget] }));

    const live = withCode(diagnosis, 'P1').remedies.find(({ title }) => title.startsWith('Relax'));
    expect(live?.command).toContain('{"spec":{"maxUnavailable":1}}');
    expect(live?.undo).toContain('{"spec":{"maxUnavailable":0}}');
  });

  test('over a single replica says so, and offers a second one', async () => {
    const world = aBlockedDrain({
      pods: [aPod('web-a', { node: 'worker-2' })],
      budgets: [
        aBudget('web', {
          spec: { minAvailable: 1 },
          status: { expectedPods: 1, desiredHealthy: 1, currentHealthy: 1 },
        }),
      ],
      replicaSets: [aReplicaSet(1)],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P2']);
    expect(withCode(diagnosis, 'P2').sentence).toContain('Deployment web runs one pod');
    const scale = withCode(diagnosis, 'P2').remedies.find(({ title }) => title.includes('replica more'));
    expect(scale?.command).toBe(`oc -n shop patch deployment web --type merge -p '{"spec":{"replicas":2}}'`);
    expect(scale?.undo).toBe(`oc -n shop patch deployment web --type merge -p '{"spec":{"replicas":1}}'`);
  });

  test.each([
    ['that covers two workloads', [aReplicaSet(2)]],
    ['whose workload cannot be read', []],
  ])('[S1-12] %s scales none of them: the number of its pods is not theirs', async (_, replicaSets) => {
    const world = aBlockedDrain({
      pods: ['web', 'api'].flatMap((app) => [
        aPod(`${app}-a`, { app, labels: { tier: 'front' }, node: 'worker-2' }),
        aPod(`${app}-b`, { app, labels: { tier: 'front' }, node: 'worker-1' }),
      ]),
      budgets: [
        aBudget('front', {
          spec: { minAvailable: 4, selector: { matchLabels: { tier: 'front' } } },
          status: { expectedPods: 4, desiredHealthy: 4, currentHealthy: 4 },
        }),
      ],
      replicaSets,
    });

    const { remedies } = withCode(await drainOf(world), 'P1');

    expect(remedies.filter(({ command }) => command?.includes('replicas'))).toEqual([]);
  });

  test.each([
    ['a whole number', { minAvailable: 1 }, { expectedPods: 1, desiredHealthy: 1, currentHealthy: 1 }, 'P2'],
    ['a percentage', { minAvailable: '50%' }, { expectedPods: 0, desiredHealthy: 0, currentHealthy: 0 }, 'P6'],
  ])('[S1-12] to delete a pod that nothing makes again loses data (%s)', async (_, spec, status, code) => {
    const pods = [aPod('web-a', { node: 'worker-2', owner: null })];

    const diagnosis = await drainOf(aBlockedDrain({ pods, budgets: [aBudget('web', { spec, status })] }));

    const last = withCode(diagnosis, code).remedies.at(-1);
    expect(last).toMatchObject({ command: 'oc -n shop delete pod web-a', risk: 'data-loss' });
    expect(last?.title).toContain('nothing makes it again');
  });

  test('[S1-12] to relax it while pods are broken already is an outage: it says how many are left', async () => {
    const pods = ['a', 'b', 'c'].map((name, index) =>
      aPod(`web-${name}`, { node: `worker-${2 - index}`, ready: name !== 'c' }),
    );
    const budgets = [aBudget('web', { status: { expectedPods: 3, desiredHealthy: 2, currentHealthy: 2 } })];

    const { remedies } = withCode(await drainOf(aBlockedDrain({ pods, budgets })), 'P3');

    expect(remedies.at(-1)).toMatchObject({
      title: 'Relax the budget for this window, then put it back: only 1 of its 3 pods stay healthy meanwhile',
      risk: 'outage',
    });
  });

  test('that Argo CD manages comes with the warning that a live edit is taken back', async () => {
    const owned = aBudget('web', {
      metadata: { annotations: { 'argocd.argoproj.io/tracking-id': 'shop-app:policy/PodDisruptionBudget:shop/web' } },
    });

    const diagnosis = await drainOf(aBlockedDrain({ budgets: [owned] }));

    const live = withCode(diagnosis, 'P1').remedies.find(({ title }) => title.startsWith('Relax'));
    expect(live?.title).toContain('Argo CD application shop-app');
  });
});

describe('a pod that the text names without its namespace', () => {
  const text =
    'error when evicting pod "web-a" (will retry after 5s): Cannot evict pod as it would violate the budget.';

  test('[S1-5] is found among the pods on the node', async () => {
    const machines = [drainFailing('worker-2', text.replace('the budget', "the pod's disruption budget"))];

    const diagnosis = await drainOf(aBlockedDrain({ machines }));

    expect(codes(diagnosis)).toEqual(['D1', 'P1']);
  });

  test('[decoy] is not guessed where two namespaces have one of that name', async () => {
    const machines = [drainFailing('worker-2', text.replace('the budget', "the pod's disruption budget"))];
    const twin = aPod('web-a', { node: 'worker-2', namespace: 'other' });

    const diagnosis = await drainOf(aBlockedDrain({ machines, pods: [aPod('web-a', { node: 'worker-2' }), twin] }));

    expect(codes(diagnosis)).toEqual(['D1']);
  });
});

describe('a replacement without a node', () => {
  const onlySsd = { spec: { nodeSelector: { disk: 'ssd' } } };

  test('[S1-6] [N-12] that fits only the node being drained is a deadlock, shown as a chain from node to cause', async () => {
    const world = aBlockedDrain({
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2', { labels: { disk: 'ssd' } }), aLiveNode('worker-3')],
      pods: [aPod('web-a', { node: 'worker-2' }), aPendingPod('web-b', cordonedAndOtherLabels, onlySsd)],
      budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2, desiredHealthy: 2 } })],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P3', 'self-deadlock']);
    expect(withCode(diagnosis, 'P3').sentence).toContain('web-b is Pending (1 cordoned, 3 with another label)');
    const deadlock = withCode(diagnosis, 'self-deadlock');
    expect(deadlock.sentence).toBe(
      'web-b can only run on worker-2 (it asks for disk=ssd), and that node is being drained for this very update: neither can proceed.',
    );
    expect(deadlock).toMatchObject({ class: 'structural', confidence: 'strong' });
    expect(deadlock.remedies[0]).toMatchObject({
      command: 'oc label node worker-1 disk=ssd',
      undo: 'oc label node worker-1 disk-',
    });
    expect(diagnosis.calls).toBeLessThanOrEqual(15);
  });

  test.each([
    [5, ['oc label node worker-1 k0=x k1=x k2=x k3=x k4=x']],
    [6, []],
  ])('[N-12] [N-30] that asks for %i labels is given them by a command, up to five', async (count, expected) => {
    const nodeSelector = Object.fromEntries(Array.from({ length: count }, (_, nth) => [`k${nth}`, 'x']));
    const world = aBlockedDrain({
      pods: [
        aPod('web-a', { node: 'worker-2' }),
        aPendingPod('web-b', cordonedAndOtherLabels, { spec: { nodeSelector } }),
      ],
      budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })],
    });

    const { remedies } = withCode(await drainOf(world), 'U2');

    expect(remedies.flatMap(({ command }) => command ?? [])).toEqual(expected);
  });

  describe('[S1-12] whose label its owner chose', () => {
    const key = 'acme.example/zone';
    const asking = (labels: Readonly<Record<string, string>>, others: readonly Json[] = []) =>
      aBlockedDrain({
        nodes: [aLiveNode('worker-1', { labels }), aDrainingNode('worker-2'), ...others],
        pods: [
          aPod('web-a', { node: 'worker-2' }),
          aPendingPod('web-b', cordonedAndOtherLabels, { spec: { nodeSelector: { [key]: 'pci' } } }),
        ],
        budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2, desiredHealthy: 2 } })],
      });
    const labelling = async (world: World, change: Partial<NodeSubject> = {}) => {
      const { findings } = await look(world, { ...nodeSubject(world, 'worker-2', 'draining'), ...change });
      return findings
        .flatMap(flat)
        .flatMap(({ remedies }) => remedies)
        .filter(({ command }) => command?.startsWith('oc label node'));
    };

    test('a node may get it, and it is said whom that lets in', async () => {
      const [remedy] = await labelling(asking({}));

      expect(remedy).toMatchObject({
        title:
          "Give a second node what it asks for, if worker-1 really has it; who sets it lets the pod's owner onto that node",
        command: `oc label node worker-1 ${key}=pci`,
        undo: `oc label node worker-1 ${key}-`,
      });
    });

    test('a node with another value of it does not', async () => {
      const alone = await labelling(asking({ [key]: 'public' }));
      const beside = await labelling(asking({ [key]: 'public' }, [aLiveNode('worker-3')]));

      expect(alone).toEqual([]);
      expect(beside.map(({ command }) => command)).toEqual([`oc label node worker-3 ${key}=pci`]);
    });

    test.each<[string, LabelSelector]>([
      ['with this value', { matchLabels: { [key]: 'pci' } }],
      ['wherever it is', { matchExpressions: [{ key, operator: 'Exists' }] }],
      ['by its absence', { matchExpressions: [{ key, operator: 'DoesNotExist' }] }],
    ])('no node does where a pool selects by it, %s', async (_how, nodeSelector) => {
      const ofAnother = await labelling(asking({}), { pools: [aRollingPool(), aPool({ name: 'pci', nodeSelector })] });
      const ofItsOwn = await labelling(asking({}), { pool: aRollingPool({ nodeSelector }) });

      expect([...ofAnother, ...ofItsOwn]).toEqual([]);
    });
  });

  test('[S1-6] on three control-plane nodes and one worker names the taint and the way out', async () => {
    const world = aBlockedDrain({
      nodes: [aMaster('master-0'), aMaster('master-1'), aMaster('master-2'), aDrainingNode('worker-2')],
      pods: [
        aPod('web-a', { node: 'worker-2' }),
        aPendingPod(
          'web-b',
          '0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }.',
        ),
      ],
      budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })],
    });

    const diagnosis = await drainOf(world);

    const deadlock = withCode(diagnosis, 'self-deadlock');
    expect(deadlock.sentence).toContain('3 other nodes refuse it by the taint node-role.kubernetes.io/master');
    expect(deadlock.remedies.some(({ command }) => command?.includes('"mastersSchedulable":true'))).toBe(true);
  });

  test('[decoy] a cordoned node that would not fit anyway is not blamed', async () => {
    const world = aBlockedDrain({
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
      pods: [aPod('web-a', { node: 'worker-2' }), aPendingPod('web-b', cordonedAndOtherLabels, onlySsd)],
      budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P3', 'U2']);
    expect(withCode(diagnosis, 'U2').sentence).toBe('web-b can run nowhere: no node has disk=ssd.');
  });

  test('that fits a node cordoned by hand asks for that one', async () => {
    const world = aBlockedDrain({
      nodes: [aLiveNode('worker-1', { labels: { disk: 'ssd' }, unschedulable: true }), aDrainingNode('worker-2')],
      pods: [aPod('web-a', { node: 'worker-2' }), aPendingPod('web-b', cordonedAndOtherLabels, onlySsd)],
      budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })],
    });

    const diagnosis = await drainOf(world);

    expect(withCode(diagnosis, 'U1')).toMatchObject({ class: 'external' });
    expect(withCode(diagnosis, 'U1').remedies[0]).toMatchObject({
      command: 'oc adm uncordon worker-1',
      undo: 'oc adm cordon worker-1',
    });
  });

  describe('that fits a node whose kubelet is silent, as the node lifecycle controller taints it', () => {
    const unreachable = (others: string) =>
      `0/3 nodes are available: 1 node(s) had untolerated taint {node.kubernetes.io/unreachable: }, ${others}.`;
    const silent = (minutes: number) => ({
      status: 'Unknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: minutesAgo(minutes),
    });
    const rebooting = (minutes: number, change: Parameters<typeof aLiveNode>[1] = {}) =>
      aDrainingNode('worker-1', {
        annotations: { lastAppliedDrain: 'drain-rendered-worker-bbb', 'post-config-action': 'Rebooting' },
        taints: silentFor(minutes),
        ready: silent(minutes),
        ...change,
      });
    const lost = (change: Parameters<typeof aLiveNode>[1] = {}) =>
      aLiveNode('worker-1', { taints: silentFor(60).slice(1), ready: silent(60), ...change });
    const diskSsd = { labels: { disk: 'ssd' } };
    const oneShort = [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })];
    const pending = (nodes: readonly Json[]) =>
      aBlockedDrain({
        nodes,
        pods: [
          aPod('web-a', { node: 'worker-2' }),
          aPendingPod('web-b', unreachable("2 node(s) didn't match Pod's node affinity/selector"), onlySsd),
        ],
        budgets: oneShort,
      });

    test.each([
      [
        'before it is tainted',
        rebooting(0, { ...diskSsd, taints: silentFor(0).slice(0, 1) }),
        aDrainingNode('worker-2'),
      ],
      ['once it is tainted', rebooting(2, diskSsd), aDrainingNode('worker-2')],
      ['beside the drained one', rebooting(2, diskSsd), aDrainingNode('worker-2', diskSsd)],
    ])('[S1-6] [decoy] it only has to wait for one that reboots, %s', async (_when, node, drained) => {
      const diagnosis = await drainOf(pending([node, drained]));

      expect(codes(diagnosis)).toEqual(['D1', 'P3', 'U1']);
      expect(withCode(diagnosis, 'U1')).toMatchObject({ class: 'self-healing' });
      expect(withCode(diagnosis, 'U1').sentence).toContain('waits for worker-1');
      expect(JSON.stringify(withCode(diagnosis, 'U1').remedies)).not.toContain('toleration');
    });

    test('[S1-6] [decoy] it only has to wait, too, where its siblings have all the other nodes', async () => {
      const terms = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } }];
      const apart = {
        spec: { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } } },
      };
      const text = unreachable("1 node(s) were unschedulable, 1 node(s) didn't match pod anti-affinity rules");
      const world = aBlockedDrain({
        nodes: [rebooting(2), aDrainingNode('worker-2'), aLiveNode('worker-3')],
        pods: [
          aPod('web-a', { node: 'worker-2', ...apart }),
          aPod('web-c', { node: 'worker-3', ...apart }),
          aPendingPod('web-b', text, apart),
        ],
        budgets: oneShort,
      });

      const diagnosis = await drainOf(world);

      expect(codes(diagnosis)).toEqual(['D1', 'P3', 'U1']);
      expect(withCode(diagnosis, 'U1').sentence).toContain('waits for worker-1');
    });

    test.each([
      ['is lost', lost(diskSsd), aDrainingNode('worker-2'), 'S2'],
      ['is lost, though the drained one fits, too', lost(diskSsd), aDrainingNode('worker-2', diskSsd), 'S2'],
      ['has not come back from its reboot', rebooting(60, diskSsd), aDrainingNode('worker-2', diskSsd), 'S3'],
    ])('[S1-6] [N-12] one that %s is the cause, and no taint to tolerate', async (_what, node, drained, code) => {
      const diagnosis = await drainOf(pending([node, drained]));

      expect(codes(diagnosis)).toEqual(['D1', 'P3', 'U1', code]);
      expect(withCode(diagnosis, 'U1').sentence).toBe(
        'web-b could run on worker-1, but that node is not well (node.kubernetes.io/unreachable).',
      );
      expect(withCode(diagnosis, code).remedies[0]?.title).toContain('Look at the machine itself');
    });
  });

  test.each<[string, Json]>([
    ['terms of neighbours', { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: manyTerms } }],
    ['terms', { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: manyTerms } } }],
  ])('[N-12] [N-30] that asks for thousands of %s is compared with no node, which is said', async (_what, affinity) => {
    const world = aBlockedDrain({
      pods: [aPod('web-a', { node: 'worker-2' }), aPendingPod('web-b', cordonedAndOtherLabels, { spec: { affinity } })],
      budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })],
    });

    const diagnosis = await drainOf(world);

    const [, , why] = diagnosis.findings.flatMap(flat);
    expect(why?.sentence).toMatch(
      /^web-b has no node: .* Not read: where web-b may run could not be read \(it asks for/,
    );
    expect(why).toMatchObject({ confidence: 'strong' });
    expect(JSON.stringify(diagnosis).length).toBeLessThan(10_000);
  });

  test('that must keep apart from its siblings finds every other node taken', async () => {
    const apart = {
      spec: {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
            ],
          },
        },
      },
    };
    const world = aBlockedDrain({
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2')],
      pods: [
        aPod('web-a', { node: 'worker-2' }),
        aPod('web-c', { node: 'worker-1' }),
        aPendingPod(
          'web-b',
          "0/2 nodes are available: 1 node(s) were unschedulable, 1 node(s) didn't match pod anti-affinity rules.",
          apart,
        ),
      ],
      budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })],
    });

    const diagnosis = await drainOf(world);

    // Uncordoning worker-2 would not help: web-a stands there until web-b runs.
    expect(codes(diagnosis)).toEqual(['D1', 'P3', 'U5']);
    expect(withCode(diagnosis, 'U5').sentence).toContain('each of the 2 nodes that fit already runs a pod');
  });

  test('for which there is no room is said with the counts of the scheduler, and what the autoscaler does', async () => {
    const message = '0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu.';
    const events = [
      anEvent({ kind: 'Pod', name: 'web-b' }, 'TriggeredScaleUp', 'pod triggered scale-up', {
        namespace: 'shop',
        type: 'Normal',
      }),
    ];
    const world = aBlockedDrain({
      pods: [aPod('web-a', { node: 'worker-2' }), aPendingPod('web-b', message)],
      budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })],
    });

    const without = await drainOf(world);
    const coming = await drainOf({ ...world, events });

    expect(codes(without)).toEqual(['D1', 'P3', 'U4']);
    expect(withCode(without, 'U4').sentence).toBe(
      'There is no room for web-b: of 3 nodes 1 cordoned, 2 insufficient cpu.',
    );
    expect(withCode(without, 'U4')).toMatchObject({ confidence: 'certain', class: 'external' });
    expect(withCode(coming, 'U4')).toMatchObject({ class: 'self-healing' });
  });

  test('among more nodes than a page holds is never called a deadlock', async () => {
    const many = Array.from({ length: 80 }, (_, index) => aLiveNode(`other-${index}`, { unschedulable: true }));
    const world = aBlockedDrain({
      nodes: [...many, aDrainingNode('worker-2')],
      pods: [
        aPod('web-a', { node: 'worker-2' }),
        aPendingPod('web-b', '0/81 nodes are available: 81 node(s) were unschedulable.'),
      ],
      budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P3', 'U1']);
    expect(withCode(diagnosis, 'U1').sentence).toContain('of 81 nodes 81 cordoned');
  });
});

describe('a sibling that is not healthy', () => {
  const short = { status: { expectedPods: 3, currentHealthy: 2, desiredHealthy: 2 } };
  const crashing = {
    ready: false,
    containers: [
      {
        name: 'main',
        ready: false,
        restartCount: 14,
        state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
        lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
      },
    ],
  };

  test.each<[string, string, Parameters<typeof aPod>[1], string]>([
    ['crashes', 'C1', crashing, 'web-b crashes again and again (OOMKilled with code 137, 14 restarts).'],
    [
      'cannot pull its image',
      'C2',
      {
        ready: false,
        containers: [{ name: 'main', state: { waiting: { reason: 'ImagePullBackOff', message: 'unauthorized' } } }],
      },
      'web-b cannot start, ImagePullBackOff: unauthorized.',
    ],
    [
      'lacks its Secret',
      'C3',
      {
        ready: false,
        containers: [
          {
            name: 'main',
            state: { waiting: { reason: 'CreateContainerConfigError', message: 'secret "db" not found' } },
          },
        ],
      },
      'web-b cannot start, CreateContainerConfigError: secret "db" not found.',
    ],
    [
      'has just begun',
      'C5',
      { ready: false, startTime: minutesAgo(1) },
      'web-b was started 1 min ago and is not ready yet.',
    ],
    [
      'fails its probe',
      'C4',
      { ready: false },
      'web-b runs but has not been ready for 14 min: Readiness probe failed: HTTP 503.',
    ],
  ])('because it %s is the cause', async (_what, code, change, sentence) => {
    const world = aBlockedDrain({
      pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1', ...change })],
      budgets: [aBudget('web', short)],
      events: [
        anEvent({ kind: 'Pod', name: 'web-b' }, 'Unhealthy', 'Readiness probe failed: HTTP 503', { namespace: 'shop' }),
      ],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P3', code]);
    expect(withCode(diagnosis, code).sentence).toBe(sentence);
  });

  test('[S1-5] [N-29] is found among hundreds, and what was not looked at is not said to be missing', async () => {
    const crowd = (count: number) =>
      Array.from({ length: count }, (_, index) => aPod(`web-b${`${index}`.padStart(3, '0')}`, { node: 'worker-1' }));
    const counts = { expectedPods: 999, currentHealthy: 900, desiredHealthy: 900 };
    const among = (count: number) =>
      drainOf(
        aBlockedDrain({
          pods: [
            aPod('web-a', { node: 'worker-2' }),
            ...crowd(count),
            aPod('web-z', { node: 'worker-1', ...crashing }),
          ],
          budgets: [aBudget('web', { spec: { minAvailable: undefined, maxUnavailable: '10%' }, status: counts })],
          replicaSets: [aReplicaSet(999)],
        }),
      );

    expect(codes(await among(120))).toEqual(['D1', 'P3', 'C1']);
    expect(withCode(await among(900), 'P3').sentence).toBe(
      'PDB shop/web needs 900 healthy pods of 999 and has 900. Not read: every pod of PodDisruptionBudget shop/web could not be read (there are more than 399).',
    );
  });

  describe('because it has not started', () => {
    const creating = [{ name: 'main', ready: false, state: { waiting: { reason: 'ContainerCreating' } } }];
    const attached =
      'Multi-Attach error for volume "pvc-1": Volume is already exclusively attached to one node and can\'t be attached to another';

    function aDrainBeside(change: Parameters<typeof aPod>[1], events: readonly Json[] = []) {
      return aBlockedDrain({
        pods: [
          aPod('web-a', { node: 'worker-2' }),
          aPod('web-b', { node: 'worker-1', ready: false, phase: 'Pending', startTime: minutesAgo(12), ...change }),
        ],
        budgets: [aBudget('web', short)],
        events,
      });
    }

    test('[S1-5] [N-12] its volume is the cause, and no probe: none has asked it anything yet', async () => {
      const world = aDrainBeside({ containers: creating }, [
        anEvent({ kind: 'Pod', name: 'web-b' }, 'FailedAttachVolume', attached, { namespace: 'shop' }),
        anEvent({ kind: 'Pod', name: 'web-b' }, 'FailedScheduling', 'old', { namespace: 'shop', at: minutesAgo(1) }),
      ]);

      const found = withCode(await drainOf(world), 'C3');

      expect(found.sentence).toMatch(
        /^web-b has not started for 12 min, its containers are not created: Multi-Attach error for volume "pvc-1"/,
      );
      expect(found).toMatchObject({ confidence: 'strong', class: 'external' });
      expect(found.remedies.map(({ command }) => command)).toEqual(['oc -n shop describe pod web-b']);
    });

    test('[S1-5] [N-12] an init container that has not ended is the cause', async () => {
      const world = aDrainBeside({
        containers: [{ name: 'main', ready: false, state: { waiting: { reason: 'PodInitializing' } } }],
        initContainers: [
          { name: 'proxy', ready: true, state: { running: { startedAt: minutesAgo(12) } } },
          { name: 'migrate', ready: false, state: { running: { startedAt: minutesAgo(11) } } },
        ],
      });

      expect(withCode(await drainOf(world), 'C3').sentence).toBe(
        'web-b has not started for 12 min, its init container migrate has not ended.',
      );
    });

    test('[S1-5] [decoy] what runs beside an init container that goes on is judged by its probe', async () => {
      const world = aDrainBeside({
        phase: 'Running',
        initContainers: [{ name: 'proxy', ready: true, state: { running: { startedAt: minutesAgo(12) } } }],
      });

      expect(codes(await drainOf(world))).toEqual(['D1', 'P3', 'C4']);
    });
  });

  test('because another pool drains it has used the budget up (P4)', async () => {
    const leaving = aPod('web-b', {
      node: 'infra-9',
      metadata: { deletionTimestamp: new Date(Date.parse(now) + 60_000).toISOString(), deletionGracePeriodSeconds: 90 },
    });
    const world = aBlockedDrain({
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aDrainingNode('infra-9', { role: 'infra' })],
      pods: [aPod('web-a', { node: 'worker-2' }), leaving],
      budgets: [aBudget('web', short)],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P4', 'T1']);
    expect(withCode(diagnosis, 'P4').sentence).toContain('used up by the drain of infra-9');
  });

  test('because it was never created is told with the words of its ReplicaSet (C7)', async () => {
    const world = aBlockedDrain({
      pods: [aPod('web-a', { node: 'worker-2' })],
      budgets: [aBudget('web', short)],
      replicaSets: [
        {
          metadata: { name: 'web-5d5f6c7b8', namespace: 'shop' },
          status: {
            conditions: [
              { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota: small' },
            ],
          },
        },
      ],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P3', 'C7']);
    expect(withCode(diagnosis, 'C7').sentence).toContain('exceeded quota: small');
  });

  test('the pod itself being broken is P7, and its cure lets broken pods be evicted', async () => {
    const world = aBlockedDrain({
      pods: [aPod('web-a', { node: 'worker-2', ...crashing }), aPod('web-b', { node: 'worker-1' })],
      budgets: [aBudget('web', { status: { currentHealthy: 1, desiredHealthy: 2, expectedPods: 2 } })],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P7', 'C1']);
    expect(withCode(diagnosis, 'P7').remedies[0]).toMatchObject({
      command: `oc -n shop patch pdb web --type merge -p '{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}'`,
      undo: `oc -n shop patch pdb web --type merge -p '{"spec":{"unhealthyPodEvictionPolicy":null}}'`,
    });
  });
});

describe('budgets that are in the way in other manners', () => {
  test('two that cover one pod are both named (P5)', async () => {
    const diagnosis = await drainOf(
      aBlockedDrain({ budgets: [aBudget('web'), aBudget('all', { spec: { selector: {} } })] }),
    );

    expect(codes(diagnosis)).toEqual(['D1', 'P5']);
    expect(withCode(diagnosis, 'P5').sentence).toContain('covered by the PDBs all and web');
  });

  test('[N-12] [N-30] thousands that cover a pod of a thousand labels are told in short', async () => {
    const extra = Object.fromEntries(Array.from({ length: 1_000 }, (_, nth) => [`k${nth}`, 'x'.repeat(60)]));
    const pods = [aPod('web-a', { node: 'worker-2', labels: { app: 'web', ...extra } })];
    const budgets = Array.from({ length: 400 }, (_, nth) => aBudget(`web-${nth}`));

    const found = withCode(await drainOf(aBlockedDrain({ pods, budgets })), 'P5');

    expect(found.sentence).toContain('and 395 more');
    expect(JSON.stringify(found.evidence).length).toBeLessThan(4_000);
  });

  test('one that cannot be computed is told in the words of its controller (P6)', async () => {
    const failed = {
      conditions: [
        { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'found no controllers' },
      ],
    };

    const diagnosis = await drainOf(aBlockedDrain({ budgets: [aBudget('web', { status: failed })] }));

    expect(codes(diagnosis)).toEqual(['D1', 'P6']);
    expect(withCode(diagnosis, 'P6').sentence).toContain('found no controllers');
  });

  test('[decoy] one that an operator owns is never edited (P8)', async () => {
    const owned = aBudget('web', {
      metadata: {
        ownerReferences: [{ apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'ceph', controller: true }],
      },
      status: { expectedPods: 3, currentHealthy: 2, desiredHealthy: 2 },
    });
    const world = aBlockedDrain({
      budgets: [owned],
      pods: [aPod('web-a', { node: 'worker-2' }), aPendingPod('web-b', cordonedAndOtherLabels)],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis).slice(0, 2)).toEqual(['D1', 'P8']);
    expect(withCode(diagnosis, 'P8')).toMatchObject({ class: 'external' });
    expect(withCode(diagnosis, 'P8').sentence).toContain('belongs to CephCluster ceph');
    const commands = diagnosis.findings
      .flatMap(flat)
      .flatMap(({ remedies }) => remedies.map(({ command }) => command ?? ''));
    expect(commands.filter((command) => /pdb/.test(command))).toEqual([]);
  });

  test("[decoy] the platform's own are left alone by their namespace", async () => {
    const guard = { namespace: 'openshift-etcd', spec: { selector: { matchLabels: { app: 'guard' } } } };
    const world = aWorld({
      nodes: [aDrainingNode('worker-2')],
      machines: [drainFailing('worker-2', refused('etcd-guard-0', 'openshift-etcd'))],
      pods: [
        aPod('etcd-guard-0', { namespace: 'openshift-etcd', node: 'worker-2', labels: { app: 'guard' }, owner: null }),
      ],
      budgets: [aBudget('etcd-guard-pdb', guard)],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P8']);
    expect(withCode(diagnosis, 'P8').remedies.every(({ command }) => command === undefined)).toBe(true);
  });

  test('[decoy] one that allows a disruption again only needs the next attempt', async () => {
    const allowing = aBudget('web', { status: { disruptionsAllowed: 1, currentHealthy: 3, expectedPods: 3 } });

    const diagnosis = await drainOf(aBlockedDrain({ budgets: [allowing] }));

    expect(codes(diagnosis)).toEqual(['D1', 'P0']);
    expect(withCode(diagnosis, 'P0')).toMatchObject({ class: 'self-healing', confidence: 'likely' });
  });

  test('[decoy] one of another namespace, or without a selector, covers nothing', async () => {
    const elsewhere = [aBudget('web', { namespace: 'other' }), aBudget('none', { spec: { selector: null } })];

    const diagnosis = await drainOf(aBlockedDrain({ budgets: elsewhere }));

    expect(codes(diagnosis)).toEqual(['D0', 'T6']);
  });
});

describe('a pod that was evicted and does not end', () => {
  const lingering = (metadata: Json, node = 'worker-2') =>
    aWorld({
      nodes: [aDrainingNode('worker-2')],
      machines: [drainFailing('worker-2', accepted('db-0', 'data'))],
      pods: [
        aPod('db-0', {
          namespace: 'data',
          node,
          metadata,
          owner: { kind: 'StatefulSet', name: 'db', controller: true },
        }),
      ],
    });

  test('is given its grace (T1)', async () => {
    const metadata = {
      deletionTimestamp: new Date(Date.parse(now) + 240_000).toISOString(),
      deletionGracePeriodSeconds: 600,
    };

    const diagnosis = await drainOf(lingering(metadata));

    expect(codes(diagnosis)).toEqual(['D2', 'T1']);
    expect(withCode(diagnosis, 'T1').sentence).toBe('db-0 is shutting down: it may take 10 min, 4 min are left.');
    expect(withCode(diagnosis, 'T1')).toMatchObject({ class: 'self-healing' });
  });

  test('is held by its finalizer (T2), and taking that away is the last resort', async () => {
    const metadata = {
      deletionTimestamp: minutesAgo(9),
      deletionGracePeriodSeconds: 0,
      finalizers: ['acme.io/backup'],
    };

    const diagnosis = await drainOf(lingering(metadata));

    expect(codes(diagnosis)).toEqual(['D2', 'T2']);
    expect(withCode(diagnosis, 'T2').remedies.at(-1)).toMatchObject({ risk: 'data-loss' });
  });

  test('[S1-12] is not held by its finalizer while it still runs: to take it away would only lose data (T3)', async () => {
    const metadata = {
      deletionTimestamp: minutesAgo(9),
      deletionGracePeriodSeconds: 30,
      finalizers: ['batch.kubernetes.io/job-tracking'],
    };

    const diagnosis = await drainOf(lingering(metadata));

    expect(codes(diagnosis)).toEqual(['D2', 'T3']);
    expect(withCode(diagnosis, 'T3').sentence).toContain('still runs main. Its finalizer');
    expect(withCode(diagnosis, 'T3').remedies.map(({ risk }) => risk)).toEqual(['none']);
  });

  test('runs on past its time (T3)', async () => {
    const diagnosis = await drainOf(lingering({ deletionTimestamp: minutesAgo(9) }));

    expect(codes(diagnosis)).toEqual(['D2', 'T3']);
    expect(withCode(diagnosis, 'T3').sentence).toContain('should have been gone 9 min ago but still runs main');
  });

  test('cannot be confirmed dead while the kubelet is silent (T4)', async () => {
    const silent = aDrainingNode('worker-2', {
      ready: { status: 'Unknown', message: 'Kubelet stopped posting node status.' },
    });

    const diagnosis = await drainOf({ ...lingering({ deletionTimestamp: minutesAgo(9) }), nodes: [silent] });

    expect(codes(diagnosis)).toEqual(['D2', 'T4']);
  });
});

describe('where the blocked pod is learnt from', () => {
  test('[S1-3] the events of the node, where there is no MachineConfigNode', async () => {
    const about = { kind: 'Node', name: 'worker-2' };
    const events = [
      anEvent(about, 'DrainThresholdExceeded', `Drain threshold exceeded: ${refused('web-a')}`),
      anEvent(about, 'OSUpdateStaged', 'something else', { at: minutesAgo(1) }),
    ];

    const diagnosis = await drainOf(aBlockedDrain({ machines: [], events }));

    expect(codes(diagnosis)).toEqual(['D1', 'P1']);
    expect(diagnosis.findings[0]?.evidence[0]?.path).toBe('events[DrainThresholdExceeded].message');
  });

  test('[S1-3] the pods on the node, where nobody names one; then it is only likely', async () => {
    const daemon = aPod('fluentd', {
      node: 'worker-2',
      app: 'log',
      owner: { kind: 'DaemonSet', name: 'fluentd', controller: true },
    });
    const world = aBlockedDrain({ machines: [] });

    const diagnosis = await drainOf({ ...world, pods: [...world.pods, daemon] });

    expect(codes(diagnosis)).toEqual(['D1', 'P1']);
    expect(diagnosis.findings[0]).toMatchObject({ confidence: 'likely' });
    expect(diagnosis.calls).toBeLessThanOrEqual(15);
  });

  test('[S1-3] [N-30] pods that somebody has made too large for one answer do not hide what stays on their node', async () => {
    const large = Array.from({ length: 40 }, (_, index) =>
      aPod(`a-${index}`, { namespace: 'own', node: 'worker-2', app: 'own' }),
    );
    const world = aBlockedDrain({ machines: [], tooLarge: { path: /^\/api\/v1\/pods$/, items: 10 } });

    const diagnosis = await drainOf({ ...world, pods: [...large, ...world.pods] });

    expect(codes(diagnosis)).toEqual(['D1', 'P1']);
    expect(diagnosis.calls).toBeLessThanOrEqual(15);
  });

  test('[decoy] a namespace that was being deleted and is gone since is no cause any more', async () => {
    const error = `error when evicting pods/"web-a" -n "shop": pods "web-a" is forbidden: unable to create new content in namespace shop because it is being terminated`;

    const diagnosis = await drainOf(
      aBlockedDrain({ machines: [drainFailing('worker-2', error)], pods: [], budgets: [] }),
    );

    expect(codes(diagnosis)).toEqual(['D0']);
    expect(withCode(diagnosis, 'D0').sentence).toContain('shop/web-a, which is gone now');
  });

  test('[decoy] a pod that has gone since, or runs elsewhere now, is no cause any more', async () => {
    const moved = await drainOf(aBlockedDrain({ pods: [aPod('web-a', { node: 'worker-1' })] }));
    const gone = await drainOf(aBlockedDrain({ pods: [] }));

    expect(codes(moved)).toEqual(['D0']);
    expect(codes(gone)).toEqual(['D0']);
    expect(withCode(gone, 'D0')).toMatchObject({ class: 'self-healing' });
    expect(withCode(gone, 'D0').sentence).toContain('the next drain attempt may pass');
  });

  test('a webhook that denies evictions is named (D3, T5)', async () => {
    const error =
      'error when evicting pods/"web-a" -n "shop": admission webhook "guard.acme.io" denied the request: not now';

    const diagnosis = await drainOf(aBlockedDrain({ machines: [drainFailing('worker-2', error)] }));

    expect(codes(diagnosis)).toEqual(['D3', 'T5']);
    expect(withCode(diagnosis, 'T5').subject).toMatchObject({ kind: 'Webhook', name: 'guard.acme.io' });
  });

  test('[decoy] a name with the word in it is no webhook: permissions are (D0, T7)', async () => {
    const name = 'cert-manager-webhook-7c9';
    const error = `error when evicting pods/"${name}" -n "shop": pods "${name}" is forbidden: User "system:serviceaccount:x:y" cannot create resource "pods/eviction"`;
    const machines = [drainFailing('worker-2', error)];

    const diagnosis = await drainOf(aBlockedDrain({ machines, pods: [aPod(name, { node: 'worker-2' })] }));

    expect(codes(diagnosis)).toEqual(['D0', 'T7']);
    expect(withCode(diagnosis, 'T7')).toMatchObject({ confidence: 'likely' });
  });

  test('nothing found says what was looked at, and is a guess', async () => {
    const diagnosis = await drainOf(aWorld({ nodes: [aDrainingNode('worker-2')] }));

    const found = withCode(diagnosis, 'D0');
    expect(found).toMatchObject({ class: 'unknown', confidence: 'possible' });
    expect(found.sentence).toBe(
      'worker-2 has been draining for 12 min and nothing was found that stops it. Checked the events of worker-2, the machine-config-controller, the 0 pods it must evict, their disruption budgets.',
    );
  });
});

describe('[S1-4] [N-29] a drain while the machine-config-controller does not run', () => {
  const asking = aLiveNode('worker-2', {
    annotations: { state: 'Working', desiredConfig: newConfig, desiredDrain: `drain-${newConfig}` },
  });
  const event = anEvent({ kind: 'Node', name: 'worker-2' }, 'DrainFailed', `Drain failed: ${refused('web-a')}`);
  const world = (node: Json, change: Partial<World> = {}): World => {
    const { pods, ...rest } = aBlockedDrain({ machines: [], nodes: [aLiveNode('worker-1'), node] });
    return { ...rest, pods: [...pods, aController(false)], ...change };
  };

  test.each<[string, World]>([
    ['that it has not begun', world(asking)],
    ['that it has not begun, whatever an event says of the one before', world(asking, { events: [event] })],
    ['of which nobody says what is in the way', world(aDrainingNode('worker-2'))],
    [
      'whose last attempt failed for a pod that is gone',
      world(aDrainingNode('worker-2'), { events: [event], pods: [aController(false)] }),
    ],
  ])('%s waits for it, and blames no budget', async (_, scene) => {
    const diagnosis = await drainOf(scene);

    expect(codes(diagnosis)).toEqual(['D0', 'S13']);
    expect(withCode(diagnosis, 'D0')).toMatchObject({ confidence: 'strong', class: 'external', remedies: [] });
    expect(withCode(diagnosis, 'D0').sentence).toBe('worker-2 asks for its drain, and nobody drains it.');
  });

  test('[decoy] that it has begun, and that a budget refuses, is told as that', async () => {
    const diagnosis = await drainOf(world(aDrainingNode('worker-2'), { events: [event] }));

    expect(codes(diagnosis)).toEqual(['D1', 'P1']);
  });

  test('that cannot be seen makes what is only inferred weaker, and one that runs changes nothing', async () => {
    const refusedPods = [{ path: /machine-config-operator\/pods$/, why: 'forbidden' }];
    const unseen = await drainOf(world(asking, { refused: refusedPods }));
    const runs = await drainOf(world(asking, { pods: [...aBlockedDrain().pods, aController(true)] }));

    expect(codes(unseen)).toEqual(['D1', 'P1']);
    expect(withCode(unseen, 'D1').confidence).toBe('possible');
    expect(codes(runs)).toEqual(['D1', 'P1']);
    expect(withCode(runs, 'D1').confidence).toBe('likely');
  });
});

describe('reads that fail', () => {
  test('a budget that cannot be read makes the finding weaker and is named', async () => {
    const world = aBlockedDrain({ refused: [{ path: /poddisruptionbudgets/, why: 'forbidden' }] });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1']);
    const found = withCode(diagnosis, 'D1');
    expect(found.sentence).toContain('Not read: the PodDisruptionBudgets of shop could not be read (forbidden)');
    expect(found.confidence).toBe('possible');
    expect(diagnosis.unanswered).toHaveLength(1);
  });

  test('siblings that cannot be read leave the numbers of the budget, and no claim about pods', async () => {
    const world = aBlockedDrain({
      budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })],
      refused: [{ path: /namespaces\/shop\/pods$/, why: 'timeout' }],
    });

    const diagnosis = await drainOf(world);

    expect(codes(diagnosis)).toEqual(['D1', 'P3']);
    expect(withCode(diagnosis, 'P3').sentence).toContain('Not read: the pods of shop');
    expect(withCode(diagnosis, 'P3').confidence).toBe('likely');
  });

  test('when nothing can be read the drain is still reported, as a guess', async () => {
    const diagnosis = await drainOf(aBlockedDrain({ refused: [{ path: /./, why: 'unreachable' }] }));

    expect(codes(diagnosis)).toEqual(['D0']);
    expect(diagnosis.findings[0]?.confidence).toBe('possible');
    expect(diagnosis.unanswered.length).toBe(diagnosis.calls);
  });
});

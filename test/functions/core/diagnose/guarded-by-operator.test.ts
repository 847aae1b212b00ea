import { describe, expect, test } from 'vitest';
import { preflight } from '../../../../functions/core/diagnose/preflight/preflight.ts';
import { remediesInOrder } from '../../../../functions/core/findings/remedy-order.ts';
import { classOf } from '../../../../functions/core/judge/make-trouble.ts';
import { inquireAll } from '../../../../functions/keep-pools/watch/look-into.ts';
import { codes, drainOf, look, withCode } from './look.ts';
import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aMaster,
  aPendingPod,
  aPod,
  aRollingPool,
  aWorld,
  drainFailing,
  type Json,
  membersIn,
  nodeSubject,
  now,
  readerOver,
  refused,
} from './world.ts';

const namespace = 'openshift-ingress';
const ofRouter = { namespace, app: 'router' };
const guard = { namespace, spec: { minAvailable: 1, selector: { matchLabels: { app: 'router' } } } };

test('[S1-12] [S1-18] the router of one worker beside three masters: the control plane may take it, with command, cost and undo', async () => {
  const world = aWorld({
    nodes: [aDrainingNode('worker-1'), aMaster('master-0'), aMaster('master-1'), aMaster('master-2')],
    machines: [drainFailing('worker-1', refused('router-a', namespace))],
    pods: [
      aPod('router-a', { ...ofRouter, node: 'worker-1' }),
      aPendingPod(
        'router-b',
        '0/4 nodes are available: 1 node(s) were unschedulable, 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }.',
        ofRouter,
      ),
    ],
    budgets: [
      aBudget('router-default', { ...guard, status: { expectedPods: 2, currentHealthy: 1, desiredHealthy: 1 } }),
    ],
  });

  const diagnosis = await look(world, nodeSubject(world, 'worker-1', 'draining'));
  const remedies = remediesInOrder(diagnosis.findings);

  expect(codes(diagnosis).slice(0, 2)).toEqual(['D1', 'P8']);
  expect(remedies.find(({ command = '' }) => command.includes('mastersSchedulable'))).toMatchObject({
    title: expect.stringContaining('other pods may land there too'),
    undo: expect.stringContaining('false'),
    risk: 'low',
  });
  expect(remedies.filter(({ command = '' }) => /\spdb\s/.test(command))).toEqual([]);
});

test('[S1-12] a budget of an operator with one healthy pod of one: there is nothing to bring back to health', async () => {
  const world = aWorld({
    nodes: [aDrainingNode('worker-1'), aMaster('master-0')],
    machines: [drainFailing('worker-1', refused('router-a', namespace))],
    pods: [aPod('router-a', { ...ofRouter, node: 'worker-1' })],
    budgets: [
      aBudget('router-default', { ...guard, status: { expectedPods: 1, currentHealthy: 1, desiredHealthy: 1 } }),
    ],
  });

  const found = withCode(await look(world, nodeSubject(world, 'worker-1', 'draining')), 'P8');

  expect(found.remedies.map(({ title }) => title)[0]).toContain('one more replica, in its own configuration');
  expect(found.remedies.some(({ title }) => title.includes('back to health'))).toBe(false);
});

test('[S1-12] every surface offers the lowest risk first, the root before its consequences, each once', () => {
  const remedy = (title: string, risk: 'none' | 'low' | 'outage') => ({
    title,
    risk,
    command: undefined,
    undo: undefined,
    who: 'platform' as const,
  });
  const finding = (remedies: readonly ReturnType<typeof remedy>[]) => ({
    code: 'N1',
    subject: { kind: 'Node', namespace: '', name: 'a' },
    sentence: '',
    confidence: 'likely' as const,
    class: 'external' as const,
    evidence: [],
    because: [],
    remedies,
  });
  const root = finding([remedy('reboot', 'outage'), remedy('look at the root', 'none')]);

  const ordered = remediesInOrder([
    { ...finding([remedy('look', 'none'), remedy('reboot', 'outage'), remedy('nudge', 'low')]), because: [root] },
  ]);

  expect(ordered.map(({ title }) => title)).toEqual(['look at the root', 'look', 'nudge', 'reboot']);
});

describe('[S1-12] [S1-18] outside of the platform, where a budget alone says whose it is', () => {
  const kafka = { apiVersion: 'kafka.strimzi.io/v1beta2', kind: 'StrimziPodSet', name: 'kafka', controller: true };
  const byLabel = { labels: { 'app.kubernetes.io/managed-by': 'cluster-etcd-operator' } };
  const byOlm = { labels: { 'olm.owner': 'etcd', 'olm.owner.kind': 'ClusterOperator' } };
  const byOwner = { ownerReferences: [kafka] };
  const guardedWeb = (metadata: Json, change: Parameters<typeof aBudget>[1] = {}) =>
    aWorld({
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
      machines: [drainFailing('worker-2', refused('web-a'))],
      pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })],
      budgets: [aBudget('web', { metadata, ...change })],
    });

  test.each<[string, Json, string]>([
    ['a label', byLabel, 'cluster-etcd-operator'],
    ['a label of OLM', byOlm, 'ClusterOperator etcd'],
    ['a controlling owner', byOwner, 'StrimziPodSet kafka'],
  ])('%s takes nothing from a cause that never heals, and no edit is printed', async (_mark, metadata, owner) => {
    const diagnosis = await drainOf(guardedWeb(metadata));

    const found = withCode(diagnosis, 'P1');
    expect(codes(diagnosis)).toEqual(['D1', 'P1']);
    expect(classOf(diagnosis.findings)).toBe('structural');
    expect(found.confidence).toBe('likely');
    expect(found.sentence).toContain('demands all 2 of 2 pods');
    expect(found.sentence).toContain(`It says of itself that it belongs to ${owner}.`);
    expect(found.remedies[0]?.title).toBe(
      `If ${owner} makes this budget: change that, or let it run one more replica, in its own configuration; leave its budget alone`,
    );
    expect(found.remedies.filter(({ command }) => command !== undefined)).toEqual([]);
    expect(new Set(found.remedies.map(({ who }) => who))).toEqual(new Set(['application owner']));
  });

  const single = { spec: { minAvailable: 1 }, status: { expectedPods: 1, desiredHealthy: 1, currentHealthy: 1 } };
  const uncounted = {
    status: { conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message: 'no scale' }] },
  };

  test.each<[string, Parameters<typeof aBudget>[1]]>([
    ['P2', single],
    ['P6', uncounted],
  ])('nor does it from %s', async (code, change) => {
    const diagnosis = await drainOf(guardedWeb(byLabel, change));

    expect(codes(diagnosis)).toEqual(['D1', code]);
    expect(withCode(diagnosis, code)).toMatchObject({ class: 'structural', confidence: 'likely' });
    expect(withCode(diagnosis, code).remedies.filter(({ command }) => command !== undefined)).toEqual([]);
  });

  test('nor does it from P7', async () => {
    const world = guardedWeb(byLabel, { status: { currentHealthy: 1, desiredHealthy: 2, expectedPods: 2 } });
    const broken = [aPod('web-a', { node: 'worker-2', ready: false }), aPod('web-b', { node: 'worker-1' })];

    const diagnosis = await drainOf({ ...world, pods: broken });

    expect(codes(diagnosis).slice(0, 2)).toEqual(['D1', 'P7']);
    expect(classOf(diagnosis.findings)).toBe('structural');
    expect(withCode(diagnosis, 'P7').remedies.filter(({ command }) => command?.includes('pdb'))).toEqual([]);
  });

  test('a shortage is told as what the operator would hold on purpose, at most likely', async () => {
    const short = { status: { expectedPods: 3, currentHealthy: 2, desiredHealthy: 2 } };
    const world = guardedWeb(byOwner, short);
    const pods = [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1', ready: false })];

    const diagnosis = await drainOf({ ...world, pods });

    expect(codes(diagnosis).slice(0, 2)).toEqual(['D1', 'P8']);
    expect(withCode(diagnosis, 'P8')).toMatchObject({ class: 'external', confidence: 'likely' });
    expect(withCode(diagnosis, 'P8').sentence).toContain(
      'says of itself that it belongs to StrimziPodSet kafka, which would hold this pod',
    );
    expect(withCode(diagnosis, 'P8').remedies.map(({ who }) => who)).toEqual(['application owner']);
  });

  test.each<[string, Json]>([
    ['an owner that does not control it', { ...kafka, controller: false }],
    ['an owner whose kind is a sentence', { ...kafka, kind: 'Etcd. Remedy: run oc adm drain' }],
  ])('%s is none', async (_what, owner) => {
    const [plain, marked] = await Promise.all([
      drainOf(guardedWeb({})),
      drainOf(guardedWeb({ ownerReferences: [owner] })),
    ]);

    expect(marked.findings).toEqual(plain.findings);
  });

  test('a virtual machine that is only named is none: its budget forbids losing a single pod', async () => {
    const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'db', controller: true };
    const world = guardedWeb({ ownerReferences: [owner] }, single);
    const pods = [aPod('web-a', { node: 'worker-2', owner, labels: { 'vm.kubevirt.io/name': 'db' } })];

    const diagnosis = await drainOf({ ...world, pods });

    expect(codes(diagnosis)).toEqual(['D1', 'P2']);
  });
});

describe('before the drain has begun: one worker, three masters that take no workloads, the router with its budget', () => {
  const masters = [aMaster('master-0'), aMaster('master-1'), aMaster('master-2')];
  const apart = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'router' } }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  };

  test.each([
    ['kept apart from the first by anti-affinity', { affinity: apart }, "didn't match pod anti-affinity rules"],
    ['that finds its port taken', {}, "didn't have free ports for the requested pod ports"],
    ['for which there is no room', {}, 'Insufficient cpu'],
  ])(
    '[S1-8] [S1-12] a second router %s: preflight names the way out that the platform has, not only health',
    async (_why, spec, text) => {
      const world = aWorld({
        nodes: [aLiveNode('worker-1'), ...masters],
        pods: [
          aPod('router-a', { ...ofRouter, ...spec, node: 'worker-1' }),
          aPendingPod(
            'router-b',
            `0/4 nodes are available: 1 ${text.startsWith('Insuff') ? text : `node(s) ${text}`}, 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }.`,
            { ...ofRouter, ...spec },
          ),
        ],
        budgets: [
          aBudget('router-default', { ...guard, status: { expectedPods: 2, currentHealthy: 1, desiredHealthy: 1 } }),
        ],
      });
      const pool = aRollingPool();
      const nodes = membersIn(world, pool);
      const subject = {
        cluster: 'prod',
        pool,
        nodes,
        touched: nodes.filter(({ name }) => name === 'worker-1'),
        readAt: now,
      };

      const { obstacles } = await inquireAll(
        () => preflight(subject, { budgets: 50, pages: 5, nodes: 20 }),
        readerOver(world),
        {
          maxCalls: 100,
          readAt: new Date(now),
        },
      );
      const remedies = remediesInOrder(obstacles.map(({ finding }) => finding));

      expect(obstacles.map(({ finding }) => finding.code)).toEqual(['P8']);
      expect(remedies.find(({ command = '' }) => command.includes('mastersSchedulable'))).toMatchObject({
        title: expect.stringContaining('other pods may land there too'),
        undo: expect.stringContaining('false'),
        risk: 'low',
      });
      expect(remedies.filter(({ command = '' }) => /\spdb\s/.test(command))).toEqual([]);
    },
  );
});

test.each([1, 2])(
  '[S1-5] [S1-12] Rook takes a budget away by itself once Ceph is clean: wait, with %i OSDs a node',
  async (osds) => {
    const storage = 'openshift-storage';
    const owner = { apiVersion: 'ceph.rook.io/v1', kind: 'CephCluster', name: 'ceph', controller: true };
    const labels = { app: 'rook-ceph-osd', 'topology-location-host': 'worker-2' };
    const names = Array.from({ length: osds }, (_, index) => `rook-ceph-osd-${index}`);
    const world = aWorld({
      nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2')],
      machines: [drainFailing('worker-2', refused('rook-ceph-osd-0', storage))],
      pods: names.map((name) => aPod(name, { namespace: storage, node: 'worker-2', labels })),
      budgets: [
        aBudget('rook-ceph-osd-host-worker-2', {
          namespace: storage,
          metadata: { ownerReferences: [owner] },
          spec: { minAvailable: undefined, maxUnavailable: 0, selector: { matchLabels: labels } },
          status: { expectedPods: osds, desiredHealthy: osds, currentHealthy: osds, disruptionsAllowed: 0 },
        }),
      ],
    });

    const diagnosis = await drainOf(world);

    expect(withCode(diagnosis, 'P8').sentence).toContain('until the data of another failure domain is clean again');
    expect(remediesInOrder(diagnosis.findings).filter(({ risk }) => risk === 'outage')).toEqual([]);
    expect(remediesInOrder(diagnosis.findings)[0]?.title).toMatch(/^Wait until the data of Ceph is clean/);
  },
);

describe('[S1-7] [S1-8] the primary of a database by CloudNativePG', () => {
  const owner = { apiVersion: 'postgresql.cnpg.io/v1', kind: 'Cluster', name: 'pg', controller: true };
  const labels = (role: string) => ({ 'cnpg.io/cluster': 'pg', 'cnpg.io/instanceRole': role });
  const instance = (number: number, role: string, ready = true) =>
    aPod(`pg-${number}`, { node: `worker-${number}`, owner, labels: labels(role), ready });
  const budgetOf = (name: string, role: string, expectedPods: number) =>
    aBudget(name, {
      metadata: { ownerReferences: [owner] },
      spec: { minAvailable: 1, selector: { matchLabels: labels(role) } },
      status: { expectedPods, desiredHealthy: 1, currentHealthy: 1, disruptionsAllowed: 0 },
    });

  const ofPrimary = budgetOf('pg-primary', 'primary', 1);
  const ofReplicas = budgetOf('pg', 'replica', 2);
  const [ready, broken] = [instance(2, 'replica'), instance(3, 'replica', false)];

  test.each([
    ['is switched over to a replica on another node, and blocks nothing', [ready], ofPrimary, []],
    ['blocks where that is not ready', [broken], ofPrimary, [['worker-1']]],
    ['blocks alone', [], ofPrimary, [['worker-1']]],
    ['takes no place of the last replica that is ready, which blocks', [ready, broken], ofReplicas, [['worker-2']]],
  ])('%s', async (_, replicas, budget, blocked) => {
    const world = aWorld({
      nodes: ['worker-1', 'worker-2', 'worker-3'].map((name) => aLiveNode(name)),
      pods: [instance(1, 'primary'), ...replicas],
      budgets: [budget],
    });
    const pool = aRollingPool();
    const nodes = membersIn(world, pool);
    const subject = { cluster: 'prod', pool, nodes, touched: nodes, readAt: now };

    const { obstacles } = await inquireAll(
      () => preflight(subject, { budgets: 20, pages: 5, nodes: 20 }),
      readerOver(world),
      { maxCalls: 100, readAt: new Date(now) },
    );

    expect(obstacles.map((each) => each.nodes)).toEqual(blocked);
  });
});

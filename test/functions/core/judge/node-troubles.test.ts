import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { everyFinding } from '../../../../functions/core/findings/chain.ts';
import { remediesInOrder } from '../../../../functions/core/findings/remedy-order.ts';
import type { Judgement } from '../../../../functions/core/judge/judge.ts';
import { wantsNodes } from '../../../../functions/core/judge/wants-nodes.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { aCondition, aPool } from '../../../fakes/builders.ts';
import {
  aBudget,
  aController,
  accepted,
  aDrainingNode,
  aLiveNode,
  aPendingPod,
  aPod,
  aRollingPool,
  aWorld,
  drainFailing,
  minutesAgo,
  newConfig,
  now,
  oldConfig,
  refused,
  type World,
} from '../diagnose/world.ts';
import { fact, kinds, passAfter, passOver, the } from './pass-over.ts';

const rolling = aRollingPool();

/** worker-2 is drained; web-b is not ready, so that the budget of web spares nothing for now. */
function anUnhealthySibling(change: Partial<World> = {}): World {
  return aWorld({
    nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
    machines: [drainFailing('worker-2', refused('web-a'), minutesAgo(2))],
    pods: [
      aPod('web-a', { node: 'worker-2' }),
      aPod('web-b', { node: 'worker-1', ready: false, startTime: minutesAgo(1) }),
    ],
    budgets: [aBudget('web', { status: { expectedPods: 3, currentHealthy: 2 } })],
    ...change,
  });
}

const guarded = anUnhealthySibling({
  pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })],
  budgets: [aBudget('web')],
});

test('a quiet cluster costs no look and has no trouble', async () => {
  const passed = await passAfter(600, { pools: [aPool()] });

  expect(passed).toMatchObject({ calls: 0, subjects: [], troubles: [], unseen: [], firstSeen: {} });
});

describe('a drain that does not finish', () => {
  test.each([
    [1, 0],
    [9, 0],
    [10, 1],
    [59, 1],
  ])('[S1-9] after %i min raises %i trouble, if its cause may heal', async (minutes, count) => {
    const passed = await passAfter(minutes, { world: anUnhealthySibling(), pools: [rolling] });

    expect(passed.troubles).toHaveLength(count);
    expect(passed.troubles.every(({ severity }) => severity === 'warning')).toBe(true);
  });

  test('[S1-9] is told at once when its cause never heals, long before the MCO calls the node degraded', async () => {
    const early = await passAfter(1, { world: guarded, pools: [rolling] });
    const passed = await passAfter(2, { world: guarded, pools: [rolling] });

    expect(early.subjects).toEqual([]);
    expect(kinds(passed)).toEqual(['worker/drain-blocked']);
    expect(the('drain-blocked', passed)).toMatchObject({ class: 'structural', severity: 'warning' });
  });

  test('[S1-9] has its age from the MachineConfigNode, also when nobody was watching', async () => {
    const world = anUnhealthySibling({ machines: [drainFailing('worker-2', refused('web-a'), minutesAgo(41))] });

    const passed = await passAfter(2, { world, pools: [rolling] });

    expect(the('drain-blocked', passed).since).toBe(minutesAgo(41));
  });

  test('[N-29] is no drain that does not finish once it is done, and nobody is to interrupt what comes then', async () => {
    const writtenBy = (manager: string, minutes: number, annotation: string) => ({
      manager,
      operation: 'Update',
      time: minutesAgo(minutes),
      fieldsV1: { 'f:metadata': { 'f:annotations': { [`f:machineconfiguration.openshift.io/${annotation}`]: {} } } },
    });
    const node = aDrainingNode('worker-2', {
      annotations: {
        state: 'Degraded',
        lastAppliedDrain: `drain-${newConfig}`,
        reason: 'failed to drain node: worker-2 after 1 hour. Please see machine-config-controller logs',
      },
      managedFields: [
        writtenBy('machine-config-daemon', 20, 'state'),
        writtenBy('machine-config-controller', 6, 'desiredConfig'),
      ],
    });

    const passed = await passAfter(12, { world: aWorld({ nodes: [node, aLiveNode('worker-1')] }), pools: [rolling] });

    expect(kinds(passed)).toEqual(['worker/drain-blocked']);
    expect(the('drain-blocked', passed)).toMatchObject({
      headline: 'drain of worker-2 took long',
      class: 'self-healing',
    });
  });

  test('[S1-5] [S1-2] says node, budget, pod, from and to, first blocked time, and what still serves', async () => {
    const passed = await passAfter(12, { world: guarded, pools: [rolling] });

    const trouble = the('drain-blocked', passed);
    expect(trouble.headline).toBe('drain of worker-2 blocked by PDB shop/web');
    expect(trouble.facts).toHaveLength(6);
    expect(fact(trouble, 'Node')).toBe('worker-2 (1 of 3, 0 done)');
    expect(fact(trouble, 'Config')).toBe(`${oldConfig} -> ${newConfig}`);
    expect(fact(trouble, 'Stuck for')).toBe(`12 min, since ${minutesAgo(12)}`);
    expect(fact(trouble, 'Old config still serving')).toBe('yes: 3 old, 0 new, 1 unavailable');
    expect(fact(trouble, 'Budget')).toBe('PDB shop/web allows 0; 2 healthy, 2 needed, 2 expected');
    expect(fact(trouble, 'Pod')).toBe('shop/web-a');
  });

  test('[S1-5] [N-29] names what blocks it beside a budget, or counts it, but for what heals by itself', async () => {
    const gone = (name: string, minutes: number, grace: number) =>
      aPod(name, {
        node: 'worker-2',
        namespace: 'bank',
        metadata: { deletionTimestamp: minutesAgo(minutes), deletionGracePeriodSeconds: grace },
      });
    const web = [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })];
    const api = aPod('api-a', { node: 'worker-2', namespace: 'own', app: 'api' });
    const headlineOf = async (change: Partial<World>) => {
      const world = anUnhealthySibling({ machines: [], budgets: [aBudget('web')], ...change });
      return the('drain-blocked', await passAfter(12, { world, pools: [rolling] })).headline;
    };

    expect(await headlineOf({ pods: [...web, gone('db-0', 60, 30)] })).toBe(
      'drain of worker-2 blocked by PDB shop/web, and by pod bank/db-0',
    );
    expect(await headlineOf({ pods: [...web, gone('db-0', -60, 300), api] })).toBe(
      'drain of worker-2 blocked by PDB shop/web',
    );
  });

  test('[S1-4] [S1-5] [N-29] that nobody does says who does not run, not a budget', async () => {
    const annotations = { state: 'Working', desiredConfig: newConfig, desiredDrain: `drain-${newConfig}` };
    const asking = aLiveNode('worker-2', { annotations });
    const world = { ...guarded, machines: [], nodes: [asking], pods: [...guarded.pods, aController(false)] };

    const passed = await passAfter(70, { world, pools: [rolling] });

    expect(kinds(passed)).toEqual(['worker/drain-blocked']);
    expect(the('drain-blocked', passed)).toMatchObject({
      headline: 'drain of worker-2 does not finish: MCO controller does not run',
      class: 'external',
    });
  });

  test('[S1-5] [N-30] image mode: into another image with the same config is a rollout too, from one image to the other', async () => {
    const imageOf = (digit: string) => `registry.example.com/os@sha256:${digit.repeat(64)}`;
    const images = { currentImage: imageOf('1'), desiredImage: imageOf('2') };
    const same = { currentConfig: newConfig, desiredConfig: newConfig, lastAppliedDrain: `uncordon-${newConfig}` };
    const done = {
      ...same,
      desiredDrain: `uncordon-${newConfig}`,
      currentImage: imageOf('2'),
      desiredImage: imageOf('2'),
    };
    const draining = aDrainingNode('worker-2', { annotations: { ...same, ...images } });
    const nodes = [
      aLiveNode('worker-1', { annotations: done }),
      draining,
      aLiveNode('worker-3', { annotations: done }),
    ];
    const pool = aRollingPool({ current: { name: newConfig, sources: [] } });

    const passed = await passAfter(12, { world: { ...guarded, nodes }, pools: [pool] });

    const trouble = the('drain-blocked', passed);
    expect(fact(trouble, 'Node')).toBe('worker-2 (1 of 3, 2 done)');
    expect(fact(trouble, 'Config')).toBe(
      `${newConfig} with image sha256:111111111111 -> ${newConfig} with image sha256:222222222222`,
    );
    expect(fact(trouble, 'Old config still serving')).toBe('yes: 1 old, 2 new, 1 unavailable');
  });

  test('is serious after an hour, or when the daemon has given up (N14); one trouble, not two', async () => {
    const reason = 'failed to drain node: worker-2 after 1 hour. Please see machine-config-controller logs';
    const failing = aDrainingNode('worker-2', { annotations: { state: 'Degraded', reason } });
    const gaveUp = { ...guarded, nodes: [aLiveNode('worker-1'), failing] };

    const old = await passAfter(61, { world: anUnhealthySibling(), pools: [rolling] });
    const given = await passOver({ world: gaveUp, pools: [rolling] });

    expect(the('drain-blocked', old).severity).toBe('high');
    expect(kinds(given)).toEqual(['worker/drain-blocked']);
    expect(the('drain-blocked', given).severity).toBe('high');
    expect(fact(the('drain-blocked', given), 'Stuck for')).toBe(`1 h, since ${minutesAgo(60)}`);
  });

  test('[N-29] [N-30] is not older for the hours in a path that the daemon quotes', async () => {
    const reason = 'content mismatch for file "/etc/failed to drain node: worker-2 after 99 hours"';
    const failing = aDrainingNode('worker-2', { annotations: { state: 'Degraded', reason } });

    const passed = await passOver({
      world: { ...guarded, nodes: [aLiveNode('worker-1'), failing] },
      pools: [rolling],
    });

    expect(fact(the('node-degraded', passed), 'Stuck for')).not.toContain('day');
  });

  test('behind a pod that is only shutting down is a note, not an alarm', async () => {
    const leaving = {
      deletionTimestamp: new Date(Date.parse(now) + 600_000).toISOString(),
      deletionGracePeriodSeconds: 1800,
    };
    const world = anUnhealthySibling({
      machines: [
        drainFailing(
          'worker-2',
          'error when waiting for pod "web-a" in namespace "shop" to terminate: global timeout reached',
          minutesAgo(12),
        ),
      ],
      pods: [aPod('web-a', { node: 'worker-2', metadata: leaving })],
    });

    const passed = await passAfter(12, { world, pools: [rolling] });

    expect(the('drain-blocked', passed)).toMatchObject({ severity: 'info', class: 'self-healing' });
  });

  test('[S1-9] [S1-5] is not, where a budget holds another pod, and names that budget', async () => {
    const leaving = {
      deletionTimestamp: new Date(Date.parse(now) + 80_000_000).toISOString(),
      deletionGracePeriodSeconds: 86_400,
    };
    const slow = ['slow-1', 'slow-2'];
    const errors = [...slow.map((name) => accepted(name)), refused('web-a')];
    const world = {
      ...guarded,
      machines: [drainFailing('worker-2', `[${errors.join(', ')}]`, minutesAgo(12))],
      pods: [...guarded.pods, ...slow.map((name) => aPod(name, { node: 'worker-2', app: 'slow', metadata: leaving }))],
    };

    const passed = await passAfter(12, { world, pools: [rolling] });

    expect(the('drain-blocked', passed)).toMatchObject({
      severity: 'warning',
      class: 'structural',
      headline: 'drain of worker-2 blocked by PDB shop/web',
    });
  });

  test('[S1-9] nor while it is not known of each named pod that it only takes its time', async () => {
    const leaving = { deletionTimestamp: new Date(Date.parse(now) + 80_000_000).toISOString() };
    const names = ['slow-1', 'slow-2', 'slow-3'];
    const world = anUnhealthySibling({
      machines: [drainFailing('worker-2', `[${names.map((name) => accepted(name)).join(', ')}]`, minutesAgo(12))],
      pods: names.map((name) => aPod(name, { node: 'worker-2', app: 'slow', metadata: leaving })),
    });
    const blind = { ...world, refused: [{ path: /^\/api\/v1\/pods$/, why: 'forbidden' }] };

    const seen = await passAfter(12, { world, pools: [rolling] });
    const unseen = await passAfter(12, { world: blind, pools: [rolling] });

    expect(the('drain-blocked', seen)).toMatchObject({ severity: 'info', class: 'self-healing' });
    expect(the('drain-blocked', unseen)).toMatchObject({ severity: 'warning', class: 'unknown' });
  });

  test('[S1-12] offers no label by which another pool selects its nodes', async () => {
    const key = 'acme.example/pool';
    const message = "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.";
    const world = anUnhealthySibling({
      pods: [
        aPod('web-a', { node: 'worker-2' }),
        aPendingPod('web-b', message, { spec: { nodeSelector: { [key]: 'infra' } } }),
      ],
    });
    const infra = aPool({ name: 'infra', nodeSelector: { matchLabels: { [key]: 'infra' } } });
    const labelling = async (pools: readonly Pool[]) => {
      const { findings } = the('drain-blocked', await passAfter(12, { world, pools }));
      return remediesInOrder(findings).filter(({ command }) => command?.startsWith('oc label node'));
    };

    expect(await labelling([rolling])).toHaveLength(1);
    expect(await labelling([rolling, infra])).toEqual([]);
  });

  test('[S1-13] on many nodes is one trouble that names the budget they share; the five longest and the last are looked into', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `worker-${index}`);
    const world = aWorld({
      nodes: names.map((name) => aDrainingNode(name)),
      machines: names.map((name) => drainFailing(name, refused(`web-${name}`))),
      pods: names.map((name) => aPod(`web-${name}`, { node: name })),
      budgets: [aBudget('web', { status: { expectedPods: 8, desiredHealthy: 8, currentHealthy: 8 } })],
    });
    const pool = aRollingPool({ maxUnavailable: '8' });
    const firstSeen = { [`worker|draining|worker-6|${newConfig}`]: minutesAgo(90) };

    const passed = await passAfter(12, { world, pools: [pool], firstSeen });

    expect(passed.subjects).toHaveLength(6);
    const trouble = the('drain-blocked', passed);
    expect(trouble.headline).toBe(
      'drains of worker-6, worker-0 and 4 more blocked by PDB shop/web; cause of 2 more not known',
    );
    expect(passed.calls).toBeLessThanOrEqual(6 * 15);
  });

  test('[N-30] on five nodes for long hides neither the budget behind the next one, nor that more were not looked into', async () => {
    const drains = async (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `worker-${index + 1}`);
      const last = names.at(-1) ?? '';
      const world = aWorld({
        nodes: names.map((name) => aDrainingNode(name)),
        machines: names.map((name) =>
          drainFailing(name, name === last ? refused('web-a') : refused(`own-${name}`, 'tenant')),
        ),
        pods: [
          ...names.map((name) => aPod(`own-${name}`, { namespace: 'tenant', app: 'own', node: name })),
          aPod('web-a', { node: last }),
          aPod('web-b', { node: 'worker-0' }),
        ],
        budgets: [
          aBudget('own', { namespace: 'tenant', spec: { selector: { matchLabels: { app: 'own' } } } }),
          aBudget('web'),
        ],
      });
      const firstSeen = Object.fromEntries(
        names.map((name) => [`worker|draining|${name}|${newConfig}`, minutesAgo(name === last ? 18 : 20)] as const),
      );
      return the('drain-blocked', await passOver({ world, pools: [aRollingPool({ maxUnavailable: '9' })], firstSeen }));
    };

    const six = await drains(6);
    const eight = await drains(8);

    expect(six.headline).toBe('drains of worker-1, worker-2 and 4 more blocked by PDB tenant/own and shop/web');
    expect(eight.headline).toBe(
      'drains of worker-1, worker-2 and 4 more blocked by PDB tenant/own and shop/web; cause of 2 more not known',
    );
    expect(eight.digest).toContain('worker-8:P1:PodDisruptionBudget shop/web');
  });

  test('[N-30] on five nodes for long does not leave it unknown why another one fails', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `worker-${index}`);
    const failing = aLiveNode('worker-9', { annotations: { state: 'Degraded', reason: 'disk full' } });
    const world = aWorld({
      nodes: [...names.map((name) => aDrainingNode(name)), failing],
      machines: names.map((name) => drainFailing(name, refused(`web-${name}`))),
      pods: names.map((name) => aPod(`web-${name}`, { node: name })),
      budgets: [aBudget('web')],
    });
    const firstSeen = Object.fromEntries(
      names.map((name) => [`worker|draining|${name}|${newConfig}`, minutesAgo(90)] as const),
    );

    const pools = [aRollingPool({ maxUnavailable: '8' })];
    const passed = await passAfter(12, { world, pools, firstSeen });
    const without = await passAfter(12, {
      world: { ...world, nodes: world.nodes.filter((node) => node !== failing) },
      pools,
      firstSeen,
    });

    expect(passed.subjects).toEqual([...without.subjects, 'worker/node/worker-9']);
    expect(without.subjects).toHaveLength(6);
    // Nor is it news of the drains, as often as it comes and goes.
    expect(the('drain-blocked', passed).digest).toBe(the('drain-blocked', without).digest);
  });
});

describe('many degraded nodes', () => {
  test('[N-30] have one cause in the headline where they say the same; of others that were not looked into none is told', async () => {
    const headlineOf = async (reasonOf: (nth: number) => string) => {
      const nodes = Array.from({ length: 8 }, (_, nth) =>
        aLiveNode(`worker-${nth}`, { annotations: { state: 'Degraded', reason: reasonOf(nth) } }),
      );
      return the('node-degraded', await passOver({ world: aWorld({ nodes }), pools: [aRollingPool()] })).headline;
    };
    const drift = (file: string) => `content mismatch for file "${file}"`;

    expect(await headlineOf(() => drift('/etc/a'))).toBe(
      'worker-0, worker-1 and 6 more degraded: files on disk differ: content mismatch for file "/etc/a"',
    );
    expect(await headlineOf((nth) => drift(nth === 6 ? '/etc/b' : '/etc/a'))).toBe(
      'worker-0, worker-1 and 5 more degraded: files on disk differ; cause of 1 more not known',
    );
  });
});

describe('a degraded node', () => {
  const reason =
    'unexpected on-disk state validating against rendered-worker-aaa: content mismatch for file "/etc/chrony.conf"';
  const drifted = aLiveNode('worker-2', { annotations: { state: 'Degraded', reason } });
  const message = `Node worker-2 is reporting: "Node worker-2 upgrade failure. ${reason.replaceAll('"', '\\"')}", Node worker-2 is reporting: "${reason.replaceAll('"', '\\"')}"`;
  /** As measured: Updating is True though nothing is rolled out, and Degraded's own reason is empty. */
  const driftedPool = aPool({
    counts: { machines: 3, updated: 2, ready: 2, unavailable: 1, degraded: 1 },
    conditions: [
      aCondition({ type: 'Updated' }),
      aCondition({ type: 'Updating', status: 'True', message: `All nodes are updating to MachineConfig ${oldConfig}` }),
      aCondition({
        type: 'NodeDegraded',
        status: 'True',
        reason: '1 nodes are reporting degraded status on sync',
        message,
        since: minutesAgo(7),
      }),
      aCondition({ type: 'Degraded', status: 'True', message }),
    ],
  });
  const world = aWorld({ nodes: [aLiveNode('worker-1'), drifted, aLiveNode('worker-3')] });

  test('[S1-2] [S1-3] names cluster, pool and node, in the words of its annotation, with one read of the node', async () => {
    const passed = await passOver({ world, pools: [driftedPool] });

    const trouble = the('node-degraded', passed);
    expect(trouble.key).toEqual({ cluster: 'prod', pool: 'worker', kind: 'node-degraded' });
    expect(trouble.headline).toBe(
      'worker-2 degraded: files on disk differ: content mismatch for file "/etc/chrony.conf"',
    );
    expect(trouble.since).toBe(minutesAgo(7));
    expect(trouble.severity).toBe('high');
    expect(passed.calls).toBe(1);
  });

  test('that drifted while idle is no rollout, whatever Updating says', async () => {
    const passed = await passAfter(60, { world, pools: [driftedPool] });

    expect(kinds(passed)).toEqual(['worker/node-degraded']);
    expect(fact(the('node-degraded', passed), 'Config')).toBe(`${oldConfig} (no change rolling out)`);
  });

  test('[N-30] image mode: that waits for another image is not told as without a change', async () => {
    const image = `registry.example.com/os@sha256:${'2'.repeat(64)}`;
    const message = `All nodes are updating to MachineConfig ${driftedPool.target.name} / Image ${image}`;
    const conditions = [...driftedPool.conditions.filter(({ type }) => type !== 'Updating')];
    const updating = aCondition({ type: 'Updating', status: 'True', message });
    const counts = { ...driftedPool.counts, updated: 0 };

    const pools = [{ ...driftedPool, conditions: [...conditions, updating], counts }];
    const passed = await passAfter(60, { world, pools });

    expect(fact(the('node-degraded', passed), 'Config')).toBe(`${oldConfig}; another image pending`);
  });

  test('[S1-2] in a rollout says from which to which configuration', async () => {
    const failing = aLiveNode('worker-2', {
      annotations: {
        state: 'Unreconcilable',
        desiredConfig: newConfig,
        reason: 'ignition disks section contains changes',
      },
    });
    const updating = { ...world, nodes: [aLiveNode('worker-1'), failing] };

    const passed = await passOver({ world: updating, pools: [rolling] });

    const trouble = the('node-degraded', passed);
    expect(fact(trouble, 'Config')).toBe(`${oldConfig} -> ${newConfig}`);
    expect(trouble.class).toBe('structural');
    expect(trouble.headline).toBe(
      'worker-2 degraded: change cannot be applied in place: ignition disks section contains changes',
    );
  });

  test('[S1-2] [N-29] of a paused pool is not what the others wait for, and no fix in Git reaches it meanwhile', async () => {
    const annotations = { state: 'Degraded', desiredConfig: newConfig, reason };
    const failing = aLiveNode('worker-2', { annotations });
    const updating = { ...world, nodes: [aLiveNode('worker-1'), failing, aLiveNode('worker-3')] };
    const factsOf = async (pool: Pool) => {
      const trouble = the('node-degraded', await passOver({ world: updating, pools: [pool] }));
      return trouble.facts.filter(({ label }) => label === 'Waiting' || label === 'Paused');
    };

    expect(await factsOf(rolling)).toEqual([{ label: 'Waiting', value: '2 nodes behind it (maxUnavailable 1)' }]);
    expect(await factsOf({ ...rolling, paused: true })).toEqual([
      {
        label: 'Paused',
        value: 'a config mended in Git reaches the node once the pool is resumed; 2 other nodes wait, too',
      },
    ]);
  });

  test('of a pool that upgrades wait for is critical', async () => {
    const masters = aWorld({
      nodes: [aLiveNode('master-1', { role: 'master', annotations: { state: 'Degraded', reason } })],
    });
    const pool: Pool = {
      ...driftedPool,
      name: 'master',
      nodeSelector: { matchLabels: { 'node-role.kubernetes.io/master': '' } },
    };

    const passed = await passOver({ world: masters, pools: [pool] });

    expect(the('node-degraded', passed).severity).toBe('critical');
  });

  test('is known from the condition of the pool when the nodes cannot be read', async () => {
    const passed = await passOver({
      world,
      pools: [driftedPool],
      nodes: { worker: { kind: 'unreadable', why: 'forbidden' } },
    });

    expect(the('node-degraded', passed).headline).toBe(
      'worker-2 degraded: files on disk differ: content mismatch for file "/etc/chrony.conf"',
    );
  });

  test('is believed from the node, not from the message of Degraded', async () => {
    const silent = { ...driftedPool, conditions: [aCondition({ type: 'Degraded', status: 'True', message: '' })] };

    const passed = await passOver({ world, pools: [silent] });

    expect(kinds(passed)).toEqual(['worker/node-degraded']);
  });
});

describe('nodes that are gone', () => {
  const silent = {
    status: 'Unknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: minutesAgo(18),
  };
  const rebooting = (ready?: typeof silent) =>
    aDrainingNode('worker-2', {
      annotations: { lastAppliedDrain: `drain-${newConfig}`, 'post-config-action': 'Rebooting' },
      ...(ready === undefined ? {} : { ready }),
    });

  test.each([
    [5, []],
    [15, ['worker/node-lost']],
  ])('a reboot of %i min: %j', async (minutes, expected) => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), rebooting(silent)] });

    const passed = await passAfter(minutes, { world, pools: [rolling] });

    expect(kinds(passed)).toEqual(expected);
  });

  test('are told with the words of the kubelet, and since when', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), rebooting(silent)] });

    const trouble = the('node-lost', await passAfter(16, { world, pools: [rolling] }));

    expect(trouble.headline).toBe('worker-2 did not come back from reboot');
    expect(trouble.since).toBe(minutesAgo(18));
    expect(trouble.severity).toBe('high');
  });

  test('outside of a rollout count after five minutes', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-7', { ready: silent })] });
    const pool = aPool({ counts: { machines: 2, updated: 2, ready: 1, unavailable: 1, degraded: 0 } });

    const young = await passAfter(4, { world, pools: [pool] });
    const old = await passAfter(5, { world, pools: [pool] });

    expect(kinds(young)).toEqual([]);
    expect(kinds(old)).toEqual(['worker/node-lost']);
    expect(the('node-lost', old).headline).toBe('worker-7 not ready or unreachable');
  });

  test.each([
    [2, []],
    [6, ['worker/node-lost']],
  ])(
    '[S1-4] [N-29] in a pool that has lacked a cordoned one for days, after %i min by their own time, raise %j',
    async (minutes, raised) => {
      const ready = { ...silent, lastTransitionTime: minutesAgo(minutes) };
      const cordoned = aLiveNode('worker-3', { unschedulable: true });
      const world = aWorld({ nodes: [aLiveNode('worker-1'), cordoned, aLiveNode('worker-7', { ready })] });
      const pool = aPool({ counts: { machines: 3, updated: 3, ready: 1, unavailable: 2, degraded: 0 } });

      const passed = await passAfter(3 * 24 * 60, { world, pools: [pool] });

      expect(kinds(passed)).toEqual(raised);
    },
  );

  test('[S1-4] [N-29] that have just joined raise nothing, however many they are', async () => {
    const ready = { ...silent, lastTransitionTime: minutesAgo(2) };
    const joined = ['worker-4', 'worker-5', 'worker-6', 'worker-7', 'worker-8'].map((name) => {
      const node = aLiveNode(name, { ready });
      return { ...node, metadata: { ...Object(node['metadata']), creationTimestamp: minutesAgo(3) } };
    });
    const world = aWorld({ nodes: [aLiveNode('worker-1'), ...joined] });
    const pool = aPool({ counts: { machines: 6, updated: 1, ready: 1, unavailable: 5, degraded: 0 } });

    const passed = await passAfter(60, { world, pools: [pool] });

    expect(kinds(passed)).toEqual([]);
  });

  test('that hold up a rollout are one trouble, not two', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-7', { ready: silent })] });

    const passed = await passAfter(30, { world, pools: [rolling] });

    expect(kinds(passed)).toEqual(['worker/node-lost']);
  });
});

describe('[S1-4] [N-29] beside a node whose update has failed, which the MCO counts as available', () => {
  const reason = 'error enabling units: Failed to enable unit: Unit file x.service does not exist';
  const annotations = { state: 'Degraded', desiredConfig: newConfig, reason };
  const failed = aLiveNode('worker-2', { annotations });
  const ready = {
    status: 'Unknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: minutesAgo(300),
  };
  const lost = aLiveNode('worker-7', { ready });
  const counts = { machines: 3, updated: 0, ready: 0, unavailable: 1, degraded: 1 };
  const corrected = aRollingPool({ target: { name: 'rendered-worker-ccc', sources: [] }, counts });
  const told = (passed: Judgement) =>
    passed.troubles.map(({ key, findings }) => [
      key.kind,
      ...findings.flatMap(everyFinding).map(({ code, subject }) => `${code} ${subject.name}`),
    ]);

  test('a lost node is told, and stays told when the other one fails', async () => {
    const before = aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-2'), lost] });
    const after = aWorld({ nodes: [aLiveNode('worker-1'), failed, lost] });

    const alone = await passAfter(60, { world: before, pools: [rolling] });
    const beside = await passOver({ world: after, pools: [aRollingPool({ counts })], firstSeen: alone.firstSeen });

    expect(kinds(alone)).toEqual(['worker/node-lost']);
    expect(told(beside)).toEqual([
      ['node-degraded', 'N9 worker-2'],
      ['node-lost', 'S2 worker-7'],
    ]);
  });

  test.each([
    ['that uses the budget up', [aLiveNode('worker-7', { unschedulable: true })], true, 'S1 worker-7'],
    ['of nobody, as the controller does not run', [], false, 'S13 machine-config-controller'],
  ])('a stall %s is told, where Git has been corrected', async (_, others, runs, cause) => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), failed, ...others], pods: [aController(runs)] });

    const passed = await passAfter(360, { world, pools: [corrected] });

    expect(told(passed)).toEqual([
      ['node-degraded', 'N9 worker-2'],
      ['no-progress', 'S12 worker', cause],
    ]);
    expect(fact(the('node-degraded', passed), 'Waiting')).toBeUndefined();
  });

  test('a stall is told where that node stands cordoned by its drain, and so gets no other config either', async () => {
    const drained = aLiveNode('worker-2', { annotations, unschedulable: true });
    const world = aWorld({ nodes: [aLiveNode('worker-1'), drained], pods: [aController(true)] });

    const passed = await passAfter(20, { world, pools: [corrected] });

    expect(told(passed)).toEqual([
      ['node-degraded', 'N9 worker-2'],
      ['no-progress', 'S12 worker', 'S1 worker-2'],
    ]);
    expect(the('no-progress', passed).headline).toBe('rollout stalled: maxUnavailable is used up by worker-2');
  });

  test('a node that its own failed update keeps cordoned is not told as cordoned by nobody, nor others let go', async () => {
    const desiredDrain = `drain-${newConfig}`;
    const drained = { ...annotations, desiredDrain, lastAppliedDrain: desiredDrain };
    const nodes = [aLiveNode('worker-1'), aLiveNode('worker-2', { annotations: drained, unschedulable: true })];

    const passed = await passAfter(20, { world: aWorld({ nodes, pods: [aController(true)] }), pools: [corrected] });
    const findings = the('no-progress', passed).findings.flatMap(everyFinding);

    expect(findings.map(({ sentence }) => sentence)).toContain(
      `worker-2 is cordoned for its update to ${newConfig}, which has failed.`,
    );
    expect(findings.flatMap(({ remedies }) => remedies).map(({ command, risk }) => [command, risk])).toEqual([
      ['oc adm uncordon worker-2', 'outage'],
    ]);
  });

  const done = aLiveNode('worker-1', { annotations: { currentConfig: newConfig, desiredConfig: newConfig } });
  const desiredDrain = `drain-${newConfig}`;
  const stuck = aLiveNode('worker-2', {
    annotations: { ...annotations, desiredDrain, lastAppliedDrain: desiredDrain },
    unschedulable: true,
  });
  const byHand = aLiveNode('worker-7', { unschedulable: true });
  const reverted = aPool({ target: { name: oldConfig, sources: [] }, counts });

  test.each<[string, World['nodes'], boolean, string]>([
    ['of others behind it, which its drain keeps cordoned', [done, stuck], true, 'S1 worker-2'],
    ['of others behind a node cordoned by hand', [done, failed, byHand], true, 'S1 worker-7'],
    ['of nobody, as the controller does not run', [done, failed], false, 'S13 machine-config-controller'],
    ['of itself alone, which its drain keeps cordoned', [aLiveNode('worker-1'), stuck], true, 'S1 worker-2'],
  ])('a stall %s is told of a pool that goes back to what that node has still', async (_, nodes, runs, cause) => {
    const passed = await passAfter(360, { world: aWorld({ nodes, pods: [aController(runs)] }), pools: [reverted] });
    const { findings } = the('no-progress', passed);

    expect(told(passed)).toEqual([
      ['node-degraded', 'N9 worker-2'],
      ['no-progress', 'S12 worker', cause],
    ]);
    expect(fact(the('node-degraded', passed), 'Waiting')).toBeUndefined();
    expect(
      findings.flatMap(everyFinding).flatMap(({ remedies }) => remedies.flatMap(({ command = [] }) => command)),
    ).toEqual(runs ? [`oc adm uncordon ${cause.slice(3)}`] : [expect.stringContaining('describe pods')]);
  });

  test('[S1-5] a node with a newer configuration than its pool goes back to is not told as having the old one', async () => {
    const world = aWorld({ nodes: [done, aLiveNode('worker-3'), byHand], pods: [aController(true)] });

    const passed = await passAfter(60, { world, pools: [reverted] });

    expect(the('no-progress', passed).findings[0]?.sentence).toMatch(
      /^Pool worker waits: 1 node of 3 is still to be taken to its configuration, because its budget of 1 /,
    );
  });

  test('[decoy] no stall of a pool that goes back to what that node has still', async () => {
    const back = aLiveNode('worker-2', { annotations, unschedulable: true });
    const world = aWorld({ nodes: [aLiveNode('worker-1'), back], pods: [aController(true)] });
    const currentConfig = oldConfig;
    const pool = aPool({ target: { name: currentConfig, sources: [] }, counts });

    expect(kinds(await passAfter(60, { world, pools: [pool] }))).toEqual(['worker/node-degraded']);
  });

  test('[decoy] one that is lost itself is one trouble, not two', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), aLiveNode('worker-2', { annotations, ready })] });

    const passed = await passAfter(60, { world, pools: [corrected] });

    expect(kinds(passed)).toEqual(['worker/node-degraded']);
    expect(told(passed)[0]).toEqual(expect.arrayContaining(['S2 worker-2', 'N9 worker-2']));
  });

  test('[decoy] the others wait for one that fails on what the pool goes to: no stall', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), failed] });

    const passed = await passAfter(360, { world, pools: [aRollingPool({ counts: { ...counts, unavailable: 0 } })] });

    expect(kinds(passed)).toEqual(['worker/node-degraded']);
  });

  test('[decoy] nor while such a node is being drained again, or another one moves', async () => {
    const again = aDrainingNode('worker-2', { annotations });
    const drains = aWorld({ nodes: [aLiveNode('worker-1'), again], machines: [drainFailing('worker-2', '')] });
    const moves = aWorld({ nodes: [failed, aDrainingNode('worker-3', { annotations: { desiredDrain: '' } })] });

    for (const world of [drains, moves])
      expect(kinds(await passAfter(15, { world, pools: [corrected] }))).not.toContain('worker/no-progress');
  });
});

describe('a pool that stands still', () => {
  const cordoned = aLiveNode('worker-7', { unschedulable: true });

  test('behind a cordon by hand is told after ten minutes, with who uses the budget up', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), cordoned] });

    const young = await passAfter(9, { world, pools: [rolling] });
    const old = await passAfter(10, { world, pools: [rolling] });

    expect(kinds(young)).toEqual([]);
    expect(the('no-progress', old)).toMatchObject({
      headline: 'rollout stalled: maxUnavailable is used up by worker-7',
      severity: 'warning',
    });
  });

  const ready = {
    status: 'Unknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: minutesAgo(60),
  };
  const lost = aLiveNode('worker-7', { ready });
  const updated = { currentConfig: newConfig, desiredConfig: newConfig };
  const done = aLiveNode('worker-2', { annotations: updated });

  test.each<[string, Pool['maxUnavailable'], World['nodes'], boolean, string]>([
    ['the controller that does not run', '1', [], false, 'MCO controller does not run'],
    ['nobody, beside a cordoned node', '2', [cordoned], true, 'no node is updating'],
    ['an invalid budget, beside a cordoned node', '1x', [cordoned], true, 'no node is updating'],
    ['the controller, beside a cordoned node', '2', [cordoned], false, 'MCO controller does not run'],
  ])(
    '[S1-5] [N-29] behind %s says so, and names nobody as using the budget up',
    async (_, maxUnavailable, others, runs, by) => {
      const world = aWorld({ nodes: [aLiveNode('worker-1'), ...others], pods: [aController(runs)] });

      const trouble = the('no-progress', await passAfter(60, { world, pools: [aRollingPool({ maxUnavailable })] }));

      expect(trouble.headline).toBe(`rollout stalled: ${by}`);
      expect(fact(trouble, others.length === 0 ? 'Node' : 'Nodes')).toBe(
        others.length === 0 ? 'worker-1 (1 of 1, 0 done)' : 'worker-1 and worker-7 (2 of 2, 0 done)',
      );
    },
  );

  test('[S1-5] [N-29] as the only node that is left is cordoned says that, not that the budget is used up', async () => {
    const world = aWorld({ nodes: [done, cordoned], pods: [aController(true)] });

    const trouble = the('no-progress', await passAfter(60, { world, pools: [aRollingPool({ maxUnavailable: '2' })] }));

    expect(trouble.headline).toBe('rollout stalled: all that is left is cordoned or not ready: worker-7');
    expect(fact(trouble, 'Node')).toBe('worker-7 (1 of 2, 1 done)');
  });

  test.each<[string, Pool['maxUnavailable'], World['nodes'], readonly string[]]>([
    ['that leaves room in the budget', '2', [aLiveNode('worker-1'), lost], ['worker/node-lost', 'worker/no-progress']],
    ['whose pool has no valid budget', '1x', [aLiveNode('worker-1'), lost], ['worker/node-lost', 'worker/no-progress']],
    ['that uses the budget up', '1', [aLiveNode('worker-1'), lost], ['worker/node-lost']],
    ['that alone is left', '2', [done, lost], ['worker/node-lost']],
  ])('[S1-4] [N-29] beside a lost node %s (maxUnavailable %s)', async (_, maxUnavailable, nodes, expected) => {
    const world = aWorld({ nodes, pods: [aController(true)] });

    const passed = await passAfter(60, { world, pools: [aRollingPool({ maxUnavailable })] });

    expect(kinds(passed)).toEqual(expected);
  });

  const unreadyFor = (minutes: number) => {
    const lastTransitionTime = minutesAgo(minutes);
    const node = aLiveNode('worker-9', {
      annotations: updated,
      ready: { ...ready, status: 'False', lastTransitionTime },
    });
    return { ...node, metadata: { ...Object(node['metadata']), creationTimestamp: lastTransitionTime } };
  };

  test.each([
    [3, 'worker/no-progress'],
    [5, 'worker/node-lost'],
  ])('[S1-4] [N-29] beside one that joined %i min ago, and is not ready yet, is told as %s', async (minutes, told) => {
    const nodes = [aLiveNode('worker-1'), unreadyFor(minutes)];
    const world = aWorld({ nodes: [aLiveNode('worker-1')], pods: [aController(true)] });

    const { firstSeen } = await passAfter(60, { world, pools: [rolling] });
    const passed = await passOver({ world: { ...world, nodes }, pools: [rolling], firstSeen });

    expect(kinds(passed)).toEqual([told]);
  });

  test.each([
    ['a node cordoned by hand', cordoned, ['worker/no-progress']],
    ['a node that flaps', unreadyFor(1), ['worker/no-progress']],
    ['a lost node', lost, ['worker/node-lost', 'worker/no-progress']],
  ])(
    '[S1-4] [S1-5] [N-29] as the controller does not run says so, beside %s that uses the budget up, too',
    async (_, beside, expected) => {
      const world = aWorld({ nodes: [aLiveNode('worker-1'), beside], pods: [aController(false)] });

      const passed = await passAfter(60, { world, pools: [rolling] });
      const { headline, findings } = the('no-progress', passed);

      expect(kinds(passed)).toEqual(expected);
      expect(headline).toBe('rollout stalled: MCO controller does not run');
      expect(findings.flatMap(everyFinding).map(({ subject }) => subject.name)).toContain(Object(beside).metadata.name);
    },
  );

  test.each([
    ['for two minutes', minutesAgo(2), []],
    ['for five minutes', minutesAgo(5), ['machine-config-controller']],
  ])(
    '[S1-4] [N-29] a controller that is not ready %s beside a node that stops it',
    async (_, lastTransitionTime, dead) => {
      const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime }];
      const controller = aPod('machine-config-controller-x', {
        namespace: 'openshift-machine-config-operator',
        labels: { 'k8s-app': 'machine-config-controller' },
        owner: null,
        ready: false,
        conditions,
      });
      const world = aWorld({ nodes: [aLiveNode('worker-1'), cordoned], pods: [controller] });

      const { findings } = the('no-progress', await passAfter(60, { world, pools: [rolling] }));

      const named = findings.flatMap(everyFinding).filter(({ code }) => code === 'S13');
      expect(named.map(({ subject }) => subject.name)).toEqual(dead);
    },
  );

  test('for hours is serious', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), cordoned] });

    const passed = await passAfter(5 * 60, { world, pools: [rolling] });

    expect(the('no-progress', passed).severity).toBe('high');
  });

  test('[decoy] a cordon by hand alone is no rollout: Updating is True, nothing waits, and nobody is bothered', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1'), cordoned] });
    const pool = aPool({
      counts: { machines: 2, updated: 2, ready: 1, unavailable: 1, degraded: 0 },
      conditions: [aCondition({ type: 'Updating', status: 'True' })],
    });

    const passed = await passAfter(24 * 60, { world, pools: [pool] });

    expect(kinds(passed)).toEqual([]);
  });

  test('[decoy] because it is paused is not stuck', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-1')] });

    const passed = await passAfter(60, {
      world,
      pools: [{ ...rolling, paused: true, counts: { ...rolling.counts, unavailable: 0 } }],
    });

    expect(kinds(passed)).toEqual([]);
  });

  test('[decoy] while its image is built is not stuck', async () => {
    const message = 'Pool is waiting for OS image build to complete (mosb: worker-abc)';
    const building = { ...rolling, conditions: [aCondition({ type: 'Updating', status: 'True', message })] };

    const passed = await passAfter(60, { world: aWorld({ nodes: [aLiveNode('worker-1')] }), pools: [building] });

    expect(kinds(passed)).toEqual([]);
  });

  test('on a node whose daemon does not act is told after ten minutes', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-2', { annotations: { desiredConfig: newConfig } })] });

    const passed = await passAfter(10, { world, pools: [rolling] });

    expect(the('no-progress', passed).headline).toBe('no progress on worker-2: config daemon not running');
  });

  test('a step forward starts the clock anew', async () => {
    const waiting = aWorld({ nodes: [aLiveNode('worker-2', { annotations: { desiredConfig: newConfig } })] });
    const working = aWorld({
      nodes: [aLiveNode('worker-2', { annotations: { desiredConfig: newConfig, state: 'Working' } })],
    });
    const first = await passOver({ world: waiting, pools: [rolling], at: minutesAgo(30) });
    const second = await passOver({ world: working, pools: [rolling], at: minutesAgo(5), firstSeen: first.firstSeen });

    const third = await passOver({ world: working, pools: [rolling], firstSeen: second.firstSeen });

    expect(kinds(third)).toEqual([]);
    expect(third.firstSeen).toEqual({ [`worker|working|worker-2|${newConfig}`]: minutesAgo(5) });
  });

  test('the times come from the policy', async () => {
    const world = aWorld({ nodes: [aLiveNode('worker-2', { annotations: { desiredConfig: newConfig } })] });
    const policy = { ...defaultPolicy, stuckAfter: { ...defaultPolicy.stuckAfter, pickupSeconds: 60 } };

    const passed = await passAfter(1, { world, pools: [rolling], policy });

    expect(kinds(passed)).toEqual(['worker/no-progress']);
  });
});

test('the nodes of a custom pool are not told as nodes of worker, whose selector matches them too', async () => {
  const gpu = aRollingPool({ name: 'gpu', nodeSelector: { matchLabels: { 'node-role.kubernetes.io/gpu': '' } } });
  const both = { 'node-role.kubernetes.io/gpu': '', 'node-role.kubernetes.io/worker': '' };
  const failing = aLiveNode('gpu-1', { labels: both, annotations: { state: 'Degraded', reason: 'odd' } });
  const world = aWorld({ nodes: [aLiveNode('worker-1'), failing] });

  const passed = await passOver({ world, pools: [rolling, gpu] });

  expect(kinds(passed)).toEqual(['gpu/node-degraded']);
});

describe('[S1-2] [N-30] a pool that says that it is degraded', () => {
  const nodes = ['worker-1', 'worker-2', 'worker-3'].map((name) => aLiveNode(name));
  const degraded = (type: string, message: string, change: Partial<Pool> = {}) =>
    aPool({
      conditions: [
        aCondition({ type: 'Updated', status: 'True' }),
        aCondition({ type: 'Degraded', status: 'True' }),
        aCondition({ type, status: 'True', message }),
      ],
      ...change,
    });

  test.each([
    ['NodeDegraded', 'Node worker-2 is reporting: "Node worker-2 upgrade failure. exit status 1"'],
    ['NodeDegraded', "Node worker-2 references an invalid PinnedImageSet. See the node's MachineConfigNode resource."],
    ['PinnedImageSetsDegraded', 'one or more pinned image set is reporting degraded'],
  ])('%s, and none of whose nodes does, is told all the same: %s', async (type, message) => {
    const scene = { world: aWorld({ nodes }), pools: [degraded(type, message)] };

    const [young, old] = await Promise.all([passAfter(9, scene), passAfter(11, scene)]);

    expect(kinds(young)).toEqual([]);
    expect(kinds(old)).toEqual(['worker/node-degraded']);
    const [found] = the('node-degraded', old).findings;
    expect(found).toMatchObject({ code: 'N0', confidence: 'possible', class: 'unknown' });
    expect(found?.sentence).toContain(`Its condition ${type} says: ${message.slice(0, 20)}`);
  });

  test('does not end while other nodes are updated, nor with a pause', async () => {
    const { conditions } = degraded('NodeDegraded', 'odd');
    const world = aWorld({ nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2')] });
    const counts = { machines: 3, updated: 3, ready: 3, unavailable: 0, degraded: 0 };
    const paused = degraded('PinnedImageSetsDegraded', 'odd', { paused: true, counts });

    const passed = await passAfter(11, { world, pools: [{ ...rolling, conditions }] });

    expect(kinds(passed)).toContain('worker/node-degraded');
    expect(wantsNodes(paused, {})).toBe(true);
  });

  test('of its render or image is told as that alone', async () => {
    const pools = [degraded('RenderDegraded', 'odd'), degraded('ImageBuildDegraded', 'odd', { name: 'image' })];

    const passed = await passAfter(11, { world: aWorld({ nodes }), pools });

    expect(kinds(passed)).toEqual(['worker/render-failed', 'image/build-failed']);
  });

  test('and has a node that does is told by that node', async () => {
    const failing = aLiveNode('worker-2', { annotations: { state: 'Degraded', reason: 'odd' } });
    const scene = { world: aWorld({ nodes: [failing] }), pools: [degraded('NodeDegraded', 'odd')] };

    const passed = await passAfter(11, scene);

    expect(passed.troubles.map(({ headline }) => headline)).toEqual([expect.stringMatching(/^worker-2 degraded/)]);
  });
});

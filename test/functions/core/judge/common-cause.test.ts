import { describe, expect, test } from 'vitest';
import { chainOf } from '../../../../functions/core/findings/chain.ts';
import { aCondition, aPool } from '../../../fakes/builders.ts';
import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aPod,
  aRollingPool,
  aWorld,
  drainFailing,
  newConfig,
  refused,
} from '../diagnose/world.ts';
import { fact, passOver, the } from './pass-over.ts';

const names = ['worker-1', 'worker-2', 'worker-3'];

describe('one cause behind several nodes of a pool', () => {
  const world = aWorld({
    nodes: names.map((name) => aDrainingNode(name)),
    pods: names.map((name) => aPod(`web-${name}`, { node: name })),
    budgets: [
      aBudget('web', { spec: { minAvailable: 3 }, status: { expectedPods: 3, desiredHealthy: 3, currentHealthy: 3 } }),
    ],
    machines: names.map((name) => drainFailing(name, refused(`web-${name}`))),
  });

  test('[N-12] one budget that stops three drains is told once, with the other nodes', async () => {
    const passed = await passOver({ world, pools: [aRollingPool({ maxUnavailable: '3' })], ...seenLongAgo(names) });

    const trouble = the('drain-blocked', passed);
    expect(trouble.findings).toHaveLength(1);
    const root = trouble.findings.flatMap(chainOf).at(-1);
    expect(root).toMatchObject({ code: 'P1', subject: { name: 'web' } });
    expect(root?.sentence).toMatch(/The same cause affects worker-2 and worker-3\.$/);
    expect(trouble.headline).toBe('drains of worker-1, worker-2 and worker-3 blocked by PDB shop/web');
  });

  test('[N-12] a node that joins is news all the same: the identity of the causes knows every node', async () => {
    const two = await passOver({
      world: { ...world, nodes: [...world.nodes.slice(0, 2), aLiveNode('worker-3')] },
      pools: [aRollingPool({ maxUnavailable: '3' })],
      ...seenLongAgo(names),
    });
    const three = await passOver({ world, pools: [aRollingPool({ maxUnavailable: '3' })], ...seenLongAgo(names) });

    expect(two.troubles[0]?.digest).not.toBe(three.troubles[0]?.digest);
  });

  test('[N-12] three nodes that cannot pull one image have one cause; two that drifted have two', async () => {
    const failing = (reason: string, nodes: readonly string[]) =>
      passOver({
        world: aWorld({
          nodes: nodes.map((name) =>
            aLiveNode(name, { annotations: { state: 'Degraded', reason, desiredConfig: newConfig } }),
          ),
        }),
        pools: [aRollingPool()],
      });

    const pulls = await failing('failed to update OS to quay.io/x: manifest unknown', names);
    const drifts = await failing('content mismatch for file "/etc/chrony.conf"', names.slice(0, 2));

    expect(the('node-degraded', pulls).findings).toHaveLength(1);
    expect(the('node-degraded', drifts).findings).toHaveLength(2);
  });
});

describe('one cause behind several pools', () => {
  function unrenderable(name: string, message: string) {
    return aPool({ name, conditions: [aCondition({ type: 'RenderDegraded', status: 'True', message })] });
  }
  const message =
    'reconciliation failed between current config "rendered-aaa" and base config "99-all-disk": ignition disks section contains changes';

  test('[N-12] a MachineConfig that no pool can render is told as common on each of them', async () => {
    const passed = await passOver({ pools: ['worker', 'infra'].map((name) => unrenderable(name, message)) });

    expect(passed.troubles.map((each) => fact(each, 'Common cause'))).toEqual([
      'also affects pool infra',
      'also affects pool worker',
    ]);
  });

  test('[decoy] two MachineConfigs are two causes', async () => {
    const passed = await passOver({
      pools: [unrenderable('worker', message), unrenderable('infra', message.replace('99-all-disk', '99-infra-disk'))],
    });

    expect(passed.troubles.map((each) => fact(each, 'Common cause'))).toEqual([undefined, undefined]);
  });
});

/** The drains have been open for a quarter of an hour. */
function seenLongAgo(nodes: readonly string[]) {
  const firstSeen = Object.fromEntries(
    nodes.map((name) => [`worker|draining|${name}|${newConfig}`, '2026-03-02T10:15:00.000Z']),
  );
  return { firstSeen };
}

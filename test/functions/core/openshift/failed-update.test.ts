import { describe, expect, test } from 'vitest';
import { nodeOf } from '../../../../functions/adapters/kubernetes/node-of.ts';
import { hasFailedUpdate, isGoingOn } from '../../../../functions/core/openshift/node.ts';
import { quietWorkers, type VirtualCluster } from '../../../local/openshift/virtual-cluster.ts';

/** What a look each second says of the node, each time that it changes, until it says `end`. */
async function verdicts(cluster: VirtualCluster, end: string): Promise<readonly string[]> {
  const seen: string[] = [];
  for (let second = 0; second < 1_800 && seen.at(-1) !== end; second += 1) {
    const [node, now] = [nodeOf(cluster.node('worker-0')), cluster.clock.now()];
    const verdict = hasFailedUpdate(node, now) ? 'failed' : isGoingOn(node, now) ? 'on its way' : 'at rest';
    if (seen.at(-1) !== verdict) seen.push(verdict);
    await cluster.clock.advance(1_000);
  }
  return seen;
}

async function failing(stage: 'prepare' | 'apply'): Promise<VirtualCluster> {
  const cluster = await quietWorkers(1, 1);
  cluster.daemons.failUpdates('worker-0', { stage, reason: 'failed to update OS' });
  cluster.builder.applyMachineConfig('99-chrony', 'worker', { '/etc/chrony.conf': 'a' });
  await cluster.until(() => cluster.condition('Degraded').status === 'True');
  return cluster;
}

describe('[S0-6] [N-29] a node that has failed its update', () => {
  test.each([
    ['before its drain is on its way from its request for one', 'prepare'],
    ['after its drain tries again unseen, and is on its way from its reboot', 'apply'],
  ] as const)('%s', async (_, stage) => {
    const cluster = await failing(stage);
    await cluster.clock.advance(180_000);
    cluster.daemons.heal('worker-0');

    expect(await verdicts(cluster, 'at rest')).toEqual(['failed', 'on its way', 'at rest']);
  });

  test('[N-30] at once counts as failed within two minutes, although the controller takes its taint off after that', async () => {
    const cluster = await failing('prepare');
    await cluster.clock.advance(10_000);
    const { targetedAt = '', reportedAt = '' } = nodeOf(cluster.node('worker-0'));

    const seen = await verdicts(cluster, 'failed');

    expect(Date.parse(targetedAt)).toBeGreaterThan(Date.parse(reportedAt));
    expect(seen).toEqual(['on its way', 'failed']);
    expect(cluster.clock.now().getTime() - Date.parse(targetedAt)).toBeLessThan(123_000);
  });

  test.each([
    ['is drained', { lastAppliedDrain: 'drain-b', desiredDrain: 'drain-b' }, 1199, 1200],
    ['is never drained', { isNeverDrained: true }, 1199, 1200],
    ['was given another config', {}, 119, 120],
  ])('and %s since is on its way for as long as its daemon may take', (_, change, last, over) => {
    const node = {
      currentConfig: 'a',
      desiredConfig: 'b',
      state: 'Degraded',
      postConfigAction: '',
      desiredDrain: 'uncordon-a',
      lastAppliedDrain: 'uncordon-a',
      reportedAt: '2026-03-02T09:00:00Z',
      targetedAt: '2026-03-02T10:00:00Z',
      ...change,
    };
    const at = (seconds: number) => new Date(Date.parse(node.targetedAt) + seconds * 1000);

    expect([isGoingOn(node, at(last)), hasFailedUpdate(node, at(last))]).toEqual([true, false]);
    expect([isGoingOn(node, at(over)), hasFailedUpdate(node, at(over))]).toEqual([false, true]);
  });
});

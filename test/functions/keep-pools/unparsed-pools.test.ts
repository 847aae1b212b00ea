import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { aCondition, aNode, aPool } from '../../fakes/index.ts';
import { type KeepLab, keepLab } from './keep-lab.ts';

function rendered(digit: string): Pool['target'] {
  return { name: `rendered-infra-gpu-${digit.repeat(32)}`, sources: ['00-worker'] };
}

const [before, after] = [rendered('a'), rendered('b')];

function selecting(name: string): Partial<Pool> {
  return { name, uid: `uid-${name}`, nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } } };
}

/** Pools `infra`, `gpu` and `infra-gpu`, which has node `ig-1`. */
function labWith(change: Partial<Pool>): KeepLab {
  const approve = Approve.parse({ by: ['slack:U0000ALICE'] });
  const pools = { worker: defaultPoolSettings, 'infra-gpu': { ...defaultPoolSettings, approve } };
  const lab = keepLab({ pools });
  for (const name of ['infra', 'gpu']) lab.world.pools.put(aPool(selecting(name)));
  const counts = { machines: 1, updated: 0, ready: 1, unavailable: 0, degraded: 0 };
  lab.world.pools.put(aPool({ ...selecting('infra-gpu'), counts, target: before, current: before, ...change }));
  const labels = { 'node-role.kubernetes.io/worker': '', 'node-role.kubernetes.io/infra-gpu': '' };
  lab.world.pools.putNode(aNode({ name: 'ig-1', labels, currentConfig: after.name, desiredConfig: after.name }));
  return lab;
}

describe.each(['infra', 'gpu'])('pool infra-gpu, beside pool %s, which cannot be parsed', (spoilt) => {
  test('[N-17] [N-30] waits for its approval, as its nodes are its own', async () => {
    const pausedSince = '2026-03-02T09:30:00Z';
    const record = {
      v: 1 as const,
      holds: [],
      pause: 'ours' as const,
      pausedSince,
      last: { did: 'paused' as const, at: pausedSince, why: 'a push' },
    };
    const lab = labWith({
      paused: true,
      pausedBy: { manager: 'poolkeeper', at: pausedSince },
      record: { kind: 'record', record },
    });
    lab.world.pools.spoil(spoilt);

    await lab.pass(1800);

    expect(lab.world.pools.get('infra-gpu').paused).toBe(true);
    expect(lab.troubles()).toContain('approval-needed');
  });

  test('[S1-2] [N-30] is degraded by its own node, which is named', async () => {
    const lab = labWith({
      target: after,
      counts: { machines: 1, updated: 0, ready: 0, unavailable: 1, degraded: 1 },
      conditions: [
        aCondition({ type: 'NodeDegraded', status: 'True', message: 'Node ig-1 is reporting: "disk is full"' }),
        aCondition({ type: 'Degraded', status: 'True' }),
      ],
    });
    lab.world.pools.changeNode('ig-1', { currentConfig: before.name, state: 'Degraded', reason: 'disk is full' });
    lab.world.pools.spoil(spoilt);

    await lab.pass(1800);

    const [incident] = lab.world.tables.incidents.all().filter(({ key }) => key.pool === 'infra-gpu');
    expect(JSON.stringify(incident?.trouble?.findings)).toContain('ig-1');
    expect(JSON.stringify(incident?.trouble?.findings)).not.toContain('no node of it does');
  });
});

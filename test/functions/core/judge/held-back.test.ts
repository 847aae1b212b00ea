import { describe, expect, test } from 'vitest';
import { isInBlindSpot } from '../../../../functions/core/judge/blind-spot.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';
import { aCondition, aPool, aRecord } from '../../../fakes/builders.ts';
import { aLiveNode, aRollingPool, aWorld, newConfig } from '../diagnose/world.ts';
import { fact, kinds, passOver, the } from './pass-over.ts';

const release = {
  since: '2026-03-02T10:28:00Z',
  finishedAt: '2026-03-02T10:28:00Z',
  machineConfigs: [],
  why: 'synced',
};

function waitingPool(name = 'worker') {
  return aRollingPool({
    name,
    paused: true,
    counts: { machines: 3, updated: 0, ready: 0, unavailable: 0, degraded: 0 },
    record: { kind: 'record', record: aRecord({ pause: 'ours', holds: [], release }) },
  });
}

const obstacle = {
  nodes: ['worker-1', 'worker-2'],
  finding: {
    code: 'P1',
    subject: { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'web' },
    sentence: 'PDB shop/web demands all 2 of 2 pods.',
    confidence: 'strong' as const,
    class: 'structural' as const,
    evidence: [],
    because: [],
    remedies: [],
  },
};

describe('a pool that its gate drainable keeps paused', () => {
  test('[N-13] is told at once where the cause never heals, with cause, nodes and since when it waits', async () => {
    const passed = await passOver({ pools: [waitingPool()], undrainable: { worker: seen([obstacle]) } });

    expect(kinds(passed)).toEqual(['worker/no-progress']);
    const trouble = the('no-progress', passed);
    expect(trouble).toMatchObject({ severity: 'warning', class: 'structural', since: release.since });
    expect(trouble.headline).toBe('not resumed, 2 drains would be blocked by PodDisruptionBudget shop/web');
    expect(trouble.findings).toEqual([obstacle.finding]);
    expect(fact(trouble, 'Nodes')).toBe('worker-1 and worker-2');
  });

  test('is not called better because another gate closed before the drains were looked at again', async () => {
    const passed = await passOver({ pools: [waitingPool()], undrainable: { worker: notAsked } });

    expect(passed.troubles).toEqual([]);
    expect(isInBlindSpot(passed.unseen, { cluster: 'prod', pool: 'worker', kind: 'no-progress' })).toBe(true);
  });
});

describe('a pool that is degraded since Poolkeeper resumed it', () => {
  const last = { did: 'resumed' as const, at: '2026-03-02T10:00:00Z', why: 'synced' };
  const sick = aRollingPool({
    name: 'infra',
    counts: { machines: 1, updated: 0, ready: 0, unavailable: 0, degraded: 1 },
    conditions: [
      aCondition({ type: 'Degraded', status: 'True' }),
      aCondition({ type: 'NodeDegraded', status: 'True', message: 'Node infra-1 is reporting: "disk is full"' }),
    ],
    nodeSelector: { matchLabels: { 'node-role.kubernetes.io/infra': '' } },
    record: { kind: 'record', record: aRecord({ holds: [], last }) },
  });
  const world = aWorld({
    nodes: [
      aLiveNode('infra-1', {
        role: 'infra',
        annotations: { state: 'Degraded', reason: 'disk is full', desiredConfig: newConfig },
      }),
    ],
  });

  test('[S1-14] says in its own incident which pools wait for it', async () => {
    const passed = await passOver({ world, pools: [sick, waitingPool()], waitsForHealth: ['worker'] });

    expect(kinds(passed)).toContain('infra/node-degraded');
    expect(fact(the('node-degraded', passed), 'Held back')).toBe('pool worker stays paused until this one is healthy');
  });

  test('says nothing of it where nobody waits', async () => {
    const passed = await passOver({ world, pools: [sick, aPool()] });

    expect(fact(the('node-degraded', passed), 'Held back')).toBeUndefined();
  });
});

import { beforeEach, describe, expect, test } from 'vitest';
import { freezeManually } from '../../../functions/core/holds/manual-freeze.ts';
import { addManualHold, type ManualChange, resumeManually } from '../../../functions/core/holds/manual-hold.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { writeByHand } from '../../../local/cli/write-pool.ts';
import { aCondition, anApplication, aPool, aRecord } from '../../fakes/index.ts';
import { commitB, commitC, type KeepLab, keepLab } from './keep-lab.ts';

const rendered = { name: 'rendered-worker-2', sources: ['00-worker', '99-worker-ssh'] };
const broken: Partial<Pool> = {
  conditions: [aCondition({ type: 'NodeDegraded', status: 'True', message: 'Node worker-1' })],
  counts: { machines: 3, updated: 0, ready: 2, unavailable: 1, degraded: 1 },
};

/** Pool infra has the change of worker, too, and waits for its gates. */
function waitingInfra(): Pool {
  const release = {
    since: '2026-03-02T10:00:10Z',
    finishedAt: '2026-03-02T10:00:10Z',
    machineConfigs: [],
    why: 'Argo CD synced',
  };
  return aPool({
    name: 'infra',
    uid: 'uid-infra',
    target: { name: 'rendered-infra-2', sources: ['00-worker', '99-worker-ssh'] },
    paused: true,
    pausedBy: { manager: 'poolkeeper', at: '2026-03-02T10:00:00Z' },
    record: { kind: 'record', record: aRecord({ pause: 'ours', holds: [], release }) },
  });
}

let lab: KeepLab;

/** Poolkeeper has resumed worker after a sync, and rolls it out. */
beforeEach(async () => {
  lab = keepLab();
  const { pools, clock } = lab.world;
  await lab.deliver(lab.pushOf(commitB));
  pools.observe('worker');
  clock.advance(2);
  lab.syncs(commitB);
  await lab.deliver(lab.operationOf('Running'));
  pools.change('worker', 'machine-config-controller', { target: rendered });
  lab.ends('Succeeded');
  await lab.deliver(lab.operationOf('Succeeded'));
  await lab.pass(60);
  expect(lab.record()?.last?.did).toBe('resumed');
});

async function breaks(): Promise<void> {
  lab.world.pools.change('worker', 'machine-config-controller', broken);
  lab.world.pools.put(waitingInfra());
  await lab.pass(180);
  expect(lab.pool('infra').paused).toBe(true);
}

function byHand(decide: (pool: Pool, now: Date) => ManualChange): Promise<ManualChange> {
  const { pools, clock } = lab.world;
  return writeByHand(pools, {
    pool: 'worker',
    decide: (pool) => decide(pool, clock.now()),
    event: () => ({ reason: 'ByHand', message: '', type: 'Normal', at: clock.now() }),
  });
}

const asked = (now: Date) => ({ who: 'anna', why: 'it breaks nodes', now });
const until = (now: Date) => new Date(now.getTime() + 7_200_000);

const waysToStop = {
  hold: (pool: Pool, now: Date) => addManualHold(pool, until(now), asked(now)),
  freeze: (pool: Pool, now: Date) => freezeManually(pool, { scope: 'pool', until: until(now) }, asked(now)),
} as const;

describe('[S1-14] [N-30] a bad rollout that a person stops', () => {
  test.each(['hold', 'freeze'] as const)('by %s does not spread to another pool', async (way) => {
    await breaks();

    await byHand(waysToStop[way]);
    await lab.pass(3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.pool('infra').paused).toBe(true);
  });

  test.each(['hold', 'freeze'] as const)(
    'by %s, before the operator says that it is degraded, neither',
    async (way) => {
      await byHand(waysToStop[way]);
      await lab.pass(60);

      await breaks();
      await lab.pass(3600);

      expect(lab.pool('infra').paused).toBe(true);
    },
  );

  test('by oc, neither, with a sync that comes to hold it and ends', async () => {
    await breaks();
    const { pools, argocd } = lab.world;
    pools.change('worker', 'kubectl-patch', { paused: true });
    await lab.pass(120);
    const sources = [...rendered.sources, '99-only'];
    pools.change('worker', 'machine-config-controller', { target: { name: 'rendered-worker-3', sources } });
    const machineConfig = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '' };
    const resources = [{ ...machineConfig, name: '99-only', status: 'OutOfSync' }];
    argocd.put(anApplication({ name: 'tenant', uid: 'tenant', resources }));

    lab.syncs(commitC, {}, 'tenant');
    await lab.pass(400);
    const whileItRuns = lab.record()?.pause;
    lab.ends('Succeeded', {}, 'tenant');
    await lab.pass(1800);

    expect(whileItRuns).toBe('foreign');
    expect(lab.record()?.holds).toEqual([]);
    expect(lab.pool('infra').paused).toBe(true);
  });

  test('goes on for the other pool once the first is well, also where a person has resumed that', async () => {
    await breaks();
    await byHand(waysToStop.hold);
    await byHand((pool, now) => resumeManually(pool, asked(now)));
    await lab.pass(600);
    const whileDegraded = lab.pool('infra').paused;

    const { conditions, counts } = aPool();
    lab.world.pools.change('worker', 'machine-config-controller', { current: rendered, conditions, counts });
    await lab.pass(180);

    expect(whileDegraded).toBe(true);
    expect(lab.pool('infra').paused).toBe(false);
  });
});

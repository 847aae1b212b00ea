import { describe, expect, it } from 'vitest';
import { memberOf } from '../../../functions/core/openshift/member.ts';
import { type SequenceLab, sequenceLab } from './sequence-lab.ts';

const classPath = '/apis/storage.k8s.io/v1/storageclasses/ceph';

async function hours(count: number, { tick }: SequenceLab): Promise<void> {
  for (let minute = 0; minute < count * 60; minute += 1) await tick();
}

/** A gate in a lower wave than its own step, which therefore waits for it. */
function gatedAhead(more: Readonly<Record<string, unknown>>): SequenceLab {
  const waitFor = { resourceType: 'sc', resourceName: 'ceph', syncWave: 3, timeoutSeconds: 3600, ...more };
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } };
  return sequenceLab(
    { settings: { kind: 'object', object: 'settings', wave: 5, waitFor } },
    { extraObjects: { settings } },
  );
}

describe('a sequence that does not go on', () => {
  it('[S2-4] [S2-10] is told where the gate that holds its own step back is not open in time', async () => {
    const all = gatedAhead({});
    await hours(1, all);
    expect(all.lab.troubles()).toEqual([]);

    await hours(0.2, all);
    expect(all.lab.troubles()).toEqual(['sequence-stuck']);
    expect(all.state()).toEqual({});

    all.prod.objects.set(classPath, { metadata: { name: 'ceph' } });
    await hours(0.1, all);
    expect(all.record().done).toBeDefined();
  });

  it('[S2-4] [S2-10] goes on without such a gate, or ends, as its onTimeout says', async () => {
    const [proceeds, aborts] = [gatedAhead({ onTimeout: 'proceed' }), gatedAhead({ onTimeout: 'abort' })];

    for (const each of [proceeds, aborts]) await hours(1.2, each);

    expect([proceeds.record().done !== undefined, proceeds.record().aborted]).toEqual([true, undefined]);
    expect(memberOf(aborts.record().aborted, 'who')).toBe('poolkeeper');
  });

  it('[S2-10] [N-30] is told where a pool that is a step is not there: nothing else tells of it', async () => {
    const all = sequenceLab({
      pool: { kind: 'pool', name: 'wroker', wave: 5 },
      next: { kind: 'check', wave: 10, waitFor: { resourceType: 'sc' } },
    });
    await hours(3.5, all);
    expect(all.lab.troubles()).toEqual([]);

    await hours(1, all);

    expect(all.lab.troubles()).toEqual(['sequence-stuck']);
  });

  const pooled = {
    pool: { kind: 'pool', name: 'worker', wave: 5 },
    next: { kind: 'check', wave: 10, waitFor: { resourceType: 'sc' } },
  };

  /** Every node has the config of the pool, and one of them is cordoned: the MCO calls the pool updating. */
  function cordons({ lab }: SequenceLab): void {
    lab.world.pools.change('worker', 'machine-config-controller', {
      counts: { machines: 3, updated: 3, ready: 2, unavailable: 1, degraded: 0 },
      conditions: [{ type: 'Updated', status: 'False', reason: '', message: '', since: '2026-03-02T09:00:00.000Z' }],
    });
  }

  it('[S2-10] [N-30] is told where a pool that is a step lacks a node, as a cordoned one: it is no trouble of the pool', async () => {
    const all = sequenceLab(pooled);
    cordons(all);
    await hours(3.5, all);
    expect(all.lab.troubles()).toEqual([]);

    await hours(1, all);

    expect(all.lab.troubles()).toEqual(['sequence-stuck']);
  });

  it('[S2-10] [N-30] is told of a node that a pool lacks since its rollout was over, and not for one that takes long', async () => {
    const all = sequenceLab(pooled);
    const rolls = { machines: 3, updated: 2, ready: 2, unavailable: 1, degraded: 0 };
    cordons(all);
    all.lab.world.pools.change('worker', 'machine-config-controller', { counts: rolls });
    await hours(0.1, all);
    const { since } = all.record().items['pool@prod'] ?? {};

    cordons(all);
    await hours(0.1, all);

    expect(all.record().items['pool@prod']?.state).toBe('unhealthy');
    expect(all.record().items['pool@prod']?.since).not.toBe(since);
  });

  it('[S2-10] [N-30] tells nothing of a cordon that nothing of it waits for', async () => {
    const all = sequenceLab({ pool: pooled.pool });
    await hours(0.1, all);

    cordons(all);
    await hours(5, all);

    expect(all.lab.troubles()).toEqual([]);
  });
});

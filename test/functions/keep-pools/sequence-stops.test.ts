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
});

import { describe, expect, test } from 'vitest';
import { aPool } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

describe('a sync without a push of an Application that manages pool infra', () => {
  const infra = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfigPool', namespace: '', name: 'infra' };

  async function syncing(acts: (lab: KeepLab) => void): Promise<KeepLab> {
    const lab = keepLab();
    lab.world.pools.put(aPool({ name: 'infra', uid: 'uid-infra', labels: {} }));
    const sync = { status: 'OutOfSync' as const, revisions: [commitB] };
    lab.world.argocd.change('nodes', { resources: [{ ...infra, status: 'OutOfSync' }], sync });
    acts(lab);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(120);
    return lab;
  }

  test('[S0-13] [N-30] holds worker too, to which nodes fall back that leave infra', async () => {
    const lab = await syncing((each) => each.syncs(commitB));

    expect([lab.pool('infra').paused, lab.pool().paused]).toEqual([true, true]);
  });

  test('[S0-13] [N-30] holds worker also where it has removed infra already', async () => {
    const lab = await syncing((each) => {
      each.syncs(commitB, { results: [{ ...infra, status: 'Pruned', message: 'pruned', hookType: '' }] });
      each.world.pools.remove('infra');
    });

    expect(lab.pool().paused).toBe(true);
  });
});

import { describe, expect, test } from 'vitest';
import { keep } from '../../../functions/keep-pools/keep.ts';
import { aMachineConfig, anOperation } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab, tickOf } from './keep-lab.ts';

const late = aMachineConfig({ name: '99-worker-late', changedAt: '2026-03-02T10:00:05Z' });
const results = anOperation().results.map((result) => ({ ...result, name: late.name }));

/** The MCO renders what it was slow to render. */
function renders({ world, pool }: KeepLab): void {
  const { target } = pool();
  const sources = [...target.sources, late.name];
  world.pools.change('worker', 'machine-config-controller', { target: { ...target, sources } });
}

/** A push and its sync, which runs for a minute and is seen meanwhile. */
async function synced(): Promise<KeepLab> {
  const lab = keepLab();
  await lab.deliver(lab.pushOf(commitB));
  lab.world.pools.observe('worker');
  await lab.pass(4);
  lab.syncs(commitB, { results });
  lab.world.pools.putMachineConfig(late);
  await lab.pass(60);
  lab.ends('Succeeded', { results });
  return lab;
}

describe('a MachineConfig that is not rendered yet, of which no look has read whom it is for', () => {
  test('[N-7] [N-29] keeps its pool paused, also where the end of its sync is seen late', async () => {
    const lab = await synced();
    await lab.pass(120);
    const before = lab.pool().paused;
    renders(lab);
    await lab.pass(60);

    expect([before, lab.pool().paused]).toEqual([true, false]);
  });

  test('[N-7] [N-30] keeps its pool paused, if another pass sees it applied before this one writes', async () => {
    const lab = await synced();
    renders(lab);
    await lab.deliver(lab.operationOf('Succeeded'));
    lab.world.clock.advance(20);
    const { argocd, pools } = lab.world;
    let isSeen = false;
    const listApplications = async () => {
      const before = await argocd.listApplications();
      const { release, ...record } = lab.record() ?? { v: 1, holds: [] };
      if (isSeen || release === undefined) return before;
      isSeen = true;
      pools.putMachineConfig({ ...late, name: '99-worker-later' });
      const both = { ...release, machineConfigs: [late.name, '99-worker-later'] };
      pools.change('worker', 'poolkeeper', { record: { kind: 'record', record: { ...record, release: both } } });
      return before;
    };
    await keep(tickOf(lab.world.clock.now()), { ...lab.ports, argocd: async () => ({ ...argocd, listApplications }) });

    expect([isSeen, lab.pool().paused]).toEqual([true, true]);
  });
});

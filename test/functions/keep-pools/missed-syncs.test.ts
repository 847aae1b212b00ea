import { describe, expect, test } from 'vitest';
import { Window } from '../../../functions/core/configuration/window.ts';
import { anOperation } from '../../fakes/index.ts';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

const nights = [Window.parse({ kind: 'allow', schedule: '0 22 * * *', durationSeconds: 3 * 3600, timeZone: 'UTC' })];
const next = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };

/** A sync of half a second, whose push and notifications come so many seconds after its end. */
async function lookAfter(lab: KeepLab, seconds: number, message?: string): Promise<void> {
  await lab.tick();
  const push = lab.pushOf(commitB);
  lab.syncs(commitB);
  const [result] = anOperation().results;
  lab.ends('Succeeded', result === undefined || message === undefined ? {} : { results: [{ ...result, message }] });
  lab.world.clock.advance(seconds);
  await lab.deliver(push);
  await lab.deliver(lab.operationOf('Succeeded'));
}

describe('a sync that is over before anybody looked', () => {
  test('[N-8] [S0-1] pauses the pool in the seconds before its rollout, and it resumes when its window opens', async () => {
    const lab = keepLab({ windows: nights });
    await lookAfter(lab, 3);
    lab.world.pools.observe('worker');
    lab.world.pools.change('worker', 'machine-config-controller', { target: next });

    await lab.pass(3600);

    expect(lab.pool().paused).toBe(true);
    const [view] = await lab.world.tables.views.list();
    expect(view?.pools[0]?.closedGates.map(({ gate }) => gate)).toContain('window');

    await lab.pass(11 * 3600);

    expect(lab.pool().paused).toBe(false);
    expect(lab.record()?.last?.why).toContain('was over before the pool could be paused');
  });

  test('[N-8] [N-1] pauses nothing where it has written nothing, or was noticed long after its rollout had begun', async () => {
    const unchanged = keepLab({ windows: nights });
    const late = keepLab({ windows: nights });

    await lookAfter(unchanged, 3, 'machineconfig.machineconfiguration.openshift.io/99-worker-ssh unchanged');
    await lookAfter(late, 60);

    expect(unchanged.told()).not.toContain('pool.paused');
    expect(late.told()).not.toContain('pool.paused');
  });

  test('[N-8] pauses nothing where nothing decides about changes, nor once it has been resumed for it', async () => {
    const free = keepLab();
    await lookAfter(free, 3);
    const open = keepLab({ windows: [Window.parse({ ...nights[0], schedule: '0 9 * * *' })] });
    await lookAfter(open, 3);
    open.world.pools.observe('worker');
    await open.pass(25);

    await open.deliver(open.operationOf('Succeeded'));

    expect(free.told()).not.toContain('pool.paused');
    expect(open.told().filter((each) => each.startsWith('pool.'))).toEqual(['pool.paused', 'pool.resumed']);
  });
});

import { describe, expect, test } from 'vitest';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

const hours = 6;

/** Ticks, one a minute. */
async function ticks(lab: KeepLab, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    lab.world.clock.advance(60);
    await lab.tick();
  }
}

/** Our clock runs hours ahead for as many minutes, and is set back. */
async function runsAhead(lab: KeepLab, minutes: number): Promise<void> {
  const { clock } = lab.world;
  clock.advance(hours * 3600);
  await ticks(lab, minutes);
  clock.set(new Date(clock.now().getTime() - hours * 3600_000));
}

describe('[N-30] after a clock that ran ahead was set back', () => {
  test('a sync that only a list of all Applications shows is paused for within one interval of sweeps', async () => {
    const lab = keepLab();
    await ticks(lab, 2);
    await runsAhead(lab, 6);

    await ticks(lab, 1);
    lab.syncs(commitB);
    await ticks(lab, 6);

    expect(lab.pool().paused).toBe(true);
  });

  test('what began while it ran ahead is told as soon as it has lasted since then', async () => {
    const lab = keepLab();
    await ticks(lab, 2);
    const mco = { manager: 'machine-config-controller', target: { name: 'rendered-worker-bbb', sources: [] } };
    lab.world.pools.change('worker', mco.manager, { target: mco.target, counts: { ...lab.pool().counts, updated: 0 } });
    await runsAhead(lab, 6);

    await ticks(lab, 40);

    expect(lab.troubles()).toEqual(['no-progress']);
  });

  test('[decoy] a cluster that cannot be read since is told after as many looks as ever', async () => {
    const lab = keepLab();
    await ticks(lab, 2);
    await runsAhead(lab, 6);

    lab.world.faults.failAll(['pools.list']);
    await ticks(lab, 5);

    expect(lab.troubles()).toEqual(['watcher-blind']);
  });
});

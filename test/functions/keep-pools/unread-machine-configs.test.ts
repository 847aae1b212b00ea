import { expect, test } from 'vitest';
import { failures } from '../failing-calls.ts';
import { fleetLab } from './fleet-lab.ts';

const failing =
  (kind: keyof typeof failures) =>
  ({ name }: { readonly name: string }) =>
    name === 'cluster.pools.readMachineConfigs' ? failures[kind]?.(name) : undefined;

test.each(['403', '500', 'timeout'])(
  '[S0-3] [N-30] MachineConfigs that cannot be read (%s) make no cluster blind',
  async (kind) => {
    const lab = await fleetLab();

    for (let minute = 0; minute < 5; minute += 1) await lab.tick(failing(kind));

    expect(lab.pools()).toMatchObject({
      'prod/gpu': { paused: true },
      'prod/infra': { paused: true, holds: [] },
      'prod/worker': { paused: true },
    });
    expect(lab.incidents()).toMatchObject({
      'prod/* objects-unreadable': 'firing',
      'prod/broken render-failed': 'firing',
      'prod/stuck render-failed': 'firing',
    });
    expect(lab.incidents()).not.toHaveProperty(['prod/* watcher-blind']);
    expect(lab.incidents()).not.toHaveProperty(['prod/infra render-failed']);

    for (let minute = 0; minute < 20; minute += 1) await lab.tick();

    expect(lab.pools()['prod/infra']?.paused).toBe(false);
    expect(lab.incidents()).not.toHaveProperty(['prod/* objects-unreadable']);
  },
);

test('[S0-3] [N-30] MachineConfigs that cannot be read once are told by no incident', async () => {
  const lab = await fleetLab();

  await lab.tick(failing('500'));
  const then = lab.incidents();
  await lab.tick();

  expect(then).not.toHaveProperty(['prod/* objects-unreadable']);
  expect(lab.pools()['prod/infra']?.paused).toBe(false);
});

test('[S0-3] [N-30] a sync of a MachineConfig that cannot be read pauses every pool that it may reach', async () => {
  const lab = await fleetLab();
  lab.addsMachineConfig('99-new');

  await lab.tick(failing('403'));

  expect(Object.entries(lab.pools()).filter(([, { paused }]) => !paused)).toEqual([]);
});

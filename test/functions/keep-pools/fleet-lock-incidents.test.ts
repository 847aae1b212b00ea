import { expect, test } from 'vitest';
import { FleetLock } from '../../../functions/core/configuration/fleet-lock.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { keepLab } from './keep-lab.ts';

const fleetLock = FleetLock.parse({ groups: { default: { tokenSecret: 't', expectedWithinSeconds: 3600 } } });

test('[N-25] a machine that is down for longer than its group expects is an incident until its slot is free, and keeps it', async () => {
  const lab = keepLab({ fleetLock });
  const { clock, tables } = lab.world;
  const told = () =>
    tables.incidents
      .all()
      .filter(({ key }) => key.kind === 'lock-overdue')
      .map(({ state }) => state);
  const held = { group: 'default', id: 'machine-1', since: clock.now().toISOString() };
  await tables.fleetLocks.save({ version: 0, held: [held] });

  clock.advance(3500);
  await lab.tick();
  const early = told();
  clock.advance(200);
  await lab.tick();
  const overdue = told();
  const kept = (await tables.fleetLocks.load()).held;
  await tables.fleetLocks.save({ version: 1, held: [] });
  for (let minutes = 0; minutes < 30; minutes += 1) {
    clock.advance(60);
    await lab.tick();
  }

  expect(early).toEqual([]);
  expect(overdue).toEqual(['firing']);
  expect(kept).toEqual([held]);
  expect(told()).not.toContain('firing');
});

test('[N-25] [N-30] a machine that does not come back is told also while the cluster whose ticks look after it cannot be read', async () => {
  const lab = keepLab({ fleetLock });
  const { clock, tables, faults } = lab.world;
  await lab.tick();
  await tables.fleetLocks.save({
    version: 0,
    held: [{ group: 'default', id: 'machine-1', since: clock.now().toISOString() }],
  });
  const seeAgain = faults.failAll(['pools.list']);

  clock.advance(3500);
  await lab.tick();
  const early = lab.troubles();
  clock.advance(200);
  await lab.tick();
  const overdue = lab.troubles();
  await tables.fleetLocks.save({ version: 1, held: [] });
  for (let minutes = 0; minutes < 30; minutes += 1) {
    clock.advance(60);
    await lab.tick();
  }
  const back = lab.troubles();
  seeAgain();

  expect(early).not.toContain('lock-overdue');
  expect(overdue).toContain('lock-overdue');
  expect(back).toEqual(['watcher-blind']);
});

test('[N-25] [N-30] a machine that does not come back is told also where the cluster was out of sight before', async () => {
  const lab = keepLab({ fleetLock });
  const { clock, tables, faults } = lab.world;
  await lab.tick();
  faults.failAll(['pools.list']);
  const minutes = async (count: number) => {
    for (let minute = 0; minute < count; minute += 1) {
      clock.advance(60);
      await lab.tick();
    }
  };
  await minutes(10);
  const blind = lab.troubles();
  await tables.fleetLocks.save({
    version: 0,
    held: [{ group: 'default', id: 'machine-1', since: clock.now().toISOString() }],
  });

  await minutes(65);

  expect(blind).toEqual(['watcher-blind']);
  expect(lab.troubles()).toContain('lock-overdue');
});

test('[N-25] slots that cannot be read cost a tick nothing else', async () => {
  const lab = keepLab({ fleetLock });
  lab.world.faults.failAll(['locks.load']);

  await lab.tick();

  expect(lab.troubles()).toEqual([]);
  expect(await lab.world.tables.views.list()).toHaveLength(1);
});

test('[N-25] [N-29] a machine that is still down is not told as back when another cluster becomes the first one', async () => {
  const lab = keepLab({ fleetLock });
  const { clock, tables } = lab.world;
  const held = { group: 'default', id: 'machine-1', since: clock.now().toISOString() };
  await tables.fleetLocks.save({ version: 0, held: [held] });
  clock.advance(3700);
  await lab.tick();

  const { configuration } = lab.ports;
  const before = configuration.clusters.map((each) => ({ ...each, name: 'edge' }));
  Object.assign(lab.ports, { configuration: { ...configuration, clusters: [...before, ...configuration.clusters] } });
  for (let minutes = 0; minutes < 30; minutes += 1) {
    clock.advance(60);
    await lab.tick();
  }

  const [incident] = tables.incidents.all().filter(({ key }) => key.kind === 'lock-overdue');
  expect(incident?.outcome).not.toBe('fixed');
});

test('[N-25] [N-29] slots that cannot be read are in the log', async () => {
  const lab = keepLab({ fleetLock });
  const { tables, logger } = lab.world;
  Object.assign(tables.fleetLocks, {
    load: () => Promise.reject(new Transient('the stored fleet-lock cannot be parsed at version')),
  });

  await lab.tick();

  expect(logger.lines).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'machines outside OpenShift are not looked after' }),
  );
});

test.each([
  ['FleetLock is taken out of the configuration', undefined, 'FleetLock is no longer configured'],
  [
    'its group is renamed',
    FleetLock.parse({ groups: { renamed: { tokenSecret: 't' } } }),
    'Nobody looks after machines of default now',
  ],
])('[N-25] [N-29] a machine that is still down is not told as back when %s', async (_, after, why) => {
  const lab = keepLab({ fleetLock });
  const { clock, tables } = lab.world;
  const held = { group: 'default', id: 'machine-1', since: clock.now().toISOString() };
  await tables.fleetLocks.save({ version: 0, held: [held] });
  clock.advance(3700);
  await lab.tick();

  Object.assign(lab.ports, { configuration: { ...lab.ports.configuration, fleetLock: after } });
  for (let minutes = 0; minutes < 30; minutes += 1) {
    clock.advance(60);
    await lab.tick();
  }

  const [incident] = tables.incidents.all().filter(({ key }) => key.kind === 'lock-overdue');
  expect([incident?.state, incident?.outcome]).toEqual(['ok', 'subject-removed']);
  expect(incident?.endedBy).toContain(why);
});

import { expect, test } from 'vitest';
import { commitB, type KeepLab, keepLab } from './keep-lab.ts';

function open(lab: KeepLab) {
  return lab.world.tables.incidents
    .all()
    .filter(({ state }) => state === 'firing')
    .map(({ key, trouble }) => [key.pool, key.kind, trouble?.severity, trouble?.headline]);
}

/** Passes of which each fails, as the queue sees it. */
async function passes(lab: KeepLab, minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) await lab.pass(60).catch(() => undefined);
}

const told = ['worker', 'late-pause', 'high', 'cannot be paused: nodes may reboot during a sync'];

test('[N-28] [N-29] a pool that may not be written when a sync wants it paused is told, until it is paused', async () => {
  const lab = keepLab();
  await lab.pass(600);
  const heal = lab.world.faults.failAll(['pools.patch']);
  await lab.deliver(lab.pushOf(commitB)).catch(() => undefined);
  lab.syncs(commitB);
  await passes(lab, 5);
  const soon = open(lab);
  const [incident] = lab.world.tables.incidents.all();
  await passes(lab, 25);
  const between = open(lab);
  heal();
  await passes(lab, 6);
  lab.world.pools.observe('worker');
  await passes(lab, 12);

  expect(soon).toEqual([told]);
  expect(incident?.trouble?.findings).toMatchObject([
    { code: 'Z4', sentence: expect.stringContaining('made to fail') },
  ]);
  expect(between).toEqual([told]);
  expect(lab.pool().paused).toBe(true);
  expect(open(lab)).not.toContainEqual(told);
});

test('[N-29] what nobody wants to pause any more is no trouble', async () => {
  const lab = keepLab();
  await lab.pass(600);
  lab.world.faults.failAll(['pools.patch']);
  await lab.deliver(lab.pushOf(commitB)).catch(() => undefined);
  lab.syncs(commitB);
  await passes(lab, 5);
  const before = open(lab);
  lab.ends('Succeeded');
  await passes(lab, 40);

  expect(before).toEqual([told]);
  expect(open(lab)).toEqual([]);
});

test('[N-28] [N-29] so is one whose record cannot be read, and which is never paused therefore', async () => {
  const lab = keepLab();
  const why = 'annotation poolkeeper.dev/holds: v: expected 1';
  lab.world.pools.change('worker', 'kubectl', { record: { kind: 'unreadable', why } });
  await lab.pass(600);
  const before = open(lab);
  const [incident] = lab.world.tables.incidents.all();
  lab.world.pools.change('worker', 'kubectl', { record: { kind: 'none' } });
  await lab.pass(1200);

  expect(before).toEqual([told]);
  expect(incident?.trouble?.findings).toMatchObject([{ code: 'Z4', sentence: expect.stringContaining(why) }]);
  expect(open(lab)).toEqual([]);
});

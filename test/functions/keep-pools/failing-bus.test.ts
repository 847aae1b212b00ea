import { expect, test } from 'vitest';
import { commitB, keepLab } from './keep-lab.ts';

const ofRaces = ['poolkeeper.pool.confirmed.v1', 'poolkeeper.race.decided.v1'];

test.each(['bus.publish', 'timeline.append'] as const)(
  '[N-2] [N-30] what passes find out of a race while %s fails is told by the next one, by the times of then',
  async (op) => {
    const lab = keepLab();
    const { bus, faults, pools, tables } = lab.world;
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    const undo = faults.failAll([op]);
    pools.observe('worker');
    await expect(lab.pass(10)).rejects.toThrow();
    const confirmedAt = tables.races.all()[0]?.confirmedAt;
    lab.ends('Succeeded');
    await expect(lab.pass(70)).rejects.toThrow();
    undo();
    const before = bus.published.length;

    for (let minute = 0; minute < 3; minute += 1) await lab.pass(60);

    const told = bus.published.slice(before).filter(({ type }) => ofRaces.includes(type));
    expect(told.map(({ type }) => type)).toEqual(ofRaces);
    expect(told[1]?.data).toMatchObject({ verdict: 'early', confirmedAt });
    expect(confirmedAt).toBeDefined();
    expect(tables.timeline.all().filter(({ type }) => ofRaces.includes(type)).length).toBeGreaterThanOrEqual(2);
    expect((await tables.checkpoints.load('prod'))?.untoldRaces).toBeUndefined();
  },
);

test('[S0-16] [N-30] a cluster that cannot be read is told, also while the bus fails and something else is still to be told', async () => {
  const lab = keepLab();
  const { argocd, bus, faults, tables } = lab.world;
  await lab.tick();
  const undo = faults.failAll(['bus.publish']);
  argocd.spoil('broken', 'openshift-gitops');
  await expect(lab.pass(600)).rejects.toThrow();
  faults.failAll(['pools.list']);

  for (let minute = 0; minute < 10; minute += 1) await lab.pass(60).catch(() => undefined);

  const kinds = tables.incidents.all().map(({ key }) => key.kind);
  expect(kinds.toSorted()).toEqual(['objects-unreadable', 'watcher-blind']);

  undo();
  await lab.pass(60);

  const opened = bus.published.filter(({ type }) => type === 'poolkeeper.incident.opened.v1');
  expect(opened.map(({ data }) => data)).toMatchObject([{ kind: 'objects-unreadable' }, { kind: 'watcher-blind' }]);
});

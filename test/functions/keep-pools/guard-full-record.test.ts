import { describe, expect, test } from 'vitest';
import { anApplication } from '../../fakes/index.ts';
import { type GuardLab, guardLab } from './guard-lab.ts';
import { commitA, commitB, nodesHold } from './keep-lab.ts';

/** More than the record of a pool has room for, and fewer than the record of an AppProject has. */
const many = 350;
const rest = 'set/hub//others';
const tenants = [{ repoURL: 'https://github.com/acme/tenant.git', path: '.', targetRevision: 'main', chart: '' }];
const tenant = { htmlUrl: 'https://github.com/acme/tenant', fullName: 'acme/tenant', defaultBranch: 'main' };

/** Applications that say that they write what pool worker selects, in a namespace of their own. */
function flood(lab: GuardLab, change: Parameters<typeof anApplication>[0]): void {
  for (let index = 0; index < many; index += 1) {
    const name = `x${`${index}`.padStart(4, '0')}${'y'.repeat(40)}`;
    lab.world.argocd.put(anApplication({ name, uid: name, namespace: 'tenant', sources: tenants, ...change }));
  }
}

/** The record of pool worker has no room any more. */
async function fullLab(): Promise<GuardLab> {
  const lab = guardLab();
  await lab.tick();
  flood(lab, { sync: { status: 'Synced', revisions: [commitA] }, reconciledAt: lab.world.clock.now().toISOString() });
  for (const at of [0, 1, 2])
    await lab.deliver({ ...lab.pushOf('c'.repeat(40), { repository: tenant }), id: `of-the-tenant-${at}` });
  return lab;
}

/** What makes Argo CD want to sync the victim. */
const triggers = {
  'a push, which Argo CD compares with': async (lab) => {
    await lab.deliver(lab.pushOf(commitB));
    lab.looks(commitB);
  },
  'a sync by hand': async (lab) => {
    lab.asksFor(commitB);
    await lab.deliver(lab.operationOf('Running'));
  },
  'no push at all': async (lab) => {
    const reconciledAt = new Date(lab.world.clock.now().getTime() + 1000).toISOString();
    lab.world.argocd.change('nodes', { reconciledAt, sync: { status: 'OutOfSync', revisions: [commitB] } });
    await lab.pass(61);
  },
} as const satisfies Readonly<Record<string, (lab: GuardLab) => Promise<void>>>;

function idsOf(lab: GuardLab): readonly string[] {
  return lab.record()?.holds.map(({ id }) => id) ?? [];
}

describe.each(Object.keys(triggers) as (keyof typeof triggers)[])(
  'an Application whose hold has no room in the record of its pool, by %s',
  (trigger) => {
    test('[N-6] [N-30] [C-11] is let through once the pause is confirmed, no sooner, and held back again', async () => {
      const lab = await fullLab();
      await triggers[trigger](lab);
      const held = idsOf(lab);
      const before = [lab.pool().paused, lab.isClosed()];
      lab.confirms();
      await lab.pass(61);
      const during = lab.isClosed();
      const isThrough = lab.looks(commitB);
      await lab.pass(61);
      lab.ends('Succeeded');
      await lab.pass(61);

      expect([held.includes(nodesHold), held.includes(rest)]).toEqual([false, true]);
      expect(before).toEqual([true, true]);
      expect([during, isThrough, lab.isClosed()]).toEqual([false, true, true]);
      expect(lab.pool().paused).toBe(true);
    });

    test('[N-6] [N-30] stays held back while the pause is not confirmed, and when a person has resumed the pool', async () => {
      const lab = await fullLab();
      await triggers[trigger](lab);
      await lab.pass(300);
      const unconfirmed = lab.isClosed();
      lab.world.pools.change('worker', 'ann', { paused: false });
      lab.confirms();
      await lab.pass(120);

      expect([unconfirmed, lab.isClosed(), lab.pool().paused]).toEqual([true, true, false]);
    });
  },
);

test('[N-6] [N-30] a hold that stands for Applications of another Argo CD instance opens no guard of this one', async () => {
  const lab = await fullLab();
  await lab.deliver(lab.pushOf(commitB));
  const record = lab.record();
  if (record === undefined) throw new Error('the pool has no record');
  const holds = record.holds.map((hold) => (hold.id === rest ? { ...hold, id: 'set/other//others' } : hold));
  lab.world.pools.change('worker', 'poolkeeper', { record: { kind: 'record', record: { ...record, holds } } });
  lab.confirms();
  await lab.tick();

  expect([lab.pool().paused, lab.isClosed()]).toEqual([true, true]);
});

test('[N-6] [N-30] a push to a pool that is confirmed paused already opens its guard once Argo CD has compared it', async () => {
  const lab = await fullLab();
  lab.confirms();

  await lab.deliver(lab.pushOf(commitB));
  const atOnce = [lab.isClosed(), lab.isAskedToLook()];
  await lab.pass(61);

  expect(atOnce).toEqual([true, true]);
  expect([idsOf(lab).includes(nodesHold), lab.isClosed(), lab.pool().paused]).toEqual([false, false, true]);
});

test('[N-6] [N-30] no sync comes: the guard is closed again in time, and its pool resumes when the others are gone', async () => {
  const lab = await fullLab();
  await lab.deliver(lab.pushOf(commitB));
  lab.looks(commitB);
  lab.confirms();
  await lab.pass(61);
  const opened = lab.isClosed();
  await lab.pass(16 * 60);
  const after = lab.isClosed();
  flood(lab, { sync: { status: 'Synced', revisions: [commitA] } });
  await lab.pass(40 * 60);

  expect([opened, after]).toEqual([false, true]);
  expect([lab.isClosed(), lab.pool().paused]).toEqual([true, false]);
});

import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import {
  type ClusterSettings,
  defaultPoolSettings,
  type PoolSettings,
} from '../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import type { Pool } from '../../../functions/core/openshift/pool.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { aCondition } from '../../fakes/index.ts';
import { commitA, commitB, commitC, type KeepLab, keepLab, type LabOptions } from './keep-lab.ts';

/** The lab begins on Monday 2026-03-02 at 10:00 UTC. */
const fromNoon = Window.parse({ kind: 'allow', schedule: '0 12 * * *', durationSeconds: 3600 });
const twice = Window.parse({ kind: 'allow', schedule: '0 12,15 * * *', durationSeconds: 3600 });

test('[N-8] [S0-1] a push pauses its pool at any time, and it resumes when its window opens, not before', async () => {
  const lab = keepLab({ windows: [fromNoon] });

  await lab.deliver(lab.pushOf(commitB));
  const paused = lab.pool().paused;
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  await lab.pass(110 * 60);
  const beforeNoon = lab.pool().paused;
  const [view] = await lab.ports.views.list();
  await lab.pass(20 * 60);

  expect(paused).toBe(true);
  expect(beforeNoon).toBe(true);
  expect(JSON.stringify(view)).toContain('when its window does, at 2026-03-02T12:00:00.000Z');
  expect(lab.pool().paused).toBe(false);
  expect(lab.told()).toContain('pool.resumed');
});

test('[N-8] a window that closes pauses nothing: what has begun goes on', async () => {
  const lab = keepLab({ windows: [fromNoon] });

  await lab.pass(4 * 3600);

  expect(lab.pool().paused).toBe(false);
  expect(lab.told()).not.toContain('pool.paused');
});

test.each([
  ['within a week, is not told as paused too long', '2026-03-06', false],
  ['after more than a week, is', '2026-03-20', true],
])('[N-8] [S0-9] a pool that only waits for a window that opens %s', async (_, from, isTold) => {
  const opening = Window.parse({ kind: 'allow', from, to: '2026-04-01' });
  const lab = keepLab({ windows: [opening], policy: { pausedAtMostSeconds: 1800 } });

  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  await lab.pass(3600);

  expect(lab.pool().paused).toBe(true);
  expect(lab.troubles().includes('paused-too-long')).toBe(isTold);
});

describe('[N-8] [N-29] [S1-13] a pool that waits half a day for its window', () => {
  const atNine = Window.parse({ kind: 'allow', schedule: '0 9 * * *', durationSeconds: 3600 });

  /** It is 20:00, and another push comes. */
  async function heldAgain() {
    const lab = keepLab({ windows: [atNine] });
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(10 * 3600 - 60);
    await lab.deliver(lab.pushOf(commitC, { before: commitB }));
    lab.syncs(commitC);
    return lab;
  }

  test('is not paused too long because a sync holds it for a minute', async () => {
    const lab = await heldAgain();
    await lab.pass(180);
    lab.ends('Succeeded');
    await lab.pass(3600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.world.tables.incidents.all().map(({ key }) => key.kind)).not.toContain('paused-too-long');
  });

  test('is, where something holds it for long, or in its window', async () => {
    const long = await heldAgain();
    await long.pass(4 * 3600 + 300);
    const inWindow = await heldAgain();
    inWindow.ends('Succeeded');
    await inWindow.pass(12 * 3600 + 3300);
    await inWindow.deliver(inWindow.pushOf(commitA, { before: commitC }));
    inWindow.syncs(commitA);
    await inWindow.pass(180);
    const before = inWindow.troubles();
    await inWindow.pass(900);

    expect(long.troubles()).toContain('paused-too-long');
    expect(before).not.toContain('paused-too-long');
    expect(inWindow.troubles()).toContain('paused-too-long');
  });

  test('[N-16] [N-17] is not, because a look cannot read the approval that it has', async () => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE'], expiresSeconds: 2 * 86_400 });
    const lab = keepLab({ windows: [atNine], pools: { worker: { ...defaultPoolSettings, approve } } });
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.pass(60);
    const config = 'rendered-worker-bbb';
    const target = { name: config, sources: ['99-worker-ssh'] };
    lab.world.pools.change('worker', 'machine-config-controller', { target, pausedBy: lab.pool().pausedBy });
    lab.ends('Succeeded');
    await lab.pass(300);
    const at = lab.world.clock.now().toISOString();
    const given = { cluster: 'prod', pool: 'worker', config, verb: 'approve', at, reason: '' } as const;
    await lab.world.tables.approvals.save({ ...given, who: 'slack:U0000ALICE', name: 'alice' });
    await lab.pass(10 * 3600);
    const before = lab.world.bus.published.length;
    const heal = lab.world.faults.failAll(['approvals.list'], new Transient('DynamoDB: throttled'));
    await lab.pass(60);
    heal();
    await lab.pass(600);

    expect(lab.pool().paused).toBe(true);
    expect(lab.troubles()).toEqual([]);
    expect(lab.world.bus.published.slice(before)).toEqual([]);
  });
});

test.each([
  [
    'on Saturday',
    '0 8 * * 6',
    ', so one that is given before 2026-03-06T20:00:00.000Z has expired when its window opens',
  ],
  ['at noon', '0 12 * * *', ''],
])(
  '[N-8] [N-17] whoever is asked for an approval is told when it would expire before the window opens: %s',
  async (_, schedule, isLate) => {
    const approve = Approve.parse({ by: ['slack:U0000ALICE'] });
    const windows = [Window.parse({ kind: 'allow', schedule, durationSeconds: 8 * 3600 })];
    const lab = keepLab({ windows, pools: { worker: { ...defaultPoolSettings, approve } } });
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Succeeded');
    const target = { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] };
    lab.world.pools.change('worker', 'machine-config-controller', { target });
    await lab.pass(300);

    expect(JSON.stringify(await lab.ports.incidents.list())).toContain(
      `An approval counts for 12 h${isLate}, and only for this config.`,
    );
  },
);

/** Pool worker waits, with a change for its three nodes. Its window opens at noon for an hour, and again at three. */
async function waitingLab(overrun: PoolSettings['overrun']) {
  const lab = keepLab({ windows: [twice], pools: { worker: { ...defaultPoolSettings, overrun } } });
  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  lab.world.pools.change('worker', 'machine-config-controller', {
    target: { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] },
    counts: { machines: 3, updated: 0, ready: 3, unavailable: 0, degraded: 0 },
  });
  await lab.pass(110 * 60);
  const updated = (count: number) =>
    lab.world.pools.change('worker', 'machine-config-controller', {
      counts: { machines: 3, updated: count, ready: 3, unavailable: 0, degraded: 0 },
    });
  return { ...lab, updated };
}

test('[N-9] part: the pool is paused again before its window closes, and goes on in the next one', async () => {
  const lab = await waitingLab('part');

  // 11:51 to 12:11.
  await lab.pass(20 * 60);
  const begun = lab.pool().paused;
  lab.updated(1);
  await lab.pass(15 * 60);
  const stillGoes = lab.pool().paused;
  await lab.pass(10 * 60);
  const stopped = lab.record();
  await lab.pass(2 * 3600 + 30 * 60);

  expect([begun, stillGoes]).toEqual([false, false]);
  expect(stopped).toMatchObject({
    pause: 'ours',
    holds: [],
    last: {
      did: 'paused',
      at: '2026-03-02T12:31:00.000Z',
      why: 'its window closes in 29 min, and the next node may take 30 min: 1 of 3 nodes are updated, the rest waits for the next opening',
    },
  });
  expect(lab.told().filter((type) => /paused|resumed/.test(type))).toEqual([
    'pool.paused',
    'pool.resumed',
    'pool.paused',
    'pool.resumed',
  ]);
});

test.each([
  ['wait: it does not begin, and says why', 'wait', true, 'the rollout may take 90 min'],
  ['go: it begins, and goes on after the closing', 'go', false, ''],
] as const)('[N-9] %s', async (_, overrun, isPaused, why) => {
  const lab = await waitingLab(overrun);

  await lab.pass(20 * 60);
  const [view] = await lab.ports.views.list();
  await lab.pass(2 * 3600);

  expect(lab.pool().paused).toBe(isPaused);
  expect(JSON.stringify(view)).toContain(why);
  expect(lab.told().filter((type) => type.includes('pool.paused'))).toHaveLength(1);
});

describe('[N-8] [N-9] what is configured in the middle of a rollout', () => {
  const shut = Window.parse({ kind: 'deny', from: '2026-03-02', to: '2026-03-04', description: 'incident 4711' });
  const open = Window.parse({ kind: 'allow', from: '2026-03-02', to: '2026-03-09' });
  const ten = Window.parse({ kind: 'allow', schedule: '0 10 * * *', durationSeconds: 3600 });
  const goes = { worker: { ...defaultPoolSettings, overrun: 'go' as const } };

  /** One of three nodes has the change, and it is 10:07. */
  async function rolling(options: LabOptions, isByHand = false) {
    const lab = keepLab(options);
    const isNow = (change: Partial<Pool>) => lab.world.pools.change('worker', 'machine-config-controller', change);
    const updated = (count: number) => ({ machines: 3, updated: count, ready: 3, unavailable: 0, degraded: 0 });
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    await lab.pass(60);
    isNow({ target: { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] }, counts: updated(0) });
    if (isByHand) lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    lab.ends('Succeeded');
    await lab.pass(360);
    isNow({ counts: updated(1) });
    return lab;
  }

  const configure = (lab: KeepLab, change: Partial<ClusterSettings>) => {
    const [cluster] = lab.ports.configuration.clusters;
    Object.assign(cluster ?? {}, change);
  };

  test.each([
    ['a deny window, on a pool that had no window', {}, { windows: [shut] }, 'its window has closed in mid-rollout'],
    ['overrun, which was go', { windows: [ten], pools: goes }, { pools: {} }, 'its window closes in'],
  ])('stops it: %s', async (_, before, after, why) => {
    const lab = await rolling(before);
    const begun = lab.pool().paused;

    configure(lab, after);
    await lab.pass(3600);

    expect(begun).toBe(false);
    expect(lab.pool().paused).toBe(true);
    expect(lab.record()).toMatchObject({ pause: 'ours', last: { did: 'paused', why: expect.stringContaining(why) } });
  });

  const patient = { gates: { window: { afterSeconds: 60, action: 'resume' as const } } };
  test.each([
    ['nothing', {}, {}, false],
    ['a window that is open', {}, { windows: [open] }, false],
    ['a deny window, where a person has resumed it', {}, { windows: [shut] }, true],
    [
      'another deny window, past one that was closed for too long',
      { windows: [shut], policy: patient },
      { windows: [shut, shut] },
      false,
    ],
  ])('leaves it alone: %s', async (_, before, after, isByHand) => {
    const lab = await rolling(before, isByHand);
    const told = lab.told().length;

    configure(lab, after);
    await lab.pass(3 * 3600);

    expect(lab.pool().paused).toBe(false);
    expect(
      lab
        .told()
        .slice(told)
        .filter((type) => type.startsWith('pool.')),
    ).toEqual([]);
  });

  test('[N-9] stops it at its closing, though a person has paused it within its window for a moment', async () => {
    const lab = await rolling({ windows: [ten] });
    for (const paused of [true, false]) {
      lab.world.pools.change('worker', 'kubectl-patch', { paused });
      await lab.pass(180);
    }

    await lab.pass(2 * 3600);

    expect(lab.pool().paused).toBe(true);
  });

  test.each(['kubectl-patch', 'Mozilla'])(
    '[S0-15] leaves it alone: that a person paused in its window, and resumes by %s after that has closed',
    async (manager) => {
      const lab = await rolling({ windows: [ten] });
      lab.world.pools.change('worker', manager, { paused: true });
      await lab.pass(3 * 3600);

      lab.world.pools.change('worker', manager, { paused: false });
      await lab.pass(3600);

      expect(lab.pool().paused).toBe(false);
    },
  );

  test.each([
    ['had none when it was let go', {}],
    ['had some', { windows: [open] }],
  ])('leaves one alone that leads back to what it let go days ago, on a pool whose windows %s', async (_, before) => {
    const lab = await rolling(before);
    const former = lab.pool().target;
    const updated = (status: 'True' | 'False', count: number): Partial<Pool> => ({
      counts: { ...lab.pool().counts, updated: count },
      conditions: [aCondition({ type: 'Updated', status, since: lab.world.clock.now().toISOString() })],
    });
    const rolls = async (target: Pool['target']) => {
      lab.world.pools.change('worker', 'machine-config-controller', { target, ...updated('False', 0) });
      await lab.pass(600);
      const { paused } = lab.pool();
      lab.world.pools.change('worker', 'machine-config-controller', { current: target, ...updated('True', 3) });
      await lab.pass(600);
      return paused;
    };
    await rolls(former);
    configure(lab, { windows: [shut] });

    const other = await rolls({ name: 'rendered-worker-ccc', sources: ['99-worker-ssh'] });
    const back = await rolls(former);

    expect([other, back]).toEqual([false, false]);
  });
});

test('[N-9] [S0-12] a rollout that a person resumed, or that somebody else began, is not ours to stop', async () => {
  const lab = await waitingLab('part');
  lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
  await lab.pass(4 * 3600);
  const resumedByHand = lab.pool().paused;

  const other = await waitingLab('part');
  await other.pass(20 * 60);
  other.world.pools.change('worker', 'machine-config-controller', {
    target: { name: 'rendered-worker-ccc', sources: ['99-worker-ssh'] },
  });
  await other.pass(4 * 3600);

  expect(resumedByHand).toBe(false);
  expect(other.pool().paused).toBe(false);
});

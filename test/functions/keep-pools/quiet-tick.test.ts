import { describe, expect, test } from 'vitest';
import { makeTick } from '../../../events/index.ts';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { Budget } from '../../../functions/core/configuration/budget.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import { Ticket } from '../../../functions/core/configuration/ticket.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { freezeManually } from '../../../functions/core/holds/manual-freeze.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import { writeByHand } from '../../../local/cli/write-pool.ts';
import { aPool } from '../../fakes/index.ts';
import { commitB, keepLab, type LabOptions, tickOf } from './keep-lab.ts';

const text =
  'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260302T090000Z\nDTEND:20260401T000000Z\nEND:VEVENT\nEND:VCALENDAR\n';

/** Everything that decides when a pool may go. The windows of `worker` are open, those of `storage` are not. */
const gated: LabOptions = {
  pools: {
    worker: {
      ...defaultPoolSettings,
      overrun: 'wait',
      approve: Approve.parse({ by: ['slack:U0000ALICE'] }),
      ticket: Ticket.parse({ url: 'https://itsm.example.com/{pool}' }),
    },
    infra: { ...defaultPoolSettings, protection: 'rest' },
  },
  windows: [
    Window.parse({ kind: 'allow', schedule: '0 0 * * *', durationSeconds: 24 * 3600 }),
    Window.parse({ kind: 'deny', from: '2026-03-01', to: '2026-04-01', pools: ['storage'] }),
    Window.parse({ kind: 'allow', calendarFrom: { url: 'https://calendar.example.com/a.ics' }, pools: ['worker'] }),
  ],
};

/** Pools `worker`, `infra` and `storage`, which is frozen; every port counts its calls. */
async function labWith(options: LabOptions, budget?: Budget) {
  const lab = keepLab(options);
  const outside: string[] = [];
  for (const name of ['infra', 'storage']) lab.world.pools.put(aPool({ name, uid: `uid-${name}` }));
  const { configuration } = lab.ports;
  const ports: KeepPorts = {
    ...lab.ports,
    configuration: { ...configuration, clusters: configuration.clusters.map((each) => ({ ...each, budget })) },
    tickets: {
      ask: async () => {
        outside.push('ticket');
        return { status: 200, value: undefined };
      },
    },
    calendarServers: {
      read: async () => {
        outside.push('calendar');
        return { kind: 'read', text, etag: undefined, lastModified: undefined };
      },
    },
  };
  const tick = () => keep(tickOf(lab.world.clock.now()), ports);
  /** The calls of the second of two ticks a minute apart, long after anything happened and before the next sweep. */
  const quietTick = async () => {
    for (let minute = 0; minute < 16; minute += 1) {
      lab.world.clock.advance(60);
      await tick();
    }
    lab.world.faults.forget();
    outside.splice(0);
    lab.world.clock.advance(60);
    await tick();
    return [...lab.world.faults.calls.map(({ op }) => op), ...outside].toSorted();
  };
  await tick();
  return { lab, ports, quietTick };
}

async function freezeStorage({ lab }: Awaited<ReturnType<typeof labWith>>) {
  const until = new Date(lab.world.clock.now().getTime() + 6 * 3600_000);
  await writeByHand(lab.world.pools, {
    pool: 'storage',
    decide: (pool) =>
      freezeManually(pool, { scope: 'pool', until }, { who: 'ann', why: 'migration', now: lab.world.clock.now() }),
    event: () => ({ reason: 'ByHand', message: '', type: 'Normal', at: lab.world.clock.now() }),
  });
}

describe('a quiet tick', () => {
  test('[N-7] [N-8] [N-10] [N-17] [N-21] costs no call more with windows, calendars, freezes, a budget, approvals, tickets and rest', async () => {
    const bare = await labWith({});
    const full = await labWith(gated, Budget.parse({ pools: 1, fleet: { clusters: 1 } }));
    await freezeStorage(full);

    const calls = await full.quietTick();

    expect(calls).toEqual(await bare.quietTick());
    expect(calls.filter((op) => /^(?:pools|argocd|reader|renderings)\./.test(op))).toEqual(['pools.list']);
    expect(full.lab.pool('infra').paused && full.lab.pool('storage').paused).toBe(true);
    expect(full.lab.pool('worker').paused).toBe(false);
  });

  test('[N-7] [N-8] [N-10] [N-17] [N-21] nor while an Application holds a pool, beside one GET of that', async () => {
    const bare = await labWith({});
    const full = await labWith(gated, Budget.parse({ pools: 1, fleet: { clusters: 1 } }));
    await freezeStorage(full);
    for (const { lab, ports } of [bare, full]) {
      await keep(lab.pushOf(commitB), ports);
      for (const pool of ['worker', 'infra', 'storage']) lab.world.pools.observe(pool);
      lab.syncs(commitB);
    }

    const calls = await full.quietTick();

    expect(calls).toEqual(await bare.quietTick());
    expect(calls.filter((op) => /^(?:pools|argocd|reader|renderings)\./.test(op))).toEqual([
      'argocd.read',
      'pools.list',
    ]);
  });
});

describe('[N-30] a backlog of ticks', () => {
  function backlog(minutes: number) {
    const lab = keepLab();
    const from = lab.world.clock.now().getTime();
    lab.world.clock.advance(minutes * 60);
    const ticks = Array.from({ length: minutes }, (_, minute) => tickOf(new Date(from + minute * 60_000)));
    const looks = () => lab.world.faults.calls.filter(({ op }) => op === 'pools.list').length;
    return { lab, ticks, looks };
  }

  test('costs a look at its cluster, and one for each tick that is not old', async () => {
    const { lab, ticks, looks } = backlog(30);

    for (const tick of ticks) await lab.deliver(tick);

    expect(looks()).toBe(1 + 3);
  });

  test('[decoy] of a cluster that is out of sight, or with a table that cannot be read, is worked off', async () => {
    const { lab, ticks, looks } = backlog(6);
    const heal = lab.world.faults.failAll(['pools.list']);
    for (const tick of ticks.slice(0, 2)) await lab.deliver(tick).catch(() => undefined);
    heal();
    await lab.tick();
    lab.world.faults.failAll(['memories.load']);
    const before = looks();

    await lab.deliver(ticks[0] ?? expect.fail()).catch(() => undefined);

    expect(before).toBe(3);
    expect(looks()).toBe(4);
  });

  test.each([
    ['a recheck, which looks at no sequence, since', 5, 'recheck'],
    ['a tick of later than now, by a clock that was set back,', 30, 'clock'],
  ] as const)('is worked off where there was only %s', async (_, minute, why) => {
    const { lab, ticks, looks } = backlog(6);
    const { clock } = lab.world;
    const now = clock.now();
    const { time } = ticks[minute] ?? tickOf(new Date(now.getTime() + minute * 60_000));
    clock.set(new Date(time));
    await lab.deliver(makeTick({ cluster: 'prod', why }, clock.now()));
    clock.set(now);
    const before = looks();

    await lab.deliver(ticks[0] ?? expect.fail());

    expect(looks()).toBe(before + 1);
  });

  test('[decoy] hides no recheck and no push, however old', async () => {
    const { lab, ticks, looks } = backlog(30);
    const [first] = ticks;
    if (first === undefined) expect.fail();
    const push = lab.pushOf(commitB);
    await lab.tick();

    await lab.deliver(makeTick({ cluster: 'prod', why: 'recheck' }, new Date(first.time)));
    await lab.deliver({ ...push, time: first.time });

    expect(looks()).toBeGreaterThanOrEqual(3);
    expect(lab.record()?.holds).toMatchObject([{ phase: 'expected' }]);
  });
});

import { describe, expect, test } from 'vitest';
import { Approve } from '../../../functions/core/configuration/approve.ts';
import { defaultPoolSettings } from '../../../functions/core/configuration/cluster.ts';
import type { GateTimeouts } from '../../../functions/core/configuration/gate-timeouts.ts';
import { GateTimeouts as Schema } from '../../../functions/core/configuration/gate-timeouts.ts';
import { Ticket } from '../../../functions/core/configuration/ticket.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { gates } from '../../../functions/core/gates/index.ts';
import { openLane } from '../../../functions/core/holds/manual-emergency.ts';
import { resumeManually } from '../../../functions/core/holds/manual-hold.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { commitB, commitC, type KeepLab, keepLab, type LabOptions } from './keep-lab.ts';

/** The lab begins on that day at 10:00. */
const afternoon = Window.parse({ kind: 'allow', from: '2026-03-02T13:00', to: '2026-03-02T18:00' });

/** A pool whose syncs have ended and whose only window opens three hours later, after two. */
async function afterTwoHours(window: NonNullable<GateTimeouts['window']>) {
  const lab = keepLab({ windows: [afternoon], policy: { pausedAtMostSeconds: 24 * 3600, gates: { window } } });
  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  await lab.pass(30 * 60);
  const early = { paused: lab.pool().paused, troubles: lab.troubles() };
  await lab.pass(90 * 60);
  await lab.pass(60);
  return { lab, early };
}

const hour = 3600;

test('[N-16] a timeout can be set for every gate that something waits behind', () => {
  // Behind gate `rest` nothing waits: it opens with the first change.
  const waiting = gates.map(({ name }) => name).filter((name) => name !== 'rest');

  expect(Object.keys(Schema.shape).toSorted()).toEqual(waiting.toSorted());
});

test('[N-16] a gate that keeps a rollout from doing harm cannot be skipped', () => {
  const skipped = { afterSeconds: hour, action: 'resume' };

  expect(Schema.safeParse({ quiet: skipped }).success).toBe(false);
  expect(Schema.safeParse({ rendered: skipped }).success).toBe(false);
  expect(Schema.safeParse({ health: skipped }).success).toBe(false);
  expect(Schema.safeParse({ 'keep-paused': skipped }).success).toBe(false);
  expect(Schema.safeParse({ window: skipped }).success).toBe(true);
});

test('[N-16] wait: the pool stays paused, and nothing is told before pausedAtMost', async () => {
  const { lab } = await afterTwoHours({ afterSeconds: hour, action: 'wait' });

  expect(lab.pool().paused).toBe(true);
  expect(lab.troubles()).not.toContain('paused-too-long');
});

test('[N-16] alert: the pool stays paused and an alert is sent, whatever the age of its pause', async () => {
  const { lab, early } = await afterTwoHours({ afterSeconds: hour, action: 'alert' });

  expect(early.troubles).not.toContain('paused-too-long');
  expect(lab.pool().paused).toBe(true);
  expect(lab.troubles()).toContain('paused-too-long');
});

test('[N-16] resume: the gate no longer counts, and the reason says so', async () => {
  const { lab, early } = await afterTwoHours({ afterSeconds: hour, action: 'resume' });

  expect(early.paused).toBe(true);
  expect(lab.pool().paused).toBe(false);
  expect(lab.record()?.last?.why).toContain('gate window stayed closed for too long and is skipped');
});

test('[N-16] resume: for what is rendered late the clock of the gate starts anew', async () => {
  const window = { afterSeconds: hour, action: 'resume' } as const;
  const lab = keepLab({ windows: [afternoon], policy: { pausedAtMostSeconds: 24 * hour, gates: { window } } });
  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  await lab.pass(60);
  lab.ends('Succeeded');
  await lab.pass(50 * 60);
  lab.world.pools.change('worker', 'machine-config-controller', {
    target: { name: 'rendered-worker-late', sources: ['99-worker-ssh'] },
  });

  await lab.pass(20 * 60);
  const early = lab.pool().paused;
  await lab.pass(45 * 60);

  expect([early, lab.pool().paused]).toEqual([true, false]);
});

test('[N-16] resume: a gate that no longer counts stays passed while another one is closed', async () => {
  const window = { afterSeconds: hour, action: 'resume' } as const;
  const approve = Approve.parse({ by: ['slack:U0000ALICE'] });
  const lab = keepLab({
    windows: [afternoon],
    policy: { pausedAtMostSeconds: 24 * hour, gates: { window } },
    pools: { worker: { ...defaultPoolSettings, approve } },
  });
  await lab.deliver(lab.pushOf(commitB));
  lab.syncs(commitB);
  lab.world.pools.change('worker', 'machine-config-controller', {
    target: { name: 'rendered-worker-next', sources: ['99-worker-ssh'] },
  });
  await lab.pass(60);
  lab.ends('Succeeded');

  const closed = async () =>
    (await lab.world.tables.views.list())[0]?.pools[0]?.closedGates
      .filter(({ unread }) => unread !== true)
      .map(({ gate }) => gate);
  await lab.pass(50 * 60);
  const early = await closed();
  await lab.pass(15 * 60);

  expect(early).toEqual(['approval', 'window']);
  expect(await closed()).toEqual(['approval']);
});

test('[N-16] drop: the pool stays paused and is no longer ours to resume, not even when its window opens', async () => {
  const { lab, early } = await afterTwoHours({ afterSeconds: hour, action: 'drop' });
  const given = lab.record();
  await lab.pass(hour + 600);

  expect(early.paused).toBe(true);
  expect(given).toMatchObject({ holds: [], last: { did: 'left' } });
  expect(given?.pause).toBeUndefined();
  expect(given?.last?.why).toContain('gate window stayed closed for too long, so Poolkeeper gives the pool up');
  expect(lab.pool().paused).toBe(true);
  expect(lab.record()).toEqual(given);
});

describe('a pool that was given up', () => {
  const drop = { afterSeconds: hour, action: 'drop' } as const;

  test('[N-16] [N-30] is an incident at once, also during a later sync, until a person resumes it', async () => {
    const { lab, early } = await afterTwoHours(drop);
    const told = lab.troubles();
    const headline = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'paused-too-long')
      ?.trouble?.headline;
    await lab.deliver(lab.pushOf(commitC));
    lab.syncs(commitC);
    await lab.pass(20 * 60);
    const during = [lab.record()?.pause, lab.troubles().includes('paused-too-long')];
    lab.ends('Succeeded');
    await lab.pass(20 * 60);
    const after = [lab.record()?.last?.why, lab.troubles()];
    lab.world.pools.change('worker', 'kubectl-patch', { paused: false });
    await lab.pass(20 * 60);

    expect([early.troubles, told]).toEqual([[], ['paused-too-long']]);
    expect(headline).toContain('gate window stayed closed for too long, so Poolkeeper gives the pool up');
    expect(during).toEqual(['foreign', true]);
    expect(after[0]).not.toContain('somebody else paused it');
    expect(after[1]).toEqual(['paused-too-long']);
    expect(lab.troubles()).toEqual([]);
  });

  test.each(['while nothing holds it', 'while a later sync holds it'])(
    '[N-16] [S0-14] is resumed by the command: %s',
    async (moment) => {
      const { lab } = await afterTwoHours(drop);
      if (moment === 'while a later sync holds it') lab.syncs(commitC);
      await lab.pass(360);
      const done = resumeManually(lab.pool(), { who: 'ann', why: 'it may go', now: lab.world.clock.now() });

      expect(done).toMatchObject({ paused: false, said: 'is resumed' });
      expect(done.record?.holds.every(({ overruled }) => overruled?.by === 'ann')).toBe(true);
    },
  );

  test('[N-16] has no emergency lane, and it is said what resumes it', async () => {
    const { lab } = await afterTwoHours(drop);
    const now = lab.world.clock.now();

    const done = openLane(lab.pool(), new Date(now.getTime() + 3_600_000), { who: 'ann', why: 'CVE', now });

    expect(done).toEqual({
      paused: undefined,
      record: undefined,
      said: 'stays paused: Poolkeeper no longer resumes it; resume does',
    });
  });

  test('[N-16] [S0-14] is not taken back by a pass that does not know of it, nor resumed when its window opens', async () => {
    const noon = Window.parse({ kind: 'allow', from: '2026-03-02T12:00', to: '2026-03-02T18:00' });
    const lab = keepLab({ windows: [noon], policy: { pausedAtMostSeconds: 24 * hour, gates: { window: drop } } });
    await lab.deliver(lab.pushOf(commitB));
    lab.syncs(commitB);
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(59 * 60);
    const mend = lab.world.faults.failAll(['memories.save']);
    while (lab.record()?.pause === 'ours') await lab.pass(60).catch(() => undefined);
    mend();
    await lab.pass(4 * hour);

    expect(lab.pool().paused).toBe(true);
    expect(lab.record()).toMatchObject({ holds: [], last: { did: 'left' } });
  });
});

describe('[N-16] [N-29] [N-30] a gate that waits while syncs come and go', () => {
  const bbb = { name: 'rendered-worker-bbb', sources: ['00-worker', '99-worker-ssh'] };
  const approve = Approve.parse({ by: ['slack:U0000ALICE'] });
  const ticket = Ticket.parse({ url: 'https://itsm.example.com/{config}', path: 'state', equals: 'approved' });

  /** A pool that waits behind gates alone, since some minutes after ten. */
  async function waiting(timeouts: GateTimeouts, options: Pick<LabOptions, 'pools' | 'windows' | 'policy'>) {
    const policy = { pausedAtMostSeconds: 24 * hour, gates: timeouts, ...options.policy };
    const lab = keepLab({ ...options, policy });
    Object.assign(lab.ports, { tickets: { ask: async () => ({ status: 200, value: 'new' }) } });
    await lab.deliver(lab.pushOf(commitB));
    lab.world.pools.observe('worker');
    lab.syncs(commitB);
    lab.world.pools.change('worker', 'machine-config-controller', { target: bbb });
    await lab.pass(60);
    lab.ends('Succeeded');
    await lab.pass(180);
    return lab;
  }

  /** Its Application heals itself: Argo CD writes again what it has drifted from. */
  async function heals(lab: KeepLab, seconds: number, target = bbb) {
    lab.syncs(commitB);
    await lab.deliver(lab.operationOf('Running'));
    await lab.pass(seconds);
    const held = lab.record()?.holds.length;
    lab.world.pools.change('worker', 'machine-config-controller', { target });
    lab.ends('Succeeded');
    await lab.deliver(lab.operationOf('Succeeded'));
    return held;
  }

  /** When people are told that it rolls out without their approval. */
  function toldRollout({ world }: KeepLab): string | undefined {
    const asked = world.tables.incidents.all().find(({ key }) => key.kind === 'approval-needed');
    return /it rolls out without approval at (\S+)\./.exec(asked?.trouble?.findings[0]?.sentence ?? '')?.[1];
  }

  const gated = {
    approval: { worker: { ...defaultPoolSettings, approve } },
    ticket: { worker: { ...defaultPoolSettings, ticket } },
  } as const;

  test.each([
    ['approval', 'alert'],
    ['approval', 'drop'],
    ['approval', 'resume'],
    ['ticket', 'alert'],
  ] as const)('%s: %s comes when it is due, whoever syncs for a moment every ten minutes', async (gate, action) => {
    const lab = await waiting({ [gate]: { afterSeconds: hour, action } }, { pools: gated[gate] });

    const early: unknown[] = [];
    for (let round = 0; round < 5; round += 1) {
      early.push(await heals(lab, 20), lab.pool().paused, lab.troubles().includes('paused-too-long'));
      await lab.pass(600 - 20);
    }
    const given = lab.record()?.pause;
    for (let round = 0; round < 2; round += 1) {
      await heals(lab, 20);
      await lab.pass(600 - 20);
    }

    expect(early).toEqual(Array.from({ length: 5 }, () => [1, true, false]).flat());
    expect(given).toBe('ours');
    expect([lab.pool().paused, lab.troubles().includes('paused-too-long'), lab.record()?.last?.did]).toEqual(
      {
        alert: [true, true, 'paused'],
        drop: [true, true, 'left'],
        resume: [false, false, 'resumed'],
      }[action],
    );
  });

  test.each(['drop', 'resume'] as const)(
    'ticket: %s does not come for a time in which nobody has read what it says: it may have been approved',
    async (action) => {
      const lab = await waiting({ ticket: { afterSeconds: hour, action } }, { pools: gated.ticket });
      await lab.pass(40 * 60);
      await heals(lab, 30 * 60);

      await lab.pass(50 * 60);
      const early = [lab.pool().paused, lab.record()?.last?.did];
      await lab.pass(15 * 60);

      expect(early).toEqual([true, 'paused']);
      expect(lab.record()?.last?.did).toBe(action === 'drop' ? 'left' : 'resumed');
    },
  );

  test('window: resume does not come for a time in which nobody has read the calendar, which had opened it', async () => {
    const window = { afterSeconds: hour, action: 'resume' } as const;
    const calendarFrom = { url: 'https://calendar.example.com/w.ics' };
    const lab = await waiting({ window }, { windows: [Window.parse({ kind: 'allow', calendarFrom })] });
    const text = [
      'BEGIN:VCALENDAR',
      ...['20260302', '20260303'].flatMap((day) => [
        'BEGIN:VEVENT',
        `DTSTART:${day}T104000Z`,
        `DTEND:${day}T105000Z`,
        'END:VEVENT',
      ]),
      'END:VCALENDAR\n',
    ].join('\n');
    Object.assign(lab.ports, {
      calendarServers: { read: async () => ({ kind: 'read', text, etag: '"1"', lastModified: undefined }) },
    });
    await lab.pass(31 * 60);
    await heals(lab, 20 * 60);

    await lab.pass(50 * 60);
    const early = lab.pool().paused;
    await lab.pass(15 * 60);

    expect([early, lab.pool().paused]).toEqual([true, false]);
  });

  test('the time that people are told stays true', async () => {
    const lab = await waiting({ approval: { afterSeconds: hour, action: 'resume' } }, { pools: gated.approval });
    const told = () => toldRollout(lab);
    await lab.pass(600);
    const before = told();

    await heals(lab, 20);
    await lab.pass(600);

    expect(before).toMatch(/^2026-03-02T11:0\d/);
    expect(told()).toBe(before);
  });

  test.each([
    ['alert', [true, true]],
    ['drop', [true, false]],
    ['resume', [true, false]],
  ] as const)('what it waits with is another config: %s', async (action, early) => {
    const lab = await waiting({ approval: { afterSeconds: hour, action } }, { pools: gated.approval });
    await lab.pass(50 * 60);
    await heals(lab, 20, { ...bbb, name: 'rendered-worker-ccc' });

    await lab.pass(20 * 60);
    const then = [lab.pool().paused, lab.troubles().includes('paused-too-long')];
    await lab.pass(45 * 60);

    expect(then).toEqual(early);
    expect([lab.pool().paused, lab.record()?.last?.did]).toEqual(
      { alert: [true, 'paused'], drop: [true, 'left'], resume: [false, 'resumed'] }[action],
    );
  });

  test('what is told of a gate that is closed for too long is not told as over because a sync holds the pool', async () => {
    const lab = await waiting({ approval: { afterSeconds: hour, action: 'alert' } }, { pools: gated.approval });
    await lab.pass(70 * 60);
    const told = () => lab.world.tables.incidents.all().find(({ key }) => key.kind === 'paused-too-long');
    const number = told()?.number;

    for (let round = 0; round < 3; round += 1) {
      await heals(lab, 20 * 60);
      await lab.pass(30 * 60);
    }

    expect(number).toBeGreaterThan(0);
    expect(told()?.number).toBe(number);
    expect(told()?.notes.map(({ kind }) => kind)).not.toContain('resolved');
  });

  test('a gate that was open while a sync held the pool starts over', async () => {
    const window = { afterSeconds: 2 * hour, action: 'alert' } as const;
    const noon = Window.parse({ kind: 'allow', from: '2026-03-02T11:30', to: '2026-03-02T11:40' });
    const lab = await waiting({ window }, { windows: [noon] });
    await lab.pass(80 * 60);

    await heals(lab, 30 * 60);
    await lab.pass(30 * 60);
    const early = lab.troubles();
    await lab.pass(90 * 60);

    expect(early).not.toContain('paused-too-long');
    expect(lab.troubles()).toContain('paused-too-long');
  });

  test('nor does a time count in which the cluster could not be read, and a window may have been open', async () => {
    const window = { afterSeconds: 2 * hour, action: 'resume' } as const;
    const noon = Window.parse({ kind: 'allow', from: '2026-03-02T11:30', to: '2026-03-02T11:40' });
    const lab = await waiting({ window }, { windows: [noon] });
    await lab.pass(60 * 60);
    const mend = lab.world.faults.failAll(['pools.list']);
    for (let minutes = 0; minutes < 50; minutes += 1) await lab.pass(60).catch(() => undefined);
    mend();

    await lab.pass(60 * 60);
    const early = lab.pool().paused;
    await lab.pass(65 * 60);

    expect([early, lab.pool().paused]).toEqual([true, false]);
  });

  test.each(['drop', 'resume'] as const)(
    'ticket: %s does not come for a time in which nobody looked, or the ticket system was out of reach',
    async (action) => {
      const timeouts = { ticket: { afterSeconds: hour, action } };
      const answers = { ask: async () => ({ status: 200, value: 'new' }) };
      const away = {
        ask: async () => {
          throw new Transient('HTTP 503');
        },
      };
      const asleep = await waiting(timeouts, { pools: gated.ticket });
      await asleep.pass(10 * 60);
      asleep.world.clock.set(new Date(asleep.world.clock.now().getTime() + 3 * hour * 1000));
      await asleep.tick();
      const lost = await waiting(timeouts, { pools: gated.ticket });
      await lost.pass(10 * 60);
      const mend = lost.world.faults.failAll(['memories.load', 'memories.save']);
      for (let minutes = 0; minutes < 180; minutes += 1) await lost.pass(60).catch(() => undefined);
      mend();
      await lost.pass(60);
      const unread = await waiting(timeouts, { pools: gated.ticket });
      await unread.pass(10 * 60);
      Object.assign(unread.ports, { tickets: away });
      await unread.pass(2 * hour);
      const early = [asleep, lost, unread].map((lab) => lab.record()?.last?.did);
      Object.assign(unread.ports, { tickets: answers });
      await unread.pass(65 * 60);

      expect(early).toEqual(['paused', 'paused', 'paused']);
      expect(unread.record()?.last?.did).toBe(action === 'drop' ? 'left' : 'resumed');
    },
  );

  test.each(['drop', 'resume'] as const)(
    'ticket: %s of what cannot be read is an alert when its time is over, and no other time is told',
    async (action) => {
      const lab = await waiting({ ticket: { afterSeconds: hour, action } }, { pools: gated.ticket });
      Object.assign(lab.ports, {
        tickets: {
          ask: async () => {
            throw new Transient('HTTP 503');
          },
        },
      });
      const told = async () => {
        const [view] = await lab.ports.views.list();
        return view?.pools[0]?.closedGates.find(({ gate }) => gate === 'ticket')?.timeout;
      };
      await lab.pass(10 * 60);
      const before = await told();
      await lab.pass(40 * 60);
      const early = [await told(), lab.troubles()];
      await lab.pass(20 * 60);

      expect(before?.action).toBe('alert');
      expect(early).toEqual([before, []]);
      expect(lab.troubles()).toContain('paused-too-long');
      expect(lab.record()?.last?.did).toBe('paused');
    },
  );

  test('approval: the time that people are told stays true, though the cluster cannot be read for minutes again and again', async () => {
    const lab = await waiting({ approval: { afterSeconds: hour, action: 'resume' } }, { pools: gated.approval });
    const told = () => toldRollout(lab);
    const before = told();
    for (let round = 0; round < 3; round += 1) {
      await lab.pass(10 * 60);
      const mend = lab.world.faults.failAll(['pools.list']);
      for (let minutes = 0; minutes < 5; minutes += 1) await lab.pass(60).catch(() => undefined);
      mend();
      await lab.pass(60);
    }
    const after = told();
    await lab.pass(15 * 60);

    expect(after).toBe(before);
    expect(lab.record()?.last?.did).toBe('resumed');
  });

  test('behind a hold that lasts longer than pausedAtMost it starts over', async () => {
    const ofTicket = { ticket: { afterSeconds: 5 * hour, action: 'resume' } } as const;
    const policy = { pausedAtMostSeconds: 3 * hour };
    const lab = await waiting(ofTicket, { pools: gated.ticket, policy });

    await heals(lab, 4 * hour);
    await lab.pass(2 * hour);
    const early = lab.pool().paused;
    await lab.pass(4 * hour);

    expect([early, lab.pool().paused]).toEqual([true, false]);
  });
});

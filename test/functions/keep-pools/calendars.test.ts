import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '../../../functions/core/configuration/policy.ts';
import { Window } from '../../../functions/core/configuration/window.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { calendarId } from '../../../functions/core/windows/kept-calendars.ts';
import { keep } from '../../../functions/keep-pools/keep.ts';
import type { KeepPorts } from '../../../functions/keep-pools/keep-ports.ts';
import type { ReadCalendar } from '../../../functions/ports/calendars.ts';
import { commitB, commitC, type KeepLab, keepLab, tickOf } from './keep-lab.ts';

const holidays = Window.parse({
  kind: 'deny',
  calendarFrom: { url: 'https://calendar.example.com/holidays.ics' },
  description: 'bank holidays',
});

/** An event from noon of the lab's first day, Monday 2026-03-02, until the next noon. */
const fromNoon =
  'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260302T120000Z\nDTEND:20260303T120000Z\nEND:VEVENT\nEND:VCALENDAR\n';

/** From half past nine on that day. */
const untilThursday =
  'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260302T093000Z\nDTEND:20260305T120000Z\nEND:VEVENT\nEND:VCALENDAR\n';

type Answer = ReadCalendar | Error;

/** A cluster whose pool waits, behind a calendar that answers as the test says. */
function labOf(settings: Parameters<typeof keepLab>[0] = {}) {
  const lab = keepLab({ windows: [holidays], ...settings });
  const asked: (string | undefined)[] = [];
  let answer: Answer = new Transient('calendar.example.com did not answer: no answer in time');
  const ports: KeepPorts = {
    ...lab.ports,
    calendarServers: {
      read: async (_, known) => {
        asked.push(known?.readAt);
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  };
  return {
    lab,
    asked,
    answers: (next: Answer) => {
      answer = next;
    },
    /** A tick each minute. */
    minutes: async (count: number) => {
      for (let minute = 0; minute < count; minute += 1) {
        lab.world.clock.advance(60);
        await keep(tickOf(lab.world.clock.now()), ports);
      }
    },
    push: (commit = commitB) => keep(lab.pushOf(commit), ports),
  };
}

async function synced(lab: KeepLab, commit = commitB) {
  lab.world.pools.observe('worker');
  lab.syncs(commit);
  const target = { name: `rendered-worker-${commit.slice(0, 3)}`, sources: ['00-worker', '99-worker-ssh'] };
  lab.world.pools.change('worker', 'machine-config-controller', { target });
  lab.ends('Succeeded');
}

async function whyOf(lab: KeepLab) {
  const [view] = await lab.world.tables.views.list();
  return view?.pools[0]?.closedGates.find(({ gate }) => gate === 'window')?.why;
}

describe('[N-8] a calendar by its address', () => {
  test('is read by the first sweep, then each hour with what is known of it', async () => {
    const { asked, answers, minutes } = labOf();
    answers({ kind: 'read', text: fromNoon, etag: '"1"', lastModified: undefined });

    await minutes(1);
    answers({ kind: 'unchanged' });
    await minutes(125);

    expect(asked).toEqual([undefined, '2026-03-02T10:01:00.000Z', expect.stringMatching(/^2026-03-02T11:/)]);
  });

  test('opens and closes the window of a pool that waits', async () => {
    const { lab, answers, minutes, push } = labOf();
    answers({
      kind: 'read',
      text: fromNoon.replace('20260302T12', '20260302T09'),
      etag: undefined,
      lastModified: undefined,
    });
    await minutes(1);
    await push();
    await synced(lab);

    await minutes(5);
    const denied = { paused: lab.pool().paused, why: await whyOf(lab) };
    answers({ kind: 'read', text: fromNoon, etag: undefined, lastModified: undefined });
    await minutes(65);

    expect(denied).toEqual({
      paused: true,
      why: 'a deny window is open: deny events of the calendar at calendar.example.com (UTC): bank holidays',
    });
    expect(lab.pool().paused).toBe(false);
  });

  test.each<[string, Answer]>([
    ['cannot be read', new Transient('calendar.example.com did not answer: no answer in time')],
    ['is a page for people', { kind: 'read', text: '<html>503</html>', etag: undefined, lastModified: undefined }],
    ['is nothing', { kind: 'read', text: '', etag: undefined, lastModified: undefined }],
    ['is cut off', { kind: 'read', text: fromNoon.slice(0, -20), etag: undefined, lastModified: undefined }],
    [
      'recurs without end',
      {
        kind: 'read',
        text: fromNoon.replace('END:VEVENT', 'RRULE:FREQ=SECONDLY\nEND:VEVENT'),
        etag: undefined,
        lastModified: undefined,
      },
    ],
    ['has changed nothing, though nothing is known', { kind: 'unchanged' }],
  ])('that %s keeps the pool paused, and the page says why', async (_, answer) => {
    const { lab, answers, minutes, push } = labOf();
    answers(answer);
    await push();
    await synced(lab);

    await minutes(15);

    expect(lab.pool().paused).toBe(true);
    expect(await whyOf(lab)).toContain('the calendar of a window cannot be used: it has not been read yet: ');
  });

  test('that fails later goes on with its copy for a day, says so, and then closes', async () => {
    const { lab, asked, answers, minutes, push } = labOf();
    answers({ kind: 'read', text: fromNoon.replaceAll('202603', '202701'), etag: undefined, lastModified: undefined });
    await minutes(1);
    answers({ kind: 'read', text: '<html>login</html>', etag: undefined, lastModified: undefined });
    await minutes(70);
    const failed = asked.length;
    await push();
    await synced(lab);
    await minutes(5);
    const resumed = { paused: lab.pool().paused, why: lab.record()?.last?.why };

    lab.world.clock.advance(24 * 3600);
    await keep(lab.pushOf('c'.repeat(40)), lab.ports);
    lab.syncs('c'.repeat(40));
    const target = { name: 'rendered-worker-ccc', sources: ['00-worker', '99-worker-ssh'] };
    lab.world.pools.change('worker', 'machine-config-controller', { target });
    lab.ends('Succeeded');
    await minutes(10);

    expect(failed).toBeGreaterThan(1);
    expect(resumed).toEqual({
      paused: false,
      why: expect.stringMatching(
        /the calendar at calendar\.example\.com could not be read since .* \(what it answered is not understood: it is no calendar\); its copy is 1 h 1\d min old/,
      ),
    });
    expect(lab.pool().paused).toBe(true);
    expect(await whyOf(lab)).toMatch(/it could not be read for more than 1 day: .*; its copy is 1 day 1 h old/);
  });

  const past = (action: 'resume' | 'drop') => ({
    policy: { ...defaultPolicy, gates: { window: { afterSeconds: 2 * 3600, action } } },
  });

  test.each(['resume', 'drop'] as const)(
    '[N-16] [N-30] that cannot be read until the time of its gate is over is not passed, nor is its pool given up: %s',
    async (action) => {
      const { lab, minutes, push } = labOf(past(action));
      await minutes(5);
      await push();
      await synced(lab);

      await minutes(180);

      expect(lab.pool().paused).toBe(true);
      expect(lab.record()?.pause).toBe('ours');
      expect(lab.troubles()).not.toEqual([]);
    },
  );

  test('[N-16] [N-30] that cannot be read for more than a day while it denies is not passed either', async () => {
    const { lab, answers, minutes, push } = labOf(past('resume'));
    const week = fromNoon.replace('20260303T12', '20260320T12');
    answers({ kind: 'read', text: week, etag: undefined, lastModified: undefined });
    await minutes(1);
    answers(new Transient('calendar.example.com answered with status 302'));
    lab.world.clock.advance(24 * 3600);
    await minutes(6);
    await push();
    await synced(lab);

    await minutes(180);

    expect(lab.pool().paused).toBe(true);
    expect(await whyOf(lab)).toContain('it could not be read for more than 1 day');
  });

  const throttled = new Transient('DynamoDB GetItem: throttled');

  /** A rollout that has taken one of three nodes, while the event of the calendar is weeks ahead. */
  async function rolling(text: string) {
    const { lab, asked, answers, minutes, push } = labOf();
    answers({ kind: 'read', text, etag: undefined, lastModified: undefined });
    await minutes(6);
    await push();
    await synced(lab);
    const counts = { machines: 3, updated: 1, ready: 2, unavailable: 1, degraded: 0 };
    lab.world.pools.change('worker', 'machine-config-controller', { counts });
    await minutes(5);
    return { lab, asked, answers, minutes };
  }

  test('[N-8] [N-29] whose copy one look cannot read stops no rollout in its middle', async () => {
    const { lab, minutes } = await rolling(fromNoon.replaceAll('202603', '202604'));
    const before = lab.pool().paused;

    const heal = lab.world.faults.failAll(['keptCalendars.load'], throttled);
    await minutes(1);
    const during = lab.pool().paused;
    heal();
    await minutes(5);

    expect([before, during, lab.pool().paused]).toEqual([false, false, false]);
  });

  test('[N-8] [N-30] whose copy cannot be read stops a rollout when what was read last denies it', async () => {
    const { lab, minutes } = await rolling(fromNoon);
    lab.world.clock.set('2026-03-02T11:25:00Z');
    await minutes(1);
    lab.world.faults.failAll(['keptCalendars.load'], throttled);
    await minutes(3);
    const before = lab.pool().paused;

    await minutes(2);

    expect([before, lab.pool().paused]).toEqual([false, true]);
    expect(lab.record()?.last?.why).toContain('its window closes in 29 min');
  });

  test('[N-8] [N-30] whose copy cannot be read in the time of two sweeps stops a rollout, and says why', async () => {
    const { lab, minutes } = await rolling(fromNoon.replaceAll('202603', '202604'));
    lab.world.faults.failAll(['keptCalendars.load'], throttled);

    await minutes(10);
    const before = lab.pool().paused;
    await minutes(1);

    expect([before, lab.pool().paused]).toEqual([false, true]);
    expect(lab.record()?.last?.why).toContain(
      'the calendar of its window cannot be used: its copy could not be read: DynamoDB GetItem: throttled',
    );
  });

  test('[N-16] [N-29] whose copy one look cannot read makes no wait for the end of its event too long', async () => {
    const { lab, answers, minutes, push } = labOf();
    answers({ kind: 'read', text: untilThursday, etag: undefined, lastModified: undefined });
    await minutes(5);
    await push();
    await synced(lab);
    await minutes(12 * 60);
    const before = lab.world.bus.published.length;
    const heal = lab.world.faults.failAll(['keptCalendars.load'], throttled);
    await minutes(1);
    heal();
    await minutes(10);

    expect(lab.troubles()).toEqual([]);
    expect(lab.world.bus.published.slice(before)).toEqual([]);
  });

  test('[N-16] [N-29] whose copy no look can read does, after as many as make a cluster blind', async () => {
    const { lab, answers, minutes, push } = labOf();
    answers({ kind: 'read', text: untilThursday, etag: undefined, lastModified: undefined });
    await minutes(5);
    await push();
    await synced(lab);
    await minutes(12 * 60);
    lab.world.faults.failAll(['keptCalendars.load'], throttled);
    await minutes(10);

    expect(lab.troubles()).toEqual(['paused-too-long']);
  });

  test('[N-8] [N-30] that a sweep has kept anew stops a rollout, though no look can read the copy', async () => {
    const { lab, asked, answers, minutes } = await rolling(fromNoon.replaceAll('202603', '202604'));
    const reads = asked.length;
    const now = fromNoon.replace('20260302T12', '20260302T09');
    answers({ kind: 'read', text: now, etag: undefined, lastModified: undefined });
    while (asked.length === reads) await minutes(1);
    const before = lab.pool().paused;

    lab.world.faults.failAll(['keptCalendars.load'], throttled);
    await minutes(1);

    expect([before, lab.pool().paused]).toEqual([false, true]);
    expect(lab.record()?.last?.why).toContain('its window has closed in mid-rollout');
  });

  test('[N-8] [N-30] whose newer copy cannot be read lets no pool resume by an older one', async () => {
    const { lab, answers, minutes, push } = labOf();
    answers({ kind: 'read', text: fromNoon.replaceAll('202603', '202604'), etag: undefined, lastModified: undefined });
    await minutes(6);
    await push();
    await synced(lab);
    await minutes(5);
    const resumed = lab.pool().paused;
    lab.world.pools.change('worker', 'machine-config-controller', { current: lab.pool().target });
    // Somebody writes a freeze into the calendar, and another process keeps it.
    await push(commitC);
    await synced(lab, commitC);
    const { keptCalendars } = lab.world.tables;
    const readAt = lab.world.clock.now().toISOString();
    const text = fromNoon.replace('20260302T12', '20260302T09');
    const id = holidays.calendarFrom === undefined ? '' : calendarId(holidays.calendarFrom);
    await keptCalendars.save({ id, triedAt: readAt, copy: { text, readAt } });

    const heal = lab.world.faults.failAll(['keptCalendars.load'], throttled);
    await minutes(3);
    const why = await whyOf(lab);
    heal();
    await minutes(3);

    expect([resumed, lab.pool().paused]).toEqual([false, true]);
    expect(lab.record()?.last?.did).not.toBe('resumed');
    expect(why).toBe(
      'the calendar of a window cannot be used: its copy could not be read: DynamoDB GetItem: throttled (deny events of the calendar at calendar.example.com (UTC): bank holidays)',
    );
    expect(await whyOf(lab)).toContain('a deny window is open');
  });

  test('is read neither by a push nor by a quiet tick, which does not read what is kept either', async () => {
    const { lab, asked, answers, minutes, push } = labOf();
    answers({ kind: 'read', text: fromNoon, etag: undefined, lastModified: undefined });
    await push();
    const byPush = asked.length;
    await minutes(1);
    lab.world.faults.forget();
    const before = asked.length;

    await minutes(2);

    expect([byPush, asked.length - before]).toEqual([0, 0]);
    expect(lab.world.faults.calls.filter(({ op }) => op.startsWith('keptCalendars.'))).toEqual([]);
  });

  test('that is too long to be kept keeps the pool paused, and the page says why', async () => {
    const { lab, answers, minutes, push } = labOf();
    answers({ kind: 'read', text: fromNoon, etag: undefined, lastModified: undefined });
    lab.world.faults.failNth('keptCalendars.save', 1, { error: new Transient('a calendar is too long to be kept') });
    await minutes(1);
    await push();
    await synced(lab);

    await minutes(3);

    expect(lab.pool().paused).toBe(true);
    expect(await whyOf(lab)).toContain('it has not been read yet: a calendar is too long to be kept');
  });

  test('whose copy cannot be kept disturbs nothing else', async () => {
    const { lab, answers, minutes, push } = labOf();
    answers({ kind: 'read', text: fromNoon, etag: undefined, lastModified: undefined });
    lab.world.faults.failAll(['keptCalendars.save', 'keptCalendars.load'], new Transient('the table is down'));

    await minutes(6);
    await push();

    expect(lab.pool().paused).toBe(true);
  });
});

import { describe, expect, test } from 'vitest';
import { Window } from '../../../../functions/core/configuration/window.ts';
import { answered } from '../../../../functions/core/windows/answered.ts';
import { keptWorkedOut } from '../../../../functions/core/windows/kept-worked-out.ts';
import { askWindows, openingsOf, windowsFor } from '../../../../functions/core/windows/openings.ts';
import { fc } from '../../../property.ts';
import { isOpenAtMinute } from './minute-calendar.ts';

const tuesdayNights = Window.parse({
  kind: 'allow',
  schedule: '0 22 * * 2',
  durationSeconds: 8 * 3600,
  timeZone: 'Europe/Berlin',
});
const noDecember = Window.parse({ kind: 'deny', from: '2026-12-01', to: '2027-01-07', timeZone: 'Europe/Berlin' });

const at = (instant: string) => new Date(instant);

describe('[N-8] windows', () => {
  test('without any, or with deny windows alone, everything else is allowed', () => {
    expect(askWindows([], at('2026-11-22T10:00:00Z'))).toEqual({ open: true, until: undefined });
    expect(askWindows([noDecember], at('2026-11-22T10:00:00Z'))).toEqual({
      open: true,
      until: '2026-11-30T23:00:00.000Z',
    });
  });

  test.each([
    ['a second before it opens', '2026-11-24T20:59:59Z', false],
    ['when it opens', '2026-11-24T21:00:00Z', true],
    ['a second before it closes', '2026-11-25T04:59:59Z', true],
    ['when it closes', '2026-11-25T05:00:00Z', false],
  ])('an allow window %s', (_, instant, isOpen) => {
    expect(askWindows([tuesdayNights], at(instant)).open).toBe(isOpen);
  });

  test.each(['UTC', 'GMT', 'Zulu'])('[N-8] [N-29] opens by UTC, by each of its names: %s', (timeZone) => {
    const nights = Window.parse({ kind: 'allow', schedule: '0 22 * * 2', durationSeconds: 3600, timeZone });

    expect(openingsOf([nights], at('2026-06-30T10:00:00Z'), 1)).toEqual([
      { from: '2026-06-30T22:00:00.000Z', to: '2026-06-30T23:00:00.000Z' },
    ]);
  });

  test.each(['BST', 'gmt', '+01:00'])('[N-8] [N-30] in a zone by an abbreviation or offset is refused: %s', (zone) => {
    expect(Window.safeParse({ kind: 'allow', schedule: '0 22 * * 2', timeZone: zone }).success).toBe(false);
  });

  test('stays open half a second before it opens anew, if its last opening still lasts', () => {
    const overlapping = Window.parse({ kind: 'allow', schedule: '*/20 * * * *', durationSeconds: 1800 });

    expect(askWindows([overlapping], at('2026-11-24T20:59:59.500Z')).open).toBe(true);
  });

  test('a deny window wins, and says so; the opening that is told is one that it lets through', () => {
    expect(askWindows([tuesdayNights, noDecember], at('2026-12-01T21:30:00Z'))).toEqual({
      open: false,
      denied: [noDecember],
      opensAt: '2027-01-12T21:00:00.000Z',
    });
  });

  test('what follows is listed, the present opening first', () => {
    expect(openingsOf([tuesdayNights, noDecember], at('2026-11-24T22:00:00Z'), 2)).toEqual([
      { from: '2026-11-24T22:00:00.000Z', to: '2026-11-25T05:00:00.000Z' },
      { from: '2027-01-12T21:00:00.000Z', to: '2027-01-13T05:00:00.000Z' },
    ]);
  });

  test('windows that always deny never open, and the search for an opening ends', () => {
    const always = Window.parse({ kind: 'deny', schedule: '* * * * *', durationSeconds: 120 });

    expect(askWindows([always], at('2026-11-22T10:00:00Z'))).toMatchObject({ open: false, opensAt: undefined });
    expect(openingsOf([always], at('2026-11-22T10:00:00Z'), 5)).toEqual([]);
  });

  test('are for pools by name, by labels, or for all', () => {
    const of = (more: object) => Window.parse({ ...noDecember, ...more });
    const [byName, byLabel, forAll] = [of({ pools: ['worker'] }), of({ labels: { env: 'prod' } }), of({})];
    const all = [byName, byLabel, forAll];

    expect(windowsFor(all, { name: 'worker', labels: {} })).toEqual([byName, forAll]);
    expect(windowsFor(all, { name: 'infra', labels: { env: 'prod', team: 'a' } })).toEqual([byLabel, forAll]);
    expect(windowsFor(all, { name: 'infra', labels: { env: 'test' } })).toEqual([forAll]);
  });
});

describe('[N-8] a change of the clocks', () => {
  const nightly = (schedule: string) =>
    Window.parse({ kind: 'allow', schedule, durationSeconds: 1800, timeZone: 'Europe/Berlin' });

  test('an opening in the hour that is skipped is moved to its end', () => {
    expect(openingsOf([nightly('30 2 * * *')], at('2026-03-28T12:00:00Z'), 1)).toEqual([
      { from: '2026-03-29T01:00:00.000Z', to: '2026-03-29T01:30:00.000Z' },
    ]);
  });

  test('an opening in the hour that comes twice comes once', () => {
    expect(openingsOf([nightly('30 2 * * *')], at('2026-10-24T12:00:00Z'), 2)).toEqual([
      { from: '2026-10-25T00:30:00.000Z', to: '2026-10-25T01:00:00.000Z' },
      { from: '2026-10-26T01:30:00.000Z', to: '2026-10-26T02:00:00.000Z' },
    ]);
  });

  test.each(['*/20 2 * * *', '0,20,40 2 * * *'])(
    '[N-8] of several in that hour none is moved, and all come twice: %s',
    (often) => {
      const from = (instant: string, count: number) =>
        openingsOf([{ ...nightly(often), durationSeconds: 60 }], at(instant), count).map((opening) => opening.from);

      expect(from('2026-03-28T12:00:00Z', 1)).toEqual(['2026-03-30T00:00:00.000Z']);
      expect(from('2026-10-24T12:00:00Z', 7).slice(2, 7)).toEqual([
        '2026-10-25T00:40:00.000Z',
        '2026-10-25T01:00:00.000Z',
        '2026-10-25T01:20:00.000Z',
        '2026-10-25T01:40:00.000Z',
        '2026-10-26T01:00:00.000Z',
      ]);
    },
  );

  test('[N-8] a range from before 1970 is open', () => {
    const always = Window.parse({ kind: 'deny', from: '1970-01-01', to: '2030-01-01', timeZone: 'Europe/Berlin' });

    expect(askWindows([always], at('2026-01-01T00:00:00Z')).open).toBe(false);
  });

  test('a range by local times keeps to the zone, in summer and in winter', () => {
    const range = Window.parse({
      kind: 'allow',
      from: '2026-07-01T08:00',
      to: '2026-12-01T08:00',
      timeZone: 'America/New_York',
    });

    expect(openingsOf([range], at('2026-01-01T00:00:00Z'), 1)).toEqual([
      { from: '2026-07-01T12:00:00.000Z', to: '2026-12-01T13:00:00.000Z' },
    ]);
  });
});

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];

/** Schedules whose hours no change of the clocks touches: those have tests of their own. */
const schedule = fc
  .record({
    minute: fc.constantFrom('0', '30', '15,45', '*/20'),
    hour: fc.constantFrom('6', '22', '8-11', '*/6'),
    day: fc.constantFrom('*', '*', '1', '15', '28-31'),
    month: fc.constantFrom('*', '*', '1-6', '3,10'),
    weekday: fc.constantFrom('*', '*', '2', '1-5', '0', '7'),
  })
  .map(({ minute, hour, day, month, weekday }) => `${minute} ${hour} ${day} ${month} ${weekday}`);

const anyWindow = fc.oneof(
  fc.record({
    kind: fc.constantFrom('allow' as const, 'deny' as const),
    schedule,
    durationSeconds: fc.integer({ min: 1, max: 8 }).map((halfHours) => halfHours * 1800),
    timeZone: fc.constantFrom(...zones),
  }),
  fc.record({
    kind: fc.constantFrom('allow' as const, 'deny' as const),
    from: fc.integer({ min: 1, max: 14 }).map((day) => `2026-06-${String(day).padStart(2, '0')}`),
    to: fc.integer({ min: 15, max: 28 }).map((day) => `2026-06-${day}T07:30`),
    timeZone: fc.constantFrom(...zones),
  }),
);

test('[N-8] random windows agree, minute by minute, with a calendar that only compares clock faces', () => {
  fc.assert(
    fc.property(
      fc.array(anyWindow, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 0, max: 364 * 24 * 60 }),
      (drafts, minute) => {
        const windows = drafts.map((draft) => Window.parse(draft));
        const begin = Date.UTC(2026, 0, 1) + minute * 60_000;
        for (const step of [0, 1, 59]) {
          const now = new Date(begin + step * 60_000);
          expect({ now, open: askWindows(windows, now).open }).toEqual({ now, open: isOpenAtMinute(windows, now) });
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('[N-8] the opening that is told is the first minute at which the calendar is open', () => {
  fc.assert(
    fc.property(
      fc.array(anyWindow, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 0, max: 350 * 24 * 60 }),
      (drafts, minute) => {
        const windows = drafts.map((draft) => Window.parse(draft));
        const now = new Date(Date.UTC(2026, 0, 1) + minute * 60_000);
        const answer = askWindows(windows, now);
        const change = answer.open ? answer.until : answer.opensAt;
        if (change === undefined) return;
        const before = new Date(Date.parse(change) - 60_000);

        expect(Date.parse(change)).toBeGreaterThan(now.getTime());
        expect(isOpenAtMinute(windows, new Date(change))).toBe(!answer.open);
        if (before >= now) expect(isOpenAtMinute(windows, before)).toBe(answer.open);
      },
    ),
    { numRuns: 60 },
  );
});

test('[N-8] many calendars are not worked out anew for every question, and those that find no room are', () => {
  const asked: string[] = [];
  const events = { from: at('2026-03-02T10:00:00Z').getTime(), starts: [], ends: [] };
  const workedOut = keptWorkedOut((ics) => {
    asked.push(ics.slice(0, 4));
    return events;
  });
  const askAll = (texts: readonly string[]) => {
    asked.length = 0;
    for (const text of texts) workedOut(text, 'Europe/Berlin', events.from + 41 * 24 * 3_600_000);
    return asked.length;
  };
  const many = Array.from({ length: 60 }, (_, index) => `${1000 + index}`);
  const large = Array.from({ length: 21 }, (_, index) => `${2000 + index}${' '.repeat(1024 * 1024)}`);

  expect([askAll(many), askAll(many)]).toEqual([60, 0]);
  expect([askAll(large.slice(0, 20)), askAll(large.slice(0, 20))]).toEqual([20, 0]);
  expect([askAll(large), askAll(large)]).toEqual([1, 21]);
});

test('[N-8] [N-14] the runs at the instants of a year of 20 pools are asked for once, not in every pass', () => {
  const instants = Array.from({ length: 13_000 }, (_, hour) => hour * 3_600_000);
  const known = new Map<number, number | undefined>();
  let asked = 0;
  const ask = () => {
    asked += 1;
    return undefined;
  };

  for (const instant of [...instants, ...instants]) answered(known, instant, ask);

  expect(asked).toBe(instants.length);
});

import { describe, expect, test } from 'vitest';
import { Window } from '../../../../functions/core/configuration/window.ts';
import { window } from '../../../../functions/core/gates/window.ts';
import { aPool } from '../../../fakes/builders.ts';
import { aGateQuestion } from './a-gate-question.ts';

const tuesdayNights = Window.parse({
  kind: 'allow',
  schedule: '0 22 * * 2',
  durationSeconds: 8 * 3600,
  timeZone: 'Europe/Berlin',
  description: 'Tuesday nights',
});
const freeze = Window.parse({ kind: 'deny', from: '2026-12-01', to: '2027-01-07', pools: ['worker'] });

function ask(windows: readonly Window[], now: string, pool = aPool({ paused: true })) {
  return window.ask(aGateQuestion({ pool, pools: [pool], windows, now: new Date(now) }));
}

describe('[N-8] [N-16] the gate window', () => {
  test('is open without windows, and for pools that no window is for', () => {
    expect(ask([], '2026-12-05T10:00:00Z')).toEqual({ open: true });
    expect(ask([freeze], '2026-12-05T10:00:00Z', aPool({ name: 'infra' }))).toEqual({ open: true });
  });

  test('says which windows it waits for, and when the next one opens', () => {
    expect(ask([tuesdayNights], '2026-11-22T10:00:00Z')).toEqual({
      open: false,
      why: 'no allow window is open: allow 0 22 * * 2 for 8 h (Europe/Berlin): Tuesday nights',
      value: 'no allow window open',
      threshold: 'an allow window open',
      opens: 'when its window does, at 2026-11-24T21:00:00.000Z',
      who: 'time, by itself; whoever may change windows in poolkeeper.yaml',
      opensAt: '2026-11-24T21:00:00.000Z',
    });
  });

  test('says which window denies, and when the next opening after it is', () => {
    expect(ask([tuesdayNights, freeze], '2026-12-02T10:00:00Z')).toMatchObject({
      open: false,
      why: 'a deny window is open: deny 2026-12-01 to 2027-01-07 (UTC)',
      opensAt: '2027-01-12T21:00:00.000Z',
    });
  });

  const holidays = (event: string) =>
    Window.parse({
      kind: 'deny',
      calendar: 'holidays.ics',
      timeZone: 'Europe/Berlin',
      ics: `BEGIN:VCALENDAR\nBEGIN:VEVENT\n${event}\nEND:VEVENT\nEND:VCALENDAR\n`,
    });

  test('is closed during the events of a calendar that denies, and opens after them', () => {
    const christmas = holidays('DTSTART;VALUE=DATE:20201225\nDTEND;VALUE=DATE:20201227\nRRULE:FREQ=YEARLY');

    expect(ask([christmas], '2026-12-24T22:30:00Z')).toEqual({ open: true });
    expect(ask([christmas], '2026-12-25T10:00:00Z')).toMatchObject({
      open: false,
      why: 'a deny window is open: deny events of holidays.ics (Europe/Berlin)',
      opensAt: '2026-12-26T23:00:00.000Z',
    });
  });

  test('[N-30] is closed while a calendar cannot be understood, whether it allows or denies', () => {
    const broken = holidays('DTSTART:20260101T000000Z\nRRULE:FREQ=SECONDLY');

    for (const kind of ['allow', 'deny'] as const) {
      expect(ask([{ ...broken, kind }], '2026-11-22T10:00:00Z')).toMatchObject({
        open: false,
        why: expect.stringContaining('the calendar of a window cannot be used: only recurrences by days'),
      });
    }
  });

  test('says it where no opening comes within a year', () => {
    const past = Window.parse({ kind: 'allow', from: '2020-01-01', to: '2020-01-02' });

    expect(ask([past], '2026-11-22T10:00:00Z')).toMatchObject({
      open: false,
      opens: 'no opening within a year: change windows in poolkeeper.yaml',
      opensAt: undefined,
    });
  });
});

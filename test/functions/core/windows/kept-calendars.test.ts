import { describe, expect, test } from 'vitest';
import { CalendarAddress } from '../../../../functions/core/configuration/calendar-address.ts';
import { Window } from '../../../../functions/core/configuration/window.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { closingOf } from '../../../../functions/core/gates/fit.ts';
import type { GateAnswer } from '../../../../functions/core/gates/gate.ts';
import { window as gate } from '../../../../functions/core/gates/window.ts';
import { notAsked, type Observed, seen, unreadable } from '../../../../functions/core/text/observed.ts';
import {
  calendarId,
  isReadDue,
  type KeptCalendar,
  withFailure,
  withKeptCalendars,
} from '../../../../functions/core/windows/kept-calendars.ts';
import { aPool } from '../../../fakes/builders.ts';
import { fc } from '../../../property.ts';
import { aGateQuestion } from '../gates/a-gate-question.ts';

const calendarFrom = { url: 'https://calendar.example.com/secret-path/basic.ics?key=4711' };
const holidays = Window.parse({ kind: 'deny', calendarFrom, timeZone: 'Europe/Berlin', description: 'bank holidays' });
const id = calendarId(CalendarAddress.parse(calendarFrom));

/** Christmas of each year, in Berlin. */
const text =
  'BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20201225\nDTEND;VALUE=DATE:20201227\nRRULE:FREQ=YEARLY\nEND:VEVENT\nEND:VCALENDAR\n';
const readAt = '2026-12-24T08:00:00.000Z';
const copy = { text, readAt };
const failure = { since: '2026-12-24T09:00:00.000Z', why: 'calendar.example.com answered with status 503' };
const inChristmas = '2026-12-25T07:00:00Z';
const rolling = aPool({ counts: { machines: 3, updated: 1, ready: 3, unavailable: 0, degraded: 0 } });

function questionOf(
  calendars: Observed<readonly KeptCalendar[]>,
  now: string,
  windows: readonly Window[] = [holidays],
) {
  const at = new Date(now);
  const evidence = { ...noEvidence, calendars };
  return aGateQuestion({ evidence, windows: withKeptCalendars(windows, calendars, at), now: at });
}

function ask(calendars: Observed<readonly KeptCalendar[]>, now: string): GateAnswer {
  return gate.ask(questionOf(calendars, now));
}

describe('[N-8] a window with a calendar that is read by its address', () => {
  test('is not judged before what is kept was read', () => {
    expect(ask(notAsked, inChristmas)).toMatchObject({ open: false, lacks: 'calendars' });
  });

  test('denies during its events and says no part of the address but the host', () => {
    const answer = ask(seen([{ id, triedAt: readAt, copy }]), inChristmas);

    expect(answer).toMatchObject({
      open: false,
      why: 'a deny window is open: deny events of the calendar at calendar.example.com (Europe/Berlin): bank holidays',
      opensAt: '2026-12-26T23:00:00.000Z',
    });
    expect(JSON.stringify(answer)).not.toMatch(/secret-path|4711/);
  });

  test('is open between its events, without a word while its calendar can be read', () => {
    expect(ask(seen([{ id, triedAt: readAt, copy }]), '2026-12-24T08:30:00Z')).toEqual({ open: true });
  });

  test('goes on with the copy for a day, and says how old it is', () => {
    const kept = seen([{ id, triedAt: '2026-12-24T20:00:00Z', copy, failure }]);

    expect(ask(kept, '2026-12-24T20:00:00Z')).toEqual({
      open: true,
      warning:
        'the calendar at calendar.example.com could not be read since 2026-12-24T09:00:00.000Z (calendar.example.com answered with status 503); its copy is 12 h old, of 2026-12-24T08:00:00.000Z',
    });
    expect(ask(kept, inChristmas)).toMatchObject({
      open: false,
      why: expect.stringMatching(/^a deny window is open: .*; the calendar at .* its copy is 23 h old/),
    });
  });

  test('is closed once it could not be read for more than a day, and says how old the copy is', () => {
    expect(ask(seen([{ id, triedAt: readAt, copy, failure }]), '2026-12-25T08:00:01Z')).toMatchObject({
      open: false,
      why: 'the calendar of a window cannot be used: it could not be read for more than 1 day: calendar.example.com answered with status 503; its copy is 1 day old, of 2026-12-24T08:00:00.000Z (deny events of the calendar at calendar.example.com (Europe/Berlin): bank holidays)',
      opens: 'the next time that it can be read, which is tried with every sweep',
      who: 'whoever runs calendar.example.com, or whoever may change windows in poolkeeper.yaml',
    });
  });

  test.each<[string, Observed<readonly KeptCalendar[]>, string]>([
    ['nothing is kept', seen([]), 'it has not been read yet'],
    [
      'it never could be read',
      seen([{ id, triedAt: readAt, failure }]),
      'it has not been read yet: calendar.example.com answered with status 503',
    ],
    [
      'the table is down',
      unreadable('DynamoDB GetItem: throttled'),
      'its copy could not be read: DynamoDB GetItem: throttled',
    ],
    [
      'its copy is from the future',
      seen([{ id, triedAt: readAt, copy: { text, readAt: 'soon' } }]),
      'it could not be read',
    ],
  ])('is closed while %s', (_, calendars, why) => {
    expect(ask(calendars, inChristmas)).toMatchObject({
      open: false,
      why: expect.stringContaining(`the calendar of a window cannot be used: ${why}`),
    });
  });

  test('stops a rollout at a closed window, and where it cannot be known', () => {
    const closing = (calendars: Observed<readonly KeptCalendar[]>) =>
      closingOf({ ...questionOf(calendars, inChristmas), pool: rolling });

    expect(closing(notAsked)).toEqual({ kind: 'unread', lacks: 'calendars' });
    expect(closing(seen([{ id, triedAt: readAt, copy }]))).toMatchObject({ kind: 'stops' });
    expect(closing(seen([]))).toEqual({
      kind: 'stops',
      why: 'the calendar of its window cannot be used: it has not been read yet: 1 of 3 nodes are updated, the rest waits for the next opening',
    });
  });

  test.each<[string, Partial<KeptCalendar>, string, 'goes on' | 'stops']>([
    ['before an event', { copy }, '2026-12-24T20:00:00Z', 'goes on'],
    ['before an event, of a server that did not answer', { copy, failure }, '2026-12-24T20:00:00Z', 'goes on'],
    ['in an event', { copy }, inChristmas, 'stops'],
    ['with a copy of more than a day', { copy, failure }, '2026-12-25T08:00:01Z', 'stops'],
    ['without a copy', { failure }, '2026-12-24T20:00:00Z', 'stops'],
  ])(
    '[N-8] [N-30] that was read before and cannot be read now opens nothing, and a rollout goes by it: %s',
    (...of) => {
      const [, known, now, kind] = of;
      const calendars = seen([{ id, triedAt: readAt, unreadNow: 'DynamoDB GetItem: throttled', ...known }]);
      const question = questionOf(calendars, now);
      const evidence = { ...question.evidence, pace: seen(undefined) };

      const answer = gate.ask(question);

      expect(answer).toMatchObject({
        open: false,
        isUnseen: true,
        why: expect.stringMatching(
          /^the calendar of a window cannot be used: its copy could not be read: DynamoDB Get/,
        ),
      });
      expect(JSON.stringify(answer)).not.toContain('since');
      expect(closingOf({ ...question, evidence, pool: rolling }).kind).toBe(kind);
    },
  );

  test('an unreadable calendar never opens a deny window, whatever is kept of it and however long it lasts', () => {
    const kept = fc.record(
      {
        id: fc.constant(id),
        triedAt: fc.constant(readAt),
        copy: fc.record({
          text: fc.constantFrom(
            text,
            '',
            '<html>login</html>',
            'BEGIN:VCALENDAR\n',
            text.replace('YEARLY', 'SECONDLY'),
          ),
          readAt: fc.constantFrom(readAt, '2026-12-20T08:00:00Z', '', '2099-01-01T00:00:00Z'),
        }),
        failure: fc.constant(failure),
      },
      { requiredKeys: ['id', 'triedAt'] },
    );
    const observed = fc.oneof(
      kept.map((each): Observed<readonly KeptCalendar[]> => seen([each])),
      fc.constant<Observed<readonly KeptCalendar[]>>(seen([])),
      fc.constant<Observed<readonly KeptCalendar[]>>(unreadable('the table is down')),
      fc.constant<Observed<readonly KeptCalendar[]>>(notAsked),
    );
    // From the evening before to the end of the second day: only before does anything open it.
    const minutes = fc.integer({ min: 0, max: 51 * 60 - 1 });

    fc.assert(
      fc.property(observed, minutes, (calendars, after) => {
        const now = new Date(Date.parse('2026-12-24T20:00:00Z') + after * 60_000);
        const isDenied = now.getTime() >= Date.parse('2026-12-24T23:00:00Z');
        const answer = ask(calendars, now.toISOString());
        const [only] = calendars.kind === 'seen' ? calendars.value : [];
        const isUsable =
          only?.copy?.text === text && Math.abs(now.getTime() - Date.parse(only.copy.readAt)) <= 86_400_000;
        const mayOpen = only?.copy?.text === text && !isDenied;
        return answer.open ? mayOpen : isDenied || !isUsable;
      }),
      { numRuns: 2000 },
    );
  });
});

describe('[N-8] a calendar that is read by its address', () => {
  const kept: KeptCalendar = { id, triedAt: readAt, copy };

  test('is read each hour, and after a failure with the next sweep', () => {
    const isDue = (of: KeptCalendar | undefined, at: string) => isReadDue(of, new Date(at));

    expect(isDue(undefined, readAt)).toBe(true);
    expect([isDue(kept, '2026-12-24T08:59:59Z'), isDue(kept, '2026-12-24T09:00:00Z')]).toEqual([false, true]);
    expect(isDue({ ...kept, failure }, '2026-12-24T08:01:00Z')).toBe(false);
    expect(isDue({ ...kept, failure }, '2026-12-24T08:05:00Z')).toBe(true);
  });

  test('[N-30] is read again after a clock that ran ahead was set back', () => {
    expect(isReadDue(kept, new Date('2026-12-24T07:00:00Z'))).toBe(true);
  });

  test('keeps its copy when it fails, and since when it fails', () => {
    const first = withFailure(kept, id, 'no answer in time', new Date('2026-12-24T09:00:00Z'));
    const second = withFailure(first, id, 'status 503', new Date('2026-12-24T09:05:00Z'));

    expect(second).toEqual({
      id,
      triedAt: '2026-12-24T09:05:00.000Z',
      copy,
      failure: { since: '2026-12-24T09:00:00.000Z', why: 'status 503' },
    });
  });

  test('is kept for the address and what it is read with', () => {
    const ids = [calendarFrom, { ...calendarFrom, headerSecret: 'a' }, { url: `${calendarFrom.url}5` }]
      .map((from) => Window.parse({ kind: 'deny', calendarFrom: from }).calendarFrom)
      .map((from) => from && calendarId(from));

    expect(new Set(ids).size).toBe(3);
  });
});

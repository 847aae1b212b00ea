import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { calendarSpans } from '../../../../functions/core/windows/calendar.ts';
import { NotUnderstood } from '../../../../functions/core/windows/recurrence.ts';

const range = { from: Date.parse('2026-01-01T00:00Z'), to: Date.parse('2028-01-01T00:00Z'), timeZone: 'Europe/Berlin' };

function calendar(...events: readonly string[]): string {
  const body = events.map((event) => `BEGIN:VEVENT\r\n${event.trim().replaceAll(/\n\s*/g, '\r\n')}\r\nEND:VEVENT`);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', ...body, 'END:VCALENDAR', ''].join('\r\n');
}

function spansOf(...events: readonly string[]): readonly string[] {
  return spansIn(calendar(...events));
}

function spansIn(text: string): readonly string[] {
  const iso = (at: number) => new Date(at).toISOString().replace(':00.000', '');
  return calendarSpans(text, range)
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end }) => `${iso(start)} ${iso(end)}`);
}

/** Made by calendar-fixtures.py with python-dateutil: an independent implementation. */
const fixtures = z
  .array(z.object({ start: z.string(), zone: z.string(), rule: z.string(), times: z.array(z.string()) }))
  .parse(JSON.parse(readFileSync(new URL('calendar-fixtures.json', import.meta.url), 'utf8')));

describe('[N-8] the events of a calendar', () => {
  test.each(fixtures)('recur as python-dateutil says: $rule from $start in $zone', ({ start, zone, rule, times }) => {
    const text = calendar(`DTSTART;TZID=${zone}:${start}\nDURATION:PT1H\nRRULE:${rule}`);

    const found = calendarSpans(text, range).map((span) => span.start);

    const begun = found.filter((at) => at >= range.from).toSorted((a, b) => a - b);
    expect(begun.map((at) => new Date(at).toISOString().replace(':00.000', ''))).toEqual(times);
  });

  test('that last whole days begin and end at midnight of the zone of the window, also where the clocks change', () => {
    expect(spansOf('DTSTART;VALUE=DATE:20260329\nDTEND;VALUE=DATE:20260330', 'DTSTART;VALUE=DATE:20261224')).toEqual([
      '2026-03-28T23:00Z 2026-03-29T22:00Z',
      '2026-12-23T23:00Z 2026-12-24T23:00Z',
    ]);
  });

  test('are in their own zone, in UTC, or in that of the window', () => {
    expect(
      spansOf(
        'DTSTART;TZID="America/New_York":20260601T080000\nDTEND;TZID=America/New_York:20260601T090000',
        'DTSTART:20260602T080000Z\nDTEND:20260602T090000Z',
        'DTSTART:20260603T080000\nDTEND:20260603T090000',
      ),
    ).toEqual([
      '2026-06-01T12:00Z 2026-06-01T13:00Z',
      '2026-06-02T08:00Z 2026-06-02T09:00Z',
      '2026-06-03T06:00Z 2026-06-03T07:00Z',
    ]);
  });

  test('leave out what is excluded, cancelled or moved, and add what is added', () => {
    const weekly = `UID:a\nDTSTART;TZID=Europe/Berlin:20260601T080000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=5
      EXDATE;TZID=Europe/Berlin:20260608T080000\nEXDATE:20260615T060000Z\nRDATE;TZID=Europe/Berlin:20260602T080000`;
    const moved = 'UID:a\nRECURRENCE-ID;TZID=Europe/Berlin:20260622T080000\nDTSTART:20260623T100000Z\nDURATION:PT1H';
    const cancelled =
      'UID:a\nRECURRENCE-ID;TZID=Europe/Berlin:20260629T080000\nSTATUS:CANCELLED\nDTSTART:20260629T060000Z';

    expect(spansOf(weekly, moved, cancelled)).toEqual([
      '2026-06-01T06:00Z 2026-06-01T07:00Z',
      '2026-06-02T06:00Z 2026-06-02T07:00Z',
      '2026-06-23T10:00Z 2026-06-23T11:00Z',
    ]);
  });

  test('[N-8] of one day last that day, also where their end is written as the same one', () => {
    expect(spansOf('DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261225')).toEqual([
      '2026-12-24T23:00Z 2026-12-25T23:00Z',
    ]);
  });

  test('[N-8] leave out an occurrence whose exception names its day alone', () => {
    const daily = 'DTSTART:20261223T100000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3\nEXDATE;VALUE=DATE:20261224';

    expect(spansOf(daily)).toEqual(['2026-12-23T09:00Z 2026-12-23T10:00Z', '2026-12-25T09:00Z 2026-12-25T10:00Z']);
  });

  test.each([
    ['DTSTART:20261201T100000\nRRULE:FREQ=DAILY;COUNT=9\nEXRULE:FREQ=WEEKLY;COUNT=2', 'exceptions by rules'],
    ['UID:a\nRECURRENCE-ID;RANGE=THISANDFUTURE:20261203T100000\nDTSTART:20261203T120000', 'with all that follow'],
  ])('[N-8] that would be understood in part are refused: %s', (event, why) => {
    expect(() => spansOf(event)).toThrow(NotUnderstood);
    expect(() => spansOf(event)).toThrow(why);
  });

  test.each([
    ['midnight of UTC, west of it', 'America/New_York', '20261224T000000Z'],
    ['midnight of a zone west of UTC', 'America/New_York', '20261224T050000Z'],
    ['midnight of a zone east of UTC', 'Europe/Berlin', '20261223T230000Z'],
    ['midnight of UTC, east of it', 'Europe/Berlin', '20261224T000000Z'],
    ['the day alone', 'America/New_York', '20261224'],
  ])('that last whole days recur on the last day that is named too: as %s', (_, timeZone, until) => {
    const text = calendar(`DTSTART;VALUE=DATE:20261222\nRRULE:FREQ=DAILY;UNTIL=${until}`);

    const days = calendarSpans(text, { ...range, timeZone }).map(({ start }) => new Date(start).toISOString());

    expect(days.map((day) => day.slice(8, 10))).toEqual(
      timeZone === 'Europe/Berlin' ? ['21', '22', '23'] : ['22', '23', '24'],
    );
  });

  test('that begin at a time recur before the day that UNTIL names, and until the time', () => {
    const from = 'DTSTART;TZID=Europe/Berlin:20261222T180000\nDURATION:PT1H\nRRULE:FREQ=DAILY;UNTIL=';

    expect([spansOf(`${from}20261224`).length, spansOf(`${from}20261224T170000Z`).length]).toEqual([2, 3]);
  });

  const zoneOf = (name: string, offset: string) =>
    `BEGIN:VTIMEZONE\r\nBEGIN:STANDARD\r\nTZOFFSETTO:${offset}\r\nEND:STANDARD\r\nTZID:${name}\r\nEND:VTIMEZONE\r\n`;

  test.each(['UTC', 'GMT', 'Zulu', 'Etc/UTC'])('[N-8] [N-29] may name UTC as %s', (zone) => {
    const text = calendar(
      `DTSTART;TZID=${zone}:20260701T080000\nDURATION:PT1H\nRRULE:FREQ=DAILY;COUNT=3\nEXDATE:20260702T080000Z`,
    ).replace('BEGIN:VEVENT', `${zoneOf(zone, '+0000')}${zoneOf('Europe/Berlin', '+0200')}BEGIN:VEVENT`);

    expect(spansIn(text)).toEqual(['2026-07-01T08:00Z 2026-07-01T09:00Z', '2026-07-03T08:00Z 2026-07-03T09:00Z']);
  });

  test.each(['UTC', 'GMT', 'Zulu'])('[N-8] [N-30] are refused where the calendar means another zone by %s', (zone) => {
    const text = calendar(`DTSTART;TZID=${zone}:20260701T080000\nDURATION:PT1H`).replace(
      'BEGIN:VEVENT',
      `${zoneOf(zone, '+0100')}BEGIN:VEVENT`,
    );

    expect(() => spansIn(text)).toThrow(new NotUnderstood(`its zone ${zone} is not UTC`));
  });

  test('may stand behind a byte order mark', () => {
    expect(spansIn(`\uFEFF${calendar('DTSTART;VALUE=DATE:20260601')}`)).toHaveLength(1);
  });

  test('may be folded over lines, with alarms and zones between them', () => {
    const text = calendar(
      'DTSTART;VALUE=DA\n TE:20260101\nBEGIN:VALARM\nTRIGGER:-PT15M\nDTSTART:x\nEND:VALARM',
    ).replace('VALUE=DA\r\nTE', 'VALUE=DA\r\n TE');

    expect(spansIn(text)).toEqual(['2025-12-31T23:00Z 2026-01-01T23:00Z']);
  });
});

describe('[N-8] [N-30] a calendar that cannot be understood is refused as a whole', () => {
  const event = 'DTSTART:20260101T000000Z\nDURATION:PT1H';

  test.each([
    ['<html>', 'it is no calendar'],
    ['', 'it is no calendar'],
    [calendar(event).replace('END:VCALENDAR\r\n', ''), 'it is cut off'],
    [calendar(event).replace('END:VEVENT', 'END:VTODO'), 'its components do not end as they began'],
    [calendar('SUMMARY:x'), 'an event of it has no beginning'],
    [calendar('DTSTART:20260230T000000Z'), 'a date or time of it is none, or before 1970'],
    [calendar('DTSTART;TZID=Mars/Olympus:20260101T000000\nDURATION:PT1H'), 'its zone Mars/Olympus is not known'],
    // Node would take them for zones of other continents, or for ones without summer time.
    ...['BST', 'IST', 'CST', 'EST', 'WET', 'GMT+1', 'GMT Standard Time', '+0100', ''].map((zone) => [
      calendar(`DTSTART;TZID=${zone}:20260101T000000\nDURATION:PT1H`),
      `its zone ${zone} is not known`,
    ]),
    ...['W. Europe Standard Time', 'EST'].flatMap((zone) => [
      [
        calendar(`DTSTART;TZID=${zone}:20261201T180000\nDURATION:PT1H\nEXDATE:20261203T170000Z`),
        `its zone ${zone} is not known`,
      ],
      [
        calendar(
          `UID:a\nDTSTART;TZID=${zone}:20261201T180000\nDURATION:PT1H\nRRULE:FREQ=DAILY`,
          'UID:a\nRECURRENCE-ID:20261203T170000Z\nDTSTART:20261203T190000Z\nDURATION:PT1H',
        ),
        `its zone ${zone} is not known`,
      ],
    ]),
    [calendar('DTSTART:20260101T000000Z\nDTEND:20290101T000000Z'), 'an event of it lasts more than 400 days'],
    [calendar(`${event}\nRRULE:FREQ=SECONDLY`), 'only recurrences by days, weeks, months and years are understood'],
    [calendar(`${event}\nRRULE:FREQ=HOURLY`), 'only recurrences by days, weeks, months and years are understood'],
    [calendar(`${event}\nRRULE:FREQ=DAILY;BYSECOND=1`), 'recurrences with BYSECOND are not understood'],
    [calendar(`${event}\nRRULE:FREQ=DAILY;INTERVAL=0`), 'a recurrence has a wrong number'],
    [calendar(`${event}\nRRULE:FREQ=DAILY;COUNT=999999`), 'a recurrence has a wrong number'],
    ['BEGIN:VCALENDAR\r\n'.repeat(50), 'its components are nested too deeply'],
    ['x'.repeat(10 * 1024 * 1024), 'it is larger than 1 MiB'],
    ['\n'.repeat(500_000), 'it has too many lines'],
    [calendar(...Array.from({ length: 4000 }, () => 'DTSTART:20260101')), 'it has too many events'],
    [calendar(`${event}\nEXDATE:${Array(20_000).fill('20260101T000000Z').join(',')}`), 'it has too many EXDATE'],
  ])('%#', (text, why) => {
    expect(() => calendarSpans(text, range)).toThrow(why);
  });

  test.each([
    [
      'a thousand rules that never match',
      calendar(...Array(1000).fill(`${event}\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30`)),
    ],
    ['a thousand rules without end', calendar(...Array(1000).fill(`${event}\nRRULE:FREQ=DAILY`))],
    ['a thousand long counts', calendar(...Array(1000).fill(`DTSTART:19700101\nRRULE:FREQ=DAILY;COUNT=99999`))],
    [
      'exceptions in another zone',
      calendar(
        ...Array.from(
          { length: 8 },
          () =>
            `DTSTART;TZID=Europe/Berlin:20260101T000000\nDURATION:PT1H\nEXDATE:${Array(7000).fill('20260101T000000Z').join(',')}`,
        ),
      ),
    ],
    ['a line of colons and quotes', calendar(`DTSTART${';X="'.repeat(200_000)}`)],
  ])('whatever it does, it ends: %s', (_what, text) => {
    expect(outcomeOf(text)).toMatch(
      /^(?:understood|its recurrences take too long|its dates take too long|it has too many|an event of it)/,
    );
  });
});

function outcomeOf(text: string): string {
  try {
    return `understood: ${calendarSpans(text, range).length}`;
  } catch (cause) {
    if (cause instanceof NotUnderstood) return cause.message;
    throw cause;
  }
}

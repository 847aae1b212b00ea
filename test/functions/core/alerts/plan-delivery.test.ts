import { describe, expect, test } from 'vitest';
import type { Delivery, Incident, IncidentNote, NoteKind } from '../../../../functions/core/alerts/incident.ts';
import { bounded, withNote } from '../../../../functions/core/alerts/notes.ts';
import { planDelivery } from '../../../../functions/core/alerts/plan-delivery.ts';
import type { AlertTarget, QuietHours } from '../../../../functions/core/configuration/alerts.ts';
import { aDelivery, anIncident, aTrouble } from '../../../fakes/index.ts';
import { fc, runs } from '../../../property.ts';
import { minute } from './incident-lab.ts';

const remote = { channel: 'C1', id: '1.0' };

function note(seq: number, kind: NoteKind, minutes = seq): IncidentNote {
  return { seq, kind, at: minute(minutes).toISOString(), text: `${kind} ${seq}` };
}

function plan(
  incident: Partial<Incident>,
  delivery: Partial<Delivery>,
  kind: AlertTarget['kind'] = 'slack',
  minutes = 100,
) {
  const base = { seq: 1, notes: [note(1, 'opened')], ...incident };
  const owed = aDelivery({ wantedSeq: base.seq, ...delivery });
  return planDelivery(anIncident(base), owed, { kind }, minute(minutes));
}

const told = { announced: true, remote, deliveredSeq: 1, threadSeq: 1 };

describe('what a target needs next', () => {
  test('the first message, when it fires', () => {
    expect(plan({}, {})).toEqual({ kind: 'post', occasion: 'opened' });
  });

  test('[N-18] nothing of an incident that ended before anybody heard of it', () => {
    expect(plan({ state: 'ok' }, {})).toEqual({ kind: 'skip' });
    expect(plan({ state: 'resolving' }, {})).toEqual({ kind: 'nothing' });
  });

  test('no first message while something else explains it', () => {
    expect(plan({ inhibitedBy: 'rendering failed' }, {})).toEqual({ kind: 'nothing' });
  });

  test('in a chat first the standing message, then the reply', () => {
    const changed = { seq: 2, notes: [note(1, 'opened'), note(2, 'changed')] };

    expect(plan(changed, told)).toEqual({ kind: 'edit', occasion: 'changed' });
    expect(plan(changed, { ...told, deliveredSeq: 2 })).toEqual({
      kind: 'reply',
      occasion: 'changed',
      notes: [note(2, 'changed')],
    });
    expect(plan(changed, { ...told, deliveredSeq: 2, threadSeq: 2 })).toEqual({ kind: 'nothing' });
  });

  test('[N-18] several things untold are one reply, and its most important one decides how loud it is', () => {
    const notes = [note(1, 'opened'), note(2, 'changed'), note(3, 'escalated'), note(4, 'reminder')];

    expect(plan({ seq: 4, notes }, { ...told, deliveredSeq: 4 })).toMatchObject({
      kind: 'reply',
      occasion: 'escalated',
      notes: notes.slice(1),
    });
  });

  test('[N-18] an end that was followed by a return before anybody heard of it is no end', () => {
    const notes = [note(1, 'opened'), note(2, 'resolved'), note(3, 'reopened')];

    expect(plan({ seq: 3, notes }, told)).toEqual({ kind: 'edit', occasion: 'reopened' });
  });

  test('[N-18] [N-29] who was told of its end is told of no second one, of a return that was never sent', () => {
    const notes = [note(1, 'opened'), note(2, 'resolved'), note(3, 'reopened'), note(4, 'resolved')];
    const ended = { state: 'ok' as const, seq: 4, notes };
    const heard = { ...told, deliveredSeq: 2, threadSeq: 2 };

    for (const kind of ['email', 'slack-webhook', 'pagerduty', 'webhook'] as const) {
      expect(plan(ended, heard, kind)).toEqual({ kind: 'skip' });
      // The return may have arrived.
      expect(plan(ended, { ...heard, attempts: 1 }, kind)).toMatchObject({ occasion: 'resolved' });
      expect(plan(ended, { ...heard, threadSeq: 3 }, kind)).toMatchObject({ occasion: 'resolved' });
    }
  });

  test('[N-18] [N-29] what a message has shown since it was posted is repeated in its thread alone', () => {
    const notes = [note(1, 'opened'), note(2, 'escalated'), note(3, 'escalated')];
    const posted = { ...told, deliveredSeq: 2, threadSeq: 0, postedSeq: 2 };
    const early = { seq: 2, notes: notes.slice(0, 2) };

    expect(plan(early, posted)).toEqual({ kind: 'reply', occasion: 'opened', notes: early.notes });
    expect(plan({ seq: 3, notes }, { ...posted, deliveredSeq: 3 })).toMatchObject({ occasion: 'escalated' });
  });

  test('a message that is gone is posted anew, also for its end', () => {
    const ended = { state: 'ok' as const, seq: 2, notes: [note(1, 'opened'), note(2, 'resolved')] };

    expect(plan(ended, { ...told, remote: undefined })).toEqual({ kind: 'post', occasion: 'resolved' });
  });

  test('a refreshed duration is an edit in a chat and nothing by mail', () => {
    expect(plan({ seq: 2 }, told)).toEqual({ kind: 'edit', occasion: 'refreshed' });
    expect(plan({ seq: 2 }, told, 'email')).toEqual({ kind: 'skip' });
    expect(plan({ seq: 2 }, told, 'slack-webhook')).toEqual({ kind: 'skip' });
  });

  test.each([
    ['opened', true, true],
    ['reopened', true, true],
    ['escalated', true, true],
    ['resolved', true, true],
    ['flapping', true, false],
    ['changed', false, false],
  ] as const)('[S1-13] %s is worth a letter: %s, and a call: %s', (kind, letter, call) => {
    const state = kind === 'resolved' ? ('ok' as const) : ('firing' as const);
    const incident = { state, seq: 2, notes: [note(1, 'opened'), note(2, kind)] };

    expect(plan(incident, told, 'email').kind).toBe(letter ? 'reply' : 'skip');
    expect(plan(incident, told, 'slack-webhook').kind).toBe(call ? 'reply' : 'skip');
  });

  test('[S1-13] a reminder is mailed once a day', () => {
    const hours = (count: number) => count * 60;
    const at = (count: number) =>
      plan({ seq: 2, notes: [note(1, 'opened', 0), note(2, 'reminder', hours(count))] }, told, 'email', 6000).kind;

    expect([at(4), at(12), at(24), at(48)]).toEqual(['skip', 'skip', 'reply', 'reply']);
  });
});

describe('an incident of more notes than are kept', () => {
  const audience = { hear: ['ops'], all: ['ops'] };
  const changes = (count: number, from: number) =>
    Array.from({ length: count }, (_, nth): readonly [NoteKind, number] => ['changed', from + nth]);

  /** As it is stored after each of these notes, with the minutes at which they were made. */
  function lives(notes: readonly (readonly [NoteKind, number])[]): readonly Incident[] {
    let incident = anIncident({ seq: 0, notes: [], deliveries: {} });
    return notes.map(([kind, minutes]) => {
      const state = kind === 'resolved' ? 'ok' : 'firing';
      incident = withNote({ ...incident, state }, kind, kind, { now: minute(minutes), targets: audience });
      return incident;
    });
  }

  interface Act {
    readonly kind: NoteKind;
    /** Since what came before it. */
    readonly minutes: number;
    /** Changes after it, one a minute. */
    readonly storm: number;
  }

  /** An end is followed by a return alone. */
  function courseOf(acts: readonly Act[]): readonly (readonly [NoteKind, number])[] {
    let [isOver, minutes] = [false, 0];
    const notes = acts.flatMap(({ kind, minutes: passed, storm }): readonly (readonly [NoteKind, number])[] => {
      const at = minutes + passed;
      minutes = at + storm;
      const next = isOver ? 'reopened' : kind;
      isOver = next === 'resolved';
      return [[next, at], ...changes(isOver ? 0 : storm, at + 1)];
    });
    return [['opened', 0], ...notes];
  }

  test('[S1-13] [N-18] is mailed one reminder a day, however many changes lie between', () => {
    const hours = Array.from({ length: 24 }, (_, nth) => 4 * nth + 4);
    const reminders = hours.flatMap((hour) => [['reminder', hour * 60] as const, ...changes(40, hour * 60 + 1)]);
    const mailed = lives([['opened', 0], ...reminders]).filter((incident) => {
      const before = incident.seq - 1;
      return plan(incident, { ...told, deliveredSeq: before, threadSeq: before }, 'email', 6000).kind !== 'skip';
    });

    expect(mailed.map(({ notes }) => notes.at(-1)?.at)).toEqual(
      [0, 24, 48, 72, 96].map((hour) => minute(hour * 60).toISOString()),
    );
  });

  test('[N-18] [N-29] has the last six escalations since it came back, whatever came after them', () => {
    const escalations = (from: number) =>
      Array.from({ length: 8 }, (_, nth): readonly [NoteKind, number] => ['escalated', from + 10 * nth]);
    const before = [['opened', 0], ...escalations(10), ['resolved', 90], ['reopened', 95]] as const;
    const stored = lives([...before, ...escalations(100), ...changes(60, 200)]);

    for (const { notes } of stored) expect(notes.length).toBeLessThanOrEqual(30);
    expect(stored.at(-1)?.notes.flatMap(({ seq, kind }) => (kind === 'escalated' ? [seq] : []))).toEqual([
      14, 15, 16, 17, 18, 19,
    ]);
  });

  test('[N-18] [N-29] has those that tell of who joined, however many escalations come after them', () => {
    const all = Array.from({ length: 80 }, (_, nth): IncidentNote => {
      const each = note(nth + 1, nth === 0 ? 'opened' : 'escalated');
      return nth === 3 || nth === 5 ? { ...each, joins: true } : each;
    });
    let kept: readonly IncidentNote[] = [];
    for (const each of all) kept = bounded([...kept, each]);

    expect(kept.length).toBeLessThanOrEqual(30);
    expect(kept.slice(0, 4).map(({ seq }) => seq)).toEqual([1, 4, 6, 58]);
  });

  test('[N-18] [N-29] is not told twice to be over, of a return that was never sent', () => {
    const ended = lives([['opened', 0], ['resolved', 5], ['reopened', 10], ...changes(60, 11), ['resolved', 90]]);
    const heard = { ...told, deliveredSeq: 2, threadSeq: 2 };

    for (const kind of ['email', 'slack-webhook', 'pagerduty', 'webhook'] as const)
      expect(plan(ended.at(-1) ?? {}, heard, kind)).toEqual({ kind: 'skip' });
  });

  test('[N-18] [N-29] is told to be over, also where an earlier version dropped the return that was told', () => {
    const notes = [note(2, 'resolved'), ...Array.from({ length: 28 }, (_, nth) => note(nth + 5, 'changed'))];
    const ended = { state: 'ok' as const, seq: 40, notes: [...notes, note(40, 'resolved')] };

    for (const kind of ['email', 'pagerduty'] as const)
      expect(plan(ended, { ...told, threadSeq: 39 }, kind)).toMatchObject({ occasion: 'resolved' });
  });

  test('[N-18] [S1-13] owes each target the same as if all were kept, whatever it was told last', () => {
    const kinds = ['reminder', 'escalated', 'flapping', 'attended', 'unattended', 'resolved'] as const;
    const act = fc.record({
      kind: fc.constantFrom(...kinds),
      minutes: fc.constantFrom(1, 60, 240, 700),
      storm: fc.constantFrom(0, 1, 8, 30),
    });
    const acts = fc.array(act, { minLength: 1, maxLength: 12 });
    const targets = ['email', 'slack-webhook', 'pagerduty', 'webhook'] as const;

    fc.assert(
      fc.property(
        acts,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom(...targets),
        (list, heard, target) => {
          const all = courseOf(list);
          const stored = lives(all).at(-1);
          const notes = all.map(([kind, at], nth) => note(nth + 1, kind, at));
          const threadSeq = 1 + Math.floor(heard * (notes.length - 2));
          const stepOf = (incident: Partial<Incident>) => plan(incident, { ...told, threadSeq }, target).kind;

          expect(stored?.notes.length).toBeLessThanOrEqual(30);
          // A second end may be told of which nobody can say any more that the first one was.
          if (stepOf({ ...stored, notes }) !== 'skip' || stored?.state === 'firing')
            expect(stepOf(stored ?? {})).toBe(stepOf({ ...stored, notes }));
        },
      ),
      { numRuns: runs(1500) },
    );
  });
});

describe('when a target is left alone', () => {
  test('while somebody else has claimed it', () => {
    const claim = { owner: 'other', until: minute(101).toISOString() };

    expect(plan({}, { claim })).toEqual({ kind: 'wait' });
    expect(plan({}, { claim }, 'slack', 102)).toMatchObject({ kind: 'post' });
  });

  test('until it is time to try again', () => {
    expect(plan({}, { retryAt: minute(101).toISOString() })).toEqual({ kind: 'wait' });
  });

  test('[N-18] a send without a confirmation is looked up before anything else is sent, and not too early', () => {
    const doubtful = {
      deliveryId: 'd',
      since: minute(100).toISOString(),
      part: 'parent',
      seq: 1,
      occasion: 'opened',
    } as const;

    expect(plan({}, { doubtful }, 'slack', 100.1)).toEqual({ kind: 'wait' });
    expect(plan({}, { doubtful }, 'slack', 100.2)).toEqual({ kind: 'read-back', doubt: doubtful });
    expect(plan({ state: 'ok' }, { doubtful }, 'slack', 100.2)).toMatchObject({ kind: 'read-back' });
  });

  test('a day after the end, if it refuses', () => {
    const ended = { state: 'ok' as const, seq: 2, resolvedAt: minute(0).toISOString() };

    expect(plan(ended, { ...told, dead: true }, 'slack', 60)).toMatchObject({ kind: 'edit' });
    expect(plan(ended, { ...told, dead: true }, 'slack', 25 * 60)).toEqual({ kind: 'nothing' });
  });
});

describe('a target that knows incidents by their key', () => {
  const known = { announced: true, remote, deliveredSeq: 1, threadSeq: 1 };
  const kinds = ['pagerduty', 'webhook', 'alertmanager'] as const;

  test.each(kinds)('%s is told by calls that may be made twice, so nothing is in doubt', (kind) => {
    expect(plan({}, {}, kind)).toEqual({ kind: 'edit', occasion: 'opened' });
    expect(plan({ state: 'ok', seq: 2, notes: [note(1, 'opened'), note(2, 'resolved')] }, known, kind)).toEqual({
      kind: 'edit',
      occasion: 'resolved',
    });
    expect(plan({ state: 'ok' }, {}, kind)).toEqual({ kind: 'skip' });
  });

  test.each([
    ['changed', 'skip', 'edit'],
    ['reminder', 'skip', 'edit'],
    ['flapping', 'skip', 'edit'],
    ['escalated', 'edit', 'edit'],
    ['reopened', 'edit', 'edit'],
    ['attended', 'edit', 'edit'],
    ['unattended', 'edit', 'edit'],
  ] satisfies [NoteKind, string, string][])('%s is for PagerDuty: %s, for a webhook: %s', (kind, page, feed) => {
    const incident = { seq: 2, notes: [note(1, 'opened'), note(2, kind)] };

    expect(plan(incident, known, 'pagerduty').kind).toBe(page);
    expect(plan(incident, known, 'webhook').kind).toBe(feed);
  });

  test('[S1-13] an acknowledged incident pages nobody new', () => {
    const attention = {
      kind: 'acknowledged' as const,
      by: 'anna',
      reason: '',
      at: minute(1).toISOString(),
      until: minute(120).toISOString(),
      severity: 'high' as const,
      digest: anIncident().trouble?.digest ?? '',
      warned: false,
    };

    expect(plan({ attention }, {}, 'pagerduty')).toEqual({ kind: 'nothing' });
    expect(plan({ attention }, {}, 'pagerduty', 121)).toEqual({ kind: 'edit', occasion: 'opened' });
    expect(plan({ attention }, {}, 'slack')).toEqual({ kind: 'post', occasion: 'opened' });
  });

  test('Alertmanager is told again before it forgets, until the end', () => {
    const at = { repeatAt: minute(104).toISOString() };

    expect(plan({}, { ...known, ...at }, 'alertmanager', 103)).toEqual({ kind: 'nothing' });
    expect(plan({}, { ...known, ...at }, 'alertmanager', 104)).toEqual({ kind: 'edit', occasion: 'refreshed' });
    expect(plan({ state: 'resolving' }, { ...known, ...at }, 'alertmanager', 104).kind).toBe('edit');
    expect(plan({ state: 'ok' }, { ...known, ...at }, 'alertmanager', 104)).toEqual({ kind: 'nothing' });
  });
});

describe('quiet hours', () => {
  const night: QuietHours = { from: '22:00', to: '07:00', zone: 'Europe/Berlin', weekends: false };
  const warning = anIncident({ trouble: aTrouble({ severity: 'warning' }) });
  const fresh = aDelivery({});

  function at(instant: string, incident = warning, hours = night) {
    return planDelivery(incident, fresh, { kind: 'slack', quietHours: hours }, new Date(instant)).kind;
  }

  test('hold back what is no page, by the wall clock of the zone, in summer too', () => {
    expect(at('2026-03-02T20:59:59Z')).toBe('post');
    expect(at('2026-03-02T21:00:00Z')).toBe('wait');
    expect(at('2026-03-03T05:59:59Z')).toBe('wait');
    expect(at('2026-03-03T06:00:00Z')).toBe('post');
    // Summer time has begun on the 29th: one hour earlier by UTC.
    expect(at('2026-03-30T20:00:00Z')).toBe('wait');
    expect(at('2026-03-31T05:00:00Z')).toBe('post');
  });

  test.each(['critical', 'high'] as const)('never hide a page: %s', (severity) => {
    expect(at('2026-03-03T02:00:00Z', anIncident({ trouble: aTrouble({ severity }) }))).toBe('post');
  });

  test('may be the whole weekend', () => {
    expect(at('2026-03-07T12:00:00Z')).toBe('post');
    expect(at('2026-03-07T12:00:00Z', warning, { ...night, weekends: true })).toBe('wait');
  });

  test('a message that stands is brought up to date in silence, and its thread waits', () => {
    const owed = { ...fresh, announced: true, remote, wantedSeq: 2, deliveredSeq: 1, threadSeq: 1 };
    const changed = { ...warning, seq: 2, notes: [note(1, 'opened'), note(2, 'changed')] };
    const now = new Date('2026-03-03T02:00:00Z');
    const slack = { kind: 'slack', quietHours: night } as const;

    expect(planDelivery(changed, owed, slack, now).kind).toBe('edit');
    expect(planDelivery(changed, { ...owed, deliveredSeq: 2 }, slack, now).kind).toBe('wait');
    const worse = { ...changed, notes: [note(1, 'opened'), note(2, 'escalated')] };
    expect(planDelivery(worse, owed, { ...slack, kind: 'email' }, now).kind).toBe('wait');
  });

  test('what is over by their end is not told', () => {
    expect(at('2026-03-03T06:00:00Z', { ...warning, state: 'ok' })).toBe('skip');
  });

  test('whom PagerDuty woke hears at once that it is over, or that somebody has it', () => {
    const told = { ...fresh, announced: true, remote, wantedSeq: 2, deliveredSeq: 1, threadSeq: 1 };
    const atNight = (incident: Partial<Incident>, kind: NoteKind) =>
      planDelivery(
        { ...warning, ...incident, seq: 2, notes: [note(1, 'opened'), note(2, kind)] },
        told,
        { kind: 'pagerduty', quietHours: night },
        new Date('2026-03-03T02:00:00Z'),
      ).kind;
    const attention = {
      kind: 'acknowledged' as const,
      by: 'anna',
      reason: '',
      at: '2026-03-03T01:00:00.000Z',
      until: '2026-03-03T03:00:00.000Z',
      severity: 'warning' as const,
      digest: warning.trouble?.digest ?? '',
      warned: false,
    };

    expect(atNight({ state: 'ok' }, 'resolved')).toBe('edit');
    expect(atNight({ attention }, 'attended')).toBe('edit');
    expect(atNight({ attention }, 'reopened')).toBe('wait');
    expect(atNight({}, 'escalated')).toBe('wait');
  });
});

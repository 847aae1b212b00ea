import { describe, expect, test } from 'vitest';
import { evolve } from '../../../../functions/core/alerts/evolve.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import type { Severity } from '../../../../functions/core/findings/trouble.ts';
import { aDelivery, anIncident } from '../../../fakes/index.ts';
import { aStory, lasting, minute, passing, type Story } from './incident-lab.ts';
import { readBack } from './lives.ts';

describe('opening', () => {
  test('[S1-2] a condition that may heal by itself is told only after it lasted', () => {
    const story = aStory();

    expect(story.wrong(0, passing())).toBe('noted');
    expect(story.wrong(1, passing())).toBe('nothing');
    expect(story.notes).toEqual([]);

    expect(story.wrong(2, passing())).toBe('opened');
    expect(story.now).toMatchObject({ state: 'firing', number: 1, seq: 1, openedAt: minute(2).toISOString() });
  });

  test('[S1-2] a condition that never heals by waiting is told at once', () => {
    const story = aStory();

    expect(story.wrong(0, lasting())).toBe('opened');
    expect(story.now.deliveries).toEqual({ ops: aDelivery({ fromSeq: 1 }) });
  });

  test('[S1-2] a condition that had lasted long before it was first seen is told at once', () => {
    const story = aStory();

    expect(story.wrong(30, passing())).toBe('opened');
  });

  test('[S1-2] a blip that goes before it was told is never told', () => {
    const story = aStory();
    story.wrong(0, passing());

    expect(story.gone(0.5)).toBe('noted');
    expect(story.gone(1)).toBe('noted');

    expect(story.now).toMatchObject({ state: 'ok', number: 0, notes: [], deliveries: {} });
    expect(story.numbers).toBe(0);
  });

  test('[S1-2] one good read does not start the hold-down anew', () => {
    const story = aStory();
    story.wrong(0, passing());
    story.gone(1);

    expect(story.wrong(2, passing())).toBe('opened');
  });

  test('asks for a number only when it opens, and changes nothing until it has one', () => {
    const context = {
      policy: defaultPolicy.alerting,
      now: minute(0),
      nextNumber: undefined,
      targets: { hear: [], all: [] },
    };

    expect(evolve(undefined, { kind: 'true', trouble: lasting() }, context)).toEqual({
      incident: undefined,
      effect: 'needs-number',
    });
    expect(evolve(undefined, { kind: 'true', trouble: passing() }, context).effect).toBe('noted');
  });

  test('nothing follows from what was never wrong', () => {
    const story = aStory();

    expect(story.gone(0)).toBe('nothing');
    expect(story.blind(1)).toBe('nothing');
    expect(story.at(2, { kind: 'removed', why: 'pool deleted' })).toBe('nothing');
    expect(story.incident).toBeUndefined();
  });
});

describe('while it fires', () => {
  test('[S1-13] the same cause is not told again', () => {
    const story = aStory();
    story.wrong(0, lasting());

    expect(story.wrong(1, lasting())).toBe('nothing');
    expect(story.wrong(4.9, lasting())).toBe('nothing');
    expect(story.notes).toEqual(['opened']);
  });

  test('durations are refreshed at most every five minutes, without a word', () => {
    const story = aStory();
    story.wrong(0, lasting());

    expect(story.wrong(5, lasting({ headline: 'drain of worker-2 blocked, 3 of 8 done' }))).toBe('refreshed');

    expect(story.now).toMatchObject({ seq: 2, trouble: { headline: 'drain of worker-2 blocked, 3 of 8 done' } });
    expect(story.now.deliveries['ops']).toMatchObject({ wantedSeq: 2, deliveredSeq: 0 });
    expect(story.notes).toEqual(['opened']);
    expect(story.wrong(6, lasting())).toBe('nothing');
  });

  test('another cause is told at once, in the same incident', () => {
    const story = aStory();
    story.wrong(0, lasting());

    expect(
      story.wrong(1, lasting({ digest: 'worker-3|P1|shop/web|high', headline: 'drain of worker-3 blocked' })),
    ).toBe('updated');

    expect(story.notes).toEqual(['opened', 'changed']);
    expect(story.now).toMatchObject({ number: 1, seq: 2 });
  });

  test('a higher severity is told as an escalation, and reminders come sooner', () => {
    const story = aStory();
    story.wrong(0, lasting({ severity: 'warning' }));

    story.wrong(1, lasting({ severity: 'critical' }));

    expect(story.notes).toEqual(['opened', 'escalated']);
    expect(story.now.nextReminderAt).toBe(minute(31).toISOString());
  });

  test('[S1-13] reminders climb the ladder and then repeat its last rung', () => {
    const story = aStory();
    const critical = lasting({ severity: 'critical' });
    story.wrong(0, critical);

    const reminded = [...Array(1000).keys()].filter((minutes) => story.wrong(minutes + 1, critical) === 'updated');

    expect(reminded.map((minutes) => minutes + 1)).toEqual([30, 60, 120, 240, 480, 720, 960]);
  });

  test.each([
    [1, '1 change'],
    [16, '16 changes'],
    [112, 'At least 28 changes'],
  ])('[S1-13] [N-29] of %i changes a reminder says no more than is known: %s', (count, words) => {
    const story = aStory();
    story.wrong(0, lasting({ digest: '0' }));
    for (let nth = 1; nth <= count; nth += 1) story.wrong(nth, lasting({ digest: `${nth}` }));
    story.wrong(240, lasting({ digest: `${count}` }));

    expect(story.now.notes.findLast(({ kind }) => kind === 'reminder')?.text).toContain(
      `. ${words} since the last reminder.`,
    );
  });

  test('[S1-13] after a long blindness one reminder comes, not all that were missed', () => {
    const story = aStory();
    const critical = lasting({ severity: 'critical' });
    story.wrong(0, critical);
    story.blind(5);

    expect(story.wrong(500, critical)).toBe('updated');
    expect(story.wrong(501, critical)).toBe('nothing');

    expect(story.notes).toEqual(['opened', 'reminder']);
    expect(story.now.nextReminderAt).toBe(minute(720).toISOString());
  });

  test('who hears of it later gets the truth of now and not what passed', () => {
    const story = aStory({ targets: [] });
    story.wrong(0, lasting());
    const { incident } = evolve(
      story.now,
      { kind: 'true', trouble: lasting({ severity: 'critical' }) },
      {
        policy: defaultPolicy.alerting,
        now: minute(1),
        nextNumber: undefined,
        targets: { hear: ['pager'], all: ['pager'] },
      },
    );

    expect(incident?.deliveries['pager']).toEqual(
      aDelivery({ wantedSeq: 2, deliveredSeq: 1, threadSeq: 1, fromSeq: 2 }),
    );
  });
});

describe('its end', () => {
  test('[S1-13] is told after it stayed away, with what ended it and how long it lasted', () => {
    const story = aStory();
    story.wrong(0, lasting());

    expect(story.gone(42)).toBe('refreshed');
    expect(story.now.state).toBe('resolving');
    expect(story.gone(44)).toBe('noted');
    expect(story.gone(45)).toBe('nothing');
    expect(story.gone(47, 'web-b became Ready on worker-6')).toBe('resolved');

    expect(story.now).toMatchObject({ state: 'ok', outcome: 'fixed', resolvedAt: minute(47).toISOString() });
    expect(story.now.notes.at(-1)).toMatchObject({
      kind: 'resolved',
      text: 'Resolved after 47 min. web-b became Ready on worker-6',
    });
  });

  test('two good reads are needed however long the first is ago', () => {
    const story = aStory({ policy: { keepFiringSeconds: 0 } });
    story.wrong(0, lasting());

    expect(story.gone(60)).toBe('refreshed');
    expect(story.gone(60)).toBe('nothing');
    expect(story.gone(61)).toBe('resolved');
  });

  test('a failed read neither ends it nor counts towards its end', () => {
    const story = aStory();
    story.wrong(0, lasting());
    story.gone(1);

    for (const minutes of [10, 60, 600]) story.blind(minutes);

    expect(story.now.state).toBe('resolving');
    expect(story.notes).toEqual(['opened']);
  });

  test('what returns before its end was told goes on firing', () => {
    const story = aStory();
    story.wrong(0, lasting());
    story.gone(10);

    expect(story.wrong(11, lasting())).toBe('refreshed');

    expect(story.now).toMatchObject({ state: 'firing', goneSince: undefined, goodReadsGone: 0 });
    expect(story.notes).toEqual(['opened']);
  });

  test('what returns within half an hour is the same incident, said aloud', () => {
    const story = aStory();
    story.wrong(0, lasting());
    story.gone(10);
    story.gone(16);

    expect(story.wrong(28, lasting())).toBe('opened');

    expect(story.now).toMatchObject({ state: 'firing', number: 1, reopened: 1, openedAt: minute(0).toISOString() });
    expect(story.now.notes.at(-1)).toMatchObject({
      kind: 'reopened',
      text: expect.stringContaining('Firing again after 12 min'),
    });
  });

  test('what returns later is a new incident with a new number', () => {
    const story = aStory();
    story.wrong(0, lasting());
    story.gone(10);
    story.gone(16);
    const { seq } = story.now;

    expect(story.wrong(60, lasting())).toBe('opened');

    expect(story.now).toMatchObject({ number: 2, seq: seq + 1, reopened: 0 });
    expect(story.notes).toEqual(['opened']);
    expect(story.now.deliveries['ops']).toMatchObject({ wantedSeq: seq + 1, deliveredSeq: seq, threadSeq: seq });
  });

  test('[N-18] a new incident does not begin while somebody has not heard the end of the last', () => {
    const story = aStory();
    story.wrong(0, lasting());
    story.gone(10);
    story.gone(16);
    const owing = { ...story.now, deliveries: { ops: aDelivery({ announced: true, wantedSeq: 3, deliveredSeq: 1 }) } };

    const { incident } = evolve(
      owing,
      { kind: 'true', trouble: lasting() },
      {
        policy: defaultPolicy.alerting,
        now: minute(600),
        nextNumber: 9,
        targets: { hear: ['ops'], all: ['ops'] },
      },
    );

    expect(incident).toMatchObject({ number: 1, reopened: 1, state: 'firing' });
  });

  test.each([
    ['the same incident, while the target is tried', 600, 1],
    ['a new one, when the target was given up after a day', 26 * 60, 9],
  ])('[N-18] what returns when a target refuses its end is %s', (_name, minutes, number) => {
    const story = aStory();
    story.wrong(0, lasting());
    story.gone(10);
    story.gone(16);
    const owed = aDelivery({ announced: true, wantedSeq: 3, deliveredSeq: 1, dead: true });
    const targets = { hear: ['ops'], all: ['ops'] };

    const { incident } = evolve(
      { ...story.now, deliveries: { ops: owed } },
      { kind: 'true', trouble: lasting() },
      { policy: defaultPolicy.alerting, now: minute(minutes), nextNumber: 9, targets },
    );

    expect(incident?.number).toBe(number);
  });

  test('a subject that is proven to be no more ends it at once, in these words', () => {
    const story = aStory();
    story.wrong(0, lasting());

    expect(story.at(5, { kind: 'removed', why: 'The pool was deleted.' })).toBe('resolved');

    expect(story.now).toMatchObject({ state: 'ok', outcome: 'subject-removed', endedBy: 'The pool was deleted.' });
  });
});

describe('out of sight', () => {
  test('changes nothing but the mark, and after three minutes the messages say so', () => {
    const story = aStory();
    story.wrong(0, lasting());

    expect(story.blind(1)).toBe('noted');
    expect(story.blind(2)).toBe('nothing');
    expect(story.blind(4)).toBe('refreshed');
    expect(story.blind(5)).toBe('nothing');

    expect(story.now).toMatchObject({
      state: 'firing',
      staleSince: minute(1).toISOString(),
      staleWhy: 'API unreachable',
    });
    expect(story.notes).toEqual(['opened']);
  });

  test('the mark is taken back with the next good read', () => {
    const story = aStory();
    story.wrong(0, lasting());
    for (const minutes of [1, 4, 5]) story.blind(minutes);

    expect(story.wrong(6, lasting())).toBe('refreshed');

    expect(story.now.staleSince).toBeUndefined();
  });

  test('sends no reminder', () => {
    const story = aStory();
    story.wrong(0, lasting({ severity: 'critical' }));

    for (let minutes = 1; minutes < 300; minutes += 1) story.blind(minutes);

    expect(story.notes).toEqual(['opened']);
  });
});

describe('explained by something else', () => {
  test('it is not told, and when the explanation ends it is told as of its own opening', () => {
    const story = aStory();

    expect(story.wrong(0, passing(), 'rendering failed')).toBe('noted');
    expect(story.wrong(20, passing(), 'rendering failed')).toBe('nothing');
    expect(story.wrong(30, passing())).toBe('opened');

    expect(story.now.openedAt).toBe(minute(2).toISOString());
  });

  test('what was told before is not reminded of and not told anew, and its end is', () => {
    const story = aStory();
    const critical = lasting({ severity: 'critical' });
    story.wrong(0, critical);

    for (let minutes = 1; minutes < 100; minutes += 1) story.wrong(minutes, { ...critical, digest: 'other' }, 'blind');
    expect(story.notes).toEqual(['opened']);

    story.gone(100);
    story.gone(106);
    expect(story.notes).toEqual(['opened', 'resolved']);
  });

  test('what changed meanwhile is told afterwards', () => {
    const story = aStory();
    story.wrong(0, lasting());
    story.wrong(1, lasting({ digest: 'other' }), 'blind');

    story.wrong(2, lasting({ digest: 'other' }));

    expect(story.notes).toEqual(['opened', 'changed']);
  });
});

test('[N-30] the note of a change tells what is new, however many causes come before it', () => {
  const found = (name: string) =>
    finding({
      code: 'A8',
      subject: ref('Application', name, 'team'),
      sentence: `${name} is not protected.`,
      confidence: 'certain',
      class: 'external',
    });
  const of = (...names: readonly string[]) =>
    lasting({
      findings: names.map(found),
      digest: `${names.map((each) => `${each}:A8:Application team/${each}`).join(';')};high`,
    });
  const story = aStory();
  story.wrong(0, of('a', 'b'));

  expect(story.wrong(1, of('a', 'b', 'platform'))).toBe('updated');
  expect(story.now.notes.at(-1)?.text).toContain('platform is not protected.');
  expect(story.wrong(2, of('a', 'b'))).toBe('updated');
  expect(story.now.notes.at(-1)?.text).toContain('a is not protected.');
});

describe('flapping', () => {
  /** Comes and goes every quarter of an hour. */
  function flap(story: ReturnType<typeof aStory>, from: number, to: number): void {
    for (let minutes = from; minutes < to; minutes += 1) {
      if (minutes % 15 < 7) story.wrong(minutes, lasting({ severity: 'warning' }));
      else story.gone(minutes);
    }
  }

  test('[N-18] the fourth coming or going within two hours is the last that is told', () => {
    const story = aStory();

    flap(story, 0, 240);

    expect(story.notes).toEqual(['opened', 'resolved', 'reopened', 'flapping']);
    expect(story.now).toMatchObject({ flapping: true, number: 1 });
  });

  test('[N-18] it ends only after an hour of quiet, with a summary', () => {
    const story = aStory();
    flap(story, 0, 240);
    const told = story.notes.length;

    for (let minutes = 240; minutes < 292; minutes += 1) story.gone(minutes);
    expect(story.notes).toHaveLength(told);
    expect(story.gone(300)).toBe('resolved');

    expect(story.now).toMatchObject({ flapping: false, transitions: [], state: 'ok' });
    expect(story.now.notes.at(-1)?.text).toMatch(/changed state \d+ times, longest stable period \d+ min/);
  });

  test('[N-18] what stays for an hour is said to be steady again', () => {
    const story = aStory();
    flap(story, 0, 120);

    for (let minutes = 120; minutes < 200; minutes += 1) story.wrong(minutes, lasting({ severity: 'warning' }));

    expect(story.now.flapping).toBe(false);
    expect(story.now.notes.findLast(({ kind }) => kind === 'flapping')?.text).toContain(
      'No longer flapping, still firing',
    );
  });

  test('[N-30] [N-18] a higher severity is told all the same, again where it is back for ten minutes, and a reminder says no more than is known', () => {
    const worse = lasting({ severity: 'critical', digest: 'worker-2|P1|shop/web;worker-3|N5|node;critical' });
    const story = aStory();
    flap(story, 0, 120);

    expect(story.wrong(120, worse)).toBe('updated');
    expect(story.notes.slice(-2)).toEqual(['flapping', 'escalated']);
    expect(story.now.notes.at(-1)?.text).toContain('Severity up from warning to critical');
    expect(story.wrong(121, lasting({ severity: 'warning' }))).toBe('refreshed');
    expect(story.wrong(122, worse)).toBe('refreshed');
    story.gone(123);
    expect(story.wrong(124, worse)).toBe('refreshed');

    expect(story.wrong(132, worse)).toBe('updated');
    expect(story.now.notes.at(-1)).toMatchObject({
      kind: 'escalated',
      text: `Severity critical again: ${worse.headline}`,
    });
    expect(story.wrong(133, lasting({ severity: 'warning' }))).toBe('refreshed');
    for (let minutes = 136; minutes < 146; minutes += 1) expect(story.wrong(minutes, worse)).not.toBe('updated');
    expect(story.wrong(146, worse)).toBe('updated');
    for (let minutes = 147; minutes < 176; minutes += 1) expect(story.wrong(minutes, worse)).not.toBe('updated');

    expect(story.wrong(176, worse)).toBe('updated');
    expect(story.now.notes.at(-1)).toMatchObject({ kind: 'reminder' });
    expect(story.now.notes.at(-1)?.text).toContain('It comes and goes.');
  });

  test('[N-30] [N-18] also one with which it begins to flap', () => {
    const story = aStory();
    for (const minutes of [0, 2, 4]) {
      story.wrong(minutes, lasting({ severity: 'warning' }));
      story.gone(minutes + 1);
    }

    expect(story.wrong(6, lasting({ severity: 'critical' }))).toBe('updated');
    expect(story.notes).toEqual(['opened', 'flapping', 'escalated']);
  });

  test('causes that change during the quiet mode only edit the message', () => {
    const story = aStory();
    flap(story, 0, 120);
    const told = story.notes.length;

    expect(story.wrong(120, lasting({ severity: 'warning', digest: 'other node, same blocker' }))).toBe('refreshed');

    expect(story.notes).toHaveLength(told);
  });
});

describe('flapping by one Application', () => {
  const digestOf = (...names: readonly string[]) =>
    names.map((each) => `${each}:A1:Application team/${each}`).join(';');
  const failingAt = (severity: Severity, ...names: readonly string[]) =>
    lasting({ severity, digest: `${digestOf(...names)};${severity}` });
  const failing = (...names: readonly string[]) => failingAt('high', ...names);

  /** Fails and syncs again every quarter of an hour. */
  function flap(story: ReturnType<typeof aStory>, from: number, to: number, evil = failing('evil')): void {
    for (let minutes = from; minutes < to; minutes += 1) {
      if (minutes % 15 < 7) story.wrong(minutes, evil);
      else story.gone(minutes);
    }
  }

  test('[N-30] [N-18] the failure of another one is told all the same, once', () => {
    const story = aStory();
    flap(story, 0, 120);
    expect(story.now.notes.at(-1)?.text).toContain(
      'Only reminders, a higher severity and what comes of other Applications from now on',
    );

    expect(story.wrong(120, failing('nodes'))).toBe('updated');
    expect(story.notes.slice(-2)).toEqual(['flapping', 'changed']);
    expect(story.wrong(121, failing('evil', 'nodes'))).toBe('refreshed');
    story.gone(122);
    expect(story.wrong(124, failing('nodes'))).toBe('refreshed');
    expect(story.wrong(125, failing('evil', 'storage'))).toBe('updated');
  });

  test('[N-30] [N-18] what was worse before one more target was told is told again', () => {
    const both = ['ops', 'lead'];
    const story = aStory({ audience: (minutes) => ({ hear: minutes < 120 ? ['ops'] : both, all: both }) });
    flap(story, 0, 120);
    story.wrong(120, failingAt('warning', 'evil'));

    story.wrong(121, failing('evil'));

    expect(story.now.flapping).toBe(true);
    expect(story.now.notes.at(-1)).toMatchObject({
      kind: 'escalated',
      text: expect.stringContaining('up from warning'),
    });
  });

  test('[N-30] [N-18] what is worse at the look that ends it is told as that', () => {
    const story = aStory();
    flap(story, 0, 120);
    story.wrong(120, failing('evil'));
    story.blind(121);

    story.wrong(181, failingAt('critical', 'evil'));

    expect(story.now.flapping).toBe(false);
    expect(story.now.notes.at(-1)).toMatchObject({ kind: 'escalated', text: expect.stringContaining('up from high') });
  });

  test('[N-30] [N-18] of a namespace with any number of failing Applications each is told once, or all at once', () => {
    const crowd = (namespace: string, from: number, count: number) =>
      Array.from({ length: count }, (_, at) => `${namespace}/x${from + at}-${'n'.repeat(40)}`);
    const of = (...names: readonly string[]) =>
      lasting({ severity: 'high', digest: `${names.map((each) => `n:A1:Application ${each}`).join(';')};high` });
    const story = aStory();
    flap(story, 0, 120, of(...crowd('evil', 0, 60)));

    const many = Array.from({ length: 60 }, (_, at) => story.wrong(120 + at / 20, of(...crowd('evil', at, 60))));
    // Those that are seen for the first time.
    expect(many.filter((effect) => effect === 'updated')).toHaveLength(59);
    const again = Array.from({ length: 60 }, (_, at) => story.wrong(124 + at / 20, of(...crowd('evil', at, 60))));
    expect(again.filter((effect) => effect === 'updated')).toEqual([]);
    story.wrong(128, of(...crowd('evil', 0, 900)));
    expect(story.now.flappingFor?.join('').length).toBeLessThan(16 * 1024);
    expect(story.wrong(129, of(...crowd('evil', 900, 60)))).toBe('refreshed');
    expect(story.wrong(130, of(...crowd('evil', 0, 900), 'team/nodes'))).toBe('updated');
    expect(story.wrong(131, of(...crowd('evil', 900, 60), 'team/nodes'))).toBe('refreshed');
  });

  test('[N-30] [N-18] also where the digest has no room for it', () => {
    const found = finding({
      code: 'A1',
      subject: ref('Application', 'nodes', 'team'),
      sentence: 'The sync of nodes failed.',
      confidence: 'certain',
      class: 'external',
    });
    const cut = { ...failing('evil'), digest: `${digestOf('evil')};a-fingerprint` };
    const story = aStory();
    flap(story, 0, 120, cut);

    expect(story.wrong(120, { ...cut, findings: [found], digest: `${digestOf('evil')};another` })).toBe('updated');
    expect(story.notes.at(-1)).toBe('changed');
  });

  test('[N-30] [N-18] its cause is told, whatever flaps comes before it', () => {
    const found = (name: string) =>
      finding({
        code: 'A1',
        subject: ref('Application', name, 'team'),
        sentence: `The sync of ${name} failed.`,
        confidence: 'certain',
        class: 'external',
      });
    const of = (...names: readonly string[]) => ({ ...failing(...names), findings: names.map(found) });
    const story = aStory();
    flap(story, 0, 120, of('evil', 'worse'));
    story.wrong(120, of('worse'));

    expect(story.wrong(121, of('evil', 'worse', 'nodes'))).toBe('updated');
    expect(story.now.notes.at(-1)?.text).toMatch(/^Now: .*The sync of nodes failed\.$/);
  });

  test('[N-30] [N-18] also where that failure is worse than what flaps, once', () => {
    const story = aStory();
    flap(story, 0, 120, failingAt('warning', 'evil'));

    expect(story.wrong(120, failing('evil', 'nodes'))).toBe('updated');
    expect(story.notes.slice(-2)).toEqual(['flapping', 'escalated']);
    expect(story.now.notes.at(-1)?.text).toContain('Severity up from warning to high');
    expect(story.wrong(121, failingAt('warning', 'evil'))).toBe('refreshed');
    expect(story.wrong(122, failing('evil', 'nodes'))).toBe('refreshed');
    expect(story.now.flappingFor).toEqual(['Application team/evil', 'Application team/nodes']);
  });

  describe('that begins to flap with the very look at which another one fails', () => {
    const beginning = (severity: Severity = 'high') => {
      const story = aStory();
      for (const minutes of [0, 2, 4]) {
        story.wrong(minutes, failingAt(severity, 'evil'));
        story.gone(minutes + 1);
      }
      return story;
    };

    test('[N-30] [N-18] that failure is told, once', () => {
      const story = beginning();

      expect(story.wrong(6, failing('evil', 'nodes'))).toBe('updated');
      expect(story.notes).toEqual(['opened', 'flapping', 'changed']);
      expect(story.wrong(7, failing('evil', 'nodes'))).toBe('nothing');
      expect(story.wrong(8, failing('evil'))).toBe('refreshed');
      expect(story.wrong(9, failing('evil', 'nodes'))).toBe('refreshed');
    });

    test('[N-30] [N-18] also where it is worse', () => {
      const story = beginning('warning');

      expect(story.wrong(6, failing('evil', 'nodes'))).toBe('updated');
      expect(story.notes).toEqual(['opened', 'flapping', 'escalated']);
    });

    test('[N-30] [N-18] behind another incident, as soon as it is not muted any more', () => {
      const story = beginning();

      expect(story.wrong(6, failing('evil', 'nodes'), 'PK-7')).toBe('updated');
      expect(story.notes).toEqual(['opened', 'flapping']);
      expect(story.wrong(7, failing('evil', 'nodes'), 'PK-7')).toBe('nothing');
      expect(story.wrong(8, failing('evil', 'nodes'))).toBe('updated');
      expect(story.notes.at(-1)).toBe('changed');
    });

    test('what flaps is told no second time', () => {
      const story = beginning();

      expect(story.wrong(6, failing('evil'))).toBe('updated');
      expect(story.notes).toEqual(['opened', 'flapping']);
    });
  });

  test('[N-30] [N-18] also where an earlier version kept nothing of it', () => {
    const story = aStory();
    flap(story, 0, 120);
    const { flappingFor: _, ...stored } = story.now;
    story.replace(stored);

    expect(story.wrong(120, failing('evil'))).toBe('refreshed');
    expect(story.wrong(121, failing('evil', 'nodes'))).toBe('updated');
  });

  test('[N-18] once it has been quiet, it is told anew', () => {
    const story = aStory();
    flap(story, 0, 120);
    for (let minutes = 120; minutes < 200; minutes += 1) story.gone(minutes);

    expect(story.now).toMatchObject({ flapping: false, flappingFor: undefined, state: 'ok' });
    expect(story.wrong(240, failing('nodes'))).toBe('opened');
  });
});

/** Budgets of these namespaces block the drains of these nodes. */
function blockedBy(...budgets: readonly string[]) {
  const found = budgets.map((each) => {
    const [node = '', namespace = ''] = each.split(' ');
    const sentence = `A budget of ${namespace} spares no pod of ${node}.`;
    const budget = ref('PodDisruptionBudget', 'web', namespace);
    const cause = finding({ code: 'P1', subject: budget, sentence, confidence: 'certain', class: 'structural' });
    return { ...cause, code: 'D1', subject: ref('Node', node), because: [cause] };
  });
  const parts = budgets.map((each) => `${each.split(' ')[0]}:P1:PodDisruptionBudget ${each.split(' ')[1]}/web`);
  return lasting({ severity: 'warning', findings: found, digest: [...parts, 'warning'].join(';') });
}

describe('a severity that goes up and down', () => {
  /** Minutes of the escalations, as the incident is read back after each look. */
  function toldIn(minutes: number, look: (at: number) => Severity, story: Story = aStory()): readonly number[] {
    const told: number[] = [];
    for (let at = 0; at < minutes; at += 1) {
      const before = story.incident?.seq ?? 0;
      story.wrong(at, blockedAt(look(at)));
      if (story.now.notes.some(({ seq, kind }) => seq > before && kind === 'escalated')) told.push(at);
      story.replace(readBack(story.now));
    }
    return told;
  }

  const blockedAt = (severity: Severity) => lasting({ severity, digest: `n1:P1:shop/web;${severity}` });

  test('[S1-13] [N-18] [N-30] is told everybody once an hour, and what is worse than that at once', () => {
    const told = toldIn(180, (at) => (at === 30 ? 'critical' : at % 2 === 0 ? 'warning' : 'high'));

    expect(told).toEqual([1, 30, 93, 155]);
  });

  test('[S1-13] [N-18] with which it was told first, or that it had for long, is no news where it was less for a short time', () => {
    const eases = (at: number) => (at === 300 ? 'warning' : 'high');

    expect(toldIn(310, eases)).toEqual([]);
    expect(toldIn(310, (at) => (at < 5 ? 'warning' : eases(at)))).toEqual([5]);
    expect(toldIn(500, (at) => (at < 100 ? 'info' : at < 200 ? 'critical' : eases(at)))).toEqual([100]);
  });

  test('[S1-13] [N-30] is news where it was less for an hour, or after the end was told', () => {
    const story = aStory();

    expect(toldIn(300, (at) => (at < 5 || at >= 66 ? 'high' : 'warning'), story)).toEqual([66]);
    for (const minutes of [300, 301, 306]) story.gone(minutes);
    story.wrong(310, blockedAt('warning'));
    story.wrong(311, blockedAt('high'));
    expect(story.notes.slice(-3)).toEqual(['resolved', 'reopened', 'escalated']);
  });

  test('[S1-13] [N-18] [N-30] is told all the same where it stays for ten minutes, as it may be for somebody else, and once', () => {
    const rises = (at: number) => (at === 0 || (at >= 10 && at < 20) ? 'warning' : 'high');

    expect(toldIn(300, rises)).toEqual([1, 30]);
    expect(toldIn(60, (at) => (at === 0 || at % 10 < 3 ? 'warning' : 'high'))).toEqual([3]);
    // The look after the rise may be the one that is sent.
    expect(toldIn(100, (at) => (at === 0 || at === 2 ? 'warning' : 'high'))).toEqual([1, 13]);
  });

  test('[S1-13] [N-30] is news once one more target is told, and for a clock that was set back', () => {
    const toggles = (at: number) => (at % 2 === 0 ? 'warning' : 'high');
    const audience = (at: number) => ({ hear: at < 20 ? ['ops'] : ['ops', 'lead'], all: ['ops', 'lead'] });
    const ahead = aStory();
    for (const minutes of [2000, 2001, 2002]) ahead.wrong(minutes, blockedAt(toggles(minutes)));

    expect(toldIn(60, toggles, aStory({ audience }))).toEqual([1, 21]);
    expect(ahead.notes).toEqual(['opened', 'escalated', 'changed']);
    ahead.wrong(3, blockedAt('high'));
    expect(ahead.notes.at(-1)).toBe('escalated');
  });

  test('[S1-13] [N-30] is told once it has lasted, though one more target is told of it as it comes back', () => {
    const audience = (at: number) => ({ hear: at < 20 ? ['ops'] : ['ops', 'lead'], all: ['ops', 'lead'] });
    const isHigh = (at: number) => (at > 0 && at < 5) || at >= 20;

    expect(toldIn(60, (at) => (isHigh(at) ? 'high' : 'warning'), aStory({ audience }))).toEqual([1, 30]);
  });

  test('[S1-13] [N-18] is known of incidents that an earlier version has stored', () => {
    const story = aStory();
    story.wrong(0, blockedAt('warning'));
    story.wrong(1, blockedAt('high'));
    story.replace({ ...story.now, severities: undefined });

    story.wrong(2, blockedAt('warning'));
    story.wrong(3, blockedAt('high'));

    expect(story.notes).toEqual(['opened', 'escalated', 'changed', 'changed']);
    expect(story.now.notes.at(-1)?.text).toMatch(/^Severity up from warning to high again: /);
  });

  test('[S1-13] [N-30] tells of somebody else who joins as it rises', () => {
    const story = aStory();
    toldIn(20, (at) => (at % 2 === 0 ? 'warning' : 'high'), story);

    story.wrong(21, { ...blockedBy('n1 shop', 'n2 bank'), severity: 'high' });

    expect(story.now.notes.at(-1)).toMatchObject({
      kind: 'escalated',
      text: expect.stringContaining('A budget of bank spares no pod of n2.'),
    });
  });
});

describe('a cause of somebody else that joins', () => {
  test('[S1-13] [N-30] is told everybody, once for each namespace, and where it comes and goes no second time', () => {
    const story = aStory();
    story.wrong(0, blockedBy('n1 evil'));

    expect(story.wrong(1, blockedBy('n1 evil', 'n2 shop'))).toBe('updated');
    expect(story.now.notes.at(-1)).toMatchObject({ kind: 'escalated' });
    expect(story.now.notes.at(-1)?.text).toContain('A budget of shop spares no pod of n2.');
    for (let minutes = 2; minutes < 50; minutes += 2) {
      story.wrong(minutes, blockedBy('n1 evil'));
      story.wrong(minutes + 1, blockedBy('n1 evil', `n${minutes} shop`));
    }
    expect(story.notes.filter((kind) => kind === 'escalated')).toHaveLength(1);
  });

  test('[S1-13] [N-30] is told together with others ten minutes after the last, however many they are', () => {
    const names = Array.from({ length: 40 }, (_, index) => `n${index} ns-${index}`);
    const story = aStory();
    story.wrong(0, blockedBy('n evil'));

    for (let count = 1; count <= 40; count += 1) story.wrong(count / 20, blockedBy('n evil', ...names.slice(0, count)));
    const soon = story.notes.filter((kind) => kind === 'escalated');
    for (let minutes = 3; minutes < 30; minutes += 1) story.wrong(minutes, blockedBy('n evil', ...names));

    expect(soon).toHaveLength(1);
    const joins = story.now.notes.filter(({ kind }) => kind === 'escalated');
    expect(joins.map(({ at }) => at)).toEqual([minute(0.05).toISOString(), minute(11).toISOString()]);
    expect(joins[1]?.text).toContain('A budget of ns-1 spares no pod of n1.');
  });

  test('[N-29] [N-30] is named where others join at the same look, and where it gets worse then', () => {
    const trouble = blockedBy('n evil', 'n1 loud', 'n2 bank');
    const story = aStory();
    story.wrong(0, blockedBy('n evil'));
    story.wrong(30, { ...trouble, severity: 'critical' });
    const calm = aStory();
    calm.wrong(0, blockedBy('n evil'));
    calm.wrong(30, trouble);

    for (const { now } of [story, calm])
      expect(now.notes.findLast(({ kind }) => kind === 'escalated')?.text).toMatch(
        /^Joined: .*loud.*bank.*\. (Now|Severity up)/,
      );
  });

  test('[S1-13] [N-18] of a rollout that goes from one budget to the next a few are told in a night, not each', () => {
    const story = aStory();
    const told: number[] = [];
    for (let minutes = 0; minutes < 480; minutes += 1) {
      const before = story.incident?.seq ?? 0;
      const node = Math.floor(minutes / 15);
      story.wrong(minutes, blockedBy(`n${node} ns-${node}`));
      const fresh = story.now.notes.filter(({ seq, kind }) => seq > before && kind === 'escalated');
      told.push(...fresh.map(() => minutes));
    }

    expect(told).toEqual([15, 30, 60, 120, 180, 240, 300, 360, 420]);
  });

  test('[N-30] is news again once it has been away for an hour', () => {
    const story = aStory();
    const both = blockedBy('n1 evil', 'n2 shop');
    story.wrong(0, both);
    story.wrong(1, blockedBy('n1 evil'));

    story.wrong(59, both);
    expect(story.notes.at(-1)).not.toBe('escalated');
    story.wrong(60, blockedBy('n1 evil'));
    story.wrong(119, blockedBy('n1 evil'));
    story.wrong(121, both);
    expect(story.notes.at(-1)).toBe('escalated');
  });

  test('[S1-13] is not one that is found later, where nobody knew a cause, nor another one of the same namespace', () => {
    const story = aStory();
    story.wrong(0, lasting({ digest: 'n1:D1:Node n1;warning' }));

    story.wrong(1, blockedBy('n1 shop'));
    story.wrong(2, blockedBy('n1 shop', 'n2 shop'));
    expect(story.notes).toEqual(['opened', 'changed', 'changed']);
  });

  test('[N-30] is known of incidents that an earlier version has stored', () => {
    const story = aStory();
    story.wrong(0, blockedBy('n1 evil', 'n2 shop'));
    const { heard: _, ...stored } = story.now;
    story.replace(stored);

    story.wrong(1, blockedBy('n1 evil', 'n2 shop', 'n3 shop'));
    expect(story.notes.at(-1)).toBe('changed');
    story.wrong(2, blockedBy('n1 evil', 'n2 shop', 'n4 other'));
    expect(story.notes.at(-1)).toBe('escalated');
  });

  test('[N-30] [N-18] is told while the causes of another make it flap, once for each namespace', () => {
    const story = aStory();
    for (const minutes of [0, 2, 4, 6]) {
      story.wrong(minutes, blockedBy('n1 evil'));
      story.gone(minutes + 1);
    }
    story.wrong(8, blockedBy('n1 evil'));
    expect(story.now.flapping).toBe(true);

    expect(story.wrong(9, blockedBy('n2 shop'))).toBe('updated');
    expect(story.now.notes.at(-1)).toMatchObject({ kind: 'escalated' });
    expect(story.now.notes.at(-1)?.text).toContain('A budget of shop');
    story.wrong(10, blockedBy('n1 evil'));
    expect(story.wrong(11, blockedBy('n3 shop'))).toBe('refreshed');
    expect(story.notes.at(-1)).toBe('escalated');
  });
});

/** Syncs of Applications in Argo CD's own namespace failed: `project/name`, or `name` of one that cannot be read. */
function failingIn(...applications: readonly string[]) {
  const found = applications.map((each) => {
    const [name = '', project] = each.split('/').toReversed();
    const subject = { ...ref('Application', name, 'openshift-gitops'), ...(project === undefined ? {} : { project }) };
    return finding({
      code: 'A1',
      subject,
      sentence: `The sync of ${name} failed.`,
      confidence: 'certain',
      class: 'external',
    });
  });
  const parts = found.map(({ subject: { name } }) => `${name}:A1:Application openshift-gitops/${name}`);
  return lasting({ severity: 'high', findings: found, digest: [...parts, 'high'].join(';') });
}

describe("a failed sync that joins, of an Application in Argo CD's own namespace", () => {
  test('[S1-13] [N-30] is told everybody where it is of another AppProject, and else in the thread alone', () => {
    const story = aStory();
    story.wrong(0, failingIn('team-a/one'));

    story.wrong(1, failingIn('team-a/one', 'team-a/two'));
    expect(story.notes).toEqual(['opened', 'changed']);
    story.wrong(2, failingIn('team-a/one', 'team-a/two', 'team-b/shop'));
    expect(story.notes.at(-1)).toBe('escalated');
    expect(story.now.notes.at(-1)?.text).toContain('The sync of shop failed.');
    story.wrong(20, failingIn('team-a/one', 'default/base'));
    expect(story.notes.filter((kind) => kind === 'escalated')).toHaveLength(2);
    story.wrong(40, failingIn('team-a/one', 'team-b/shop', 'team-b/cart', 'default/base', 'default/more'));
    expect(story.notes.filter((kind) => kind === 'escalated')).toHaveLength(2);
  });

  test('[N-18] [N-30] is nobody new while it cannot be read, and hides no other AppProject', () => {
    const story = aStory();
    story.wrong(0, failingIn('team-a/one'));

    for (let minutes = 1; minutes < 120; minutes += 1) story.wrong(minutes, failingIn('one'));
    story.wrong(120, failingIn('team-a/one'));
    expect(story.notes).not.toContain('escalated');
    story.wrong(121, failingIn('one', 'team-b/shop'));
    expect(story.notes.at(-1)).toBe('escalated');
  });

  test('[S1-13] [N-18] [N-30] is told everybody once, whatever AppProject its Application names at each look', () => {
    const story = aStory();
    story.wrong(0, failingIn('team-a/one', 'team-a/two'));

    for (let minutes = 1; minutes < 120; minutes += 1) {
      story.wrong(minutes, failingIn('team-a/two', minutes % 7 === 0 ? 'one' : `team-${minutes}/one`));
    }
    story.wrong(120, failingIn('team-a/two', 'team-b/one', 'team-a/three'));
    expect(story.notes).not.toContain('escalated');
    story.wrong(121, failingIn('team-a/two', 'team-c/one', 'team-a/three', 'team-120/shop'));
    expect(story.notes.at(-1)).toBe('escalated');
  });

  test('[S1-13] [N-30] is told everybody at once beside one whose Application names another AppProject at each look', () => {
    const story = aStory();
    story.wrong(0, failingIn('team-a/one'));
    for (let minutes = 1; minutes < 62; minutes += 1) story.wrong(minutes, failingIn(`x${minutes}/one`));

    story.wrong(62, failingIn('x62/one', 'team-b/shop'));

    expect(story.notes.filter((kind) => kind === 'escalated')).toHaveLength(1);
    expect(story.now.notes.at(-1)?.text).toContain('The sync of shop failed.');
  });

  test.each([
    ['noted its namespace alone', [{ owner: 'openshift-gitops' }]],
    ['noted nobody', undefined],
  ])('[N-18] [N-30] is not told anew where an earlier version %s, but the next AppProject is', (_, heard) => {
    const story = aStory();
    story.wrong(0, failingIn('one', 'two'));
    story.replace({ ...story.now, heard });

    story.wrong(20, failingIn('team-a/one', 'team-b/two'));
    story.wrong(21, failingIn('team-a/one', 'team-b/two', 'team-b/three'));
    expect(story.notes).not.toContain('escalated');
    story.wrong(40, failingIn('team-a/one', 'team-b/two', 'team-c/shop'));
    expect(story.notes.at(-1)).toBe('escalated');
  });
});

describe('its record', () => {
  test('keeps the first note and the newest ones, and no endless text', () => {
    const story = aStory();
    for (let minutes = 0; minutes < 100; minutes += 1) {
      story.wrong(minutes, lasting({ digest: `${minutes}`, headline: `${'x'.repeat(5000)} ${minutes}` }));
    }

    expect(story.now.notes.length).toBeLessThanOrEqual(30);
    expect(story.notes[0]).toBe('opened');
    expect(story.now.notes.slice(-24).map(({ seq }) => seq)).toEqual(
      Array.from({ length: 24 }, (_, nth) => story.now.seq - 23 + nth),
    );
    expect(Math.max(...story.now.notes.map(({ text }) => text.length))).toBeLessThanOrEqual(600);
  });

  test('a stored incident that fires and is seen again in the same moment stays the same object', () => {
    const stored = anIncident({ trouble: lasting(), lastEditAt: minute(30).toISOString() });

    const evolved = evolve(
      stored,
      { kind: 'true', trouble: lasting() },
      {
        policy: defaultPolicy.alerting,
        now: minute(31),
        nextNumber: undefined,
        targets: { hear: [], all: [] },
      },
    );

    expect(evolved.incident).toBe(stored);
  });
});

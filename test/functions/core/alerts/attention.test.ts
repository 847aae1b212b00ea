import { describe, expect, test } from 'vitest';
import { type AttentionRequest, attend, isAttended } from '../../../../functions/core/alerts/attention.ts';
import type { Incident } from '../../../../functions/core/alerts/incident.ts';
import type { Trouble } from '../../../../functions/core/findings/trouble.ts';
import { aStory, lasting, minute, type Story } from './incident-lab.ts';

const targets = { hear: ['ops'], all: ['ops'] };
const causes: Partial<Trouble> = { digest: 'worker-1:P3:PodDisruptionBudget shop/web;high' };

function wish(minutes: number, change: Partial<AttentionRequest> = {}): AttentionRequest {
  const askedAt = minute(minutes).toISOString();
  return { kind: 'acknowledged', by: 'anna', reason: 'on it', askedAt, forSeconds: 2 * 3600, ...change };
}

/** A person's word on the incident of a story; what came of it. */
function say(story: Story, minutes: number, change: Partial<AttentionRequest> = {}): Incident {
  const answer = attend(story.now, wish(minutes, change), { now: minute(minutes), targets });
  if (answer.kind !== 'attended') throw new Error(answer.kind === 'refused' ? answer.why : 'nothing');
  story.replace(answer.incident);
  return answer.incident;
}

describe('an acknowledged incident', () => {
  test('[S1-13] is told to everybody, and sends no reminders until that ends', () => {
    const story = aStory();
    story.wrong(0, lasting(causes));

    const incident = say(story, 1, { forSeconds: 24 * 3600 });
    for (let hours = 1; hours < 23; hours += 1) story.wrong(hours * 60, lasting(causes));

    expect(incident.seq).toBe(2);
    expect(incident.deliveries['ops']?.wantedSeq).toBe(2);
    expect(incident.notes.at(-1)?.text).toBe('Acknowledged by anna until 2026-03-03 10:01:00 UTC: on it');
    expect(story.notes).toEqual(['opened', 'attended']);
  });

  test('[S1-13] says once that it ends soon, then that it has ended, and reminders begin anew', () => {
    const story = aStory();
    story.wrong(0, lasting({ ...causes, severity: 'critical' }));
    say(story, 1);

    for (let minutes = 2; minutes <= 155; minutes += 1) {
      story.wrong(minutes, lasting({ ...causes, severity: 'critical' }));
    }

    expect(story.notes).toEqual(['opened', 'attended', 'reminder', 'unattended', 'reminder']);
    expect(story.now.notes.map(({ at }) => at.slice(11, 16))).toEqual(['10:00', '10:01', '11:46', '12:01', '12:31']);
    expect(story.now.attention).toBeUndefined();
  });

  test('the end of a cluster out of sight is told with the next good read', () => {
    const story = aStory();
    story.wrong(0, lasting(causes));
    say(story, 1, { forSeconds: 600 });
    story.blind(5);
    story.blind(30);
    expect(isAttended(story.now, minute(30))).toBe(false);

    story.wrong(31, lasting(causes));

    expect(story.notes).toEqual(['opened', 'attended', 'unattended']);
  });

  test.each([
    ['a higher severity', { severity: 'critical' as const, digest: `${causes.digest}`.replace('high', 'critical') }],
    ['another cause', { digest: 'worker-1:C1:Pod shop/web;high' }],
    ['another blocker', { digest: 'worker-1:P3:PodDisruptionBudget shop/db;high' }],
    [
      'one more node',
      { digest: 'worker-1:P3:PodDisruptionBudget shop/web;worker-2:P3:PodDisruptionBudget shop/web;high' },
    ],
  ])('%s ends it, aloud', (_name, change) => {
    const story = aStory();
    story.wrong(0, lasting(causes));
    say(story, 1);

    story.wrong(10, lasting(change));

    expect(story.notes).toEqual(['opened', 'attended', 'escalated']);
    expect(story.now.attention).toBeUndefined();
    expect(story.wrong(10, lasting(change))).toBe('nothing');
  });

  test.each([
    ['the same cause on the next node', { digest: 'worker-7:P3:PodDisruptionBudget shop/web;high' }],
    ['a lower severity', { severity: 'warning' as const, digest: `${causes.digest}`.replace('high', 'warning') }],
  ])('%s does not end it, and is told as a change', (_name, change) => {
    const story = aStory();
    story.wrong(0, lasting(causes));
    say(story, 1);

    story.wrong(10, lasting(change));

    expect(story.notes).toEqual(['opened', 'attended', 'changed']);
    expect(isAttended(story.now, minute(10))).toBe(true);
  });

  describe('[S1-13] [N-29] [N-30] about causes that come and go', () => {
    const held = lasting({ digest: 'worker:S6:hold openshift-gitops/nodes;high' });
    const gated = lasting({ digest: 'rendered:S6:gate rendered;worker:S6:gate approval;high' });
    const asked = lasting({ digest: 'worker:S6:gate approval;high' });

    test('is told aloud of each that is new, once, and stands whenever one of them comes back', () => {
      const story = aStory();
      story.wrong(0, held);
      say(story, 1, { forSeconds: 72 * 3600 });
      story.wrong(2, gated);
      say(story, 3, { forSeconds: 72 * 3600 });
      const told = story.notes;

      for (let round = 0; round < 60; round += 1) {
        const at = 10 + round * 10;
        story.wrong(at, asked);
        story.wrong(at + 3, held);
        story.wrong(at + 5, gated);
        expect(isAttended(story.now, minute(at + 5))).toBe(true);
      }

      expect(told).toEqual(['opened', 'attended', 'escalated', 'attended']);
      expect(story.notes).not.toContain('unattended');
      expect(story.notes.slice(told.length)).not.toContain('escalated');
    });

    test('ends with one that was not among them, and with more nodes at once than there were', () => {
      const more = { digest: 'a:S6:gate approval;b:S6:gate approval;worker:S6:gate approval;high' };
      for (const worse of [{ digest: 'worker:S6:gate window;high' }, more]) {
        const story = aStory();
        story.wrong(0, gated);
        story.wrong(5, held);
        say(story, 6, { forSeconds: 72 * 3600 });
        story.wrong(10, asked);

        story.wrong(20, lasting(worse));

        expect(story.notes.at(-1)).toBe('escalated');
        expect(story.now.attention).toBeUndefined();
      }
    });

    test.each([
      [50, true],
      [70, false],
    ])('knows of one that was there in the hour before: %s min, %s', (minutes, isKnown) => {
      const story = aStory();
      story.wrong(0, asked);
      story.wrong(1, held);
      say(story, 1 + minutes, { forSeconds: 72 * 3600 });

      story.wrong(2 + minutes, asked);

      expect(isAttended(story.now, minute(2 + minutes))).toBe(isKnown);
    });

    test('knows nothing of an episode before', () => {
      const story = aStory();
      story.wrong(0, asked);
      story.wrong(1, held);
      story.gone(2);
      story.gone(8);
      for (const delivery of Object.keys(story.now.deliveries)) story.settled(delivery);
      story.wrong(55, held);
      say(story, 56);

      story.wrong(57, asked);

      expect(story.now.number).toBe(2);
      expect(story.notes.at(-1)).toBe('escalated');
    });

    test('remembers no more of them than fit beside the rest', () => {
      const story = aStory();
      const name = (index: number) => `worker:S6:hold team/${index}-${'x'.repeat(250)}`;
      for (let index = 0; index < 250; index += 1) story.wrong(index / 10, lasting({ digest: `${name(index)};high` }));

      expect(JSON.stringify(story.now.earlier).length).toBeLessThan(48 * 1024);
    });
  });

  const disk = 'worker-7:N9:Node worker-7';
  const many = Array.from({ length: 30 }, (_, nth) => `worker-${nth}:N4:MachineConfig 99-kubelet`).join(';');
  const [web, db] = ['worker-1:P3:PodDisruptionBudget shop/web', 'worker-2:P3:PodDisruptionBudget store/db'];
  test.each([
    ['thirty nodes that were well again before', many, disk],
    ["another team's budget that had blocked before", db, web],
  ])('[S1-13] [N-30] does not cover %s, and come back hours later', (_, before, taken) => {
    const story = aStory();
    story.wrong(0, lasting({ digest: `${before};${taken};high` }));
    story.wrong(20, lasting({ digest: `${taken};high` }));
    say(story, 75, { forSeconds: 24 * 3600 });
    story.wrong(80, lasting({ digest: `${taken};high` }));

    story.wrong(600, lasting({ digest: `${before};${taken};high` }));

    expect(story.notes.at(-1)).toBe('escalated');
    expect(isAttended(story.now, minute(601))).toBe(false);
  });

  test('[S1-13] [N-30] covers no more nodes than somebody took, though more had the same cause in between', () => {
    const one = many.split(';')[0] ?? '';
    const story = aStory();
    story.wrong(0, lasting({ digest: `${one};high` }));
    say(story, 1, { forSeconds: 1800 });
    story.wrong(10, lasting({ digest: `${many};high` }));
    story.wrong(60, lasting({ digest: `${one};high` }));
    story.wrong(1440, lasting({ digest: `${one};high` }));
    say(story, 1441, { forSeconds: 72 * 3600 });

    story.wrong(2040, lasting({ digest: `${many};high` }));

    expect(story.notes.at(-1)).toBe('escalated');
  });

  test('[S1-13] [N-29] what comes back within an hour ends it no later either', () => {
    const story = aStory();
    story.wrong(0, lasting({ digest: `${web};high` }));
    story.wrong(5, lasting({ digest: `${db};high` }));
    say(story, 6, { forSeconds: 24 * 3600 });
    story.wrong(20, lasting({ digest: `${web};high` }));

    for (let minutes = 30; minutes < 300; minutes += 30) story.wrong(minutes, lasting({ digest: `${web};high` }));

    expect(story.notes.slice(story.notes.indexOf('attended'))).not.toContain('escalated');
    expect(isAttended(story.now, minute(300))).toBe(true);
  });

  describe('[S1-13] [N-30] covers what comes back within an hour for as long as that stands', () => {
    const bank = 'worker-1:P3:PodDisruptionBudget bank/web';
    const inDays = 72 * 3600;
    /** Web is taken beside `gone`, which was there before, is back for two minutes, and comes again days later. */
    const returning = (gone: string) => {
      const story = aStory();
      story.wrong(0, lasting({ digest: `${gone};high` }));
      story.wrong(5, lasting({ digest: `${web};high` }));
      say(story, 6, { forSeconds: inDays });
      story.wrong(20, lasting({ digest: `${gone.split(';')[0]};high` }));
      story.wrong(22, lasting({ digest: `${web};high` }));
      const during = isAttended(story.now, minute(22));
      for (let minutes = 30; minutes < 2400; minutes += 30) story.wrong(minutes, lasting({ digest: `${web};high` }));
      story.wrong(2400, lasting({ digest: `${gone};high` }));
      return { during, notes: story.notes.slice(story.notes.indexOf('attended')) };
    };

    test.each([
      ['another team’s', bank],
      ['more nodes', many],
    ])('and is told aloud of %s when it comes days later', (_, gone) => {
      const { during, notes } = returning(gone);

      expect(during).toBe(true);
      expect(notes.at(-1)).toBe('escalated');
      expect(notes.filter((note) => note === 'escalated')).toHaveLength(1);
    });

    test('for somebody who takes it later, too', () => {
      const story = aStory();
      story.wrong(0, lasting({ digest: `${bank};high` }));
      story.wrong(5, lasting({ digest: `${web};high` }));
      say(story, 6, { forSeconds: 1800 });
      story.wrong(20, lasting({ digest: `${bank};high` }));
      story.wrong(22, lasting({ digest: `${web};high` }));
      story.wrong(6000, lasting({ digest: `${web};high` }));
      say(story, 6001, { by: 'bob', forSeconds: inDays });

      story.wrong(8000, lasting({ digest: `${bank};high` }));

      expect(story.notes.at(-1)).toBe('escalated');
    });
  });

  test('[S1-13] [N-30] takes as many nodes as stand with that cause, and not as many as others once had', () => {
    const story = aStory();
    const onFive = (cause: string) =>
      Array.from({ length: 5 }, (_, nth) => cause.replace(/^worker-\d:/, `worker-${nth}:`)).join(';');
    const [ofWeb, ofDb] = [onFive(web), onFive(db)];
    story.wrong(0, lasting({ digest: `${ofWeb};high` }));
    say(story, 1, { forSeconds: 1800 });
    story.wrong(60, lasting({ digest: `${db};high` }));
    story.wrong(6000, lasting({ digest: `${db};high` }));
    say(story, 6001, { by: 'bob', forSeconds: 72 * 3600 });

    story.wrong(6030, lasting({ digest: `${ofDb};high` }));

    expect(story.notes.at(-1)).toBe('escalated');
  });

  test('[S1-13] [N-29] stands at each look while as many nodes are back as somebody has taken once', () => {
    const nodes = (count: number) => ({
      digest: `${Array.from({ length: count }, (_, nth) => `worker-${nth}:P3:PodDisruptionBudget shop/web`).join(';')};high`,
    });
    const story = aStory();
    story.wrong(0, lasting(nodes(5)));
    say(story, 1, { forSeconds: 8 * 3600 });
    story.wrong(60, lasting(nodes(1)));
    say(story, 300, { forSeconds: 24 * 3600 });
    for (const minutes of [400, 401, 402]) story.wrong(minutes, lasting(nodes(5)));

    expect(isAttended(story.now, minute(402))).toBe(true);
    expect(story.notes).not.toContain('unattended');
  });

  test('[S1-13] [N-30] does not bear for one person what came back while another one had it', () => {
    const web = 'worker-1:P3:PodDisruptionBudget shop/web';
    const db = Array.from({ length: 5 }, (_, nth) => `worker-${nth + 2}:P3:PodDisruptionBudget bank/db`);
    const story = aStory();
    story.wrong(0, lasting({ digest: `${[web, ...db].join(';')};high` }));
    story.wrong(5, lasting({ digest: `${web};high` }));
    say(story, 6, { forSeconds: 1800 });
    story.wrong(20, lasting({ digest: `${[web, ...db].join(';')};high` }));
    for (let minutes = 22; minutes < 600; minutes += 30)
      story.wrong(minutes, lasting({ digest: `${[web, db[0]].join(';')};high` }));
    say(story, 601, { by: 'bob', forSeconds: 72 * 3600 });
    story.wrong(900, lasting({ digest: `${[web, ...db].join(';')};high` }));

    expect(isAttended(story.now, minute(900))).toBe(false);
    expect(story.notes.at(-1)).toBe('escalated');
  });

  test('[S1-13] [N-29] once each of two causes that alternate was taken, neither ends it, however long the other lasts', () => {
    const story = aStory();
    story.wrong(0, lasting({ digest: `${web};high` }));
    say(story, 1, { forSeconds: 72 * 3600 });
    story.wrong(120, lasting({ digest: `${db};high` }));
    say(story, 121, { forSeconds: 72 * 3600 });
    const before = story.notes.length;

    for (let nth = 2; nth < 12; nth += 1)
      story.wrong(120 * nth, lasting({ digest: `${nth % 2 === 0 ? web : db};high` }));

    expect(story.notes.slice(before)).not.toContain('escalated');
    expect(isAttended(story.now, minute(1440))).toBe(true);
  });

  test('[S1-13] is still taken when it eases and comes back as bad as it was taken', () => {
    const story = aStory();
    story.wrong(0, lasting({ ...causes, severity: 'critical' }));
    say(story, 1);
    const until = story.now.attention?.until;

    story.wrong(10, lasting({ ...causes, severity: 'info' }));
    story.wrong(20, lasting({ ...causes, severity: 'critical' }));

    expect(story.notes).toEqual(['opened', 'attended', 'changed']);
    expect(story.now.notes.at(-1)?.text).toMatch(/^Severity up from info to critical/);
    expect(story.now.attention?.until).toBe(until);
    expect(isAttended(story.now, minute(20))).toBe(true);
  });

  test('[S1-13] that was taken while it was mild is told aloud when it gets worse than that', () => {
    const story = aStory();
    story.wrong(0, lasting({ ...causes, severity: 'critical' }));
    story.wrong(5, lasting({ ...causes, severity: 'info' }));
    say(story, 6);

    story.wrong(10, lasting({ ...causes, severity: 'critical' }));

    expect(story.notes.at(-1)).toBe('escalated');
    expect(story.now.attention).toBeUndefined();
  });

  describe('that goes up and down', () => {
    const at = (severity: Trouble['severity']) =>
      lasting({ severity, digest: `worker-1:P3:PodDisruptionBudget shop/web;${severity}` });

    function toggled(): Story {
      const story = aStory();
      story.wrong(0, at('warning'));
      story.wrong(1, at('high'));
      story.wrong(2, at('warning'));
      say(story, 3, { forSeconds: 72 * 3600 });
      return story;
    }

    test('[S1-13] [N-18] [N-29] is still taken where all were told of that a short time ago', () => {
      const story = toggled();
      for (let minutes = 4; minutes < 60; minutes += 1)
        story.wrong(minutes, at(minutes % 2 === 0 ? 'high' : 'warning'));

      expect(story.notes.filter((kind) => kind !== 'changed')).toEqual(['opened', 'escalated', 'attended']);
      expect(isAttended(story.now, minute(60))).toBe(true);
    });

    test('[S1-13] [N-30] is told aloud where it stays worse than it was taken', () => {
      const story = toggled();
      for (let minutes = 4; minutes < 100; minutes += 1) story.wrong(minutes, at('high'));

      expect(story.notes.slice(-2)).toEqual(['changed', 'escalated']);
      expect(story.now.notes.at(-1)).toMatchObject({
        at: minute(14).toISOString(),
        text: expect.stringMatching(/^Severity high again: .* Acknowledgement by anna ended/),
      });
      expect(story.now.attention).toBeUndefined();
    });

    test('[S1-13] [N-30] is told aloud where it gets worse than ever, or has another cause', () => {
      const [worse, other] = [toggled(), toggled()];

      worse.wrong(4, at('critical'));
      other.wrong(4, lasting({ severity: 'high', digest: 'worker-1:P3:PodDisruptionBudget bank/db;high' }));

      for (const { notes, now } of [worse, other]) {
        expect(notes.at(-1)).toBe('escalated');
        expect(now.attention).toBeUndefined();
      }
    });

    test('[S1-13] [N-30] is told aloud the first time, where it was taken before that', () => {
      const story = aStory();
      story.wrong(0, at('warning'));
      say(story, 1);

      story.wrong(2, at('high'));

      expect(story.notes).toEqual(['opened', 'attended', 'escalated']);
    });
  });

  test('[S1-13] is resolved and edited as any other, and its end names who took it', () => {
    const story = aStory();
    story.wrong(0, lasting(causes));
    say(story, 1);

    expect(story.wrong(10, lasting(causes))).toBe('refreshed');
    story.gone(11);
    story.gone(17);

    expect(story.notes).toEqual(['opened', 'attended', 'resolved']);
    expect(story.now.attention?.by).toBe('anna');
  });

  test('it holds when the incident comes back, but not for the next one', () => {
    const story = aStory({ policy: { flapChanges: 99 } });
    story.wrong(0, lasting(causes));
    say(story, 1);
    story.gone(2);
    story.gone(8);

    story.wrong(12, lasting(causes));
    expect(isAttended(story.now, minute(12))).toBe(true);
    story.gone(13);
    story.gone(19);
    for (const delivery of Object.keys(story.now.deliveries)) story.settled(delivery);
    story.wrong(60, lasting(causes));

    expect(story.now.number).toBe(2);
    expect(story.now.attention).toBeUndefined();
  });
});

describe('[S1-13] an acknowledgement in the quiet mode', () => {
  /** It has come and gone every quarter of an hour, and somebody takes it. */
  function flapping(): Story {
    const story = aStory();
    for (let minutes = 0; minutes < 120; minutes += 1) {
      if (minutes % 15 < 7) story.wrong(minutes, lasting(causes));
      else story.gone(minutes);
    }
    story.wrong(120, lasting(causes));
    say(story, 121, { forSeconds: 40 * 60 });
    expect(story.now.flapping).toBe(true);
    return story;
  }

  test.each([
    ['its time is over', 162, 'unattended', causes],
    ['it gets worse', 130, 'escalated', { digest: 'worker-1:C1:Pod shop/web;critical', severity: 'critical' as const }],
    ['both', 162, 'unattended', { digest: 'worker-1:C1:Pod shop/web;high' }],
  ])('is told as ended when %s: a page that was kept back for it is due', (_name, minutes, kind, change) => {
    const story = flapping();

    story.wrong(minutes, lasting(change));

    expect(story.now.flapping).toBe(true);
    expect(story.now.notes.at(-1)).toMatchObject({
      kind,
      text: expect.stringContaining('Acknowledgement by anna ended'),
    });
    expect(story.now.attention).toBeUndefined();
  });

  test('is told as ended together with the quiet mode', () => {
    const story = flapping();

    story.wrong(150, lasting(causes));
    story.wrong(185, lasting(causes));

    expect(story.now.flapping).toBe(false);
    expect(story.notes.at(-1)).toBe('unattended');
    expect(story.now.notes.at(-1)?.text).toMatch(/No longer flapping, still firing.*Acknowledgement by anna ended/);
  });
});

describe('what a person asks for', () => {
  test('is done once, however often it arrives', () => {
    const story = aStory();
    story.wrong(0, lasting(causes));
    const incident = say(story, 1);

    expect(attend(incident, wish(1), { now: minute(2), targets })).toEqual({ kind: 'nothing' });
  });

  test('[N-29] [N-30] does not replace what was asked after it, and says who has it since', () => {
    const story = aStory();
    story.wrong(0, lasting(causes));
    say(story, 5, { by: 'bob', reason: '', forSeconds: 3 * 3600 });
    const late = { by: 'anna', kind: 'snoozed' as const };

    expect(attend(story.now, wish(1, late), { now: minute(6), targets })).toEqual({
      kind: 'refused',
      why: 'bob has acknowledged it since, until 13:05:00 UTC',
    });
    expect(attend(story.now, wish(6, late), { now: minute(6), targets }).kind).toBe('attended');
    expect(attend(story.now, wish(4, { ...late, forSeconds: 6 * 3600 }), { now: minute(200), targets }).kind).toBe(
      'attended',
    );
  });

  test('[N-18] is not done again when it got worse meanwhile', () => {
    const story = aStory();
    story.wrong(0, lasting(causes));
    say(story, 1);
    story.wrong(2, lasting({ digest: 'worker-1:C1:Pod shop/web;high' }));

    expect(attend(story.now, wish(1), { now: minute(3), targets })).toEqual({ kind: 'nothing' });
    expect(attend(story.now, wish(3), { now: minute(3), targets }).kind).toBe('attended');
  });

  test('is refused when it is over, too late, or about something else than what is', () => {
    const story = aStory();
    story.wrong(0, lasting(causes));
    const { now } = story;
    story.wrong(5, lasting({ digest: 'worker-1:C1:Pod shop/web;high' }));
    const changed = story.now;
    story.gone(6);
    story.gone(12);

    const context = { now: minute(300), targets };
    expect(attend(story.now, wish(299), context)).toEqual({ kind: 'refused', why: 'it is resolved' });
    expect(attend(now, wish(1), context)).toMatchObject({ why: 'the requested time has already passed' });
    expect(attend(changed, wish(299, { seenSeq: now.seq }), context)).toMatchObject({
      why: 'it has changed since that message; check the current state first',
    });
    expect(attend(changed, wish(299, { seenSeq: changed.seq }), context).kind).toBe('attended');
  });

  test('[N-30] that is claimed for the future, or by a clock that runs ahead, counts from now', () => {
    const story = aStory();
    story.wrong(0, lasting(causes));

    const incident = say(story, 0, { askedAt: '2099-01-01T00:00:00Z', forSeconds: 3 * 24 * 3600 });

    expect(incident.attention).toMatchObject({ at: minute(0).toISOString(), until: minute(72 * 60).toISOString() });
  });

  test('always ends, three days later at the latest', () => {
    const story = aStory();
    story.wrong(0, lasting(causes));

    const incident = say(story, 0, { forSeconds: Number.MAX_SAFE_INTEGER });

    expect(incident.attention?.until).toBe(minute(72 * 60).toISOString());
  });

  test('worse is a matter of causes and severity, not of words', () => {
    const story = aStory();
    const seen = lasting({ severity: 'high', digest: 'a:P3:PDB x;high' });
    story.wrong(0, seen);
    const incident = say(story, 1);
    const isStillAttended = (trouble: Trouble) => isAttended({ ...incident, trouble }, minute(2));

    expect(isStillAttended(seen)).toBe(true);
    expect(isStillAttended({ ...seen, digest: 'b:P3:PDB x;high' })).toBe(true);
    expect(isStillAttended({ ...seen, digest: 'a:P4:PDB x;high' })).toBe(false);
  });
});

describe('the ladder', () => {
  const ladder = { hear: ['ops'], all: ['ops', 'lead'] };
  const climbed = { hear: ['ops', 'lead'], all: ['ops', 'lead'], escalatedTo: ['lead'] };

  test('who comes later is told once, aloud, as an escalation', () => {
    const story = aStory({ audience: (minutes) => (minutes < 30 ? ladder : climbed) });
    story.wrong(0, lasting(causes));
    story.wrong(29, lasting(causes));
    expect(story.now.deliveries).not.toHaveProperty('lead');

    story.wrong(30, lasting(causes));
    story.wrong(31, lasting(causes));

    expect(story.notes).toEqual(['opened', 'escalated']);
    expect(story.now.notes.at(-1)?.text).toBe('Not acknowledged for 30 min: escalated to lead.');
    expect(story.now.deliveries['lead']?.wantedSeq).toBe(story.now.seq);
  });
});

import { describe, expect, test } from 'vitest';
import type { Delivery, Incident, IncidentNote, NoteKind } from '../../../functions/core/alerts/incident.ts';
import { planDelivery } from '../../../functions/core/alerts/plan-delivery.ts';
import type { Style } from '../../../functions/core/alerts/targets.ts';
import { aDelivery, anIncident } from '../../fakes/index.ts';
import { minute } from './story.ts';

const remote = { channel: 'C1', id: '1.0' };

function note(seq: number, kind: NoteKind, minutes = seq): IncidentNote {
  return { seq, kind, at: minute(minutes).toISOString(), text: `${kind} ${seq}` };
}

function plan(incident: Partial<Incident>, delivery: Partial<Delivery>, style: Style = 'chat', minutes = 100) {
  const base = { seq: 1, notes: [note(1, 'opened')], ...incident };
  const owed = aDelivery({ wantedSeq: base.seq, ...delivery });
  return planDelivery(anIncident(base), owed, style, minute(minutes));
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

  test('a message that is gone is posted anew, also for its end', () => {
    const ended = { state: 'ok' as const, seq: 2, notes: [note(1, 'opened'), note(2, 'resolved')] };

    expect(plan(ended, { ...told, remote: undefined })).toEqual({ kind: 'post', occasion: 'resolved' });
  });

  test('a refreshed duration is an edit in a chat and nothing by mail', () => {
    expect(plan({ seq: 2 }, told)).toEqual({ kind: 'edit', occasion: 'refreshed' });
    expect(plan({ seq: 2 }, told, 'letters')).toEqual({ kind: 'skip' });
    expect(plan({ seq: 2 }, told, 'calls')).toEqual({ kind: 'skip' });
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

    expect(plan(incident, told, 'letters').kind).toBe(letter ? 'reply' : 'skip');
    expect(plan(incident, told, 'calls').kind).toBe(call ? 'reply' : 'skip');
  });

  test('[S1-13] a reminder is mailed once a day', () => {
    const hours = (count: number) => count * 60;
    const at = (count: number) =>
      plan({ seq: 2, notes: [note(1, 'opened', 0), note(2, 'reminder', hours(count))] }, told, 'letters', 6000).kind;

    expect([at(4), at(12), at(24), at(48)]).toEqual(['skip', 'skip', 'reply', 'reply']);
  });
});

describe('when a target is left alone', () => {
  test('while somebody else has claimed it', () => {
    const claim = { owner: 'other', until: minute(101).toISOString() };

    expect(plan({}, { claim })).toEqual({ kind: 'wait' });
    expect(plan({}, { claim }, 'chat', 102)).toMatchObject({ kind: 'post' });
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

    expect(plan({}, { doubtful }, 'chat', 100.1)).toEqual({ kind: 'wait' });
    expect(plan({}, { doubtful }, 'chat', 100.2)).toEqual({ kind: 'read-back', doubt: doubtful });
    expect(plan({ state: 'ok' }, { doubtful }, 'chat', 100.2)).toMatchObject({ kind: 'read-back' });
  });

  test('a day after the end, if it refuses', () => {
    const ended = { state: 'ok' as const, seq: 2, resolvedAt: minute(0).toISOString() };

    expect(plan(ended, { ...told, dead: true }, 'chat', 60)).toMatchObject({ kind: 'edit' });
    expect(plan(ended, { ...told, dead: true }, 'chat', 25 * 60)).toEqual({ kind: 'nothing' });
  });
});

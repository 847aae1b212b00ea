import { describe, expect, test } from 'vitest';
import {
  type Applicant,
  type Pace,
  pacedChannel,
  restUntil,
  takeTurn,
  unpaced,
} from '../../../../functions/core/alerts/pace.ts';
import { fc } from '../../../property.ts';
import { mailTarget, slackTarget } from '../../send-alerts/send-alerts-lab.ts';

const start = Date.parse('2026-03-02T10:00:00.000Z');

function at(seconds: number): Date {
  return new Date(start + seconds * 1000);
}

function notice(turnAt?: string): Applicant {
  return { turnAt, isUrgent: false };
}

/** Asks so often, all at once, without a turn. */
function askedTogether(count: number, now: Date): { readonly pace: Pace; readonly turns: readonly (string | 'now')[] } {
  let pace = unpaced;
  const turns: (string | 'now')[] = [];
  for (let asked = 0; asked < count; asked += 1) {
    const turn = takeTurn(pace, notice(), now);
    pace = turn.pace;
    turns.push(turn.kind === 'now' ? 'now' : turn.at);
  }
  return { pace, turns };
}

describe('turns in a channel', () => {
  test('[N-18] a message and the first reply go at once, each further one gets a second of its own', () => {
    expect(askedTogether(5, at(0)).turns).toEqual([
      'now',
      'now',
      at(1).toISOString(),
      at(2).toISOString(),
      at(3).toISOString(),
    ]);
  });

  test('[N-18] who has a turn is not overtaken by who comes later', () => {
    const { pace } = askedTogether(4, at(0));
    const late = takeTurn(pace, notice(), at(1));
    const owner = takeTurn(late.pace, notice(at(1).toISOString()), at(1));

    expect(late).toMatchObject({ kind: 'later', at: at(3).toISOString() });
    expect(owner.kind).toBe('now');
  });

  test('[N-18] [N-30] what is urgent waits for none of two hundred notices, and no notice takes its second', () => {
    const { pace } = askedTogether(200, at(0));
    const urgent = { turnAt: undefined, isUrgent: true };
    const first = takeTurn(pace, urgent, at(0));
    const second = takeTurn(first.pace, urgent, at(0));
    const notices = takeTurn(second.pace, notice(at(1).toISOString()), at(1));
    const told = takeTurn(notices.pace, { ...urgent, turnAt: at(1).toISOString() }, at(1));

    expect(first).toMatchObject({ kind: 'later', at: at(1).toISOString() });
    expect(second).toMatchObject({ kind: 'later', at: at(2).toISOString() });
    expect(notices).toMatchObject({ kind: 'later', at: at(199).toISOString() });
    expect(told.kind).toBe('now');
    expect(takeTurn(told.pace, { ...urgent, turnAt: at(2).toISOString() }, at(2)).kind).toBe('now');
  });

  test('[N-18] [N-30] what becomes urgent gives its turn among the rest up for an earlier one, and keeps that', () => {
    const { pace } = askedTogether(200, at(0));
    const worse = takeTurn(pace, { turnAt: at(150).toISOString(), isUrgent: true }, at(0));
    const again = takeTurn(worse.pace, { turnAt: at(1).toISOString(), isUrgent: true }, at(0));

    expect(worse).toMatchObject({ kind: 'later', at: at(1).toISOString() });
    expect(again).toEqual({ kind: 'later', at: at(1).toISOString(), pace: worse.pace });
  });

  test('[N-18] [N-30] what asks before its turn keeps it, and takes no other', () => {
    const { pace } = askedTogether(20, at(0));
    const early = takeTurn(pace, notice(at(15).toISOString()), at(3));

    expect(early).toEqual({ kind: 'later', at: at(15).toISOString(), pace });
  });

  test('[N-18] turns that nobody came for are over when their time is', () => {
    const { pace } = askedTogether(6, at(0));

    expect(takeTurn(pace, notice(), at(4)).kind).toBe('now');
  });

  test('[N-18] turns that all come late do not go at once', () => {
    const { pace, turns } = askedTogether(8, at(0));
    let late = pace;
    const kinds = turns.slice(2).map((turnAt) => {
      const turn = takeTurn(late, notice(turnAt), at(60));
      late = turn.pace;
      return turn.kind;
    });

    expect(kinds).toEqual(['now', 'now', 'later', 'later', 'later', 'later']);
  });

  test('[N-18] a channel that asks to wait rests for everyone', () => {
    const pace = restUntil(unpaced, at(30).toISOString());

    expect(takeTurn(pace, notice(), at(0))).toMatchObject({ kind: 'later', at: at(30).toISOString() });
    expect(takeTurn(pace, notice(), at(30)).kind).toBe('now');
    expect(restUntil(pace, at(10).toISOString())).toBe(pace);
  });

  test('[N-18] whatever the order of the senders: never more than a message a second and one, and each gets its turn', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 40 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 3000 })),
        (arrivals, delays) => {
          const sent: number[] = [];
          let pace = unpaced;
          let waiting = arrivals.map((ms) => ({ ms, isUrgent: ms % 3 === 0, turnAt: undefined as string | undefined }));
          for (let asked = 0; waiting.length > 0; asked += 1) {
            expect(asked).toBeLessThan(2000);
            waiting = waiting.toSorted((a, b) => a.ms - b.ms);
            const [first, ...others] = waiting;
            if (first === undefined) break;
            const turn = takeTurn(pace, first, new Date(start + first.ms));
            pace = turn.pace;
            waiting = others;
            if (turn.kind === 'now') sent.push(first.ms);
            else {
              const back = Date.parse(turn.at) - start + (delays.next().value ?? 0);
              waiting = [...others, { ...first, ms: back, turnAt: turn.at }];
            }
          }
          expect(sent).toHaveLength(arrivals.length);
          sent.forEach((from, index) => {
            sent.slice(index).forEach((to, count) => {
              expect(count + 1).toBeLessThanOrEqual(Math.floor((to - from) / 1000) + 2);
            });
          });
        },
      ),
    );
  });
});

test('[N-18] the channel is what is paced, whatever targets share it; who says when to wait is not paced', () => {
  expect(pacedChannel({ ...slackTarget, name: 'other' })).toBe(pacedChannel(slackTarget));
  expect(pacedChannel(mailTarget)).toBeUndefined();
});

import { describe, expect, test } from 'vitest';
import { type Pace, pacedChannel, restUntil, takeTurn, unpaced } from '../../../../functions/core/alerts/pace.ts';
import { fc } from '../../../property.ts';
import { mailTarget, slackTarget } from '../../send-alerts/send-alerts-lab.ts';

const start = Date.parse('2026-03-02T10:00:00.000Z');

function at(seconds: number): Date {
  return new Date(start + seconds * 1000);
}

/** Asks so often, all at once, without a turn. */
function askedTogether(count: number, now: Date): { readonly pace: Pace; readonly turns: readonly (string | 'now')[] } {
  let pace = unpaced;
  const turns: (string | 'now')[] = [];
  for (let asked = 0; asked < count; asked += 1) {
    const turn = takeTurn(pace, undefined, now);
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
    const late = takeTurn(pace, undefined, at(1));
    const owner = takeTurn(late.pace, at(1).toISOString(), at(1));

    expect(late).toMatchObject({ kind: 'later', at: at(3).toISOString() });
    expect(owner.kind).toBe('now');
  });

  test('[N-18] turns that nobody came for are over when their time is', () => {
    const { pace } = askedTogether(6, at(0));

    expect(takeTurn(pace, undefined, at(4)).kind).toBe('now');
  });

  test('[N-18] turns that all come late do not go at once', () => {
    const { pace, turns } = askedTogether(8, at(0));
    let late = pace;
    const kinds = turns.slice(2).map((turnAt) => {
      const turn = takeTurn(late, turnAt, at(60));
      late = turn.pace;
      return turn.kind;
    });

    expect(kinds).toEqual(['now', 'now', 'later', 'later', 'later', 'later']);
  });

  test('[N-18] a channel that asks to wait rests for everyone', () => {
    const pace = restUntil(unpaced, at(30).toISOString());

    expect(takeTurn(pace, undefined, at(0))).toMatchObject({ kind: 'later', at: at(30).toISOString() });
    expect(takeTurn(pace, undefined, at(30)).kind).toBe('now');
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
          let waiting = arrivals.map((ms) => ({ ms, turnAt: undefined as string | undefined }));
          for (let asked = 0; waiting.length > 0; asked += 1) {
            expect(asked).toBeLessThan(2000);
            waiting = waiting.toSorted((a, b) => a.ms - b.ms);
            const [first, ...others] = waiting;
            if (first === undefined) break;
            const turn = takeTurn(pace, first.turnAt, new Date(start + first.ms));
            pace = turn.pace;
            waiting = others;
            if (turn.kind === 'now') sent.push(first.ms);
            else {
              const back = Date.parse(turn.at) - start + (delays.next().value ?? 0);
              waiting = [...others, { ms: back, turnAt: turn.at }];
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

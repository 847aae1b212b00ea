import { describe, expect, test } from 'vitest';
import {
  type Company,
  fellowsOf,
  isToldAloud,
  type JointMessages,
  jointOf,
  newsOf,
  noteOpening,
  nothingJoint,
  type Opening,
  openingOf,
  withEndToldBy,
} from '../../../../functions/core/alerts/joint.ts';
import { slackJoint } from '../../../../functions/core/alerts/message/slack-joint.ts';
import { withNote } from '../../../../functions/core/alerts/notes.ts';
import type { TroubleKind } from '../../../../functions/core/findings/trouble.ts';
import { anIncident, aTrouble } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { drainBlocked, sampleNow } from './samples.ts';

const nobody: Company = { waiting: [], fellow: undefined };

function at(seconds: number): Date {
  return new Date(Date.parse('2026-03-02T10:00:00.000Z') + seconds * 1000);
}

function opening(number: number, seconds = 0, cause: string | undefined = undefined, cluster = 'prod'): Opening {
  const key = { cluster, pool: `pool-${number}`, kind: 'drain-blocked' } as const;
  return { key, number, at: at(seconds).toISOString(), cause };
}

/** One after the other, so many seconds apart. */
function openedEvery(seconds: number, count: number): JointMessages {
  return Array.from({ length: count }, (_, index) => index).reduce(
    (told, index) => noteOpening(told, opening(index + 1, index * seconds), nobody, at(index * seconds)),
    nothingJoint,
  );
}

/** As many as are kept, none of which is over, and which nobody joins any more. */
const listsWithoutRoom: JointMessages['messages'] = Array.from({ length: 30 }, (_, index) => {
  const { key, number } = opening(10_000 + index);
  const anchor = { key, number };
  return {
    why: 'many',
    cause: undefined,
    anchor,
    members: [anchor],
    openUntil: at(-1).toISOString(),
    endToldBy: undefined,
  };
});

describe('many openings in a channel', () => {
  test('[N-18] [N-24] what was news of one in a list stays so, however many changes follow once somebody has taken it', () => {
    const context = { now: sampleNow, targets: { hear: ['ops'], all: ['ops'] } };
    const taken = (['opened', 'escalated', 'attended'] as const).reduce(
      (incident, kind) => withNote(incident, kind, kind, context),
      anIncident({ notes: [], seq: 0 }),
    );
    let incident = taken;
    for (let count = 0; count < 60; count += 1) incident = withNote(incident, 'changed', 'changed', context);

    expect(newsOf([incident])).toEqual(newsOf([taken]));
    expect(incident.notes.length).toBeLessThanOrEqual(30);
  });

  test('[N-18] five within a minute are told one by one, further ones together', () => {
    const { openings, messages } = openedEvery(5, 9);

    expect(openings.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    expect(
      messages.map(({ why, anchor, members }) => [why, anchor.number, members.map((each) => each.number)]),
    ).toEqual([['many', 6, [6, 7, 8, 9]]]);
  });

  test('[N-18] [N-30] of a storm over a whole fleet the newest openings are kept, and no more than there is room for', () => {
    const told = Array.from({ length: 1_000 }, (_, index) => index + 1).reduce(
      (before, number) => noteOpening(before, opening(number, number / 10, 'one cause'), nobody, at(number / 10)),
      { ...nothingJoint, messages: listsWithoutRoom },
    );

    expect(told.openings.map(({ number }) => number)).toEqual(Array.from({ length: 500 }, (_, index) => index + 501));
    expect(fellowsOf(told, opening(1_001, 101, 'one cause', 'other'), at(101))).toHaveLength(500);
  });

  test('[N-18] one every quarter of a minute is no storm', () => {
    expect(openedEvery(15, 20).messages).toEqual([]);
  });

  test('[N-18] what one pass found is told together from the first on', () => {
    const waiting = [2, 3, 4, 5, 6].map((number) => opening(number));
    const told = noteOpening(nothingJoint, opening(1), { ...nobody, waiting }, at(0));

    expect(told.openings).toEqual([]);
    expect(jointOf(told, opening(4))?.members.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6]);
    const five = { ...nobody, waiting: waiting.slice(0, 4) };
    expect(noteOpening(nothingJoint, opening(1), five, at(0)).messages).toEqual([]);
  });

  test('[N-18] a minute after it was begun the list is complete, and so it is once its end was told', () => {
    const told = openedEvery(1, 7);
    const [message] = told.messages;
    if (message === undefined) throw new Error('there is no list');
    const late = noteOpening(told, opening(8), nobody, at(65));
    const ended = noteOpening(withEndToldBy(told, message, message.anchor), opening(8), nobody, at(20));

    expect(jointOf(late, opening(8))).toBeUndefined();
    expect(jointOf(ended, opening(8))).not.toMatchObject({ anchor: { number: 6 } });
    expect(jointOf(noteOpening(told, opening(8), nobody, at(64)), opening(8))?.anchor.number).toBe(6);
  });

  test('[N-30] one more every minute does not keep a list open, so that what others open is told by itself', () => {
    let told = openedEvery(1, 7);
    for (let minute = 1; minute <= 40; minute += 1) {
      const now = at(minute * 55);
      told = noteOpening(told, opening(minute + 7, minute * 55), nobody, now);
    }
    const victim = opening(100, 40 * 55 + 1);

    told = noteOpening(told, victim, nobody, at(40 * 55 + 1));

    expect(told.messages.map(({ members }) => members.map(({ number }) => number))).toEqual([[6, 7, 8]]);
    expect(jointOf(told, victim)).toBeUndefined();
  });

  test.each([
    ['of another pool and cause', 'high', {}, [], true],
    ['of another cluster, without a known cause', 'high', { cluster: 'c2' }, undefined, true],
    ['of the pool of one before it', 'high', { pool: 'pool-6' }, [], false],
    ['with the cause of one before it', 'high', { cluster: 'c2' }, 'theirs', false],
    ['of its kind and cluster, without a known cause', 'high', {}, undefined, false],
    ['that pages nobody', 'warning', {}, [], false],
    ['that is worse than all', 'critical', { pool: 'pool-6' }, [], true],
  ] as const)('[N-30] what joins a list that was posted, %s: %s', (_, severity, place, cause, isAloud) => {
    const told = openedEvery(5, 8);
    const [message] = told.messages;
    if (message === undefined) throw new Error('there is no list');
    const state = 'firing' as const;
    const incidents = message.members.map(({ key, number }) => {
      return { key, number, state, trouble: { ...drainBlocked, key } };
    });
    const key = { ...opening(8).key, ...place };
    const other = drainBlocked.findings.map((found) => ({ ...found, code: `${found.code}x`, because: [] }));
    const findings = cause === undefined ? [] : cause === 'theirs' ? drainBlocked.findings : other;
    const own = { key, number: 8, state, trouble: { ...drainBlocked, key, severity, findings } };
    const late = { members: message.members.map((each) => (each.number === 8 ? { ...each, key } : each)) };

    expect(isToldAloud(late, own, [...incidents.filter(({ number }) => number !== 8), own])).toBe(isAloud);
    expect(
      isToldAloud({ members: [{ key, number: 8 }, ...message.members.slice(0, 2)] }, own, [...incidents, own]),
    ).toBe(severity === 'critical');
  });

  test('[N-18] noted again, in whatever order, an opening stays where it is', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 15 }), { maxLength: 60 }), (numbers) => {
        let told = nothingJoint;
        const places = new Map<number, number | undefined>();
        for (const [second, number] of numbers.entries()) {
          told = noteOpening(told, opening(number, second), nobody, at(second));
          const place = jointOf(told, opening(number))?.anchor.number;
          expect(places.get(number) ?? place).toBe(place);
          places.set(number, place);
        }
        const members = told.messages.flatMap((message) => message.members.map(({ number }) => number));
        const known = [...members, ...told.openings.map(({ number }) => number)];
        expect(known.toSorted((a, b) => a - b)).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
      }),
    );
  });
});

describe('one cause on many clusters', () => {
  const first = opening(1, 0, 'same', 'c1');
  const told = noteOpening(nothingJoint, first, nobody, at(0));

  test('[N-18] the second cluster joins the message of the first, and so does the third', () => {
    const second = opening(2, 120, 'same', 'c2');
    const two = noteOpening(told, second, { ...nobody, fellow: first }, at(120));
    const three = noteOpening(two, opening(3, 700, 'same', 'c3'), nobody, at(700));

    expect(fellowsOf(told, second, at(120))).toEqual([first]);
    expect(three.messages).toMatchObject([{ why: 'fleet', anchor: { number: 1 } }]);
    expect(jointOf(three, opening(3, 0, 'same', 'c3'))?.members.map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  test('[N-18] another cause, the same cluster, an unknown cause or ten minutes later is no fellow', () => {
    expect(fellowsOf(told, opening(2, 60, 'other', 'c2'), at(60))).toEqual([]);
    expect(fellowsOf(told, opening(2, 60, 'same', 'c1'), at(60))).toEqual([]);
    expect(fellowsOf(told, opening(2, 60, undefined, 'c2'), at(60))).toEqual([]);
    expect(fellowsOf(told, opening(2, 601, 'same', 'c2'), at(601))).toEqual([]);
  });

  test('[N-18] a cause has the same name on every cluster, unless it lies in an object of another name', () => {
    const causeOn = (cluster: string) =>
      openingOf({ key: { ...drainBlocked.key, cluster }, number: 1 }, drainBlocked, at(0))?.cause;

    expect(causeOn('c2')).toBe(causeOn('c1'));
    expect(causeOn('c1')).toContain('drain-blocked ');
  });

  test('[N-17] [N-18] what people decide on, or have done on purpose, is told alone', () => {
    const kinds: readonly TroubleKind[] = ['approval-needed', 'emergency', 'break-glass', 'notify-failing'];

    for (const kind of kinds) {
      const key = { ...drainBlocked.key, kind };
      expect(openingOf({ key, number: 1 }, { ...drainBlocked, key }, at(0))).toBeUndefined();
    }
  });
});

test('[N-30] a list shows one incident of each kind before further ones of any', () => {
  const key = (pool: string, kind: TroubleKind) => ({ cluster: 'prod', pool, kind });
  const own = Array.from({ length: 12 }, (_, index) => {
    const of = key(`p${index}`, 'run-failed');
    return anIncident({ key: of, number: index + 1, trouble: aTrouble({ key: of }) });
  });
  const drain = anIncident({ key: key('infra', 'drain-blocked'), number: 99 });

  const told = {
    now: sampleNow,
    occasion: 'opened',
    statusUrl: undefined,
    product: 'poolkeeper',
    deliveryId: 'd1',
    domain: 'example.com',
  } as const;

  const { blocks } = slackJoint({ why: 'many', members: [...own, drain], hasOneCause: false }, told, 'full');

  const sections = blocks.flatMap((block) => (block.type === 'section' ? [block.text?.text ?? ''] : []));
  expect(sections[1]).toContain('PK-1`');
  expect(sections[2]).toContain('PK-99');
});

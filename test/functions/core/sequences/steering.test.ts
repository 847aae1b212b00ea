import { expect, it } from 'vitest';
import { planOf } from '../../../../functions/core/sequences/plan.ts';
import { emptySequenceRecord, type SequenceRequest, withRequest } from '../../../../functions/core/sequences/record.ts';
import { withAsked } from '../../../../functions/core/sequences/steering.ts';
import { minutesAfterNoon, noon, referenceSteps, sequenceOf } from './sequence-builder.ts';

const plan = planOf('virt', sequenceOf(referenceSteps));

function pressed(kind: 'pause' | 'abort' | 'go-on', at: Date) {
  const request: SequenceRequest = { kind, said: { who: 'slack:U0000ALICE', why: 'by Slack', at: at.toISOString() } };
  return [{ id: `slack/${kind}`, sequence: 'virt', request }];
}

it('[S2-10] a press of the last minutes is done, once', () => {
  const first = withAsked(emptySequenceRecord, pressed('pause', noon), { plan, now: minutesAfterNoon(2) });
  const second = withAsked(first, pressed('pause', noon), { plan, now: minutesAfterNoon(3) });

  expect(first.paused?.who).toBe('slack:U0000ALICE');
  expect(second).toBe(first);
});

it('[S2-10] [N-30] an old press is noted and not done, also on a record that knows nothing of it', () => {
  const late = withAsked(emptySequenceRecord, pressed('abort', noon), { plan, now: minutesAfterNoon(60) });
  const again = withAsked(late, pressed('abort', noon), { plan, now: minutesAfterNoon(61) });

  expect(late.aborted).toBeUndefined();
  expect(late.log.map(({ what }) => what)).toEqual([
    'abort, asked by slack:U0000ALICE at 2026-11-22T12:00:00.000Z, came too late and was not done',
  ]);
  expect(again).toBe(late);
});

it('[S2-10] [N-29] a skip of a step that was taken out of the sequence since is noted and not done', () => {
  const said = { who: 'slack:U0000ALICE', why: 'by Slack', at: noon.toISOString() };
  const asked = [{ id: 'slack/skip', sequence: 'virt', request: { kind: 'skip' as const, item: 'gone@prod', said } }];

  const first = withAsked(emptySequenceRecord, asked, { plan, now: minutesAfterNoon(2) });

  expect(first.skipped).toEqual({});
  expect(first.log.map(({ what }) => what)).toEqual([
    'skip, asked by slack:U0000ALICE at 2026-11-22T12:00:00.000Z, was not done: gone@prod is not planned any more',
  ]);
  expect(withAsked(first, asked, { plan, now: minutesAfterNoon(3) })).toBe(first);
});

it.each(['pause', 'abort'] as const)(
  '[S2-10] [N-29] a go-on that was asked before somebody said %s undoes nothing of that, and one after it counts',
  (kind) => {
    const said = { who: 'bob', why: 'the storage is full', at: minutesAfterNoon(1).toISOString() };
    const stopped = withRequest(emptySequenceRecord, { kind, said });

    const before = withAsked(stopped, pressed('go-on', noon), { plan, now: minutesAfterNoon(2) });
    const after = withAsked(stopped, pressed('go-on', minutesAfterNoon(1.5)), { plan, now: minutesAfterNoon(2) });

    expect(before.aborted ?? before.paused).toEqual(said);
    expect(before.log.at(-1)?.what).toBe(
      'go-on, asked by slack:U0000ALICE at 2026-11-22T12:00:00.000Z, was not done: bob stopped it after that',
    );
    expect(after.aborted ?? after.paused).toBeUndefined();
  },
);

it.each(['pause', 'abort'] as const)(
  '[S2-10] [N-29] %s that was asked for before somebody told it to go on stops nothing, and one after it counts',
  (kind) => {
    const said = { who: 'bob', why: 'it was the right one', at: minutesAfterNoon(7).toISOString() };
    const goesOn = withRequest(emptySequenceRecord, { kind: 'go-on', said });

    const before = withAsked(goesOn, pressed(kind, noon), { plan, now: minutesAfterNoon(8) });
    const after = withAsked(goesOn, pressed(kind, minutesAfterNoon(7.5)), { plan, now: minutesAfterNoon(8) });

    expect(before.aborted ?? before.paused).toBeUndefined();
    expect(before.log.at(-1)?.what).toBe(
      `${kind}, asked by slack:U0000ALICE at 2026-11-22T12:00:00.000Z, was not done: it was told to go on after that`,
    );
    expect(after.aborted ?? after.paused).toBeDefined();
  },
);

it('[S2-10] [N-29] an abort that was pressed shortly before somebody told it to go on deletes nothing: it is a pause', () => {
  const said = { who: 'anna', why: 'it was the wrong button', at: minutesAfterNoon(0.7).toISOString() };
  const goesOn = withRequest(emptySequenceRecord, { kind: 'go-on', said });

  const { paused, aborted, log } = withAsked(goesOn, pressed('abort', noon), { plan, now: minutesAfterNoon(1) });

  expect([paused?.who, aborted]).toEqual(['slack:U0000ALICE', undefined]);
  expect(log.at(-1)?.what).toBe(
    'abort, asked by slack:U0000ALICE at 2026-11-22T12:00:00.000Z, counts as a pause: it was told to go on at that time',
  );
});

it.each([
  [1.5, 2],
  [4, 5],
  [60, 2],
])(
  '[S2-10] [N-29] [N-30] a go-on by a clock that is %s min ahead keeps no stop away, taken after %s',
  (ahead, taken) => {
    const said = { who: 'bob', why: 'it was the right one', at: minutesAfterNoon(ahead).toISOString() };
    const goesOn = withRequest(emptySequenceRecord, { kind: 'go-on', said });

    expect(withAsked(goesOn, pressed('pause', noon), { plan, now: minutesAfterNoon(taken) }).paused).toBeDefined();
  },
);

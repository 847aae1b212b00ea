import { describe, expect, it } from 'vitest';
import { judgeSequence } from '../../../../functions/core/sequences/judge-sequence.ts';
import { annotatedWave, planOf } from '../../../../functions/core/sequences/plan.ts';
import {
  emptySequenceRecord,
  parseSequenceRecord,
  sequenceRecordText,
  withLeftOf,
  withRequest,
} from '../../../../functions/core/sequences/record.ts';
import type { ItemReading } from '../../../../functions/core/sequences/sequence-question.ts';
import { applicationHealth, poolHealth } from '../../../../functions/core/sequences/target-health.ts';
import { aHold, anApplication, anOperation, aPool } from '../../../fakes/index.ts';
import { lookAt, minutesAfterNoon, noon, referenceSteps, sequenceOf } from './sequence-builder.ts';

const reference = sequenceOf(referenceSteps);
const [storage, gate, virtualization] = ['storage@prod', 'storage@prod/waitFor', 'virtualization@prod'];

function goes(question: ReturnType<typeof lookAt>): readonly string[] {
  return judgeSequence(question).go.map(({ id }) => id);
}

const outOfSync = { status: 'OutOfSync' as const, revisions: [] };

describe('the order of a sequence', () => {
  it('[S2-1] [S2-17] the second step waits until the class of the first one is there', () => {
    const first = judgeSequence(
      lookAt(reference, { [storage]: 'healthy', [gate]: 'unhealthy', [virtualization]: 'unhealthy' }),
    );

    expect(first.turns.get(virtualization)).toEqual({ mayGo: false, why: 'wave 5 is not healthy', waitsFor: [gate] });
    expect(first.isDone).toBe(false);
    expect(goes(lookAt(reference, { [storage]: 'healthy', [gate]: 'healthy', [virtualization]: 'unhealthy' }))).toEqual(
      [virtualization],
    );
  });

  it('[S2-11] [S2-17] a class that is deleted again closes what has not begun', () => {
    const open = judgeSequence(lookAt(reference, { [storage]: 'healthy', [gate]: 'healthy' }));
    const { record } = judgeSequence(
      lookAt(reference, { [storage]: 'healthy', [gate]: 'unhealthy' }, { record: open.record }),
    );

    expect(goes(lookAt(reference, { [gate]: 'unhealthy', [virtualization]: 'unhealthy' }, { record }))).toEqual([]);
  });

  it('[S2-11] nothing that began is undone when a lower wave is no longer healthy, and people are told', () => {
    const all = { [storage]: 'healthy', [gate]: 'healthy', [virtualization]: 'healthy' } as const;
    const done = judgeSequence(lookAt(reference, all));

    const after = judgeSequence(
      lookAt(reference, { ...all, [gate]: 'unhealthy' }, { record: done.record, now: minutesAfterNoon(5) }),
    );

    expect(done.isDone).toBe(true);
    expect(after.record.items[virtualization]?.begunAt).toBe(noon.toISOString());
    expect(after.record.done).toBeUndefined();
    expect(after.problems).toEqual([
      { kind: 'regression', item: gate, cluster: 'prod', since: minutesAfterNoon(5).toISOString(), why: 'unhealthy' },
    ]);
  });

  it('[S2-10] [N-29] whatever is wrong with a sequence that somebody has paused says who has', () => {
    const all = { [storage]: 'healthy', [gate]: 'healthy', [virtualization]: 'healthy' } as const;
    const said = { who: 'anna', why: 'nothing may reboot tonight', at: noon.toISOString() };
    const record = withRequest(judgeSequence(lookAt(reference, all)).record, { kind: 'pause', said });

    const { problems } = judgeSequence(lookAt(reference, { ...all, [gate]: 'unhealthy' }, { record }));

    expect(problems).toMatchObject([{ kind: 'regression', paused: said }]);
  });

  it('[S2-18] a pool whose turn had come keeps its place while its cluster is out of sight: it may roll', () => {
    const clusters = ['one', 'two', 'three'];
    const sequence = sequenceOf({ pool: { kind: 'pool', name: 'worker' } }, { clusters, atOnce: 1 });
    const unseen = { kind: 'unseen', value: 'no answer' } as const;
    const look = (
      one: 'unhealthy' | 'healthy' | typeof unseen,
      two: 'unhealthy' | typeof unseen,
      record = emptySequenceRecord,
    ) => judgeSequence(lookAt(sequence, { 'pool@one': one, 'pool@two': two, 'pool@three': 'unhealthy' }, { record }));
    const goes = ({ turns }: ReturnType<typeof look>) => clusters.filter((each) => turns.get(`pool@${each}`)?.mayGo);

    const first = look('unhealthy', 'unhealthy');
    const [oneAway, twoAway] = [look(unseen, 'unhealthy', first.record), look('unhealthy', unseen, first.record)];
    const still = look(unseen, 'unhealthy', oneAway.record);
    const back = look('healthy', unseen, still.record);

    expect([first, twoAway].map(goes)).toEqual([['one'], ['one']]);
    expect([oneAway, still].map(goes)).toEqual([[], []]);
    expect(goes(back)).toEqual(['one', 'three']);
  });

  it('[S2-9] a lower wave that is unhealthy for a while gives a gate of a higher one no more time', () => {
    const waitFor = { resourceType: 'sc', resourceName: 'ceph', timeoutSeconds: 7200 };
    const sequence = sequenceOf({
      first: { kind: 'application', name: 'first', wave: 5 },
      second: { kind: 'application', name: 'second', wave: 10, waitFor },
    });
    const [first, second, waits] = ['first@prod', 'second@prod', 'second@prod/waitFor'];
    const at = (minutes: number, firstIs: 'healthy' | 'unhealthy', record = emptySequenceRecord) =>
      judgeSequence(
        lookAt(
          sequence,
          { [first]: firstIs, [second]: 'healthy', [waits]: 'unhealthy' },
          { record, now: minutesAfterNoon(minutes) },
        ),
      );

    const begun = at(1, 'healthy', at(0, 'healthy').record);
    const down = at(100, 'unhealthy', begun.record);
    const up = at(105, 'healthy', down.record);

    expect(up.record.items[waits]?.waitedSince).toBe(begun.record.items[waits]?.waitedSince);
    expect(at(125, 'healthy', up.record).problems.map(({ kind }) => kind)).toEqual(['timeout']);
  });

  it.each([
    ['subscription', 'timeout'],
    ['pool', undefined],
  ])('[S2-11] a %s that has begun and is not healthy for four hours is told: %s', (kind, told) => {
    const sequence = sequenceOf({ only: { kind, name: 'only' } });
    const look = (minutes: number, record = emptySequenceRecord) =>
      judgeSequence(lookAt(sequence, { 'only@prod': 'unhealthy' }, { record, now: minutesAfterNoon(minutes) }));
    const { record } = look(0);

    expect(look(239, record).problems).toEqual([]);
    expect(look(241, record).problems.map((problem) => problem.kind)).toEqual(told === undefined ? [] : [told]);
  });

  it.each([
    ['OutOfSync', { sync: outOfSync }, 30],
    ['OutOfSync', { sync: outOfSync, operation: anOperation({ phase: 'Failed' }) }, 0],
    ['a sync is running', { operation: anOperation({ phase: 'Running', finishedAt: undefined }) }, 30],
    ['Progressing', { health: 'Progressing' }, 30],
    ['Degraded', { health: 'Degraded' }, 0],
  ])(
    '[S2-11] a later commit of a lower wave is told when it takes too long, and a breakdown at once: %s',
    (value, change, minutes) => {
      const sequence = sequenceOf({
        first: { kind: 'application', name: 'first', wave: 5 },
        second: { kind: 'application', name: 'second', wave: 10 },
      });
      const done = judgeSequence(lookAt(sequence, { 'first@prod': 'healthy', 'second@prod': 'healthy' }));
      const first = applicationHealth(anApplication({ health: 'Healthy', ...change }));
      const problemsAt = (now: Date, { record }: Pick<typeof done, 'record'>) => {
        const look = judgeSequence(
          lookAt(sequence, { 'first@prod': first, 'second@prod': 'healthy' }, { record, now }),
        );
        return { record: look.record, told: look.problems.map(({ kind }) => kind) };
      };

      const begun = problemsAt(minutesAfterNoon(5), done);
      const before = problemsAt(minutesAfterNoon(34), begun);
      const after = problemsAt(minutesAfterNoon(35), begun);

      expect(first.value).toBe(value);
      expect([begun.told, before.told]).toEqual(minutes === 0 ? [['regression'], ['regression']] : [[], []]);
      expect(after.told).toEqual(['regression']);
    },
  );

  it('[S2-11] a pool of a lower wave that rolls out a later change is told after a day', () => {
    const sequence = sequenceOf({
      pool: { kind: 'pool', name: 'worker', wave: 5 },
      second: { kind: 'application', name: 'second', wave: 10 },
    });
    const done = judgeSequence(lookAt(sequence, { 'pool@prod': 'healthy', 'second@prod': 'healthy' }));
    const rolling = poolHealth(aPool({ target: { name: 'rendered-worker-new', sources: [] } }));
    const look = (now: Date, { record }: Pick<typeof done, 'record'>) =>
      judgeSequence(lookAt(sequence, { 'pool@prod': rolling, 'second@prod': 'healthy' }, { record, now }));

    const begun = look(minutesAfterNoon(5), done);

    expect(look(minutesAfterNoon(24 * 60), begun).problems).toEqual([]);
    expect(look(minutesAfterNoon(24 * 60 + 5), begun).problems.map(({ kind }) => kind)).toEqual(['regression']);
  });

  it('[S2-4] a gate closes its own wave, which is that of its step unless it has one', () => {
    const steps = {
      ...referenceSteps,
      storage: { ...referenceSteps.storage, waitFor: { ...referenceSteps.storage.waitFor, syncWave: 10 } },
    };

    expect(
      goes(lookAt(sequenceOf(steps), { [storage]: 'healthy', [gate]: 'unhealthy', [virtualization]: 'unhealthy' })),
    ).toEqual([virtualization]);
  });

  it('[S2-5] a gate of type PreSync is waited for before its own step, one of type SyncFail never', () => {
    const step = (hookType: string) =>
      sequenceOf({ storage: { ...referenceSteps.storage, waitFor: { ...referenceSteps.storage.waitFor, hookType } } });

    expect(goes(lookAt(step('PreSync'), { [storage]: 'unhealthy', [gate]: 'unhealthy' }))).toEqual([]);
    expect(goes(lookAt(step('PreSync'), { [storage]: 'unhealthy', [gate]: 'healthy' }))).toEqual([storage]);
    expect(goes(lookAt(step('PostSync'), { [storage]: 'unhealthy', [gate]: 'unhealthy' }))).toEqual([storage]);
    expect(planOf('virt', step('SyncFail')).gates).toEqual([]);
  });

  it('[S2-7] what is disabled is left out: step, gate, alternative and object', () => {
    const sequence = sequenceOf(
      {
        off: { kind: 'pool', name: 'infra', disabled: true },
        ungated: { kind: 'pool', name: 'gpu', waitFor: { disabled: true } },
        one: {
          kind: 'pool',
          name: 'worker',
          waitFor: { any: [{ resourceType: 'sc', disabled: true }, { resourceType: 'pv' }], all: [{ disabled: true }] },
        },
        object: { kind: 'object', object: 'gone' },
      },
      { extraObjects: { gone: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, disabled: true } } },
    );

    const { steps, gates } = planOf('virt', sequence);

    expect(steps.map(({ id }) => id)).toEqual(['ungated@prod', 'one@prod']);
    expect(gates.map(({ id, anyOf }) => [id, anyOf.length])).toEqual([['one@prod/any', 1]]);
  });

  it('[S2-8] all of many gates are waited for, and one of alternatives', () => {
    const waitFor = {
      all: [{ resourceType: 'sc' }, { resourceType: 'pv' }],
      any: [{ resourceType: 'a' }, { resourceType: 'b' }],
    };
    const sequence = sequenceOf({
      storage: { ...referenceSteps.storage, waitFor },
      next: { kind: 'pool', name: 'x', wave: 9 },
    });

    const turn = (readings: Parameters<typeof lookAt>[1]) =>
      judgeSequence(lookAt(sequence, { [storage]: 'healthy', 'next@prod': 'unhealthy', ...readings })).turns.get(
        'next@prod',
      );

    const all = {
      'storage@prod/all/0': 'healthy',
      'storage@prod/all/1': 'healthy',
      'storage@prod/any': 'healthy',
    } as const;
    expect(turn(all)?.mayGo).toBe(true);
    for (const id of Object.keys(all)) expect(turn({ ...all, [id]: 'unhealthy' })?.waitsFor).toEqual([id]);
  });

  it('[S2-2] [S2-14] a wave comes from the object where the step has none, and nothing annotated is wave 0', () => {
    const sequence = sequenceOf({
      a: { kind: 'subscription', name: 'a' },
      b: { kind: 'subscription', name: 'b' },
      c: { kind: 'subscription', name: 'c', wave: -1 },
    });
    const annotated = { kind: 'unhealthy', value: '', wave: 3 } as const;

    const { order } = judgeSequence(
      lookAt(sequence, { 'a@prod': annotated, 'b@prod': 'unhealthy', 'c@prod': 'healthy' }),
    );

    expect(order.wave).toBe(0);
    expect([...order.turns].map(([id, { mayGo }]) => [id, mayGo])).toEqual([
      ['a@prod', false],
      ['b@prod', true],
      ['c@prod', true],
    ]);
  });

  it.each([
    ['5', { kind: 'wave', wave: 5 }],
    ['-3', { kind: 'wave', wave: -3 }],
    ['+5', { kind: 'wave', wave: 5 }],
    ['05', { kind: 'wave', wave: 5 }],
    ['-0', { kind: 'wave', wave: 0 }],
    [0, { kind: 'wave', wave: 0 }],
    [undefined, { kind: 'none' }],
    ['', { kind: 'wrong' }],
    [' 5', { kind: 'wrong' }],
    ['5.0', { kind: 'wrong' }],
    ['first', { kind: 'wrong' }],
    ['99999999999999999999', { kind: 'wrong' }],
  ])(
    '[S2-2] the annotation %j is read as Argo CD reads it, and what it would read as 0 is wrong',
    (written, expected) => {
      const annotations = written === undefined ? {} : { 'argocd.argoproj.io/sync-wave': written };

      expect(annotatedWave({ metadata: { annotations } })).toEqual(expected);
    },
  );

  it('[S2-18] canary clusters are first in each wave, then so many at once as may be', () => {
    const steps = { a: { kind: 'subscription', name: 'a' } };
    const sequence = sequenceOf(steps, { clusters: ['one', 'two', 'three', 'four'], canary: ['three'], atOnce: 2 });
    const none = { 'a@one': 'unhealthy', 'a@two': 'unhealthy', 'a@three': 'unhealthy', 'a@four': 'unhealthy' } as const;

    const first = judgeSequence(lookAt(sequence, none));
    const second = judgeSequence(lookAt(sequence, { ...none, 'a@three': 'healthy' }, { record: first.record }));
    const third = judgeSequence(
      lookAt(sequence, { ...none, 'a@three': 'healthy', 'a@two': 'healthy' }, { record: second.record }),
    );

    expect(first.go.map(({ id }) => id)).toEqual(['a@three']);
    expect(first.turns.get('a@one')?.why).toBe('canary clusters are first');
    expect(second.go.map(({ id }) => id)).toEqual(['a@one', 'a@two']);
    expect(second.turns.get('a@four')?.why).toBe('at most 2 clusters at once');
    expect(third.go.map(({ id }) => id)).toEqual(['a@one', 'a@four']);
  });

  it.each([
    ['one at once', { atOnce: 1 }],
    ['a canary', { canary: ['prod'] }],
  ])('[S2-1] [S2-18] with %s, what is healthy before its turn takes no place for what is not', (_, rules) => {
    const steps = {
      check: { kind: 'check', waitFor: referenceSteps.storage.waitFor },
      a: { kind: 'subscription', name: 'a' },
    };
    const sequence = sequenceOf(steps, { clusters: ['prod', 'edge'], ...rules });
    const ids = ['prod', 'edge'].flatMap((cluster) => [`check@${cluster}/waitFor`, `a@${cluster}`]);
    const readings = {
      'check@prod': 'healthy',
      'check@edge': 'healthy',
      ...Object.fromEntries(ids.map((id) => [id, 'unhealthy'] as const)),
    } as const;
    const first = judgeSequence(lookAt(sequence, readings));
    const second = judgeSequence(lookAt(sequence, readings, { record: first.record }));
    const isOpen = { ...readings, 'check@prod/waitFor': 'healthy', 'a@prod': 'healthy' } as const;
    const third = judgeSequence(lookAt(sequence, isOpen, { record: second.record }));

    expect([first, second, third].map(({ turns }) => turns.get('a@edge')?.mayGo)).toEqual([false, false, true]);
    expect([first, second, third].map(({ turns }) => turns.get('check@edge')?.mayGo)).toEqual([false, false, true]);
  });

  it('[S2-1] [S2-18] of a pool each change takes its turn, and a cluster that has begun keeps its place', () => {
    const sequence = sequenceOf({ a: { kind: 'pool', name: 'worker' } }, { clusters: ['one', 'two'], atOnce: 1 });
    const [target, waits] = [
      { name: 'rendered-worker-new', sources: [] },
      poolHealth(aPool({ paused: true, target: { name: 'rendered-worker-new', sources: [] } })),
    ];
    const last = { did: 'resumed' as const, at: noon.toISOString(), why: '', asked: target.name };
    const rolls = poolHealth(aPool({ target, record: { kind: 'record', record: { v: 1, holds: [], last } } }));
    const calm = judgeSequence(lookAt(sequence, { 'a@one': 'healthy', 'a@two': 'healthy' }));
    const look = (one: ItemReading, two: ItemReading, { record }: Pick<typeof calm, 'record'>) =>
      judgeSequence(lookAt(sequence, { 'a@one': one, 'a@two': two }, { record }));
    const mayGo = ({ turns }: typeof calm) => [...turns.values()].map((turn) => turn.mayGo);

    const both = look(waits, waits, calm);
    const second = look({ kind: 'healthy', value: '' }, rolls, calm);
    const first = look(waits, { kind: 'unseen', value: 'no answer' }, second);
    const next = look(waits, { kind: 'healthy', value: '' }, first);

    expect([calm, both, first, next].map(mayGo)).toEqual([
      [true, true],
      [true, false],
      [false, false],
      [true, true],
    ]);
  });

  it('[S2-18] [S4-36] [N-29] a pool that a run in mode canary has finished is healthy before that run ends', () => {
    const target = { name: 'rendered-worker-new', sources: [] };
    const counts = { machines: 3, updated: 0, ready: 0, unavailable: 0, degraded: 0 };
    const held = (reached: string, unavailable = 0) => {
      const hold = aHold({ kind: 'rollout', id: 'rollout/upgrade', canary: 'canary', reached });
      const record = { kind: 'record' as const, record: { v: 1 as const, pause: 'ours' as const, holds: [hold] } };
      return poolHealth(aPool({ paused: true, target, counts: { ...counts, unavailable }, record }));
    };

    expect(held(target.name)).toEqual({ kind: 'healthy', value: 'updated' });
    expect(held('rendered-worker-old')).toMatchObject({ value: 'paused, with a change waiting' });
    expect(held(target.name, 1)).toMatchObject({ value: expect.stringContaining('cordoned or not ready') });
  });

  it('[S2-18] a cluster that cannot be seen holds its wave, says so, and is told when it lasts', () => {
    const sequence = sequenceOf({
      a: { kind: 'subscription', name: 'a', wave: 1, clusters: ['prod', 'edge'] },
      b: { kind: 'subscription', name: 'b', wave: 2 },
    });
    const readings = {
      'a@prod': 'healthy',
      'a@edge': { kind: 'unseen', value: 'no answer' },
      'b@prod': 'unhealthy',
    } as const;

    const first = judgeSequence(lookAt(sequence, readings));
    const later = judgeSequence(lookAt(sequence, readings, { record: first.record, now: minutesAfterNoon(6) }));

    expect(first.turns.get('a@edge')?.why).toBe('cluster edge cannot be seen');
    expect(first.turns.get('b@prod')).toMatchObject({ mayGo: false, waitsFor: ['a@edge'] });
    expect(first.problems).toEqual([]);
    expect(later.problems).toMatchObject([{ kind: 'unseen', item: 'a@edge', cluster: 'edge', why: 'no answer' }]);
  });

  it('[S2-19] what is forbidden is told at once', () => {
    const { problems } = judgeSequence(lookAt(reference, { [gate]: { kind: 'refused', value: 'forbidden' } }));

    expect(problems).toMatchObject([{ kind: 'refused', item: gate, why: 'forbidden' }]);
  });

  it.each(['wait', 'alert', 'proceed', 'abort'])('[S2-10] a gate that is not open in time: %s', (onTimeout) => {
    const waitFor = { ...referenceSteps.storage.waitFor, timeoutSeconds: 3600, onTimeout };
    const sequence = sequenceOf({ ...referenceSteps, storage: { ...referenceSteps.storage, waitFor } });
    const readings = { [storage]: 'healthy', [gate]: 'unhealthy', [virtualization]: 'unhealthy' } as const;
    let { record } = judgeSequence(lookAt(sequence, readings));
    ({ record } = judgeSequence(lookAt(sequence, readings, { record, now: minutesAfterNoon(1) })));

    const before = judgeSequence(lookAt(sequence, readings, { record, now: minutesAfterNoon(60) }));
    const after = judgeSequence(lookAt(sequence, readings, { record, now: minutesAfterNoon(61) }));
    const next = judgeSequence(lookAt(sequence, readings, { record: after.record, now: minutesAfterNoon(62) }));

    expect(before.problems).toEqual([]);
    expect(after.problems.map(({ kind }) => kind)).toEqual(
      { wait: [], alert: ['timeout'], proceed: ['timeout'], abort: ['timeout', 'aborted'] }[onTimeout],
    );
    expect(next.turns.get(virtualization)?.mayGo).toBe(onTimeout === 'proceed');
    expect(next.record.aborted !== undefined).toBe(onTimeout === 'abort');
  });

  it.each<[string, { readonly hookType?: string; readonly [key: string]: unknown }, readonly string[], boolean]>([
    ['it was never open', {}, [], true],
    ['it was, and its wave was not', { clusters: ['prod', 'edge'] }, ['a@prod/waitFor'], true],
    ['nor with two at once', { clusters: ['prod', 'edge'], atOnce: 2 }, ['a@prod/waitFor'], true],
    ['nor with a canary cluster before it', { clusters: ['prod', 'edge'], canary: ['edge'] }, ['a@prod/waitFor'], true],
    [
      'a cluster after it has had no turn, and is healthy by itself',
      { clusters: ['prod', 'edge'], canary: ['prod'] },
      ['a@edge/waitFor'],
      true,
    ],
    ['nor with one at once', { clusters: ['prod', 'edge'], atOnce: 1 }, ['a@edge/waitFor'], true],
    ['a higher wave has begun', {}, ['a@prod/waitFor'], false],
    ['clusters after the canary one have', { clusters: ['prod', 'edge'], canary: ['prod'] }, ['a@prod/waitFor'], false],
    ['the next one has, with one at once', { clusters: ['prod', 'edge'], atOnce: 1 }, ['a@prod/waitFor'], false],
    [
      'the last of three has, with two at once',
      { clusters: ['prod', 'edge', 'far'], atOnce: 2 },
      ['a@prod/waitFor'],
      false,
    ],
    ['its step has, which waits for it', { hookType: 'PreSync', syncWave: -1 }, ['a@prod/waitFor'], false],
    ['its step has, in its wave', { clusters: ['prod', 'edge'], hookType: 'PreSync' }, ['a@prod/waitFor'], false],
  ])('[S2-10] [N-22] a gate that is closed, and aborts: %s', (_, { hookType, syncWave, ...more }, open, aborts) => {
    const timing = { timeoutSeconds: 3600, onTimeout: 'abort', hookType, syncWave };
    const waitFor = { ...referenceSteps.storage.waitFor, ...timing };
    const steps = {
      a: { kind: 'check', wave: 0, waitFor },
      b: { kind: 'subscription', name: 'b', wave: 1, clusters: ['prod'] },
    };
    const sequence = sequenceOf(steps, { clusters: ['prod'], ...more });
    const { gates } = planOf('virt', sequence);
    const readingsWith = (isOpen: (id: string) => boolean) => ({
      ...Object.fromEntries(gates.map(({ id }) => [id, isOpen(id) ? ('healthy' as const) : ('unhealthy' as const)])),
      ...Object.fromEntries(gates.map(({ of }) => [of, 'healthy' as const])),
      'b@prod': 'unhealthy' as const,
    });
    let { record } = judgeSequence(
      lookAt(
        sequence,
        readingsWith((id) => open.includes(id)),
      ),
    );
    const closed = readingsWith((id) => id !== 'a@prod/waitFor');
    ({ record } = judgeSequence(lookAt(sequence, closed, { record, now: minutesAfterNoon(1) })));

    const late = judgeSequence(lookAt(sequence, closed, { record, now: minutesAfterNoon(62) }));

    expect(late.record.aborted !== undefined).toBe(aborts);
    expect(late.problems).toContainEqual(expect.objectContaining({ kind: 'timeout', item: 'a@prod/waitFor' }));
  });

  it.each([
    ['a higher wave', {}],
    ['its step', { hookType: 'PreSync', syncWave: 5 }],
  ])('[S2-10] [N-22] a gate aborts nothing where an earlier version had %s begin', (_, more) => {
    const waitFor = { ...referenceSteps.storage.waitFor, timeoutSeconds: 3600, onTimeout: 'abort', ...more };
    const sequence = sequenceOf({ ...referenceSteps, storage: { ...referenceSteps.storage, waitFor } });
    const higher = 'hookType' in more ? 'unseen' : 'unhealthy';
    const readings = { [storage]: 'healthy', [gate]: 'healthy', [virtualization]: higher } as const;
    const { aborting: __, ...earlier } = judgeSequence(lookAt(sequence, readings)).record;
    const closed = { ...readings, [gate]: 'unhealthy' } as const;
    const { record } = judgeSequence(lookAt(sequence, closed, { record: earlier, now: minutesAfterNoon(1) }));

    const late = judgeSequence(lookAt(sequence, closed, { record, now: minutesAfterNoon(62) }));

    expect(late.record.aborted).toBeUndefined();
  });

  it('[S2-10] [N-22] that something was let go is known also to a record that began anew elsewhere', () => {
    const open = { [storage]: 'healthy', [gate]: 'healthy', [virtualization]: 'unhealthy' } as const;
    const before = judgeSequence(lookAt(reference, open)).record;
    const anew = judgeSequence(lookAt(reference, { ...open, [gate]: 'unhealthy' })).record;

    expect([before, anew].map(({ aborting }) => aborting?.only?.includes(gate))).toEqual([false, true]);
    expect([withLeftOf(before, anew), withLeftOf(anew, before)].map(({ aborting }) => aborting)).toEqual([
      before.aborting,
      before.aborting,
    ]);
  });

  it.each(['a cluster', 'a lower step'])(
    '[S2-10] [N-22] what comes into a lower wave of a sequence that is not done aborts nothing: %s',
    (what) => {
      const waitFor = { ...referenceSteps.storage.waitFor, timeoutSeconds: 3600, onTimeout: 'abort' };
      const steps = { ...referenceSteps, storage: { ...referenceSteps.storage, waitFor } };
      const added = { ...steps, added: { ...steps.storage, wave: -1, name: 'added' } };
      const more = { clusters: ['prod', 'edge'] };
      const after = what === 'a cluster' ? sequenceOf(steps, more) : sequenceOf(added);
      const open = { [storage]: 'healthy', [gate]: 'healthy', [virtualization]: 'unhealthy' } as const;
      const ids = planOf('virt', after).gates.flatMap(({ id, of }) => [id, of]);
      const closed = { ...Object.fromEntries(ids.map((id) => [id, 'unhealthy' as const])), ...open };
      let { record } = judgeSequence(lookAt(sequenceOf(steps), open));
      for (const minute of [1, 2])
        ({ record } = judgeSequence(lookAt(after, closed, { record, now: minutesAfterNoon(minute) })));

      const late = judgeSequence(lookAt(after, closed, { record, now: minutesAfterNoon(63) }));

      expect(late.record.aborted).toBeUndefined();
      expect(late.problems.map(({ kind }) => kind)).toContain('timeout');
    },
  );

  it.each<[string, { readonly storage: number; readonly virtualization: number; readonly added?: number }]>([
    ['waves are renumbered', { storage: 50, virtualization: 60 }],
    ['the step of the gate goes into the wave that has begun', { storage: 10, virtualization: 10 }],
    ['it goes above it', { storage: 20, virtualization: 10 }],
    ['a step comes into the wave that has begun, which is renumbered', { added: 10, storage: 50, virtualization: 60 }],
  ])('[S2-10] [N-22] no gate aborts what has begun where %s', (_, waves) => {
    const waitFor = { ...referenceSteps.storage.waitFor, timeoutSeconds: 3600, onTimeout: 'abort' };
    const steps = { ...referenceSteps, storage: { ...referenceSteps.storage, waitFor } };
    const edited = sequenceOf({
      storage: { ...steps.storage, wave: waves.storage },
      virtualization: { ...steps.virtualization, wave: waves.virtualization },
      ...(waves.added === undefined ? {} : { added: { ...steps.storage, wave: waves.added, name: 'added' } }),
    });
    const open = { [storage]: 'healthy', [gate]: 'healthy', [virtualization]: 'unhealthy' } as const;
    const others = { 'added@prod': 'unhealthy', 'added@prod/waitFor': 'unhealthy' } as const;
    const closed = { ...open, ...others, [gate]: 'unhealthy' } as const;
    let { record } = judgeSequence(lookAt(sequenceOf(steps), open));
    ({ record } = judgeSequence(
      lookAt(sequenceOf(steps), { ...open, [gate]: 'unhealthy' }, { record, now: minutesAfterNoon(1) }),
    ));
    for (const minute of [2, 3])
      ({ record } = judgeSequence(lookAt(edited, closed, { record, now: minutesAfterNoon(minute) })));

    const late = judgeSequence(lookAt(edited, closed, { record, now: minutesAfterNoon(90) }));

    expect(late.record.aborted).toBeUndefined();
    expect(late.problems.map(({ kind }) => kind)).toContain('timeout');
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['a step comes in below it', { added: { wave: -1, name: 'added' } }],
    ['the next step goes below it', { virtualization: { ...referenceSteps.virtualization, wave: 1 } }],
  ])('[S2-10] [N-22] no gate aborts what has begun as the only one, where %s', (_, changed) => {
    const timing = { timeoutSeconds: 3600, onTimeout: 'abort' };
    const withGate = ([name, step]: [string, object]) => [
      name,
      { ...referenceSteps.storage, ...step, waitFor: { ...referenceSteps.storage.waitFor, ...timing } },
    ];
    const edited = sequenceOf({
      ...referenceSteps,
      ...Object.fromEntries(Object.entries(changed).map(([name, step]) => withGate([name, Object(step)]))),
    });
    const [before, after] = [sequenceOf(referenceSteps), edited].map((sequence) => {
      const { steps, gates } = planOf('virt', sequence);
      return { sequence, closed: Object.fromEntries([...steps, ...gates].map(({ id }) => [id, 'unhealthy' as const])) };
    });
    if (before === undefined || after === undefined) throw new Error('there are two');
    let { record } = judgeSequence(lookAt(before.sequence, before.closed));
    expect(record.items[storage]?.begunAt).toBeDefined();
    for (const minute of [1, 2])
      ({ record } = judgeSequence(lookAt(after.sequence, after.closed, { record, now: minutesAfterNoon(minute) })));

    const late = judgeSequence(lookAt(after.sequence, after.closed, { record, now: minutesAfterNoon(90) }));

    expect(late.record.aborted).toBeUndefined();
    expect(late.problems.map(({ kind }) => kind)).toContain('timeout');
  });

  it.each([
    ['it waits for a gate of its own', 'unhealthy'],
    ['it cannot be seen', 'unseen'],
  ] as const)('[S2-10] [N-22] a gate aborts where nothing of the higher wave could begin: %s', (_, kind) => {
    const waitFor = { ...referenceSteps.storage.waitFor, timeoutSeconds: 3600, onTimeout: 'abort' };
    const sequence = sequenceOf({
      storage: { ...referenceSteps.storage, waitFor },
      virtualization: { ...referenceSteps.virtualization, waitFor: { ...waitFor, hookType: 'PreSync' } },
    });
    const before = `${virtualization}/waitFor`;
    const open = { [storage]: 'healthy', [gate]: 'healthy', [virtualization]: kind, [before]: 'unhealthy' } as const;
    const closed = { ...open, [gate]: 'unhealthy' } as const;
    let { record } = judgeSequence(lookAt(sequence, open));
    ({ record } = judgeSequence(lookAt(sequence, closed, { record, now: minutesAfterNoon(1) })));

    const late = judgeSequence(lookAt(sequence, closed, { record, now: minutesAfterNoon(62) }));

    expect(late.record.aborted?.why).toBe(`${gate} was not open in time`);
  });

  it('[S2-10] a step that somebody skips counts as healthy, a paused or aborted sequence begins nothing', () => {
    const said = { who: 'anna', why: 'known', at: noon.toISOString() };
    const readings = { [storage]: 'healthy', [gate]: 'unhealthy', [virtualization]: 'unhealthy' } as const;
    const asked = (request: Parameters<typeof withRequest>[1]) =>
      judgeSequence(lookAt(reference, readings, { record: withRequest(emptySequenceRecord, request) }));

    expect(asked({ kind: 'skip', item: gate, said }).turns.get(virtualization)?.mayGo).toBe(true);
    expect(asked({ kind: 'pause', said }).turns.get(storage)).toMatchObject({
      mayGo: false,
      why: 'paused by anna: known',
    });
    expect(asked({ kind: 'abort', said }).go).toEqual([]);
    const paused = withRequest(emptySequenceRecord, { kind: 'pause', said });
    const goesOn = withRequest(paused, { kind: 'go-on', said });
    expect(goes(lookAt(reference, { [storage]: 'unhealthy' }, { record: goesOn }))).toEqual([storage]);
    expect(goesOn.log.map(({ what }) => what)).toEqual(['paused by anna: known', 'told to go on by anna: known']);
  });

  it('[S2-1] a sequence begins when those before it are done', () => {
    const question = lookAt(reference, { [storage]: 'unhealthy' }, { waitsForSequences: ['base'] });

    expect(judgeSequence(question).turns.get(storage)?.why).toBe('sequence base is not done');
  });

  it('[N-22] a record comes back from its text, and a foreign one is not guessed at', () => {
    const { record } = judgeSequence(lookAt(reference, { [storage]: 'healthy', [gate]: 'unhealthy' }));

    expect(parseSequenceRecord(sequenceRecordText(record))).toEqual(record);
    expect(parseSequenceRecord('{"v":2}')).toBe('unreadable');
    expect(parseSequenceRecord('no')).toBe('unreadable');
  });
});

describe('what is unhealthy in turns', () => {
  const steps = {
    one: { kind: 'application', name: 'one', wave: 1 },
    two: { kind: 'application', name: 'two', wave: 1 },
    other: { kind: 'application', name: 'other', wave: 2 },
  };
  const [one, two, other] = ['one@prod', 'two@prod', 'other@prod'];

  function readingsAt(minute: number, turnMinutes: number, what: string): Record<string, ItemReading['kind']> {
    const isFirst = Math.floor(minute / turnMinutes) % 2 === 0;
    const [first, second] = isFirst ? (['unhealthy', 'healthy'] as const) : (['healthy', 'unhealthy'] as const);
    const rest: Record<string, ItemReading['kind']> = { [one]: 'healthy', [two]: 'healthy', [other]: 'unhealthy' };
    return { ...rest, [`${one}${what}`]: first, [`${two}${what}`]: second };
  }

  /** Looks every ten minutes for twelve hours.
   *  @param what empty: the steps themselves take turns, otherwise their gates of that id
   *  @param at what is found otherwise, by minutes
   *  @returns the minute at which something is told first, and what; undefined: nothing is */
  function firstTold({
    of = sequenceOf(steps),
    turnMinutes = 30,
    what = '',
    pausedAt = -1,
    at = (_minute: number): Record<string, ItemReading['kind'] | ItemReading> => ({}),
  }) {
    let record = emptySequenceRecord;
    for (let minute = 0; minute <= 720; minute += 10) {
      const now = minutesAfterNoon(minute);
      const said = { who: 'anna', why: 'not tonight', at: now.toISOString() };
      if (minute === pausedAt)
        record = withRequest(withRequest(record, { kind: 'pause', said }), { kind: 'go-on', said });
      const found = { ...readingsAt(minute, turnMinutes, what), ...at(minute) };
      const judged = judgeSequence(lookAt(of, found, { record, now }));
      ({ record } = judged);
      const [problem] = judged.problems;
      if (problem !== undefined) return { minute, kind: problem.kind, item: problem.item };
    }
    return undefined;
  }

  const stalled = { minute: 240, kind: 'timeout', item: '' };

  it('[S2-10] [N-30] is told after four hours in which nothing has begun', () => {
    expect(firstTold({})).toEqual(stalled);
  });

  it('[S2-10] [N-30] later, if it takes that long until both have had their turns twice', () => {
    expect(firstTold({ turnMinutes: 120 })).toEqual({ ...stalled, minute: 360 });
  });

  it('[S2-10] [N-30] and gates, when the longest time of one is over, too', () => {
    const waitFor = { resourceType: 'sc', resourceName: 'x' };
    const long = { ...waitFor, timeoutSeconds: 6 * 3600 };
    const of = sequenceOf({ ...steps, one: { ...steps.one, waitFor: long }, two: { ...steps.two, waitFor } });

    expect(firstTold({ of, what: '/waitFor' })).toEqual({ ...stalled, minute: 360 });
  });

  it('[S2-10] [N-30] whatever time a gate has that is open', () => {
    const waitFor = { resourceType: 'sc', resourceName: 'x', timeoutSeconds: 7 * 86_400 };
    const of = sequenceOf({ ...steps, base: { kind: 'application', name: 'base', wave: 0, waitFor } });
    const open = { 'base@prod': 'healthy', 'base@prod/waitFor': 'healthy' } as const;

    expect(firstTold({ of, at: () => open })).toEqual(stalled);
  });

  it('[S2-10] [N-30] also where they are gates before a step, which has not begun', () => {
    const gate = (resourceName: string) => ({ resourceType: 'sc', resourceName, hookType: 'PreSync' });
    const of = sequenceOf({ only: { kind: 'application', name: 'only', waitFor: { ...gate('x'), all: [gate('y')] } } });
    const isOdd = (minute: number) => Math.floor(minute / 30) % 2 === 1;
    const at = (minute: number): Record<string, ItemReading['kind']> => ({
      'only@prod': 'unhealthy',
      'only@prod/waitFor': isOdd(minute) ? 'healthy' : 'unhealthy',
      'only@prod/all/0': isOdd(minute) ? 'unhealthy' : 'healthy',
    });

    expect(firstTold({ of, at })).toEqual(stalled);
  });

  it.each([{ canary: ['prod'] }, { atOnce: 1 }])(
    '[S2-10] [S2-18] [N-30] also where other clusters of their wave have not begun: %o',
    (more) => {
      const kind = 'subscription';
      const own = { one: { kind, name: 'one', wave: 1 }, two: { kind, name: 'two', wave: 1 } };
      const of = sequenceOf(own, { clusters: ['prod', 'other'], ...more });

      expect(firstTold({ of, at: () => ({ 'one@other': 'unhealthy', 'two@other': 'unhealthy' }) })).toEqual(stalled);
    },
  );

  it('[S2-10] counts anew when somebody lets the sequence go on', () => {
    expect(firstTold({ pausedAt: 120 })).toMatchObject({ minute: 360 });
  });

  it('[S2-10] is no trouble where a pool of that wave rolls all the time, nor where nothing waits', () => {
    const pool = { kind: 'pool', name: 'worker', wave: 1 };
    const { other: _, ...left } = steps;

    expect(firstTold({ of: sequenceOf({ ...steps, one: pool }), turnMinutes: 10_000 })).toBeUndefined();
    expect(firstTold({ of: sequenceOf(left) })).toBeUndefined();
  });

  const rolls = { kind: 'unhealthy', value: '3 of 60 nodes are updated', underWay: true } as const;
  const progressing = { kind: 'unhealthy', value: 'Progressing', patienceSeconds: 1800 } as const;
  const isEnd = (minute: number) => minute >= 350 && minute < 380;

  it.each<[string, (minute: number) => Record<string, ItemReading['kind'] | ItemReading>]>([
    ['an Application', (minute) => ({ [two]: isEnd(minute) ? progressing : 'healthy' })],
    ['a gate', (minute) => ({ [`${one}/waitFor`]: isEnd(minute) ? 'unhealthy' : 'healthy' })],
    [
      'again and again, an Application',
      (minute) => ({ [two]: minute < 380 && minute % 30 === 0 ? progressing : 'healthy' }),
    ],
  ])('[S2-10] [N-29] is not what closes while a pool rolls, and for minutes after: %s', (_what, closes) => {
    const waitFor = { resourceType: 'cephcluster', resourceName: 'x' };
    const of = sequenceOf({ ...steps, one: { kind: 'pool', name: 'worker', wave: 1, waitFor } });
    const at = (minute: number) => ({
      [one]: minute < 360 ? rolls : ('healthy' as const),
      [two]: 'healthy' as const,
      [`${one}/waitFor`]: 'healthy' as const,
      [other]: minute < 390 ? ('unhealthy' as const) : ('healthy' as const),
      ...closes(minute),
    });

    expect(firstTold({ of, at })).toBeUndefined();
  });

  const paused = { kind: 'unhealthy', value: 'paused, with a change waiting' } as const;

  it.each([
    ['a pool rolls', rolls],
    ['nodes of a paused pool are taken one at a time', paused],
  ])('[S2-10] [N-29] is not an Application of a lower wave, whose pods move with each node: %s', (_what, found) => {
    const pool = { kind: 'pool', name: 'worker', wave: 2 };
    const of = sequenceOf({ one: steps.one, pool, last: { ...steps.two, wave: 3 } });
    const at = (minute: number) => ({
      [one]: minute > 0 && minute % 30 === 0 ? progressing : ('healthy' as const),
      'pool@prod': found,
      'last@prod': 'unhealthy' as const,
    });

    expect(firstTold({ of, at })).toBeUndefined();
  });

  it('[S2-10] [N-30] is told though somebody has a pool of that wave held for a moment, again and again', () => {
    const of = sequenceOf({ ...steps, pool: { kind: 'pool', name: 'worker', wave: 1 } });

    expect(firstTold({ of, at: (minute) => ({ 'pool@prod': minute % 60 === 0 ? paused : 'healthy' }) })).toEqual(
      stalled,
    );
  });

  it('[S2-10] [N-29] is not what is closed once, after something else was for long', () => {
    const at = (minute: number): Record<string, ItemReading['kind']> => ({
      [one]: minute < 230 ? 'unhealthy' : 'healthy',
      [two]: minute >= 220 && minute < 250 ? 'unhealthy' : 'healthy',
      [other]: minute < 260 ? 'unhealthy' : 'healthy',
    });

    expect(firstTold({ at })).toBeUndefined();
  });

  it('[S2-10] [N-29] is not what takes turns for minutes, after a pool rolled for hours', () => {
    const of = sequenceOf({ ...steps, pool: { kind: 'pool', name: 'worker', wave: 1 } });
    const at = (minute: number): Record<string, ItemReading['kind'] | ItemReading> => ({
      'pool@prod': minute < 200 ? rolls : 'healthy',
      ...(minute < 250 ? {} : { [one]: 'healthy', [two]: 'healthy', [other]: 'healthy' }),
    });

    expect(firstTold({ of, turnMinutes: 10, at })).toBeUndefined();
  });

  it('[S2-10] [N-29] counts anew after something that has limits of its own was closed for that long', () => {
    const waitFor = { resourceType: 'sc', resourceName: 'x', onTimeout: 'wait' };
    const of = sequenceOf({ ...steps, one: { ...steps.one, waitFor } });
    const at = (minute: number) => ({ [`${one}/waitFor`]: minute < 530 ? 'unhealthy' : 'healthy' }) as const;

    expect(firstTold({ of, at })).toBeUndefined();
  });

  const blinks = (minute: number) => (minute % 60 === 0 ? 'unseen' : 'unhealthy');

  it.each<[string, (minute: number) => Record<string, ItemReading['kind']>]>([
    ['out of sight once an hour', (minute) => ({ [one]: 'healthy', [`${one}/waitFor`]: blinks(minute) })],
    [
      'closed when its step is synced, or somebody else is unhealthy before',
      (minute) => ({
        [one]: minute < 50 ? 'unhealthy' : 'healthy',
        [two]: minute >= 50 && minute < 100 ? 'unhealthy' : 'healthy',
        [`${one}/waitFor`]: minute < 90 ? 'healthy' : 'unhealthy',
      }),
    ],
  ])('[S2-10] [N-29] is not a gate that is to be waited for: %s', (_what, closes) => {
    const waitFor = { resourceType: 'sc', resourceName: 'x', onTimeout: 'wait' };
    const of = sequenceOf({ ...steps, one: { ...steps.one, waitFor } });

    expect(firstTold({ of, at: (minute) => ({ [two]: 'healthy', ...closes(minute) }) })).toBeUndefined();
  });

  it('[S2-10] [N-30] of a step that is out of sight once an hour, it is told that it is not healthy', () => {
    const at = (minute: number) => ({ [one]: blinks(minute + 30), [two]: 'healthy' }) as const;

    expect(firstTold({ at })).toEqual({ minute: 240, kind: 'timeout', item: one });
  });

  it('[S2-10] [N-29] a pool that is out of sight once an hour has limits of its own', () => {
    const of = sequenceOf({ ...steps, one: { kind: 'pool', name: 'worker', wave: 1 } });

    expect(firstTold({ of, at: (minute) => ({ [one]: blinks(minute), [two]: 'healthy' }) })).toBeUndefined();
  });
});

describe('the time of a gate before its step', () => {
  const [step, before] = ['only@prod', 'only@prod/waitFor'];
  const closed = { [step]: 'unhealthy', [before]: 'unhealthy' } as const;
  const said = { who: 'anna', why: 'storage is moved', at: noon.toISOString() };
  const actions = ['alert', 'proceed', 'abort'] as const;

  function only(onTimeout: string, more: Readonly<Record<string, unknown>> = {}, gateHas = {}) {
    const waitFor = { resourceType: 'sc', hookType: 'PreSync', timeoutSeconds: 3600, onTimeout, ...gateHas };
    return sequenceOf({ only: { kind: 'subscription', name: 'only', wave: 5, waitFor } }, more);
  }

  /** What a gate that was late came to. */
  function cameTo({ record, problems }: ReturnType<typeof judgeSequence>) {
    return {
      told: problems.map(({ kind }) => kind),
      isPassed: record.items[before]?.passedAt !== undefined,
      isAborted: record.aborted !== undefined,
    };
  }

  const nothing = { told: [], isPassed: false, isAborted: false };
  const ofAction = {
    alert: { told: ['timeout'], isPassed: false, isAborted: false },
    proceed: { told: ['timeout'], isPassed: true, isAborted: false },
    abort: { told: ['timeout', 'aborted'], isPassed: false, isAborted: true },
  } as const;

  const clusters = { clusters: ['test', 'prod'] };
  const test = { 'only@test': 'unhealthy', 'only@test/waitFor': 'healthy' } as const;
  const testDone = { 'only@test': 'healthy', 'only@test/waitFor': 'healthy' } as const;
  it.each(
    actions.flatMap((onTimeout) => [
      [onTimeout, 'another sequence', only(onTimeout), { waitsForSequences: ['base'] }, {}, {}] as const,
      [onTimeout, 'canary clusters', only(onTimeout, { ...clusters, canary: ['test'] }), {}, test, testDone] as const,
      [onTimeout, 'clusters at once', only(onTimeout, { ...clusters, atOnce: 1 }), {}, test, testDone] as const,
    ]),
  )('[S2-10] [S2-18] with %s does not begin before its turn (%s first), and is whole then', (...given) => {
    const [onTimeout, _, sequence, waiting, first, firstDone] = given;
    let { record } = judgeSequence(lookAt(sequence, { ...closed, ...first }, waiting));
    const late = judgeSequence(
      lookAt(sequence, { ...closed, ...first }, { ...waiting, record, now: minutesAfterNoon(300) }),
    );
    const look = (minutes: number) => {
      const judged = judgeSequence(
        lookAt(sequence, { ...closed, ...firstDone }, { record, now: minutesAfterNoon(minutes) }),
      );
      ({ record } = judged);
      return cameTo(judged);
    };

    expect(cameTo(late)).toMatchObject({ isPassed: false, isAborted: false });
    expect(late.problems.filter(({ item }) => item === before)).toEqual([]);
    expect(late.record.items[before]?.waitedSince).toBeUndefined();
    ({ record } = late);
    expect([look(301), look(360), look(361)]).toEqual([nothing, nothing, ofAction[onTimeout]]);
  });

  it.each(actions)('[S2-10] with %s neither begins nor ends while the sequence is paused', (onTimeout) => {
    const sequence = only(onTimeout);
    const look = (minutes: number, record = emptySequenceRecord) =>
      judgeSequence(lookAt(sequence, closed, { record, now: minutesAfterNoon(minutes) }));
    const never = withRequest(emptySequenceRecord, { kind: 'pause', said });
    const midway = withRequest(look(0).record, { kind: 'pause', said });

    for (const paused of [never, midway]) {
      const late = look(300, look(30, paused).record);
      expect(cameTo(late)).toEqual(nothing);
      const goesOn = look(301, withRequest(late.record, { kind: 'go-on', said }));
      expect([cameTo(goesOn), cameTo(look(360, goesOn.record))]).toEqual([nothing, nothing]);
      expect(cameTo(look(361, goesOn.record))).toEqual(ofAction[onTimeout]);
    }
    expect(look(30, never).record.items[before]?.waitedSince).toBeUndefined();
  });

  it('[S2-10] that was up before a pause stays told during it', () => {
    const sequence = only('alert');
    const look = (minutes: number, record = emptySequenceRecord) =>
      judgeSequence(lookAt(sequence, closed, { record, now: minutesAfterNoon(minutes) }));
    const at = minutesAfterNoon(70).toISOString();
    const paused = withRequest(look(65, look(0).record).record, { kind: 'pause', said: { ...said, at } });

    expect(cameTo(look(300, paused))).toEqual(ofAction.alert);
  });

  it('[S2-10] nor does that of a gate after its step begin while the sequence is paused', () => {
    const readings = { [storage]: 'healthy', [gate]: 'unhealthy' } as const;
    const paused = withRequest(judgeSequence(lookAt(reference, readings)).record, { kind: 'pause', said });

    expect(judgeSequence(lookAt(reference, readings, { record: paused })).record.items[gate]?.waitedSince).toBe(
      undefined,
    );
  });

  it.each(actions)('[S2-10] with %s does not count while a sequence before it is open again', (onTimeout) => {
    const sequence = only(onTimeout);
    const { record } = judgeSequence(lookAt(sequence, closed));
    const look = (waitsForSequences: readonly string[]) =>
      cameTo(judgeSequence(lookAt(sequence, closed, { record, waitsForSequences, now: minutesAfterNoon(61) })));

    expect(look(['base'])).toEqual(onTimeout === 'alert' ? ofAction.alert : nothing);
    expect(look([])).toEqual(ofAction[onTimeout]);
  });

  it('[S2-4] [S2-10] begins with its own wave, where that is lower, and with its step, where it is higher', () => {
    for (const syncWave of [3, 7]) {
      const sequence = only('alert', {}, { syncWave });
      expect(judgeSequence(lookAt(sequence, closed)).record.items[before]?.waitedSince).toBe(noon.toISOString());
    }
  });

  it('[S2-10] that has passed its time is waited for again when somebody lets the sequence go on', () => {
    const sequence = only('proceed');
    const { record } = judgeSequence(lookAt(sequence, closed));
    const passed = judgeSequence(lookAt(sequence, closed, { record, now: minutesAfterNoon(60) }));
    const paused = withRequest(passed.record, { kind: 'pause', said });

    const goesOn = withRequest(paused, { kind: 'go-on', said });

    expect(goes(lookAt(sequence, closed, { record: passed.record }))).toEqual([step]);
    expect(goes(lookAt(sequence, closed, { record: goesOn }))).toEqual([]);
  });
});

describe('a gate whose time is up while the API server does not answer', () => {
  const unseen = { kind: 'unseen', value: 'GET: 503' } as const;
  const found = { kind: 'unhealthy', value: 'sc ceph is not there' } as const;
  const readings = { [storage]: 'healthy', [virtualization]: 'unhealthy' } as const;

  function looks(onTimeout: string) {
    const waitFor = { ...referenceSteps.storage.waitFor, timeoutSeconds: 3600, onTimeout };
    const sequence = sequenceOf({ ...referenceSteps, storage: { ...referenceSteps.storage, waitFor } });
    let record = emptySequenceRecord;
    return (minutes: number, is: ItemReading | undefined) => {
      const gateIs = is === undefined ? {} : { [gate]: is };
      const judged = judgeSequence(
        lookAt(sequence, { ...readings, ...gateIs }, { record, now: minutesAfterNoon(minutes) }),
      );
      ({ record } = judged);
      return judged;
    };
  }
  const told = ({ problems }: ReturnType<typeof judgeSequence>) => problems.map(({ kind }) => kind);

  it.each(['proceed', 'abort'])('[S2-19] %s: it neither passes nor fails, and counts when it is read', (onTimeout) => {
    const look = looks(onTimeout);
    look(0, unseen);
    look(1, unseen);

    const silent = look(70, unseen);
    const unread = look(71, undefined);
    const read = look(72, found);
    const next = look(73, found);

    for (const { record, turns, problems } of [silent, unread]) {
      expect(problems).toMatchObject([{ kind: 'unseen', item: gate, why: 'GET: 503' }]);
      expect([record.aborted, record.items[gate]?.passedAt]).toEqual([undefined, undefined]);
      expect(turns.get(virtualization)?.mayGo).toBe(false);
    }
    expect(told(read)).toContain('timeout');
    expect(read.record.aborted !== undefined).toBe(onTimeout === 'abort');
    expect(next.turns.get(virtualization)?.mayGo).toBe(onTimeout === 'proceed');
  });

  it.each(['proceed', 'abort'])('[S2-19] [N-30] %s: nor does a right that is missing, which is told at once', (how) => {
    const look = looks(how);
    look(0, found);
    look(1, found);

    const refused = look(61, { kind: 'refused', value: 'forbidden' });
    const next = look(62, { kind: 'refused', value: 'forbidden' });

    expect([refused.record.aborted, refused.record.items[gate]?.passedAt]).toEqual([undefined, undefined]);
    expect(next.turns.get(virtualization)?.mayGo).toBe(false);
    expect([told(refused), told(next)]).toEqual([['refused'], ['refused']]);
  });

  it.each(['proceed', 'abort'])('[S2-19] %s: it counts where the cluster has no such kind', (how) => {
    const look = looks(how);
    look(0, found);
    look(1, found);
    const { record } = look(61, { kind: 'refused', value: 'the cluster has no kind sc', isUnknownKind: true });

    expect([record.aborted !== undefined, record.items[gate]?.passedAt !== undefined]).toEqual([
      how === 'abort',
      how === 'proceed',
    ]);
  });

  it('[S2-19] alert: what was told stays told, and what was never seen closed is told as unseen alone', () => {
    const seen = looks('alert');
    seen(0, found);
    seen(1, found);
    expect(told(seen(61, found))).toEqual(['timeout']);
    expect([told(seen(62, unseen)), told(seen(68, unseen))]).toEqual([['timeout'], ['timeout', 'unseen']]);

    const never = looks('alert');
    never(0, unseen);
    never(1, unseen);
    expect(told(never(61, unseen))).toEqual(['unseen']);
  });

  it('[S2-19] [S2-23] what is no longer waited for is not said to be healthy', () => {
    const look = looks('proceed');
    look(0, found);
    look(1, found);
    look(61, found);
    const { record } = look(62, unseen);
    const skipped = judgeSequence(
      lookAt(
        reference,
        { ...readings, [gate]: found },
        {
          record: withRequest(judgeSequence(lookAt(reference, { ...readings, [gate]: found })).record, {
            kind: 'skip',
            item: gate,
            said: { who: 'anna', why: 'known', at: noon.toISOString() },
          }),
        },
      ),
    );

    const ofGate = (log: typeof record.log) => log.filter(({ item }) => item === gate).map(({ what }) => what);
    expect(ofGate(record.log)).toEqual(['not open in time, and no longer waited for (last: sc ceph is not there)']);
    expect(ofGate(skipped.record.log)).toEqual(['skipped by anna: known']);
  });
});

describe('the record', () => {
  const astral = '\u{1f600}'.repeat(3_000);

  it('[S2-19] [N-30] can be read again, whatever texts were found and said', () => {
    const said = { who: astral, why: astral, at: noon.toISOString() };
    const { record } = judgeSequence(lookAt(reference, { [gate]: { kind: 'unhealthy', value: astral } }));

    for (const kind of ['pause', 'abort', 'go-on'] as const)
      expect(parseSequenceRecord(sequenceRecordText(withRequest(record, { kind, said })))).toMatchObject({ v: 1 });
    const skipped = withRequest(record, { kind: 'skip', item: gate, said });
    expect(parseSequenceRecord(sequenceRecordText(skipped))).toEqual(skipped);
  });
});

it('[S2-12] [N-29] an object that was changed is told with who has paused the sequence, and whether it is gone', () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'team' } };
  const of = sequenceOf({ made: { kind: 'object', object: 'map' } }, { extraObjects: { map: object } });
  const said = { who: 'anna', why: 'nothing may reboot tonight', at: noon.toISOString() };
  const record = withRequest(emptySequenceRecord, { kind: 'pause', said });
  const driftOf = (kind: ItemReading['kind']) =>
    judgeSequence(lookAt(of, { 'made@prod': { kind, value: 'changed', drift: 'it is changed' } }, { record })).problems;

  expect(driftOf('unhealthy')).toMatchObject([{ kind: 'drift', isGone: true, paused: said }]);
  expect(driftOf('healthy')).toMatchObject([{ kind: 'drift', paused: said }]);
  expect(driftOf('healthy')[0]?.isGone).toBeUndefined();
});

it.each(['unseen', 'refused'] as const)(
  '[S2-12] [N-29] an object that was changed is not told as gone where it cannot be read (%s)',
  (kind) => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'team' } };
    const of = sequenceOf({ made: { kind: 'object', object: 'map' } }, { extraObjects: { map: object } });
    const changed = { kind: 'healthy', value: 'changed', drift: 'it is changed' } as const;
    const { record } = judgeSequence(lookAt(of, { 'made@prod': changed }));

    const { problems } = judgeSequence(lookAt(of, { 'made@prod': { kind, value: 'no answer' } }, { record }));

    const drift = problems.find((each) => each.kind === 'drift');
    expect(drift?.why).toBe('it is changed');
    expect(drift?.isGone).toBeUndefined();
  },
);

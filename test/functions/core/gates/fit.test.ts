import { describe, expect, test } from 'vitest';
import { defaultPoolSettings, type PoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { Window } from '../../../../functions/core/configuration/window.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import { closingOf, fit } from '../../../../functions/core/gates/fit.ts';
import type { GateQuestion } from '../../../../functions/core/gates/gate.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { seen, unreadable } from '../../../../functions/core/text/observed.ts';
import { aPool } from '../../../fakes/builders.ts';
import { aGateQuestion } from './a-gate-question.ts';

const nights = Window.parse({ kind: 'allow', schedule: '0 22 * * *', durationSeconds: 4 * 3600 });
const longSaturdays = Window.parse({ kind: 'allow', schedule: '0 20 * * 6', durationSeconds: 12 * 3600 });
const pace = seen({ slow: 30 });

function pool(machines: number, updated: number, change: Partial<Pool> = {}): Pool {
  return aPool({
    paused: true,
    target: { name: 'rendered-worker-bbb', sources: [] },
    counts: { machines, updated, ready: machines, unavailable: 0, degraded: 0 },
    ...change,
  });
}

function question(overrun: PoolSettings['overrun'], change: Partial<GateQuestion> = {}): GateQuestion {
  return aGateQuestion({
    pool: pool(6, 0),
    settings: { ...defaultPoolSettings, overrun },
    evidence: { ...noEvidence, pace },
    windows: [nights],
    // A Tuesday.
    now: new Date('2026-11-24T23:00:00Z'),
    ...change,
  });
}

describe('[N-9] the gate fit', () => {
  test.each([
    ['six nodes of up to 30 min in the three hours that are left', 'wait', pool(6, 0), '23:00', true],
    ['the same a minute later', 'wait', pool(6, 0), '23:01', false],
    ['seven nodes, one of which is updated', 'wait', pool(7, 1), '23:00', true],
    ['seven nodes, two at a time', 'wait', pool(7, 0, { maxUnavailable: '2' }), '23:00', true],
    ['as many nodes as fit', 'part', pool(60, 0), '23:00', true],
    ['the last 30 min, for one node', 'part', pool(60, 0), '23:30', true],
    ['no change that waits', 'wait', pool(60, 60, { target: pool(1, 1).current }), '23:59', true],
    ['the last minute, whatever happens', 'go', pool(60, 0), '23:59', true],
  ] as const)('%s (%s)', (_, overrun, own, time, isOpen) => {
    const now = new Date(`2026-11-24T${time}:00Z`);

    expect(fit.ask(question(overrun, { pool: own, now })).open).toBe(isOpen);
  });

  test('names a window that is long enough behind a year of short ones', () => {
    const june = Window.parse({ kind: 'allow', schedule: '0 6 * 6 0#1', durationSeconds: 12 * 3600 });
    const change = { pool: pool(20, 0), now: new Date('2026-06-08T23:00:00Z') };

    const answer = fit.ask(question('wait', { ...change, windows: [nights, june] }));
    const never = fit.ask(question('wait', { ...change, windows: [nights] }));

    expect(answer).toMatchObject({ open: false, opensAt: '2027-06-06T06:00:00.000Z' });
    expect(never).toMatchObject({ opensAt: undefined, opens: expect.stringMatching(/^no opening within a year is/) });
  });

  test('says how many openings it has looked at, where there are more in a year', () => {
    const hourly = Window.parse({ kind: 'allow', schedule: '0 * * * *', durationSeconds: 1200 });

    expect(fit.ask(question('wait', { windows: [hourly] }))).toMatchObject({
      opensAt: undefined,
      opens: expect.stringMatching(/^none of the next 500 openings is long enough: longer windows/),
    });
  });

  test('less than one node before the closing, nothing begins', () => {
    expect(fit.ask(question('part', { now: new Date('2026-11-25T01:31:00Z') }))).toMatchObject({
      open: false,
      why: 'the next node may take 30 min (6 nodes, one at a time, up to 30 min each), and its window closes in 29 min',
      value: '30 min',
      threshold: 'at most 29 min',
      opensAt: '2026-11-25T22:00:00.000Z',
    });
  });

  test('names the next window that is long enough, and says so if none is', () => {
    const large = pool(20, 0);

    expect(fit.ask(question('wait', { pool: large, windows: [nights, longSaturdays] }))).toMatchObject({
      why: 'the rollout may take 10 h (20 nodes, one at a time, up to 30 min each), and its window closes in 3 h',
      opens: 'when the next window that is long enough does, at 2026-11-28T20:00:00.000Z',
    });
    expect(fit.ask(question('wait', { pool: large }))).toMatchObject({
      opens: 'no opening within a year is long enough: longer windows in poolkeeper.yaml, or overrun: part',
      who: 'whoever may change windows and overrun in poolkeeper.yaml',
      opensAt: undefined,
    });
  });

  test('a closed window is told by its own gate, and a window without an end is long enough', () => {
    expect(fit.ask(question('wait', { now: new Date('2026-11-24T12:00:00Z') })).open).toBe(true);
    expect(fit.ask(question('wait', { windows: [] })).open).toBe(true);
  });

  test.each([
    ['has not been read', noEvidence, 'pace'],
    ['cannot be read: the planned pace counts', { ...noEvidence, pace: unreadable('table down') }, undefined],
    ['is not known yet: the planned pace counts', { ...noEvidence, pace: seen(undefined) }, undefined],
  ])('a pace that %s', (_, evidence, lacks) => {
    const answer = fit.ask(question('wait', { pool: pool(7, 0), evidence }));

    expect(answer).toMatchObject({ open: false });
    expect(answer.lacks).toBe(lacks);
  });
});

describe('[N-9] a window that closes in mid-rollout', () => {
  const rolling = pool(6, 2, { paused: false });
  const at = (time: string, change: Partial<GateQuestion> = {}, overrun: PoolSettings['overrun'] = 'part') =>
    closingOf(question(overrun, { pool: rolling, now: new Date(time), ...change }));

  test.each([
    ['with time for one more node', '2026-11-25T01:30:00Z', 'goes on'],
    ['without', '2026-11-25T01:30:01Z', 'stops'],
    ['when it has closed', '2026-11-25T02:00:00Z', 'stops'],
    ['long after', '2026-11-25T12:00:00Z', 'stops'],
  ])('%s', (_, time, kind) => {
    expect(at(time).kind).toBe(kind);
    expect(at(time, {}, 'wait').kind).toBe(kind);
    expect(at(time, {}, 'go').kind).toBe('goes on');
    expect(at(time, { windows: [] }).kind).toBe('goes on');
    expect(at(time, { emergency: { who: 'ann', why: 'outage' } }).kind).toBe('goes on');
  });

  test('says how far it came', () => {
    expect(at('2026-11-25T01:45:00Z')).toEqual({
      kind: 'stops',
      why: 'its window closes in 15 min, and the next node may take 30 min: 2 of 6 nodes are updated, the rest waits for the next opening',
    });
    expect(at('2026-11-25T02:00:00Z')).toEqual({
      kind: 'stops',
      why: 'its window has closed in mid-rollout: 2 of 6 nodes are updated, the rest waits for the next opening',
    });
  });

  test('asks for the pace, unless the window is closed anyway', () => {
    expect(at('2026-11-25T01:45:00Z', { evidence: noEvidence })).toEqual({ kind: 'unread', lacks: 'pace' });
    expect(at('2026-11-25T02:00:00Z', { evidence: noEvidence }).kind).toBe('stops');
  });
});

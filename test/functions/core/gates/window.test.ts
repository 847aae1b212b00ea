import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { Window } from '../../../../functions/core/configuration/window.ts';
import { noEvidence } from '../../../../functions/core/gates/evidence.ts';
import type { GateQuestion } from '../../../../functions/core/gates/gate.ts';
import { window } from '../../../../functions/core/gates/window.ts';
import { aPool } from '../../../fakes/builders.ts';

const tuesdayNights = Window.parse({
  kind: 'allow',
  schedule: '0 22 * * 2',
  durationSeconds: 8 * 3600,
  timeZone: 'Europe/Berlin',
  description: 'Tuesday nights',
});
const freeze = Window.parse({ kind: 'deny', from: '2026-12-01', to: '2027-01-07', pools: ['worker'] });

function ask(windows: readonly Window[], now: string, pool = aPool({ paused: true })) {
  const question: GateQuestion = {
    pool,
    settings: defaultPoolSettings,
    pools: [pool],
    settingsOf: () => defaultPoolSettings,
    release: undefined,
    machineConfigs: [],
    evidence: noEvidence,
    closedSince: {},
    windows,
    policy: defaultPolicy,
    now: new Date(now),
  };
  return window.ask(question);
}

describe('[N-8] [N-16] the gate window', () => {
  test('is open without windows, and for pools that no window is for', () => {
    expect(ask([], '2026-12-05T10:00:00Z')).toEqual({ open: true });
    expect(ask([freeze], '2026-12-05T10:00:00Z', aPool({ name: 'infra' }))).toEqual({ open: true });
  });

  test('says which windows it waits for, and when the next one opens', () => {
    expect(ask([tuesdayNights], '2026-11-22T10:00:00Z')).toEqual({
      open: false,
      why: 'no allow window is open: allow 0 22 * * 2 for 8 h (Europe/Berlin): Tuesday nights',
      value: 'no allow window open',
      threshold: 'an allow window open',
      opens: 'when its window does, at 2026-11-24T21:00:00.000Z',
      who: 'time, by itself; whoever may change windows in poolkeeper.yaml',
      opensAt: '2026-11-24T21:00:00.000Z',
    });
  });

  test('says which window denies, and when the next opening after it is', () => {
    expect(ask([tuesdayNights, freeze], '2026-12-02T10:00:00Z')).toMatchObject({
      open: false,
      why: 'a deny window is open: deny 2026-12-01 to 2027-01-07 (UTC)',
      opensAt: '2027-01-12T21:00:00.000Z',
    });
  });

  test('says it where no opening comes within a year', () => {
    const past = Window.parse({ kind: 'allow', from: '2020-01-01', to: '2020-01-02' });

    expect(ask([past], '2026-11-22T10:00:00Z')).toMatchObject({
      open: false,
      opens: 'no opening within a year: change windows in poolkeeper.yaml',
      opensAt: undefined,
    });
  });
});

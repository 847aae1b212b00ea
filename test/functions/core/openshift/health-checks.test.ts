import { describe, expect, test } from 'vitest';
import {
  type HealthCheck,
  isRollingSinceResume,
  type PausedFor,
  planHealthChecks,
} from '../../../../functions/core/openshift/health-checks.ts';
import { aPool, aRecord } from '../../../fakes/builders.ts';

const now = new Date('2026-03-02T10:00:00Z');
const machines = [
  { id: 'openshift-machine-api/w-1', labels: { role: 'worker' } },
  { id: 'openshift-machine-api/i-1', labels: { role: 'infra' } },
];
const workers = new Map([['worker', ['openshift-machine-api/w-1']]]);

function aCheck(change: Partial<HealthCheck> = {}): HealthCheck {
  return {
    namespace: 'openshift-machine-api',
    name: 'workers',
    resourceVersion: '1',
    selector: { matchLabels: { role: 'worker' } },
    paused: false,
    record: { kind: 'none' },
    ...change,
  };
}

function ours(change: Partial<PausedFor> = {}): Pick<HealthCheck, 'paused' | 'record'> {
  const record: PausedFor = { v: 1, pools: ['worker'], since: '2026-03-02T09:30:00.000Z', ...change };
  return { paused: record.endedAt === undefined, record: { kind: 'record', record } };
}

function plan(checks: readonly HealthCheck[], rolling: ReadonlyMap<string, readonly string[]> = workers) {
  return planHealthChecks({ checks, machines, rolling, unread: new Set(), atMostSeconds: 4 * 3600, now }).map(
    ({ check, action }) => [check.name, action.kind],
  );
}

describe('[S3-13] MachineHealthChecks while nodes reboot as planned', () => {
  test('those that watch a machine of a rolling pool are paused, others are not', () => {
    const infra = aCheck({ name: 'infra', selector: { matchLabels: { role: 'infra' } } });
    const all = aCheck({ name: 'all', selector: {} });

    expect(plan([aCheck(), infra, all])).toEqual([
      ['workers', 'pause'],
      ['all', 'pause'],
    ]);
  });

  test('are let go when the nodes have arrived', () => {
    expect(plan([aCheck(ours())], new Map())).toEqual([['workers', 'release']]);
  });

  test('stay as they are while the rollout goes on', () => {
    expect(plan([aCheck(ours())])).toEqual([]);
  });

  test('watch again after the longest pause, once, and the record goes with the rollout', () => {
    const late = ours({ since: '2026-03-02T06:00:00.000Z' });
    const ended = ours({ since: '2026-03-02T06:00:00.000Z', endedAt: '2026-03-02T10:00:00.000Z' });

    expect(plan([aCheck(late)])).toEqual([['workers', 'expire']]);
    expect(plan([aCheck(ended)])).toEqual([]);
    expect(plan([aCheck(ended)], new Map())).toEqual([['workers', 'release']]);
  });

  test('that somebody else paused are never touched, and neither is one whose record is not understood', () => {
    const foreign = aCheck({ paused: true });
    const unreadable = aCheck({ paused: true, record: { kind: 'unreadable' } });

    expect(plan([foreign, unreadable])).toEqual([]);
    expect(plan([foreign, unreadable], new Map())).toEqual([]);
  });

  test('that somebody let go of meanwhile are not paused again for the same rollout', () => {
    expect(plan([aCheck({ ...ours(), paused: false })])).toEqual([]);
  });

  test('a rollout is one that Poolkeeper let go, until every node has arrived', () => {
    const last = { did: 'resumed' as const, at: '2026-03-02T09:30:00Z', why: '' };
    const record = { kind: 'record' as const, record: aRecord({ holds: [], last }) };
    const target = { name: 'rendered-worker-bbb', sources: [] };

    expect(isRollingSinceResume(aPool({ record, target }))).toBe(true);
    expect(isRollingSinceResume(aPool({ record }))).toBe(false);
    expect(isRollingSinceResume(aPool({ record, target, paused: true }))).toBe(false);
    expect(isRollingSinceResume(aPool({ target }))).toBe(false);
  });
});

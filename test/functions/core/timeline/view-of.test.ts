import { expect, test } from 'vitest';
import { defaultPolicy, type Policy } from '../../../../functions/core/configuration/policy.ts';
import type { Wait } from '../../../../functions/core/gates/wait.ts';
import type { Hold } from '../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../functions/core/openshift/pool.ts';
import { viewOf } from '../../../../functions/core/timeline/view-of.ts';
import { waitsOf } from '../../../../functions/core/timeline/waits-of.ts';
import { aCondition, aHold, aPool, aRace, aRecord } from '../../../fakes/index.ts';
import { aSnapshot } from '../holds/a-snapshot.ts';

test('[N-29] a pause is confirmed by its own generation, and not by that of an earlier pause of the pool', () => {
  const pausedSince = '2026-03-02T11:00:00.000Z';
  const record = { kind: 'record', record: aRecord({ pausedSince }) } as const;
  const pool = aPool({ paused: true, generation: 9, observedGeneration: 7, record });
  const { settings } = aSnapshot({ pools: [pool] });
  const earlier = aRace({ pauseGeneration: 4 });
  const own = aRace({ since: pausedSince, pausedAt: pausedSince, pauseGeneration: 7 });
  const isConfirmed = (races: Parameters<typeof viewOf>[1]['races']) =>
    viewOf(pool, { settings, gates: [], races, now: new Date('2026-03-02T11:30:00Z') }).confirmed;

  expect(isConfirmed([earlier])).toBe(false);
  expect(isConfirmed([own, earlier])).toBe(true);
  expect(isConfirmed([earlier, own])).toBe(true);
  expect(isConfirmed([])).toBe(false);
});

test('[N-21] [N-29] a freeze is passed until the end of the emergency lane, whether or not a pass has seen that', () => {
  const lane = { who: 'eve', why: 'CVE', since: '2026-03-02T10:00:00.000Z', until: '2026-03-02T11:00:00.000Z' };
  const freeze = aHold({ id: 'freeze/pool/ann', kind: 'freeze', until: '2026-03-02T12:00:00.000Z' });
  const record = { kind: 'record', record: aRecord({ holds: [freeze], emergency: lane }) } as const;
  const pool = aPool({ paused: true, record });
  const { settings } = aSnapshot({ pools: [pool] });
  const passedAt = (now: string) =>
    viewOf(pool, { settings, gates: [], races: [], now: new Date(now) }).holds.map(({ passed }) => passed);

  expect(passedAt('2026-03-02T10:59:59Z')).toEqual([true]);
  expect(passedAt('2026-03-02T11:00:00Z')).toEqual([undefined]);
});

test('[N-29] an image that is pending without another config is told', () => {
  const message =
    'All nodes are updating to MachineConfig rendered-worker-aaa / Image registry.example.com/os@sha256:abc';
  const updating = aCondition({ type: 'Updating', status: 'True', message });
  const counts = { machines: 3, updated: 0, ready: 0, unavailable: 0, degraded: 0 };
  const { settings } = aSnapshot({ pools: [] });
  const viewed = (change: Partial<Pool>) => {
    const pool = aPool({ paused: true, counts, conditions: [updating], ...change });
    return viewOf(pool, { settings, gates: [], races: [], now: new Date('2026-03-02T10:00:00Z') });
  };

  expect(viewed({})).toMatchObject({ pending: true, pendingImage: 'registry.example.com/os@sha256:abc' });
  expect(viewed({ target: { name: 'rendered-worker-bbb', sources: [] } })).not.toHaveProperty('pendingImage');
  expect(viewed({ conditions: [] })).toMatchObject({ pending: false });
});

test('[N-16] [N-29] what happens if a sync does not succeed is told only as it will be, and when', () => {
  const startedAt = '2026-03-02T10:00:00Z';
  const told = (hold: Partial<Hold>, now: string, policy: Partial<Policy> = {}): Wait['timeout'] => {
    const record = { kind: 'record', record: aRecord({ holds: [aHold({ startedAt, ...hold })] }) } as const;
    const pool = aPool({ paused: true, record });
    const { settings } = aSnapshot({ pools: [pool] });
    const context = { settings: { ...settings, policy: { ...defaultPolicy, ...policy } }, gates: [], races: [] };
    return waitsOf(viewOf(pool, { ...context, now: new Date(now) })).now[0]?.timeout;
  };
  const alertAt = { at: '2026-03-02T11:00:00.000Z', action: 'alert' };

  expect(told({ phase: 'syncing', until: '2026-03-02T11:00:00.000Z' }, '2026-03-02T10:20:00Z')).toEqual(alertAt);
  // Its time has been renewed.
  expect(told({ phase: 'syncing', until: '2026-03-02T11:50:00.000Z' }, '2026-03-02T10:50:00Z')).toEqual(alertAt);
  expect(told({ phase: 'syncing', until: '2026-03-02T12:20:00.000Z' }, '2026-03-02T11:20:00Z')).toBeUndefined();
  const until = '2026-03-02T11:05:00.000Z';
  expect(told({ phase: 'failed', until }, '2026-03-02T10:20:00Z')).toBeUndefined();
  expect(told({ phase: 'failed', until }, '2026-03-02T10:20:00Z', { onSyncFailure: 'resume' })).toEqual({
    at: until,
    action: 'resume',
  });
});

import { expect, test } from 'vitest';
import { viewOf } from '../../../../functions/core/timeline/view-of.ts';
import { aPool, aRace, aRecord } from '../../../fakes/index.ts';
import { aSnapshot } from '../holds/a-snapshot.ts';

test('[N-29] a pause is confirmed by its own generation, and not by that of an earlier pause of the pool', () => {
  const pausedSince = '2026-03-02T11:00:00.000Z';
  const record = { kind: 'record', record: aRecord({ pausedSince }) } as const;
  const pool = aPool({ paused: true, generation: 9, observedGeneration: 7, record });
  const { settings } = aSnapshot({ pools: [pool] });
  const earlier = aRace({ pauseGeneration: 4 });
  const own = aRace({ since: pausedSince, pausedAt: pausedSince, pauseGeneration: 7 });
  const isConfirmed = (races: Parameters<typeof viewOf>[1]['races']) =>
    viewOf(pool, { settings, gates: [], races }).confirmed;

  expect(isConfirmed([earlier])).toBe(false);
  expect(isConfirmed([own, earlier])).toBe(true);
  expect(isConfirmed([earlier, own])).toBe(true);
  expect(isConfirmed([])).toBe(false);
});

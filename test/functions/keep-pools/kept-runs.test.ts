import { expect, test } from 'vitest';
import { type Hold, rolloutHoldId } from '../../../functions/core/openshift/hold.ts';
import { isUnasked, isUnlooked, type KeptRuns } from '../../../functions/keep-pools/node-turns/kept-runs.ts';
import { aHold, aPool, aRecord } from '../../fakes/builders.ts';

const looked: KeptRuns = { problems: undefined, isMoving: false, unseen: {}, gates: new Map(), places: new Map() };

function heldByRun({ paused = true, ...change }: Partial<Hold> & { readonly paused?: boolean } = {}) {
  const hold = aHold({ id: rolloutHoldId('upgrade'), kind: 'rollout', ...change });
  return aPool({ paused, record: { kind: 'record', record: aRecord({ pause: 'ours', holds: [hold] }) } });
}

test('[N-17] [N-29] a pool that a person has resumed past its run is not said to wait for what the run did not ask', () => {
  const overruled = { by: 'oc', at: '2026-03-02T10:00:00.000Z' };

  expect(isUnasked(heldByRun(), looked)).toBe(true);
  expect(isUnasked(heldByRun({ overruled }), looked)).toBe(false);
  expect(isUnasked(heldByRun({ paused: false }), looked)).toBe(false);
});

test('[N-11] [N-29] but what it has of the budget stays with it, because its nodes are on their way all the same', () => {
  const overruled = { by: 'oc', at: '2026-03-02T10:00:00.000Z' };
  const asked: KeptRuns = { ...looked, places: new Map([['worker', 1]]) };

  expect(
    [heldByRun(), heldByRun({ overruled }), heldByRun({ paused: false })].map((pool) => isUnlooked(pool, looked)),
  ).toEqual([true, true, true]);
  expect(isUnlooked(heldByRun({ overruled }), asked)).toBe(false);
});

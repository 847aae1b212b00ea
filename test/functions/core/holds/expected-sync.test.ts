import { expect, test } from 'vitest';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { expectedUntil } from '../../../../functions/core/holds/expected-sync.ts';
import type { Hold } from '../../../../functions/core/openshift/hold.ts';
import { anApplication, anOperation } from '../../../fakes/index.ts';

const now = new Date('2026-03-02T10:05:00Z');
const awaited: Hold = {
  id: 'openshift-gitops/a',
  kind: 'sync',
  who: 'openshift-gitops/a',
  why: 'a push',
  since: '2026-03-02T10:00:00.000Z',
  pushedAt: '2026-03-02T10:00:00.000Z',
  until: '2026-03-02T10:15:00.000Z',
  phase: 'expected',
};

function until(finishedAt: string, startedAt = '2026-03-02T09:50:00Z'): string {
  const operation = anOperation({ phase: 'Succeeded', startedAt, finishedAt, results: [] });
  return expectedUntil(awaited, anApplication({ operation }), defaultPolicy, now);
}

test('[N-30] a push is awaited from the end of the sync before it, unless that end lies ahead', () => {
  expect(defaultPolicy.expectSyncWithinSeconds).toBe(900);
  expect(until('2026-03-02T10:03:00Z')).toBe('2026-03-02T10:18:00.000Z');
  expect(until('2026-03-02T10:09:00Z')).toBe('2026-03-02T10:24:00.000Z');
  expect(until('2026-03-02T10:11:00Z')).toBe('2026-03-02T10:15:00.000Z');
  expect(until('9999-12-31T00:00:00Z')).toBe('2026-03-02T10:15:00.000Z');
});

test('[N-30] syncs of earlier commits that keep starting are waited for by no longer than a sync may take', () => {
  const longest = Date.parse('2026-03-02T10:15:00Z') + defaultPolicy.syncAtMostSeconds * 1000;

  expect(Date.parse(until('9999-12-31T00:00:00Z', '2026-03-02T10:04:00Z'))).toBeLessThanOrEqual(longest);
});

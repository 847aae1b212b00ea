import { describe, expect, test } from 'vitest';
import { explainPause } from '../../../../functions/core/diagnose/rules.ts';
import type { PoolRecord } from '../../../../functions/core/openshift/pool-record.ts';
import { aPool } from '../../../fakes/builders.ts';

const since = '2026-03-02T08:00:00.000Z';
const now = '2026-03-02T10:00:00.000Z';
const hold = { kind: 'manual', who: 'ann', why: 'disks', since, until: '2026-03-02T12:00:00.000Z' } as const;
const ours: PoolRecord = { v: 1, pause: 'ours', pausedSince: since, holds: [{ ...hold, id: 'manual/ann' }] };

function explained(record: PoolRecord, manager?: string) {
  const pausedBy = manager === undefined ? undefined : { manager, at: since };
  return explainPause(
    aPool({ name: 'worker', paused: true, pausedBy, record: { kind: 'record', record } }),
    since,
    now,
  );
}

describe('a paused pool in a must-gather, which says nothing of writers', () => {
  test('[N-29] that Poolkeeper has paused by its record is paused by Poolkeeper, and who holds it is named', () => {
    const found = explained(ours);

    expect(found.sentence).toMatch(/^Pool worker has been paused for 2 h by Poolkeeper, for the hold of ann; /);
    expect(found.remedies).toEqual([]);
    expect(found.evidence.map(({ path, value }) => [path, value])).toEqual(
      expect.arrayContaining([
        ['metadata.managedFields[f:paused].manager', '(not recorded)'],
        ['metadata.annotations[poolkeeper.dev/holds].pause', 'ours'],
      ]),
    );
  });

  test('[N-29] of another one nobody knows who paused it, and a writer that is recorded outweighs the record', () => {
    expect(explained({ ...ours, pause: 'foreign', holds: [] }).sentence).toContain('by somebody; ');
    expect(explained(ours, 'kubectl').sentence).toContain('by kubectl; ');
  });
});

import { describe, expect, test } from 'vitest';
import { PoolRecord, readRecord } from '../../../../functions/core/openshift/pool-record.ts';
import { fc } from '../../../property.ts';

const hold = {
  id: 'sync/gitops/openshift-gitops/site',
  kind: 'sync',
  who: 'openshift-gitops/site',
  why: 'a push',
  since: '2026-03-02T10:00:00Z',
  until: '2026-03-02T10:15:00Z',
} as const;

const record: PoolRecord = { v: 1, pause: 'ours', pausedSince: hold.since, holds: [hold] };

/** How many values a text holds is what its length allows; none of these is longer than the API server takes. */
const wrongs: readonly (readonly [string, unknown])[] = [
  ['empty holds', { v: 1, holds: Array(19_000).fill({}) }],
  ['commits that are numbers', { v: 1, holds: [{ ...hold, from: Array(19_000).fill(1) }] }],
  ['applied objects that are numbers', { ...record, release: { machineConfigs: Array(19_000).fill(1) } }],
  ['too many values', { v: 1, holds: Array(80_000).fill({}) }],
  ['lists in lists', { v: 1, holds: JSON.parse(`${'['.repeat(1_000)}${']'.repeat(1_000)}`) }],
  ['no record', 7],
];

function whyOf(text: string): string {
  const read = readRecord(text);
  return read.kind === 'unreadable' ? read.why : read.kind;
}

describe('[N-30] the record on a pool', () => {
  test('is read as it was written, with as many holds as the API server takes', () => {
    const many = {
      ...record,
      holds: Array.from({ length: 500 }, (_, index) => ({ ...hold, id: `${hold.id}-${index}` })),
    };

    expect(readRecord(JSON.stringify(record))).toEqual({ kind: 'record', record });
    expect(readRecord(JSON.stringify(many))).toEqual({ kind: 'record', record: many });
    expect(readRecord(undefined)).toEqual({ kind: 'none' });
    expect(readRecord('')).toEqual({ kind: 'none' });
  });

  test('that is wrong in one place says which', () => {
    expect(whyOf(JSON.stringify({ v: 1, holds: [hold, { ...hold, until: 'tomorrow' }] }))).toBe(
      'annotation poolkeeper.dev/holds: holds.1.until: Invalid ISO datetime',
    );
    expect(whyOf('{')).toMatch(/^annotation poolkeeper\.dev\/holds: Invalid input/);
  });

  test('that is wrong in many places has them counted, and three named', () => {
    expect(whyOf(JSON.stringify({ v: 1, holds: [{}, hold] }))).toMatch(
      /^annotation poolkeeper\.dev\/holds: 6 problems: holds\.0\.id: .*; holds\.0\.kind: .*; holds\.0\.who: .*; \.\.\.$/,
    );
  });

  test.each(wrongs)('with %s has a reason of a few lines', (_what, wrong) => {
    const text = JSON.stringify(wrong);

    expect(text.length).toBeLessThan(256 * 1024);
    expect(readRecord(text).kind).toBe('unreadable');
    expect(whyOf(text).length).toBeLessThan(500);
  });

  test('is readable exactly where its shape is, whatever stands in it', () => {
    const anyHold = fc.oneof(fc.constant(hold), fc.record({ ...fieldsOf(hold), from: fc.array(fc.jsonValue()) }));
    const anyRecord = fc.oneof(
      fc.jsonValue(),
      fc.record({ v: fc.constantFrom(1, 2), holds: fc.array(fc.oneof(anyHold, fc.jsonValue()), { maxLength: 5 }) }),
      fc.record({ v: fc.constant(1), pause: fc.constantFrom('ours', 'theirs'), holds: fc.array(fc.constant(hold)) }),
    );

    fc.assert(
      fc.property(anyRecord, (value) => {
        const expected = PoolRecord.safeParse(value);
        const read = readRecord(JSON.stringify(value));

        expect(read.kind === 'record' ? read.record : read.kind).toEqual(
          expected.success ? expected.data : 'unreadable',
        );
        if (read.kind === 'unreadable') expect(read.why.length).toBeLessThan(500);
      }),
      { numRuns: 500 },
    );
  });
});

function fieldsOf(fields: typeof hold) {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, fc.constantFrom<unknown>(value, 7, '')]),
  );
}

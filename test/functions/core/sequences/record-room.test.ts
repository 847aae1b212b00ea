import { expect, it } from 'vitest';
import { packed, unpacked } from '../../../../functions/adapters/kubernetes/packed-text.ts';
import type { Sequence } from '../../../../functions/core/configuration/sequence.ts';
import { fitted } from '../../../../functions/core/sequences/fit-record.ts';
import { planOf } from '../../../../functions/core/sequences/plan.ts';
import {
  isSameRecord,
  parseSequenceRecord,
  type SequenceRecord,
  sequenceRecordText,
  skippedAtMost,
} from '../../../../functions/core/sequences/record.ts';
import { largestRecord } from '../../../../functions/core/sequences/record-room.ts';
import { checkSequenceRoom } from '../../../../functions/shell/configuration/check-sequence-room.ts';
import { fc, runs } from '../../../property.ts';
import { noon, sequenceOf } from './sequence-builder.ts';

type Data = Readonly<Record<string, unknown>>;

/** Characters that have least in common: three bytes each, of twenty thousand. */
function hard(units: number, nth: number): string {
  let state = nth + 1;
  const codes = new Uint16Array(units);
  for (let at = 0; at < units; at += 1) {
    state = (state * 48_271) % 2_147_483_647;
    codes[at] = 0x4e00 + (state % 20_000);
  }
  return Buffer.from(codes.buffer).toString('utf16le');
}

function name(nth: number, length: number): string {
  let state = nth + 1;
  const middle = Array.from({ length: length - 8 }, () => {
    state = (state * 16_807) % 2_147_483_647;
    return 'abcdefghijklmnopqrstuvwxyz0123456789.-'[state % 38];
  });
  return `s${middle.join('')}${String(nth).padStart(7, '0')}`;
}

interface Shape {
  readonly kind: 'pool' | 'application' | 'object' | 'check';
  readonly length: number;
  readonly clusters: number;
  readonly gates: number;
}

function sequenceWith({ kind, length, clusters, gates }: Shape, count: number): Sequence {
  const waits = { image: 'registry.example.com/team/check:1', command: ['/check'] };
  const waitFor = gates === 0 ? {} : { waitFor: { all: Array.from({ length: gates }, () => waits) } };
  const named = Array.from({ length: count }, (_, index) => name(index, length));
  const step = (each: string): Data => {
    if (kind === 'object') return { kind, object: each };
    return kind === 'check' ? { kind, waitFor: waits } : { kind, name: each };
  };
  const manifest = (each: string) => ({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'Subscription',
    metadata: { name: each, namespace: each },
  });
  return sequenceOf(Object.fromEntries(named.map((each) => [each, { ...step(each), ...waitFor }])), {
    clusters: Array.from({ length: clusters }, (_, index) => `cluster-${index}`),
    extraObjects: kind === 'object' ? Object.fromEntries(named.map((each) => [each, manifest(each)])) : {},
  });
}

/** The largest record of the sequence with every text at its maximum. */
function filledRecord(sequence: Sequence): SequenceRecord {
  const record = largestRecord(planOf('virt', sequence), sequence);
  const at = noon.toISOString();
  const items = Object.entries(record.items);
  const { isShort: _, ...long } = record;
  return {
    ...long,
    items: Object.fromEntries(
      items.map(([id, item], index) => [id, { ...item, value: hard(605, index), drift: hard(305, index + 1) }]),
    ),
    skipped: Object.fromEntries(
      items.slice(0, skippedAtMost).map(([id], index) => [id, { who: hard(205, index), why: hard(505, index), at }]),
    ),
    log: Array.from({ length: 200 }, (__, index) => ({ at, item: items[index]?.[0] ?? '', what: hard(920, index) })),
  };
}

function bytesOf(sequence: Sequence): number {
  return Buffer.byteLength(packed(sequenceRecordText(fitted(filledRecord(sequence)))));
}

/** A ConfigMap, with what it has beside its record. */
const configMapBytes = 1_048_576 - 4_096;

/** The most steps of such a kind that the configuration takes. */
function mostSteps(shape: Shape): number {
  let [fits, fails] = [1, 10_001];
  while (fails - fits > 600) {
    const count = Math.floor((fits + fails) / 2);
    if (checkSequenceRoom({ virt: sequenceWith(shape, count) }).length === 0) fits = count;
    else fails = count;
  }
  return fits;
}

it.each<Shape>([
  { kind: 'pool', length: 10, clusters: 1, gates: 0 },
  { kind: 'application', length: 63, clusters: 1, gates: 0 },
  { kind: 'object', length: 63, clusters: 3, gates: 0 },
  { kind: 'check', length: 30, clusters: 40, gates: 1 },
  { kind: 'pool', length: 20, clusters: 2, gates: 10 },
])(
  '[S2-16] [N-30] the largest record that is allowed fits a ConfigMap, with all texts at their maximum: %j',
  (shape) => {
    const sequence = sequenceWith(shape, mostSteps(shape));

    expect(bytesOf(sequence)).toBeLessThanOrEqual(configMapBytes);
  },
);

it('[S2-16] [N-30] so does that of any sequence that has room without being looked at', () => {
  fc.assert(
    fc.property(
      fc.record({
        kind: fc.constantFrom('pool', 'application', 'object', 'check'),
        length: fc.integer({ min: 9, max: 63 }),
        clusters: fc.integer({ min: 1, max: 4 }),
        gates: fc.integer({ min: 0, max: 3 }),
      }),
      (shape) => {
        const sequence = sequenceWith(shape, Math.floor(200 / (shape.clusters * (2 + shape.gates))));
        expect(checkSequenceRoom({ virt: sequence })).toEqual([]);
        expect(bytesOf(sequence)).toBeLessThanOrEqual(configMapBytes);
      },
    ),
    { numRuns: runs(10) },
  );
});

it('[S2-16] what is too large is refused with its size and what to do', () => {
  const sequence = sequenceWith({ kind: 'application', length: 63, clusters: 1, gates: 0 }, 4_000);

  expect(checkSequenceRoom({ virt: sequence })).toMatchObject([
    {
      path: ['sequences', 'virt'],
      what: expect.stringMatching(/^is too large: 4000 steps and gates of such names may make a record of \d+ kB/),
      hint: 'make several of it, in order by `after`',
    },
  ]);
});

it('[S2-16] [N-30] gates by the million are refused without being planned', () => {
  const gates = Array.from({ length: 100 }, () => ({ resourceType: 'sc' }));
  const steps = Array.from({ length: 300 }, (_, index) => [`s${index}`, { kind: 'check', waitFor: { all: gates } }]);
  const clusters = Array.from({ length: 300 }, (_, index) => `cluster-${index}`);

  const [problem] = checkSequenceRoom({ virt: sequenceOf(Object.fromEntries(steps), { clusters }) });

  expect(problem?.what).toBe('has 9180000 steps and gates on its clusters; at most 15000 are possible');
});

it('[S2-16] a large record is shortened once, is read again as it was stored, and forgets nothing but texts', () => {
  const sequence = sequenceWith({ kind: 'object', length: 40, clusters: 1, gates: 1 }, 1_000);
  const full = filledRecord(sequence);

  const short = fitted(full);
  const stored = packed(sequenceRecordText(short));

  expect(fitted(short)).toEqual(short);
  const read = parseSequenceRecord(unpacked(stored));
  expect(read !== 'unreadable' && isSameRecord(read, short)).toBe(true);
  const without = (record: SequenceRecord) =>
    Object.entries(record.items).map(([id, { value: _, drift: __, ...item }]) => [id, item]);
  expect(without(short)).toEqual(without(full));
  expect(short.held).toEqual(full.held);
});

it('[S2-10] a record of usual size is stored as it is', () => {
  const sequence = sequenceWith({ kind: 'pool', length: 20, clusters: 1, gates: 1 }, 50);
  const record = largestRecord(planOf('virt', sequence), sequence);
  const { isShort: _, ...usual } = record;

  expect(fitted(usual)).toBe(usual);
  expect(packed(sequenceRecordText(usual))).toBe(JSON.stringify(usual));
});

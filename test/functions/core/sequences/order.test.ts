import { expect, it } from 'vitest';
import {
  type ItemReading,
  judgeSequence,
  type SequenceJudgement,
} from '../../../../functions/core/sequences/judge-sequence.ts';
import type { PlannedStep, SequencePlan } from '../../../../functions/core/sequences/plan.ts';
import {
  emptySequenceRecord,
  parseSequenceRecord,
  type SequenceRecord,
  sequenceRecordText,
} from '../../../../functions/core/sequences/record.ts';
import { fc } from '../../../property.ts';
import { lookAt, minutesAfterNoon, sequenceOf } from './sequence-builder.ts';

const clusters = ['one', 'two', 'three'];

const steps = fc.array(
  fc.record({
    wave: fc.integer({ min: -2, max: 3 }),
    on: fc.uniqueArray(fc.constantFrom(...clusters), { minLength: 1, maxLength: 3 }),
    waits: fc.boolean(),
    hookType: fc.constantFrom('PreSync', 'Sync', 'PostSync'),
  }),
  { minLength: 1, maxLength: 7 },
);

const world = fc.record({
  steps,
  canary: fc.subarray(clusters),
  atOnce: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  /** What goes wrong in each look: items that regress, clusters that go blind, a record that is lost. */
  mishaps: fc.array(
    fc.record({
      regress: fc.array(fc.nat({ max: 30 }), { maxLength: 2 }),
      blind: fc.subarray(clusters),
      loses: fc.boolean(),
      twice: fc.boolean(),
    }),
    { maxLength: 12 },
  ),
});

type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

function sequenceIn({ steps, canary, atOnce }: World) {
  const written = steps.map(({ wave, on, waits, hookType }, index) => [
    `s${index}`,
    {
      kind: 'subscription',
      name: `s${index}`,
      wave,
      clusters: on,
      ...(waits ? { waitFor: { resourceType: 'sc', hookType, timeoutSeconds: 604_800 } } : {}),
    },
  ]);
  return sequenceOf(Object.fromEntries(written), { clusters, canary, atOnce });
}

interface Look {
  readonly judged: SequenceJudgement;
  readonly readings: ReadonlyMap<string, ItemReading>;
  readonly was: SequenceRecord;
}

/** Plays it: what was let go is healthy one look later, its gates one look after that; those before a step by
 *  themselves. */
function play(played: World, check: (look: Look) => void): boolean {
  const sequence = sequenceIn(played);
  const { steps, gates } = lookAt(sequence, {}).plan;
  const items = [...steps, ...gates];
  const healthy = new Set<string>();
  let record: SequenceRecord = emptySequenceRecord;
  let isDone = false;
  const mishaps = [...played.mishaps, ...Array.from({ length: 40 }, () => noMishap)];
  for (const [look, { regress, blind, loses, twice }] of mishaps.entries()) {
    for (const index of regress) healthy.delete(items[index % items.length]?.id ?? '');
    if (loses) record = emptySequenceRecord;
    const readings = new Map(items.map(({ id, cluster }) => [id, readingOf(blind.includes(cluster), healthy.has(id))]));
    for (const was of twice ? [record, record] : [record]) {
      const judged = judgeSequence({ ...lookAt(sequence, {}), readings, record: was, now: minutesAfterNoon(look) });
      check({ judged, readings, was });
      ({ isDone } = judged);
      record = storedAndRead(judged.record);
    }
    for (const id of healthyAfter({ steps, gates }, record)) healthy.add(id);
  }
  return isDone;
}

const noMishap = { regress: [], blind: [], loses: false, twice: false };

function healthyAfter({ steps, gates }: Pick<SequencePlan, 'steps' | 'gates'>, { items }: SequenceRecord) {
  const begun = (id: string) => items[id]?.begunAt !== undefined;
  return [...steps.filter(({ id }) => begun(id)), ...gates.filter(({ of, isBefore }) => isBefore || begun(of))].map(
    ({ id }) => id,
  );
}

function readingOf(isBlind: boolean, isHealthy: boolean): ItemReading {
  if (isBlind) return { kind: 'unseen', value: 'blind' };
  return { kind: isHealthy ? 'healthy' : 'unhealthy', value: '' };
}

function storedAndRead(record: SequenceRecord): SequenceRecord {
  const stored = parseSequenceRecord(sequenceRecordText(record));
  if (stored === 'unreadable') throw new Error('the record cannot be read back');
  return stored;
}

/** What has to be healthy before the step begins. */
function before({ steps, gates }: SequencePlan, step: PlannedStep): readonly string[] {
  const waves = new Map(steps.map(({ id, wave }) => [id, wave ?? 0]));
  const waveOf = (id: string) => waves.get(id) ?? 0;
  return [
    ...steps.filter(({ id }) => waveOf(id) < waveOf(step.id)).map(({ id }) => id),
    ...gates
      .filter(({ of, wave, isBefore }) => (wave ?? waveOf(of)) < waveOf(step.id) || (isBefore && of === step.id))
      .map(({ id }) => id),
  ];
}

it('[S2-1] [S2-18] no step begins while a lower wave is unhealthy or unseen, whatever is lost, repeated or regresses', () => {
  fc.assert(
    fc.property(world, (played) => {
      const { plan } = lookAt(sequenceIn(played), {});
      play(played, ({ judged, readings, was }) => {
        const begins = plan.steps.filter(
          ({ id }) => judged.record.items[id]?.begunAt !== undefined && was.items[id]?.begunAt === undefined,
        );
        const kinds = begins.flatMap((step) => before(plan, step)).map((id) => readings.get(id)?.kind);
        expect(kinds.filter((kind) => kind !== 'healthy')).toEqual([]);
      });
    }),
  );
});

it('[S2-18] at most so many clusters begin at once in a wave, and the others after the canary', () => {
  fc.assert(
    fc.property(world, (played) => {
      const { plan } = lookAt(sequenceIn(played), {});
      play({ ...played, mishaps: [] }, ({ judged: { record, order }, readings }) => {
        const open = plan.steps.filter(
          ({ id, wave }) => (wave ?? 0) === order.wave && readings.get(id)?.kind !== 'healthy',
        );
        const begun = open.filter(({ id }) => record.items[id]?.begunAt !== undefined).map(({ cluster }) => cluster);
        const isCanary = (cluster: string) => played.canary.includes(cluster);
        const tooEarly = open.some(({ cluster }) => isCanary(cluster)) ? begun.filter((each) => !isCanary(each)) : [];
        expect(new Set(begun).size).toBeLessThanOrEqual(played.atOnce ?? clusters.length);
        expect(tooEarly).toEqual([]);
      });
    }),
  );
});

it('[S2-1] [S2-19] whatever was lost, repeated or regressed, in the end everything has begun and is healthy', () => {
  fc.assert(
    fc.property(world, (played) => {
      expect(play(played, () => undefined)).toBe(true);
    }),
  );
});

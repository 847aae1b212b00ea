import { expect, it } from 'vitest';
import {
  type ItemReading,
  judgeSequence,
  type SequenceJudgement,
} from '../../../../functions/core/sequences/judge-sequence.ts';
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

/** Plays it: what was let go is healthy one look later, its gates one look after that; those before a step by
 *  themselves. */
function play(
  played: World,
  check: (judged: SequenceJudgement, readings: ReadonlyMap<string, ItemReading>, was: SequenceRecord) => void,
) {
  const sequence = sequenceIn(played);
  const healthy = new Set<string>();
  let record: SequenceRecord = emptySequenceRecord;
  let isDone = false;
  for (let look = 0; look < played.mishaps.length + 40 && !(isDone && look >= played.mishaps.length); look += 1) {
    const { regress = [], blind = [], loses = false, twice = false } = played.mishaps[look] ?? {};
    const ids = [...lookAt(sequence, {}).plan.steps, ...lookAt(sequence, {}).plan.gates];
    for (const index of regress) healthy.delete(ids[index % ids.length]?.id ?? '');
    if (loses) record = emptySequenceRecord;
    const readings = new Map(
      ids.map(({ id, cluster }): readonly [string, ItemReading] => [
        id,
        blind.includes(cluster)
          ? { kind: 'unseen', value: 'blind' }
          : { kind: healthy.has(id) ? 'healthy' : 'unhealthy', value: '' },
      ]),
    );
    for (let again = 0; again < (twice ? 2 : 1); again += 1) {
      const question = { ...lookAt(sequence, {}), readings, record, now: minutesAfterNoon(look) };
      const judged = judgeSequence(question);
      check(judged, readings, record);
      const stored = parseSequenceRecord(sequenceRecordText(judged.record));
      if (stored === 'unreadable') throw new Error('the record cannot be read back');
      ({ isDone } = judged);
      record = stored;
    }
    for (const { id } of ids) {
      const gate = lookAt(sequence, {}).plan.gates.find((each) => each.id === id);
      const begun = record.items[gate?.of ?? id]?.begunAt !== undefined;
      if (begun || gate?.isBefore === true) healthy.add(id);
    }
  }
  return { isDone, record };
}

it('[S2-1] [S2-18] no step begins while a lower wave is unhealthy or unseen, whatever is lost, repeated or regresses', () => {
  fc.assert(
    fc.property(world, (played) => {
      const plan = lookAt(sequenceIn(played), {}).plan;
      const waves = new Map(plan.steps.map(({ id, wave }) => [id, wave ?? 0]));
      for (const gate of plan.gates) waves.set(gate.id, gate.wave ?? waves.get(gate.of) ?? 0);
      play(played, ({ record }, readings, was) => {
        for (const { id } of plan.steps) {
          const begins = record.items[id]?.begunAt !== undefined && was.items[id]?.begunAt === undefined;
          if (!begins) continue;
          for (const [lower, wave] of waves)
            if (wave < (waves.get(id) ?? 0)) expect(readings.get(lower)?.kind).toBe('healthy');
          for (const gate of plan.gates)
            if (gate.isBefore && gate.of === id) expect(readings.get(gate.id)?.kind).toBe('healthy');
        }
      });
    }),
  );
});

it('[S2-18] at most so many clusters begin at once in a wave, and the others after the canary', () => {
  fc.assert(
    fc.property(world, (played) => {
      const plan = lookAt(sequenceIn(played), {}).plan;
      play({ ...played, mishaps: [] }, ({ record, order }, readings) => {
        const open = plan.steps.filter(
          ({ id, wave }) => (wave ?? 0) === order.wave && readings.get(id)?.kind !== 'healthy',
        );
        const onTheirWay = new Set(open.filter(({ id }) => record.items[id]?.begunAt).map(({ cluster }) => cluster));
        expect(onTheirWay.size).toBeLessThanOrEqual(played.atOnce ?? clusters.length);
        if (open.some(({ cluster }) => played.canary.includes(cluster)))
          for (const cluster of onTheirWay) expect(played.canary).toContain(cluster);
      });
    }),
  );
});

it('[S2-1] [S2-19] whatever was lost, repeated or regressed, in the end everything has begun and is healthy', () => {
  fc.assert(
    fc.property(world, (played) => {
      expect(play(played, () => undefined).isDone).toBe(true);
    }),
  );
});

import { expect, it } from 'vitest';
import { judgeSequence, type SequenceJudgement } from '../../../../functions/core/sequences/judge-sequence.ts';
import type { PlannedGate, PlannedStep, SequencePlan } from '../../../../functions/core/sequences/plan.ts';
import {
  emptySequenceRecord,
  parseSequenceRecord,
  type SequenceRecord,
  sequenceRecordText,
  withRequest,
} from '../../../../functions/core/sequences/record.ts';
import type { ItemReading, SequenceQuestion } from '../../../../functions/core/sequences/sequence-question.ts';
import { fc, runs } from '../../../property.ts';
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

const timeoutSeconds = 180;

function mostly<T>(value: T, otherwise: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, { weight: 2, arbitrary: otherwise });
}

const impatient = fc.record({
  steps: fc.array(
    fc.record({
      wave: fc.integer({ min: 0, max: 1 }),
      on: fc.uniqueArray(fc.constantFrom(...clusters), { minLength: 1, maxLength: 3 }),
      hookType: fc.constantFrom('PreSync', 'PreSync', 'Sync'),
      onTimeout: fc.constantFrom('proceed', 'proceed', 'abort', 'alert'),
      /** Looks from when it has begun until it is healthy. */
      takes: fc.integer({ min: 1, max: 8 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  canary: fc.subarray(clusters),
  atOnce: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined }),
  looks: fc.array(
    fc.record({
      /** What somebody asks for before it. */
      asks: mostly<'pause' | 'go-on' | undefined>(undefined, fc.constantFrom('pause', 'go-on')),
      waitsForBase: mostly(false, fc.constant(true)),
      blind: mostly<readonly string[]>([], fc.subarray(clusters)),
    }),
    { minLength: 10, maxLength: 30 },
  ),
  /** Of gates: the look from which they are open. */
  opens: fc.array(fc.nat({ max: 60 }), { minLength: 12, maxLength: 12 }),
});

type Impatient = typeof impatient extends fc.Arbitrary<infer Value> ? Value : never;

function impatientSequence({ steps, canary, atOnce }: Impatient) {
  const written = steps.map(({ wave, on, hookType, onTimeout }, index) => [
    `s${index}`,
    {
      kind: 'subscription',
      name: `s${index}`,
      wave,
      clusters: on,
      waitFor: { resourceType: 'sc', hookType, timeoutSeconds, onTimeout },
    },
  ]);
  return sequenceOf(Object.fromEntries(written), { clusters, canary, atOnce });
}

/** What each look finds: steps are healthy when they have taken their time, gates when they open. */
function* questionsOf(played: Impatient): Generator<SequenceQuestion, void, SequenceRecord> {
  const sequence = impatientSequence(played);
  const { plan } = lookAt(sequence, {});
  let record: SequenceRecord = emptySequenceRecord;
  for (const [index, { asks, waitsForBase, blind }] of played.looks.entries()) {
    const now = minutesAfterNoon(index);
    const said = { who: 'anna', why: 'why', at: now.toISOString() };
    if (asks !== undefined) record = withRequest(record, { kind: asks, said });
    const { items } = record;
    const isOver = ({ id, step }: PlannedStep) => {
      const begunAt = items[id]?.begunAt;
      const minutes = played.steps[Number(step.slice(1))]?.takes ?? 0;
      return begunAt !== undefined && Date.parse(begunAt) + minutes * 60_000 <= now.getTime();
    };
    const readings = new Map([
      ...plan.steps.map((step) => [step.id, readingOf(blind.includes(step.cluster), isOver(step))] as const),
      ...plan.gates.map(
        ({ id, cluster }, gate) =>
          [id, readingOf(blind.includes(cluster), index >= (played.opens[gate] ?? 0))] as const,
      ),
    ]);
    const waitsForSequences = waitsForBase ? ['base'] : [];
    record = storedAndRead(yield { ...lookAt(sequence, {}), readings, record, waitsForSequences, now });
  }
}

/** Nothing but the gate holds its step back: with the gate open, the step may go. */
function isItsTurn({ id, of, isBefore }: PlannedGate, question: SequenceQuestion): boolean {
  if (question.record.paused !== undefined) return false;
  const readings: ReadonlyMap<string, ItemReading> = new Map([
    ...question.readings,
    [id, { kind: 'healthy', value: '' }],
  ]);
  return !isBefore || judgeSequence({ ...question, readings }).turns.get(of)?.mayGo === true;
}

interface Late {
  /** It passed, or ended the sequence. */
  readonly acts: boolean;
  readonly wrong: readonly (string | false)[];
}

/** What of a gate that was late must not be; undefined: it was not late in this look.
 *  @param turns instants at which it was its turn */
function lateIn(
  { id }: PlannedGate,
  { record: { items, aborted, paused }, readings, now }: SequenceQuestion,
  judged: SequenceJudgement,
  turns: ReadonlySet<string>,
): Late | undefined {
  const at = now.toISOString();
  const isAborted = aborted === undefined && judged.record.aborted?.why.startsWith(`${id} `) === true;
  const acts = isAborted || judged.record.items[id]?.passedAt === at;
  if (!acts && !judged.problems.some(({ kind, item }) => kind === 'timeout' && item === id)) return undefined;
  const since = items[id]?.waitedSince ?? at;
  return {
    acts,
    wrong: [
      Date.parse(paused?.at ?? at) < Date.parse(since) + timeoutSeconds * 1000 && 'before its time, or in a pause',
      !turns.has(since) && 'its time began when it was not its turn',
      acts && paused !== undefined && 'it acts while the sequence is paused',
      acts && readings.get(id)?.kind !== 'unhealthy' && 'it acts though nobody knows that it is closed',
      acts && !turns.has(at) && 'it acts when it is not its turn',
    ],
  };
}

/** All of a play. */
function latesIn(played: Impatient): readonly Late[] {
  const questions = questionsOf(played);
  const turns = new Map<string, Set<string>>();
  const lates: Late[] = [];
  for (let { value: question } = questions.next(); question !== undefined; ) {
    const { plan, now } = question;
    for (const gate of plan.gates) {
      const of = turns.get(gate.id) ?? new Set();
      if (isItsTurn(gate, question)) of.add(now.toISOString());
      turns.set(gate.id, of);
    }
    const judged = judgeSequence(question);
    for (const gate of plan.gates) {
      const late = lateIn(gate, question, judged, turns.get(gate.id) ?? new Set());
      if (late !== undefined) lates.push(late);
    }
    ({ value: question } = questions.next(judged.record));
  }
  return lates;
}

it('[S2-10] [S2-18] [S2-19] the time of a gate begins in its turn, and is up only where it is known to be closed', () => {
  let acted = 0;
  fc.assert(
    fc.property(impatient, (played) => {
      const lates = latesIn(played);
      acted += lates.filter(({ acts }) => acts).length;
      expect(lates.flatMap(({ wrong }) => wrong).filter((each) => each !== false)).toEqual([]);
    }),
    { numRuns: runs(150) },
  );
  expect(acted).toBeGreaterThan(50);
});

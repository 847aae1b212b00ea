import { tickSeconds } from '../../core/configuration/policy.ts';
import type { Sequence } from '../../core/configuration/sequence.ts';
import { judgeSequence, mayRunCheck, type SequenceJudgement } from '../../core/sequences/judge-sequence.ts';
import { type PlannedGate, type PlannedStep, planOf, type SequencePlan } from '../../core/sequences/plan.ts';
import {
  emptySequenceRecord,
  isSaidAlone,
  parseSequenceRecord,
  type SequenceRecord,
} from '../../core/sequences/record.ts';
import { recordOfPlan } from '../../core/sequences/same-items.ts';
import type { ItemReading } from '../../core/sequences/sequence-question.ts';
import { Transient } from '../../core/text/errors.ts';
import { fingerprint } from '../../core/text/fingerprint.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { stable } from '../../core/text/stable.ts';
import type { SequenceRecords, StoredText } from '../../ports/sequences.ts';
import { type FormerRecord, formerRecord, isSettled } from './former-record.ts';
import { readGate } from './read-gate.ts';
import { readStep } from './read-step.ts';
import type { SequencePorts } from './sequence-ports.ts';

export interface NamedSequence {
  readonly name: string;
  readonly sequence: Sequence;
  /** Everything is read, also what was healthy. */
  readonly swept: boolean;
  /** Checks may be run; absent: nothing is written. */
  readonly mayRun?: boolean;
}

export interface LookedAtSequence extends NamedSequence {
  readonly plan: SequencePlan;
  /** As it was stored. */
  readonly record: SequenceRecord;
  readonly records: SequenceRecords;
  readonly resourceVersion: string | undefined;
  /** What became of the record that it had elsewhere, for the timeline; absent: it has one here, or never had one. */
  readonly moved?: Pick<FormerRecord, 'note' | 'places'> | undefined;
  /** Sequences that have to be done before this one, and are not. */
  readonly waitsForSequences: readonly string[];
  readonly judged: SequenceJudgement;
}

/** Of the configuration of a sequence. */
export function fingerprintOf(sequence: Sequence): string {
  return fingerprint(stable(sequence));
}

/** Looks at a sequence: its record, and what it waits for. Writes nothing but Jobs of checks,
 *  where it may. Throws Transient. */
export async function lookAtSequence(named: NamedSequence, ports: SequencePorts): Promise<LookedAtSequence> {
  const { name, sequence } = named;
  const { record, records, resourceVersion, moved } = await loadRecord(name, sequence, ports);
  const plan = planOf(name, sequence);
  const waitsForSequences = await openSequences(sequence, ports);
  const judged = await judgeByReading(
    {
      ...named,
      is: fingerprintOf(sequence),
      plan,
      stored: record,
      record: recordOfPlan(plan, record),
      waitsForSequences,
    },
    ports,
  );
  return { ...named, plan, record, records, resourceVersion, moved, waitsForSequences, judged };
}

type Loaded = Pick<LookedAtSequence, 'record' | 'records' | 'resourceVersion' | 'moved'>;

/** The record of a sequence, on its first cluster, or the one that it had before, until it has one there that is as
 *  new. Throws Transient. */
export async function loadRecord(name: string, sequence: Sequence, ports: SequencePorts): Promise<Loaded> {
  const { own, ...kept } = await loadOwn(name, sequence, ports);
  return { ...kept, ...(await asItStands(name, sequence, { own, ports })) };
}

/** As `loadRecord`, to write down what people say: while the one that it had before cannot be read, in the one on its
 *  first cluster, as by command. Throws Transient where that one is older, and would be taken for the newer one. */
export async function loadForWords(name: string, sequence: Sequence, ports: SequencePorts): Promise<Loaded> {
  const { own, ...kept } = await loadOwn(name, sequence, ports);
  try {
    return { ...kept, ...(await asItStands(name, sequence, { own, ports })) };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const isOlder = own !== undefined && !isSaidAlone(own);
    if (isOlder && cause.kind !== 'forbidden') throw cause;
    return { ...kept, record: own ?? emptySequenceRecord, moved: undefined };
  }
}

async function loadOwn(name: string, { clusters: [cluster = ''], namespace }: Sequence, ports: SequencePorts) {
  const records = (await ports.cluster(cluster)).sequenceRecords;
  if (records === undefined) throw new Transient('its first cluster keeps no records');
  const stored = await records.load(namespace, name);
  const own = stored === undefined || stored.text === '' ? undefined : recordIn(stored);
  return { records, resourceVersion: stored?.resourceVersion, own };
}

async function asItStands(
  name: string,
  { clusters: [cluster = ''], namespace }: Sequence,
  { own, ports }: { readonly own: SequenceRecord | undefined; readonly ports: SequencePorts },
): Promise<Pick<Loaded, 'record' | 'moved'>> {
  const place = { cluster, namespace };
  const isKnown = own !== undefined && own.orphanedAt === undefined && (await isSettled(name, place, ports));
  const former = isKnown ? undefined : await formerRecord(name, { ...place, own }, ports);
  return { record: former?.record ?? own ?? emptySequenceRecord, moved: former };
}

/** Throws Transient for a record that this version does not understand: people's words are in it. */
function recordIn(stored: StoredText | undefined): SequenceRecord {
  if (stored === undefined || stored.text === '') return emptySequenceRecord;
  const record = parseSequenceRecord(stored.text);
  if (record === 'unreadable') throw new Transient('its record cannot be understood', { kind: 'invalid' });
  return record;
}

/** Sequences that have to be done before this one, and are not, as they are configured now. Nobody waits for what is
 *  left out. */
async function openSequences({ after }: Sequence, ports: SequencePorts): Promise<readonly string[]> {
  const open = await Promise.all(
    after.map(async (name) => {
      const before = ports.configuration.sequences?.[name];
      if (before?.disabled === true) return [];
      const records = before && (await ports.cluster(before.clusters[0] ?? '')).sequenceRecords;
      const stored = before && (await records?.load(before.namespace, name));
      const done = stored && recordIn(stored).done;
      return before !== undefined && done?.of === fingerprintOf(before) ? [] : [name];
    }),
  );
  return open.flat();
}

interface Look extends NamedSequence {
  readonly is: string;
  readonly plan: SequencePlan;
  readonly stored: SequenceRecord;
  /** As far as it is about what is planned now. */
  readonly record: SequenceRecord;
  readonly waitsForSequences: readonly string[];
}

interface LookInTurn extends Look {
  /** Whether its checks may be run, as far as that is known before these reads. */
  readonly isTurnOf: (gate: PlannedGate) => boolean;
}

/** Reads what is waited for, wave by wave, and everything below before a step begins. */
async function judgeByReading(look: Look, ports: SequencePorts): Promise<SequenceJudgement> {
  const readings = new Map<string, ItemReading>();
  let next = look.swept ? itemsOf(look).map(({ id }) => id) : waitedFor(look, ports.clock());
  let { turns } = judgeSequence(questionOf(look, readings, ports.clock()));
  for (;;) {
    const unread = next.filter((id) => !readings.has(id));
    const before = questionOf(look, new Map(readings), ports.clock());
    const mayGo = turns;
    // Of the others that is known: to work it out for each of hundreds takes seconds.
    const isUnseenCheck = ({ id, anyOf }: PlannedGate) =>
      look.record.items[id]?.state === 'unseen' && anyOf.some(({ image }) => image !== undefined);
    const isTurnOf = (gate: PlannedGate) =>
      mayGo.get(gate.id)?.mayGo === true || (isUnseenCheck(gate) && mayRunCheck(before, gate.id));
    await readItems({ ...look, isTurnOf }, unread, readings, ports);
    const judged = judgeSequence(questionOf(look, readings, ports.clock()));
    turns = judged.turns;
    const isNews = beginsAnything(judged, look) || becomesDone(judged, look);
    next = [...judged.unasked, ...(isNews ? itemsBelow(look, judged) : [])];
    if (next.every((id) => readings.has(id))) return judged;
  }
}

function questionOf(
  { plan, sequence, stored, is, waitsForSequences }: Look,
  readings: ReadonlyMap<string, ItemReading>,
  now: Date,
) {
  return { plan, rules: sequence, record: stored, readings, waitsForSequences, fingerprint: is, now };
}

type Item = PlannedStep | PlannedGate;

function itemsOf({ plan }: Look): readonly Item[] {
  return [...plan.steps, ...plan.gates];
}

/** What is waited for as far as it is known; gates when their time has come. */
function waitedFor(look: Look, now: Date): readonly string[] {
  const ids = new Set(judgeSequence(questionOf(look, new Map(), now)).waitedFor);
  return itemsOf(look)
    .filter((item) => {
      const since = look.record.items[item.id]?.waitedSince;
      return ids.has(item.id) && (!('timing' in item) || since === undefined || isDue(item, since, now));
    })
    .map(({ id }) => id);
}

/** Without a memory of its own: a gate is asked by the first tick of each interval since it has been waited for. */
function isDue({ timing }: PlannedGate, since: string, now: Date): boolean {
  return timing.intervalSeconds <= tickSeconds || secondsSince(since, now) % timing.intervalSeconds < tickSeconds;
}

function beginsAnything({ record }: SequenceJudgement, look: Look): boolean {
  return look.plan.steps.some(
    ({ id }) => record.items[id]?.begunAt !== undefined && look.record.items[id]?.begunAt === undefined,
  );
}

/** As it is configured now. */
function becomesDone({ isDone }: SequenceJudgement, { record, is }: Look): boolean {
  return isDone && record.done?.of !== is;
}

/** Everything up to the wave that is open: all of it must be healthy now, not when it was last read. */
function itemsBelow(look: Look, { record }: SequenceJudgement): readonly string[] {
  return itemsOf(look)
    .filter(({ id }) => record.items[id] !== undefined)
    .map(({ id }) => id);
}

/** Reads at once: an API server answers many small reads as fast as one. */
const readsAtOnce = 20;

/** The clusters in turn, so that one that does not answer keeps few of these waiting. */
async function readItems(
  look: LookInTurn,
  ids: readonly string[],
  readings: Map<string, ItemReading>,
  ports: SequencePorts,
): Promise<void> {
  const wanted = new Set(ids);
  const items = inTurn(itemsOf(look).filter(({ id }) => wanted.has(id))).values();
  const readOn = async () => {
    for (const item of items) readings.set(item.id, await readItem(look, item, ports));
  };
  await Promise.all(Array.from({ length: readsAtOnce }, readOn));
}

/** The first of each cluster, then the second of each, and so on. */
function inTurn(items: readonly Item[]): readonly Item[] {
  const seen = new Map<string, number>();
  const placed = items.map((item) => {
    const place = seen.get(item.cluster) ?? 0;
    seen.set(item.cluster, place + 1);
    return { item, place };
  });
  return placed.toSorted((a, b) => a.place - b.place).map(({ item }) => item);
}

/** What cannot be read is no answer, and what is forbidden is told as that. */
async function readItem(
  { name, sequence, record, mayRun = false, isTurnOf }: LookInTurn,
  item: Item,
  ports: SequencePorts,
): Promise<ItemReading> {
  const known = record.items[item.id];
  const wasHealthy = known?.state === 'healthy';
  // After an abort, what is not known as ours was deleted: one that is there since is somebody's.
  const wasAborted = record.aborted !== undefined || record.attempt !== undefined;
  try {
    const cluster = await ports.cluster(item.cluster);
    return 'anyOf' in item
      ? await readGate(
          {
            gate: item,
            sequence: name,
            namespace: sequence.namespace,
            runs: known?.runs,
            attempt: record.attempt ?? 0,
            wasOpen: item.anyOf.length === 1 && wasHealthy,
            // Looked at ahead of its turn, or while nothing may begin, a check is not run.
            mayRun: mayRun && !Object.hasOwn(record.skipped, item.id) && isTurnOf(item),
          },
          cluster,
          ports,
        )
      : await readStep(
          {
            sequence: name,
            step: item,
            known: { ...known, made: known?.made, wasHealthy: wasHealthy && !wasAborted },
            begunAt: known?.begunAt,
          },
          cluster,
          ports,
        );
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return { kind: cause.kind === 'forbidden' ? 'refused' : 'unseen', value: cause.message };
  }
}

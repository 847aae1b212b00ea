import type { Sequence } from '../../core/configuration/sequence.ts';
import {
  type ItemReading,
  judgeSequence,
  type SequenceJudgement,
  type SequenceProblem,
} from '../../core/sequences/judge-sequence.ts';
import { type PlannedGate, type PlannedStep, planOf, type SequencePlan } from '../../core/sequences/plan.ts';
import {
  emptySequenceRecord,
  isSameRecord,
  parseSequenceRecord,
  type SequenceRecord,
  sequenceRecordText,
} from '../../core/sequences/record.ts';
import { stable } from '../../core/sequences/stable.ts';
import { Transient } from '../../core/text/errors.ts';
import { fingerprint } from '../../core/text/fingerprint.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { notAsked, seen } from '../../core/text/observed.ts';
import type { TimelineEntry } from '../../core/timeline/view.ts';
import type { StoredSequence } from '../../ports/sequences.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { WrittenPass } from '../pass-state.ts';
import { isClockTick } from '../route/scope.ts';
import { applyObject, removeObjects } from './apply-object.ts';
import type { KeptSequences } from './kept-sequences.ts';
import { readGate } from './read-gate.ts';
import { readStep } from './read-step.ts';

/** Takes each sequence whose record the cluster keeps as far as it may go now. Ticks of the clock do; what fails is
 *  tried by the next one. */
export async function keepSequencesOf({ scope, ports, observation }: WrittenPass): Promise<KeptSequences> {
  const done = observation.checkpoint.sequencesDone ?? {};
  const own = Object.entries(ports.configuration.sequences ?? {}).filter(
    ([, { clusters }]) => clusters[0] === scope.cluster.name,
  );
  if (own.length === 0) return { problems: undefined, done: {} };
  if (!isClockTick(scope)) return { problems: notAsked, done };
  const kept: KeptSequence[] = [];
  for (const [name, sequence] of own) {
    const is = fingerprint(stable(sequence));
    const rests = done[name] === is && !observation.swept;
    const look = { name, sequence, is, swept: observation.swept };
    kept.push(rests ? { name, problems: [], doneAs: is } : await keepOrTell(look, ports));
  }
  const problems = kept.flatMap(({ name, problems: all }) => all.map((problem) => ({ ...problem, sequence: name })));
  return {
    problems: seen(problems),
    done: Object.fromEntries(kept.flatMap(({ name, doneAs }) => (doneAs === undefined ? [] : [[name, doneAs]]))),
  };
}

interface KeptSequence {
  readonly name: string;
  readonly problems: readonly SequenceProblem[];
  /** Undefined: it goes on. */
  readonly doneAs: string | undefined;
}

interface Kept {
  readonly name: string;
  readonly sequence: Sequence;
  /** Fingerprint of its configuration. */
  readonly is: string;
  readonly swept: boolean;
}

async function keepOrTell(kept: Kept, ports: KeepPorts): Promise<KeptSequence> {
  try {
    return await keepSequence(kept, ports);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('sequence could not be kept', { sequence: kept.name, why: cause.message });
    if (cause.kind !== 'forbidden' && cause.kind !== 'invalid')
      return { name: kept.name, problems: [], doneAs: undefined };
    const problem: SequenceProblem = {
      kind: 'refused',
      item: '',
      cluster: kept.sequence.clusters[0] ?? '',
      since: ports.clock().toISOString(),
      why: cause.message,
    };
    return { name: kept.name, problems: [problem], doneAs: undefined };
  }
}

async function keepSequence(kept: Kept, ports: KeepPorts): Promise<KeptSequence> {
  const { name, sequence, is } = kept;
  const records = (await ports.cluster(sequence.clusters[0] ?? '')).sequenceRecords;
  if (records === undefined) return { name, problems: [], doneAs: undefined };
  const stored = await records.load(sequence.namespace, name);
  const record = recordIn(stored);
  const plan = planOf(name, sequence);
  const look: Look = { ...kept, plan, record, waitsForSequences: await openSequences(sequence, ports) };
  const judged = await judgeByReading(look, ports);
  const cleaned = await clean(judged.record, look, ports);
  if (!isSameRecord(record, cleaned, { words: kept.swept })) {
    await records.save(sequence.namespace, name, {
      text: sequenceRecordText(cleaned),
      resourceVersion: stored?.resourceVersion,
    });
    await ports.timeline.append(newEntries(look, cleaned));
  }
  const refused = cleaned.aborted === undefined ? await begin(judged, name, ports) : [];
  const isOver = cleaned.aborted === undefined ? judged.isDone : cleaned.cleanedAt !== undefined;
  return { name, problems: [...judged.problems, ...refused], doneAs: isOver && refused.length === 0 ? is : undefined };
}

/** Throws Transient for a record that this version does not understand: people's words are in it. */
function recordIn(stored: StoredSequence | undefined): SequenceRecord {
  if (stored === undefined || stored.text === '') return emptySequenceRecord;
  const record = parseSequenceRecord(stored.text);
  if (record === 'unreadable') throw new Transient('its record cannot be understood', { kind: 'invalid' });
  return record;
}

/** Sequences that have to be done before this one, and are not. */
async function openSequences({ after }: Sequence, ports: KeepPorts): Promise<readonly string[]> {
  const open = await Promise.all(
    after.map(async (name) => {
      const before = ports.configuration.sequences?.[name];
      const records = before && (await ports.cluster(before.clusters[0] ?? '')).sequenceRecords;
      const stored = before && (await records?.load(before.namespace, name));
      return stored !== undefined && recordIn(stored).done !== undefined ? [] : [name];
    }),
  );
  return open.flat();
}

interface Look extends Kept {
  readonly plan: SequencePlan;
  readonly record: SequenceRecord;
  readonly waitsForSequences: readonly string[];
}

/** Reads what is waited for, wave by wave, and everything below before a step begins. */
async function judgeByReading(look: Look, ports: KeepPorts): Promise<SequenceJudgement> {
  const readings = new Map<string, ItemReading>();
  const judge = () => judgeSequence(questionOf(look, readings, ports.clock()));
  let next = look.swept ? itemsOf(look).map(({ id }) => id) : waitedFor(look, ports.clock());
  for (;;) {
    const unread = next.filter((id) => !readings.has(id));
    await readItems(look, unread, readings, ports);
    const judged = judge();
    next = [...judged.unasked, ...(beginsAnything(judged, look) ? itemsBelow(look, judged) : [])];
    if (next.every((id) => readings.has(id))) return judged;
  }
}

function questionOf(
  { plan, sequence, record, is, waitsForSequences }: Look,
  readings: ReadonlyMap<string, ItemReading>,
  now: Date,
) {
  return { plan, rules: sequence, record, readings, waitsForSequences, fingerprint: is, now };
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

/** Seconds between ticks. */
const tickSeconds = 60;

/** Without a memory of its own: a gate is asked by the first tick of each interval since it has been waited for. */
function isDue({ timing }: PlannedGate, since: string, now: Date): boolean {
  return timing.intervalSeconds <= tickSeconds || secondsSince(since, now) % timing.intervalSeconds < tickSeconds;
}

function beginsAnything({ record }: SequenceJudgement, look: Look): boolean {
  return look.plan.steps.some(
    ({ id }) => record.items[id]?.begunAt !== undefined && look.record.items[id]?.begunAt === undefined,
  );
}

/** Everything up to the wave that is open: all of it must be healthy now, not when it was last read. */
function itemsBelow(look: Look, { record }: SequenceJudgement): readonly string[] {
  return itemsOf(look)
    .filter(({ id }) => record.items[id] !== undefined)
    .map(({ id }) => id);
}

/** Reads at once: an API server answers many small reads as fast as one. */
const readsAtOnce = 20;

async function readItems(
  look: Look,
  ids: readonly string[],
  readings: Map<string, ItemReading>,
  ports: KeepPorts,
): Promise<void> {
  const wanted = new Set(ids);
  const items = itemsOf(look).filter(({ id }) => wanted.has(id));
  for (let first = 0; first < items.length; first += readsAtOnce) {
    const some = items.slice(first, first + readsAtOnce);
    const read = await Promise.all(some.map((item) => readItem(look, item, ports)));
    for (const [index, item] of some.entries()) {
      const reading = read[index];
      if (reading !== undefined) readings.set(item.id, reading);
    }
  }
}

/** What cannot be read is no answer, and what is forbidden is told as that. */
async function readItem({ name }: Look, item: Item, ports: KeepPorts): Promise<ItemReading> {
  try {
    const cluster = await ports.cluster(item.cluster);
    return 'anyOf' in item
      ? await readGate(item, cluster, ports)
      : await readStep({ sequence: name, step: item }, cluster, ports);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return { kind: cause.kind === 'forbidden' ? 'refused' : 'unseen', value: cause.message };
  }
}

/** Lets go what nobody else does. */
async function begin({ go }: SequenceJudgement, name: string, ports: KeepPorts): Promise<readonly SequenceProblem[]> {
  const problems: SequenceProblem[] = [];
  for (const step of go) {
    const failed = await applyObject(name, step, ports);
    if (failed?.kind === 'refused')
      problems.push({
        kind: 'refused',
        item: step.id,
        cluster: step.cluster,
        since: ports.clock().toISOString(),
        why: failed.value,
      });
  }
  return problems;
}

/** An aborted sequence takes back what it applied, if it is configured to. */
async function clean(record: SequenceRecord, { plan, sequence }: Look, ports: KeepPorts): Promise<SequenceRecord> {
  if (record.aborted === undefined || record.cleanedAt !== undefined) return record;
  const isClean = sequence.onAbort === 'keep' || (await removeObjects(plan, ports));
  return isClean ? { ...record, cleanedAt: ports.clock().toISOString() } : record;
}

function newEntries({ name, sequence, record: before }: Look, { log }: SequenceRecord): readonly TimelineEntry[] {
  const known = new Set(before.log.map((entry) => stable(entry)));
  return log
    .filter((entry) => !known.has(stable(entry)))
    .map(({ at, item, what }) => ({
      id: `sequence/${name}/${item}/${at}/${fingerprint(what)}`,
      at,
      cluster: sequence.clusters[0] ?? '',
      pool: '',
      type: 'poolkeeper.sequence',
      text: `sequence ${name}${item === '' ? '' : `, ${item}`}: ${what}`,
      correlation: name,
    }));
}

import type { Sequence } from '../../core/configuration/sequence.ts';
import { fitted } from '../../core/sequences/fit-record.ts';
import { withFormer } from '../../core/sequences/former-objects.ts';
import type { SequenceJudgement } from '../../core/sequences/judge-sequence.ts';
import type { LostWindows } from '../../core/sequences/lost-windows.ts';
import { type PlannedStep, planOf } from '../../core/sequences/plan.ts';
import {
  type HeldApplication,
  isSameRecord,
  type LogEntry,
  type MadeObject,
  parseSequenceRecord,
  type SequenceRecord,
  sequenceRecordText,
  takenBack,
  withLog,
} from '../../core/sequences/record.ts';
import type { ProblemOfSequence, SequenceProblem } from '../../core/sequences/sequence-problems.ts';
import { type AskedOfSequence, withAsked } from '../../core/sequences/steering.ts';
import { notComparedLately } from '../../core/sequences/target-health.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { fingerprint } from '../../core/text/fingerprint.ts';
import { given } from '../../core/text/given.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { notAsked, seen, unreadable } from '../../core/text/observed.ts';
import { fromAnother, roundsOf } from '../../core/text/rounds.ts';
import { unique } from '../../core/text/unique.ts';
import type { TimelineEntry } from '../../core/timeline/view.ts';
import type { StoredText } from '../../ports/sequences.ts';
import type { Checkpoint, SequenceWindow } from '../../ports/tables.ts';
import type { WrittenPass } from '../pass-state.ts';
import { isClockTick } from '../route/scope.ts';
import { entriesToNote, noteEntries } from '../tell/note-entries.ts';
import { applyObject, removeFormer, removeObjects } from './apply-object.ts';
import { type BoundedPorts, boundedPorts, looksAtMost } from './bounded-ports.ts';
import { isKnownBy, leftKey, lookedAtKey, withCheckpointsOnce } from './former-record.ts';
import { mayPass, type WindowFailure } from './held-place.ts';
import { applicationsToHold, refreshApplication, releaseUnknown, withoutForeign } from './hold-applications.ts';
import type { KeptSequences } from './kept-sequences.ts';
import {
  fingerprintOf,
  type LookedAtSequence,
  loadForWords,
  lookAtSequence,
  type NamedSequence,
} from './look-at-sequence.ts';
import { releaseOrphans } from './release-orphans.ts';
import type { SequenceKeepPorts } from './sequence-ports.ts';
import { showSequence } from './show-sequence.ts';
import { heldWith, stoodBefore, type WindowsPutBack, writeWindows } from './write-windows.ts';

/** Takes each sequence whose record the cluster keeps as far as it may go now. Ticks of the clock do; what fails is
 *  tried by the next one. */
export async function keepSequencesOf({ scope, ports, observation }: WrittenPass): Promise<KeptSequences> {
  const {
    sequencesDone: done = {},
    sequenceRecords: before = [],
    sequencesUnseen: unseen = {},
    sequenceWindows: windows = [],
  } = observation.checkpoint;
  const own = Object.entries(ports.configuration.sequences ?? {}).filter(
    ([, { clusters }]) => clusters[0] === scope.cluster.name,
  );
  if (own.length === 0 && before.length === 0)
    return { problems: undefined, done: {}, unseen: {}, records: [], windows: [] };
  if (!isClockTick(scope)) return { problems: notAsked, done, unseen, records: before, windows };
  const bounded = boundedPorts(withCheckpointsOnce<SequenceKeepPorts>(ports), looksAtMost);
  const records = own.map(([name, { namespace }]) => `${namespace}/${name}`);
  const minute = Math.floor(ports.clock().getTime() / 60_000);
  const orphans = fromAnother(
    before.filter((each) => !records.includes(each)),
    Math.floor(minute / orphansFirstEvery),
  );
  const release = () => releaseOrphans(scope.cluster.name, orphans, bounded);
  const early = minute % orphansFirstEvery === 0 ? await release() : undefined;
  const keptBy = new Map<string, KeptSequence>();
  for (const [name, sequence] of fromAnother(own, minute)) {
    const is = fingerprintOf(sequence);
    const isKnown = isKnownBy(observation.checkpoint, `${sequence.namespace}/${name}`, ports.clock());
    const rests = isKnown && done[name] === is && !observation.swept;
    const look = { name, sequence, is, swept: observation.swept, mayRun: true };
    keptBy.set(name, rests ? { name, problems: [], waits: [], doneAs: is, held: [] } : await keepOrTell(look, bounded));
  }
  const kept = own.flatMap(([name]) => keptBy.get(name) ?? []);
  const released = early ?? (await release());
  const now = ports.clock();
  const since = unseenSince(kept, unseen, now);
  const problems = [...kept.flatMap((each) => problemsOf(each, since, now)), ...released.problems];
  const why = kept.flatMap(({ waits }) => waits).find(({ item }) => item === '')?.why;
  return {
    // What is told ends only where every sequence was looked at.
    problems: problems.length === 0 && why !== undefined ? unreadable(why) : seen(problems),
    done: Object.fromEntries(kept.flatMap(({ name, doneAs }) => (doneAs === undefined ? [] : [[name, doneAs]]))),
    unseen: { ...since, ...leftSince(released.left, observation.checkpoint, now) },
    records: [...records, ...released.left],
    windows: windowsNow(kept, { before: windows, left: released.left, ports }),
    lost: kept.flatMap(({ name, lost = [] }) => lost.map((each) => ({ ...each, sequence: name }))),
  };
}

/** What the windows of sequences hold back, as far as it is known, in memory of a first cluster that is lost. */
function windowsNow(
  kept: readonly KeptSequence[],
  {
    before,
    left,
    ports: { configuration },
  }: {
    readonly before: readonly SequenceWindow[];
    readonly left: readonly string[];
    readonly ports: Pick<SequenceKeepPorts, 'configuration'>;
  },
): readonly SequenceWindow[] {
  const now = kept.flatMap(({ name, held }) => {
    const of = `${configuration.sequences?.[name]?.namespace}/${name}`;
    return held?.map((each) => ({ ...each, of })) ?? before.filter((each) => each.of === of);
  });
  return [...now, ...before.filter(({ of }) => left.includes(of))].slice(0, windowsKept);
}

/** Windows that are remembered: a checkpoint is written by each pass. */
const windowsKept = 200;

/** Orphans come after sequences, which may take all the time; in every fourth minute they come before. */
const orphansFirstEvery = 4;

/** What could not be done just now, and may be by the next tick. */
interface Wait {
  /** The step that could not be applied, or held back; empty: the sequence could not be looked at. */
  readonly item: string;
  readonly cluster: string;
  readonly why: string;
  /** Among the problems already; absent: it is told once it has lasted. */
  readonly isTold?: true;
}

/** Unseen for so long, it is told. Seconds: five ticks, as for a step that cannot be read. */
const toldAfterSeconds = 300;

/** Since when these records have been of no configured sequence, and until when looks went by them. */
function leftSince(
  left: readonly string[],
  { sequencesUnseen: before = {}, tickedAt }: Pick<Checkpoint, 'sequencesUnseen' | 'tickedAt'>,
  now: Date,
): Readonly<Record<string, string>> {
  const sinceNow = now.toISOString();
  return Object.fromEntries(
    left.flatMap((record) => {
      const since = before[leftKey(record)];
      // One that an earlier version has found to be left, which did not say until when.
      const lookedAt = before[lookedAtKey(record)] ?? since ?? tickedAt ?? sinceNow;
      return [
        [leftKey(record), since ?? sinceNow],
        [lookedAtKey(record), lookedAt],
      ];
    }),
  );
}

function waitKey(sequence: string, item: string): string {
  return item === '' ? sequence : `${sequence}/${item}`;
}

/** Of steps of a sequence that could not be looked at, what was known stays. */
function unseenSince(
  kept: readonly KeptSequence[],
  before: Readonly<Record<string, string>>,
  now: Date,
): Readonly<Record<string, string>> {
  const ofEach = kept.map(({ name, waits }) => {
    const isUnseen = waits.some(({ item }) => item === '');
    const stay = isUnseen ? Object.keys(before).filter((key) => key.startsWith(`${name}/`)) : [];
    const keys = unique([...waits.map(({ item }) => waitKey(name, item)), ...stay]);
    const isKnown = (key: string) => before[key] !== undefined;
    // That it is unseen itself, then what has waited already.
    return keys.toSorted((a, b) => Number(b === name) - Number(a === name) || Number(isKnown(b)) - Number(isKnown(a)));
  });
  const keys = roundsOf(ofEach).flat().slice(0, waitsKept);
  return Object.fromEntries(keys.map((key) => [key, before[key] ?? now.toISOString()]));
}

/** Waits that are remembered, of all sequences in turns: a checkpoint is written by each pass. */
const waitsKept = 200;

function problemsOf(
  { name, problems, waits }: KeptSequence,
  unseen: Readonly<Record<string, string>>,
  now: Date,
): readonly ProblemOfSequence[] {
  const told = waits.flatMap(({ item, isTold, ...rest }): readonly SequenceProblem[] => {
    const since = unseen[waitKey(name, item)];
    if (isTold || since === undefined || secondsSince(since, now) < toldAfterSeconds) return [];
    return [{ kind: item === '' ? 'unseen' : 'refused', item, since, ...rest }];
  });
  return [...problems, ...told].map((problem) => ({ ...problem, sequence: name }));
}

interface KeptSequence {
  readonly name: string;
  readonly problems: readonly SequenceProblem[];
  /** Undefined: it goes on. */
  readonly doneAs: string | undefined;
  readonly waits: readonly Wait[];
  /** Where its windows were put back; absent: nowhere. */
  readonly lost?: readonly Omit<LostWindows, 'sequence'>[] | undefined;
  /** What its windows hold back; absent: what they did before. */
  readonly held?: readonly HeldApplication[] | undefined;
}

interface Kept extends NamedSequence {
  /** Fingerprint of its configuration. */
  readonly is: string;
}

/** With what was put back, also before it failed. */
async function keepOrTell(kept: Kept, ports: BoundedPorts<SequenceKeepPorts>): Promise<KeptSequence> {
  const putBack: WindowsPutBack = new Map();
  const done = await keepOrSay(kept, putBack, ports);
  const lost = [...putBack.values()];
  await tellLost(kept, lost, ports);
  return { ...done, lost };
}

async function tellLost(
  { name, sequence }: Kept,
  lost: NonNullable<KeptSequence['lost']>,
  ports: SequenceKeepPorts,
): Promise<void> {
  const at = ports.clock().toISOString();
  const entries = lost.map(
    ({ cluster, namespace, project, by }): TimelineEntry => ({
      id: `sequence/${name}/lost/${cluster}/${namespace}/${project}/${at}`,
      at,
      cluster: sequence.clusters[0] ?? '',
      pool: '',
      type: 'poolkeeper.sequence',
      text: `sequence ${name}: ${by} had taken its windows out of AppProject ${namespace}/${project} of cluster ${cluster}, and Poolkeeper has put them back`,
      correlation: name,
    }),
  );
  await noteEntries(entries, ports);
}

/** A sequence that cannot be kept, even by a record that names what is no longer configured, stops nothing else. What
 *  was found before it failed is told all the same. */
async function keepOrSay(
  kept: Kept,
  putBack: WindowsPutBack,
  ports: BoundedPorts<SequenceKeepPorts>,
): Promise<KeptSequence> {
  const cluster = kept.sequence.clusters[0] ?? '';
  let known: readonly SequenceProblem[] = [];
  try {
    await takeRequests(kept, ports);
    const look = await lookAtSequence(kept, ports);
    known = look.judged.problems;
    return await keepSequence(kept, { look, putBack }, ports);
  } catch (cause) {
    if (!(cause instanceof Transient || cause instanceof Misconfigured)) throw cause;
    const { name } = kept;
    const why = cause.message;
    ports.logger.warn('sequence could not be kept', { sequence: name, why });
    if (mayPass(cause)) return { name, problems: known, waits: [{ item: '', cluster, why }], doneAs: undefined };
    const since = ports.clock().toISOString();
    return {
      name,
      problems: [...known, { kind: 'refused', item: '', cluster, since, why }],
      waits: [{ item: '', cluster, why, isTold: true }],
      doneAs: undefined,
    };
  }
}

async function keepSequence(
  kept: Kept,
  { look: found, putBack }: { readonly look: LookedAtSequence; readonly putBack: WindowsPutBack },
  ports: BoundedPorts<SequenceKeepPorts>,
): Promise<KeptSequence> {
  const { name, sequence, is } = kept;
  const judged = { ...found.judged, record: withoutForeign(withMove(found.judged.record, found, ports), ports) };
  const look = { ...found, judged };
  const { record, records, resourceVersion } = look;
  const wanted = await applicationsToHold(look, ports);
  const held = heldWith(judged.record.held, wanted.held);
  const stood = stoodBefore(record, wanted.held);
  const looked = fitted(withHeld(judged.record, held, stood));
  // Whose it is, and what is to become of what it applied, is written with other news, and by each sweep.
  const next = isSameRecord(record, looked) && !kept.swept ? looked : fitted(signed(looked, sequence, ports));
  const isNews = look.moved !== undefined || !isSameRecord(record, next);
  if (isNews) {
    await records.save(sequence.namespace, name, { text: sequenceRecordText(next), resourceVersion });
  }
  await noteEntries(newEntries(look, next, kept.swept, ports), ports);
  const cleaned = await clean(next, look, ports);
  const windows =
    Object.keys(held).length > 0 ? await writeWindows(wanted, cleaned, { stood, putBack }, ports) : noWindows;
  await releaseUnknown(freeNow(look, kept.swept), wanted.held, ports);
  const begun = cleaned.aborted === undefined ? await begin(judged, name, ports) : nothingBegun;
  const made = withMade(withHeld(cleaned, windows.held, stood), begun.made);
  const after = fitted(withFormer(cleaned, made, { plan: look.plan, now: ports.clock() }));
  await saveAgain(look, { before: cleaned, after }, ports);
  const failed = ofWindows([...wanted.failures, ...windows.failures], ports);
  const problems = [...judged.problems, ...failed.problems, ...begun.problems];
  const waits = [...failed.waits, ...begun.waits];
  if (isNews || kept.swept) await showSequence({ look, record: cleaned, problems }, ports);
  // What is told of a sequence is told until it ends: that it was aborted, until somebody has it go on.
  const isDone = cleaned.aborted === undefined ? judged.isDone : record.cleanedAt !== undefined;
  const doneAs = isDone && problems.length + waits.length === 0 ? is : undefined;
  return { name, problems, waits, doneAs, held: Object.values(after.held ?? {}) };
}

/** Steps that begin now; with each sweep also those that have begun and are not healthy, and with an abort, all. */
function freeNow(
  { plan, record: before, judged: { record, go } }: LookedAtSequence,
  isSwept: boolean,
): readonly PlannedStep[] {
  if (record.aborted !== undefined) {
    const isNew = before.aborted === undefined;
    return before.cleanedAt === undefined && (isNew || isSwept) ? plan.steps : [];
  }
  const begins = ({ id }: PlannedStep) =>
    record.items[id]?.begunAt !== undefined && before.items[id]?.begunAt === undefined;
  return plan.steps.filter((step) => begins(step) || (isSwept && go.includes(step)));
}

/** What people asked for elsewhere is written into the record first, as if they had done it on the cluster. */
async function takeRequests({ name, sequence }: Kept, ports: SequenceKeepPorts): Promise<void> {
  const asked = await requestsFor(name, ports);
  if (asked.length === 0) return;
  const { record, records, resourceVersion, moved } = await loadForWords(name, sequence, ports);
  const said = withAsked(record, asked, { plan: planOf(name, sequence), now: ports.clock() });
  if (isSameRecord(record, said)) return;
  const next = fitted(withMove(said, { moved }, ports));
  await records.save(sequence.namespace, name, { text: sequenceRecordText(next), resourceVersion });
  await noteEntries(newEntries({ name, sequence, record }, next, false, ports), ports);
}

/** They wait where they cannot be read. */
async function requestsFor(
  name: string,
  { sequenceRequests, logger }: SequenceKeepPorts,
): Promise<readonly AskedOfSequence[]> {
  try {
    return (await sequenceRequests?.list(name)) ?? [];
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('requests about a sequence could not be read', { sequence: name, why: cause.message });
    return [];
  }
}

/** It is written here with the next save, which is why that is news. */
function withMove(
  record: SequenceRecord,
  { moved }: Pick<LookedAtSequence, 'moved'>,
  { clock }: Pick<SequenceKeepPorts, 'clock'>,
): SequenceRecord {
  if (moved === undefined) return record;
  return { ...withLog(record, logOf([moved.note], clock().toISOString())), tookOver: [...moved.places] };
}

function withHeld(
  record: SequenceRecord,
  held: NonNullable<SequenceRecord['held']>,
  stood: ReadonlySet<string>,
): SequenceRecord {
  const { held: _, stood: __, orphanedAt: ___, ...rest } = record;
  if (Object.keys(held).length === 0) return rest;
  return { ...rest, held, ...(stood.size === 0 ? {} : { stood: [...stood].toSorted() }) };
}

const noWindows = { held: {}, failures: [] };

/** What the next look may find mended is told once it has lasted. */
function ofWindows(
  failures: readonly WindowFailure[],
  { clock }: Pick<SequenceKeepPorts, 'clock'>,
): Pick<Begun, 'problems' | 'waits'> {
  const since = clock().toISOString();
  return {
    problems: failures
      .filter((each) => !each.mayPass)
      .map(({ item, cluster, why }) => ({ kind: 'refused', item, cluster, since, why })),
    waits: failures.filter((each) => each.mayPass).map(({ item, cluster, why }) => ({ item, cluster, why })),
  };
}

function signed(
  record: SequenceRecord,
  { onAbort }: Sequence,
  { installation }: Pick<SequenceKeepPorts, 'installation'>,
): SequenceRecord {
  return { ...record, onAbort, ...given({ owner: installation }) };
}

function withMade(record: SequenceRecord, made: Begun['made']): SequenceRecord {
  const items = Object.entries(record.items).map(([id, item]) => [id, made[id] ? { ...item, made: made[id] } : item]);
  return { ...record, items: Object.fromEntries(items) };
}

/** What was released is forgotten, and what was applied is known as ours, once it is, though the time for looks may be
 *  over by then. If somebody else has written the record meanwhile, the next look finds both as they are. */
async function saveAgain(
  { name, sequence }: LookedAtSequence,
  { before, after }: { readonly before: SequenceRecord; readonly after: SequenceRecord },
  { unbounded }: Pick<BoundedPorts<SequenceKeepPorts>, 'unbounded'>,
): Promise<void> {
  if (isSameRecord(before, after)) return;
  const records = (await unbounded(sequence.clusters[0] ?? '')).sequenceRecords;
  const stored = records && (await storedAs({ name, sequence, record: before, records }));
  if (stored !== undefined)
    await records?.save(sequence.namespace, name, { ...stored, text: sequenceRecordText(after) });
}

/** Undefined: somebody else has written it meanwhile. */
async function storedAs({
  name,
  sequence,
  record,
  records,
}: Pick<LookedAtSequence, 'name' | 'sequence' | 'record' | 'records'>): Promise<StoredText | undefined> {
  const stored = await records.load(sequence.namespace, name);
  const is = parseSequenceRecord(stored?.text ?? '');
  return is !== 'unreadable' && isSameRecord(is, record) ? stored : undefined;
}

interface Begun {
  readonly problems: readonly SequenceProblem[];
  /** What was applied, by step. */
  readonly made: Readonly<Record<string, MadeObject>>;
  readonly waits: readonly Wait[];
}

const nothingBegun: Begun = { problems: [], made: {}, waits: [] };

/** Of an Application whose turn has come: Argo CD is asked to look at it. */
const refreshedWhile: ReadonlySet<string> = new Set(['OutOfSync', notComparedLately]);

/** Lets go what nobody else does. */
async function begin({ go, record }: SequenceJudgement, name: string, ports: SequenceKeepPorts): Promise<Begun> {
  const problems: SequenceProblem[] = [];
  const made: Record<string, MadeObject> = {};
  const waits: Wait[] = [];
  for (const { id, ...step } of go) {
    if (refreshedWhile.has(record.items[id]?.value ?? '')) await refreshApplication({ id, ...step }, ports);
    const applied = await applyObject(name, { id, ...step }, ports);
    if (applied === undefined) continue;
    if ('uid' in applied) made[id] = applied;
    else if (applied.kind === 'refused')
      problems.push({
        kind: 'refused',
        item: id,
        cluster: step.cluster,
        since: ports.clock().toISOString(),
        why: applied.value,
      });
    else waits.push({ item: id, cluster: step.cluster, why: applied.value });
  }
  return { problems, made, waits };
}

/** An aborted sequence takes back what it applied, if it is configured to. Nothing is deleted before the cluster has a
 *  record that says so, of the sequence and of each object: whoever tells it to go on meanwhile has them applied
 *  again. */
async function clean(
  record: SequenceRecord,
  look: LookedAtSequence,
  ports: BoundedPorts<SequenceKeepPorts>,
): Promise<SequenceRecord> {
  if (look.record.aborted === undefined || record.cleanedAt !== undefined) return record;
  const { name, sequence, records } = look;
  if ((await storedAs({ name, sequence, record, records })) === undefined) return record;
  const after = fitted(await withoutObjects(record, look, ports));
  await saveAgain(look, { before: record, after }, ports);
  return after;
}

async function withoutObjects(
  record: SequenceRecord,
  { name, plan, sequence: { namespace, onAbort } }: LookedAtSequence,
  ports: SequenceKeepPorts,
): Promise<SequenceRecord> {
  const at = ports.clock().toISOString();
  if (onAbort === 'keep') return { ...record, cleanedAt: at };
  const { left, stay: kept } = await removeObjects(plan, { namespace, items: record.items }, ports);
  const items = takenBack(record.items, left, at);
  const { former: before = [], ...rest } = record;
  const { former, stay } = await removeFormer(name, before, ports);
  const said = logOf([...kept, ...stay], at);
  const next = withLog({ ...rest, items, ...(former.length === 0 ? {} : { former: [...former] }) }, said);
  return left.size + former.length === 0 ? { ...begunAnew(next), cleanedAt: at } : next;
}

/** Nothing is left of what was done. */
function begunAnew({ firstDoneAt: _, ...record }: SequenceRecord): SequenceRecord {
  return { ...record, aborting: {} };
}

function logOf(stay: readonly string[], at: string): readonly LogEntry[] {
  return stay.map((what) => ({ at, item: '', what }));
}

function newEntries(
  { name, sequence, record: before }: Pick<LookedAtSequence, 'name' | 'sequence' | 'record'>,
  { log }: SequenceRecord,
  isSweep: boolean,
  { clock }: Pick<SequenceKeepPorts, 'clock'>,
): readonly TimelineEntry[] {
  return entriesToNote(before.log, log, { isSweep, now: clock() }).map(({ at, item, what }) => ({
    id: `sequence/${name}/${item}/${at}/${fingerprint(what)}`,
    at,
    cluster: sequence.clusters[0] ?? '',
    pool: '',
    type: 'poolkeeper.sequence',
    text: `sequence ${name}${item === '' ? '' : `, ${item}`}: ${what}`,
    correlation: name,
  }));
}

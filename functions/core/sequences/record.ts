import * as z from 'zod';
import { given } from '../text/given.ts';
import { clipped } from '../text/phrases.ts';
import { stable } from '../text/stable.ts';
import { unique } from '../text/unique.ts';

const instant = z.iso.datetime();
/** Written are 920 UTF-16 units at most; what an earlier version wrote may be longer. */
const text = z.string().max(2_100);

/** What is kept of the name of somebody who asked for something, and of the reason. */
const saidAtMost = { who: 200, why: 500 } as const;

/** Who asked for something, why and when. */
const Said = z.object({ who: text, why: text, at: instant });
export type Said = Readonly<z.infer<typeof Said>>;

/** What was applied: labels may be written by anybody who may write the object, this record by nobody else. */
const MadeObject = z.object({
  uid: text,
  /** Fingerprint of its manifest. */
  of: text,
  /** Of the API; absent: not known. */
  path: text.optional(),
});
export type MadeObject = Readonly<z.infer<typeof MadeObject>>;

/** A Job that was run. */
const CheckRun = z.object({
  /** Empty: its Job was gone before it was recorded. */
  uid: text,
  /** Fingerprint of what it runs, and of the attempt that it belongs to. */
  of: text,
  /** Absent: it has not succeeded yet. */
  succeeded: z.boolean().optional(),
});
export type CheckRun = Readonly<z.infer<typeof CheckRun>>;

const ItemRecord = z.object({
  state: z.enum(['healthy', 'unhealthy', 'unseen']),
  /** Since when it has been in this state. */
  since: instant,
  /** Of a step that is not healthy, and was out of sight meanwhile: since when it is not; absent: see above. */
  unhealthySince: instant.optional(),
  /** What was found, in words. */
  value: text,
  /** As its object was annotated; absent: the configuration says it, or nothing does. */
  wave: z.int().optional(),
  /** Fingerprint of what it acts on or asks; absent: an earlier version, which did not say so. */
  is: text.optional(),
  /** When its step was let go. */
  begunAt: instant.optional(),
  /** Of a pool: it was let go for the change that it had when it was last read. */
  underWay: z.boolean().optional(),
  /** Of a pool: its turn had come when it was last read, with a change waiting. It may have been let go since. */
  hadTurn: z.literal(true).optional(),
  /** Since when a gate has been waited for. */
  waitedSince: instant.optional(),
  /** When a gate passed its timeout and stopped to count. */
  passedAt: instant.optional(),
  /** The object that was applied for the step; absent: none was, or by a version that did not say so. */
  made: MadeObject.optional(),
  /** The Jobs that were run for a gate, by name; absent: none was, or by a version that did not say so. */
  runs: z.record(z.string(), CheckRun).optional(),
  /** Fields of that object that were nobody's when it was first seen as applied; absent: it was not. */
  unowned: z.array(text).optional(),
  /** What others have done to it since, in words; absent: nothing. */
  drift: text.optional(),
  /** Since when that has been so. */
  driftedAt: instant.optional(),
});
export type ItemRecord = Readonly<z.infer<typeof ItemRecord>>;

/** What keeps a sequence waiting. */
const Stall = z.object({
  /** Nothing more has begun since. */
  since: instant,
  /** Something that has been closed since then still is. */
  heldSince: instant,
  /** How often all that was closed had opened, and something else was closed instead. */
  turns: z.int(),
  /** How long that may go on: the longest time of a gate that was waited for meanwhile. */
  seconds: z.int(),
});

/** An Application that is held back by a deny window in its AppProject. */
const HeldApplication = z.object({ cluster: text, namespace: text, project: text, application: text });
export type HeldApplication = Readonly<z.infer<typeof HeldApplication>>;

/** An object that was applied for a step that is not planned any more, or under another name than it has now. */
const FormerObject = z.object({ cluster: text, path: text, uid: text });
export type FormerObject = Readonly<z.infer<typeof FormerObject>>;

const LogEntry = z.object({ at: instant, item: text, what: text });
export type LogEntry = Readonly<z.infer<typeof LogEntry>>;

/** Steps and gates that people may skip in one sequence: the record has to fit an object. */
export const skippedAtMost = 200;

/** Objects that are remembered after their steps are gone. */
export const formerAtMost = 100;

/** Entries that are kept. */
const logAtMost = 200;

/** Requests that are remembered as taken. They are forgotten where they are stored after a day. */
export const takenAtMost = 100;

/** What a sequence keeps of itself, in a ConfigMap of its first cluster. Everything that can be read from the clusters
 *  is read again: if the record is lost, steps are begun again in their order, which changes nothing where they were.
 *  What people said is lost then. */
export const SequenceRecord = z.object({
  v: z.literal(1),
  /** The installation of Poolkeeper that keeps it; absent: an earlier version, which did not say so. */
  owner: text.optional(),
  /** Where others of its sequence were left when this one took their place, as `cluster/namespace` and when, ISO
   *  instant (an earlier version did not say when); absent: nowhere. */
  tookOver: z.array(text).optional(),
  /** Since when it has belonged to no configured sequence; absent: it does, or what it left needs no time. */
  orphanedAt: instant.optional(),
  /** As the sequence is configured, for when it is not any more. */
  onAbort: z.enum(['restore', 'keep']).optional(),
  /** Its texts are shortened, because all of them would make it too large to be stored. */
  isShort: z.literal(true).optional(),
  items: z.record(z.string(), ItemRecord),
  paused: Said.optional(),
  aborted: Said.optional(),
  /** How often it was told to go on after it had been aborted: checks are run anew each time. Absent: never. */
  attempt: z.int().optional(),
  /** When what it had applied was gone, after it was aborted. */
  cleanedAt: instant.optional(),
  /** What it applied and plans no more; absent: nothing. It goes with the sequence. */
  former: z.array(FormerObject).optional(),
  skipped: z.record(z.string(), Said),
  /** Ids of requests that were made where the cluster is not reached, and count already; absent: none. */
  taken: z.array(text).optional(),
  /** Applications whose windows may be there, by step: written before the windows are, so that none is forgotten. */
  held: z.record(z.string(), HeldApplication).optional(),
  /** Steps of those whose window stood at the end of the last look that could see it; absent: of none. */
  stood: z.array(text).optional(),
  /** Absent: no step waits, or a pool rolls. */
  stall: Stall.optional(),
  /** All steps are healthy, with the configuration of this fingerprint, as far as the last look found. */
  done: z.object({ at: instant, of: text }).optional(),
  /** When they were first, whatever became of them and of the configuration since; absent: never, what it had applied
   *  was taken back since, or an earlier version, which did not say so. */
  firstDoneAt: instant.optional(),
  /** Of which gates `abort` counts still; without `only` of all, as nothing was let go yet, or since an abort took
   *  everything back. Absent: it was not looked at yet, or by an earlier version, which did not say so. */
  aborting: z.object({ only: z.array(text).optional() }).optional(),
  log: z.array(LogEntry),
});
export type SequenceRecord = Readonly<z.infer<typeof SequenceRecord>>;

export const emptySequenceRecord: SequenceRecord = { v: 1, items: {}, skipped: {}, log: [] };

/** The record as it is stored; `unreadable` for what this version does not understand. */
export function parseSequenceRecord(stored: string): SequenceRecord | 'unreadable' {
  try {
    const read = SequenceRecord.safeParse(JSON.parse(stored));
    return read.success ? read.data : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

export function sequenceRecordText(record: SequenceRecord): string {
  return JSON.stringify(record);
}

export function isSameRecord(a: SequenceRecord, b: SequenceRecord): boolean {
  return stable(a) === stable(b);
}

export function withLog(record: SequenceRecord, entries: readonly LogEntry[]): SequenceRecord {
  return entries.length === 0 ? record : { ...record, log: [...record.log, ...entries].slice(-logAtMost) };
}

/** When all of its steps were healthy first, whatever became of them since; undefined: never. What was never done may
 *  be undone by itself, and nothing else. */
export function wasDoneAt({ firstDoneAt, done, items }: SequenceRecord): string | undefined {
  // One that the configuration leaves out has no items, and is not done by that.
  return firstDoneAt ?? (Object.keys(items).length === 0 ? undefined : done?.at);
}

/** The highest of those waves that are known; undefined: none is. */
export function highestOf(waves: readonly (number | undefined)[]): number | undefined {
  const known = waves.flatMap((wave) => wave ?? []);
  return known.length === 0 ? undefined : known.reduce((most, wave) => Math.max(most, wave));
}

/** People have paused, aborted or skipped something of it, and nobody else would say so again. */
export function hasBeenSaid({ paused, aborted, skipped }: SequenceRecord): boolean {
  return paused !== undefined || aborted !== undefined || Object.keys(skipped).length > 0;
}

/** What people have said that still counts. */
function wordsOf({ paused, aborted, skipped }: SequenceRecord): readonly Said[] {
  return [paused, aborted, ...Object.values(skipped)].flatMap((said) => said ?? []);
}

/** People's words of the first that the other has never had: not even to take them back. */
export function isUnheard(record: SequenceRecord, by: SequenceRecord): boolean {
  return wordsOf(record).some(isNewsTo(by));
}

function isNewsTo(record: SequenceRecord): (said: Pick<Said, 'at'>) => boolean {
  const heard = new Set([...wordsOf(record), ...record.log].map(({ at }) => at));
  return ({ at }) => !heard.has(at);
}

/** When something of it last happened or was said, in milliseconds since the epoch; 0: never. */
export function lastChangeMs(record: SequenceRecord): number {
  return Math.max(0, ...[...wordsOf(record), ...record.log].map(({ at }) => Date.parse(at)));
}

/** What the older record knows to be there goes on with the newer one: objects that it applied, also as what was done,
 *  and its windows. So does a stop that the newer one has never heard of, as it may have begun anew out of sight of the
 *  older one. */
export function withLeftOf(older: SequenceRecord, newer: SequenceRecord): SequenceRecord {
  const former = [...appliedAlone(older, newer), ...(newer.former ?? [])].slice(-formerAtMost);
  const held = { ...older.held, ...newer.held };
  const stop = unheardStop(older, newer);
  return {
    ...(stop === undefined ? newer : stoppedAsBefore(stop, older, newer)),
    ...given({ firstDoneAt: wasDoneAt(newer) ?? wasDoneAt(older) }),
    ...given({ aborting: abortingOfBoth(older.aborting, newer.aborting) }),
    ...(former.length === 0 ? {} : { former }),
    ...(Object.keys(held).length === 0 ? {} : { held }),
  };
}

/** What something was let go past in either of them stays so. */
function abortingOfBoth(older: SequenceRecord['aborting'], newer: SequenceRecord['aborting']): typeof newer {
  const { only } = older ?? {};
  if (only === undefined || newer?.only === undefined) return only === undefined ? newer : older;
  return { only: newer.only.filter((id) => only.includes(id)) };
}

/** The pause or abort of the older record that still counts for the newer one, which has never heard of it, the later
 *  one of both; undefined: there is none, or the newer one is stopped itself, or was told to go on since. */
export function unheardStop(older: SequenceRecord, newer: SequenceRecord): Said | undefined {
  if (newer.paused !== undefined || newer.aborted !== undefined) return undefined;
  const isNews = isNewsTo(newer);
  const goneOnMs = Date.parse(wentOnAt(newer) ?? '');
  return [older.paused, older.aborted]
    .flatMap((said) => said ?? [])
    .filter((said) => isNews(said) && !(Date.parse(said.at) <= goneOnMs))
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
    .at(-1);
}

/** As a pause, also if it was an abort: what was begun since is not to be deleted, nor are its gates to open. */
function stoppedAsBefore(stop: Said, older: SequenceRecord, newer: SequenceRecord): SequenceRecord {
  const said = older.log.filter(({ at }) => at === stop.at);
  // It has been heard from now on, also once it is taken back.
  return { ...newer, paused: stop, log: [...said, ...newer.log].slice(-logAtMost) };
}

/** What the first has applied, and the other does not know of; undefined: there is no other. */
export function appliedAlone(record: SequenceRecord, other: SequenceRecord | undefined): readonly FormerObject[] {
  const known = new Set((other === undefined ? [] : appliedBy(other)).map(({ cluster, path }) => `${cluster} ${path}`));
  return appliedBy(record).filter(({ cluster, path }) => !known.has(`${cluster} ${path}`));
}

/** What it has applied, also for steps that it does not plan any more. */
function appliedBy({ items, former = [] }: SequenceRecord): readonly FormerObject[] {
  return [...objectsIn(items), ...former];
}

/** The objects that items have made, as far as it is known where. */
export function objectsIn(items: SequenceRecord['items']): readonly (FormerObject & { readonly id: string })[] {
  return Object.entries(items).flatMap(([id, { made }]) =>
    made?.path === undefined ? [] : [{ id, cluster: clusterOf(id), path: made.path, uid: made.uid }],
  );
}

/** `prod` of `storage@prod`. */
function clusterOf(id: string): string {
  return id.slice(id.lastIndexOf('@') + 1);
}

/** Gates get their whole time again, also those that had passed theirs: otherwise what aborted the sequence would abort
 *  it at once. Objects that somebody
 *  has deleted, and those that the abort has, are applied again. */
function begunAgain({ items, aborted }: SequenceRecord): SequenceRecord['items'] {
  return Object.fromEntries(
    Object.entries(items).map(([id, { waitedSince: _, passedAt: __, ...item }]) => [
      id,
      item.state === 'unhealthy' && (item.drift !== undefined || aborted !== undefined) ? notMade(item) : item,
    ]),
  );
}

/** What an abort was still deleting: until it is applied again, or is found to be gone, it is nobody else's. */
function leftBy(before: SequenceRecord['items'], items: SequenceRecord['items']): readonly FormerObject[] {
  return objectsIn(before).flatMap(({ id, ...object }) => (items[id]?.made === undefined ? [object] : []));
}

/** Objects that are gone are not known as ours any more: that they are gone is nobody else's doing, and one that comes
 *  in their place is somebody's. What is left stays ours, and is deleted by its uid.
 *  @param left ids of steps whose objects are still there */
export function takenBack(
  items: SequenceRecord['items'],
  left: ReadonlySet<string>,
  at: string,
): SequenceRecord['items'] {
  return Object.fromEntries(
    Object.entries(items).map(([id, item]) => [
      id,
      item.made === undefined || left.has(id) ? item : goneAt(notBegun(item), 'taken back', at),
    ]),
  );
}

/** No step is healthy whose object was deleted, or is about to be: whatever is found of it is our own doing. */
export function goneAt(
  { drift: _, driftedAt: __, ...item }: ItemRecord,
  value: 'taken back' | 'is being taken back',
  at: string,
): ItemRecord {
  return { ...item, state: 'unhealthy', since: item.state === 'unhealthy' ? item.since : at, value };
}

function notMade({ made: _, unowned: __, drift: ___, driftedAt: ____, ...item }: ItemRecord): ItemRecord {
  return item;
}

/** Its turn is to come again. */
function notBegun(item: ItemRecord): ItemRecord {
  const { begunAt: _, ...rest } = notMade(item);
  return rest;
}

/** As the log says it. */
const wentOn = 'told to go on';

function goneOn(record: SequenceRecord): SequenceRecord {
  const { paused: _, aborted, cleanedAt: __, stall: ___, ...unstopped } = record;
  const items = begunAgain(record);
  const former = [...(record.former ?? []), ...leftBy(record.items, items)].slice(-formerAtMost);
  return {
    ...unstopped,
    ...(aborted === undefined ? {} : { attempt: (record.attempt ?? 0) + 1 }),
    items,
    ...(former.length === 0 ? {} : { former }),
  };
}

/** When somebody last told it to go on; undefined: nobody has, as far as the log goes back. */
export function wentOnAt({ log }: SequenceRecord): string | undefined {
  return log.findLast(({ what }) => what.startsWith(`${wentOn} by `))?.at;
}

/** Somebody has aborted it or told it to go on.
 *  @param fromMs and not before, in milliseconds since the epoch */
export function isDecided(record: SequenceRecord, fromMs: number): boolean {
  return [record.aborted?.at, wentOnAt(record)].some((at) => at !== undefined && Date.parse(at) >= fromMs);
}

/** Nothing was looked at by it: somebody has written it by command. */
export function isSaidAlone({ items, onAbort }: SequenceRecord): boolean {
  return onAbort === undefined && Object.keys(items).length === 0;
}

/** Whether people have said something in it before that, in milliseconds since the epoch. */
export function isSaidBefore(record: SequenceRecord, ms: number): boolean {
  return [...wordsOf(record), ...record.log].some(({ at }) => Date.parse(at) < ms);
}

/** The record with what people have said in one that nothing was looked at by, as if they had said it here.
 *  @param fromMs and not before, in milliseconds since the epoch: what they said then was about something else. A stop
 *  of before that nothing has happened since is a pause: it may be of those who moved the sequence */
export function withSaid(record: SequenceRecord, said: SequenceRecord, fromMs: number): SequenceRecord {
  const isFresh = ({ at }: Pick<Said, 'at'>) => Date.parse(at) >= fromMs;
  const stop = unheardStop(said, record);
  const isStopLast = stop !== undefined && !isFresh(stop) && Date.parse(stop.at) > lastChangeMs(record);
  return withFresh(isStopLast ? stoppedAsBefore(stop, said, record) : record, said, isFresh);
}

function withFresh(
  record: SequenceRecord,
  said: SequenceRecord,
  isFresh: (said: Pick<Said, 'at'>) => boolean,
): SequenceRecord {
  const [paused, aborted] = [said.paused, said.aborted].map((each) =>
    each !== undefined && isFresh(each) ? each : undefined,
  );
  const log = said.log.filter(isFresh);
  const at = wentOnAt({ ...emptySequenceRecord, log });
  const isStoppedLater = [record.paused, record.aborted].some(
    (stop) => stop !== undefined && at !== undefined && Date.parse(stop.at) > Date.parse(at),
  );
  const { cleanedAt, ...rest } = at === undefined || isStoppedLater ? record : goneOn(record);
  const skipped = Object.entries(said.skipped).filter(([, each]) => isFresh(each));
  const all = [...Object.entries(rest.skipped), ...skipped].slice(-skippedAtMost);
  const taken = unique([...(rest.taken ?? []), ...(said.taken ?? [])]).slice(-takenAtMost);
  const next = {
    ...rest,
    ...given({ paused, aborted }),
    ...(taken.length === 0 ? {} : { taken }),
    skipped: Object.fromEntries(all),
  };
  // What an earlier abort was to keep may be taken back by this one.
  return withLog(aborted === undefined ? { ...next, ...given({ cleanedAt }) } : next, log);
}

/** What people ask of a sequence. */
export type SequenceRequest =
  | { readonly kind: 'pause' | 'go-on' | 'abort'; readonly said: Said }
  | { readonly kind: 'skip'; readonly item: string; readonly said: Said };

/** The record with what somebody asked for. */
export function withRequest(record: SequenceRecord, request: SequenceRequest): SequenceRecord {
  const { who, why, at } = request.said;
  const said = { who: clipped(who, saidAtMost.who), why: clipped(why, saidAtMost.why), at };
  const log = (what: string, item = '') =>
    withLog(record, [{ at: said.at, item, what: `${what} by ${said.who}: ${said.why}` }]);
  switch (request.kind) {
    case 'pause':
      return { ...log('paused'), paused: said };
    case 'go-on':
      return { ...goneOn(record), log: log(wentOn).log };
    case 'abort': {
      // What an earlier abort was to keep may be taken back by this one.
      const { cleanedAt: ____, ...uncleaned } = log('aborted');
      return { ...uncleaned, aborted: said };
    }
    case 'skip':
      if (!Object.hasOwn(record.skipped, request.item) && Object.keys(record.skipped).length >= skippedAtMost)
        return log(`not skipped, because ${skippedAtMost} are already; asked`, request.item);
      return { ...log('skipped', request.item), skipped: { ...record.skipped, [request.item]: said } };
    default:
      return request satisfies never;
  }
}

/** By somebody, or by one of its gates. */
export function isStopped({ paused, aborted }: SequenceRecord): boolean {
  return paused !== undefined || aborted !== undefined;
}

/** It counts as healthy, whatever was found of it. */
export function isLetPass(id: string, { skipped, items }: SequenceRecord): boolean {
  return Object.hasOwn(skipped, id) || items[id]?.passedAt !== undefined;
}

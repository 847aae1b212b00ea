import type { ClusterSettings } from '../../core/configuration/cluster.ts';
import { tickSeconds } from '../../core/configuration/policy.ts';
import {
  isDecided,
  isSaidAlone,
  isSaidBefore,
  lastChangeMs,
  parseSequenceRecord,
  type SequenceRecord,
  unheardStop,
  withLeftOf,
  withSaid,
} from '../../core/sequences/record.ts';
import { Transient } from '../../core/text/errors.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { oncePer } from '../../core/text/once-per.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { SequencePorts } from './sequence-ports.ts';

/** What is known of the places where the record of a sequence was kept before. */
export interface FormerRecord {
  /** The newest of all; undefined: none can be read. */
  readonly record: SequenceRecord | undefined;
  /** For the timeline. */
  readonly note: string;
  /** All of them, as the record remembers them: `cluster/namespace` and when, ISO instant. */
  readonly places: readonly string[];
}

/** Where a record is kept. */
interface Place {
  readonly cluster: string;
  readonly namespace: string;
}

interface LeftAt extends Place {
  /** Of its cluster. */
  readonly checkpoint: Checkpoint;
  /** It was not left before, in milliseconds since the epoch: when looks at that cluster found it to be of no
   *  configured sequence, or when it was last read, with a few minutes' slack; 0: it was never read. */
  readonly leftFromMs: number;
  /** When looks last went by it, with the same slack: while its cluster did not answer it may have been moved long
   *  before they found that. */
  readonly lookedAtMs: number;
}

type ReadAt =
  | { readonly left: LeftAt; readonly record: SequenceRecord; readonly cause?: undefined }
  /** Why it could not be read. */
  | { readonly left: LeftAt; readonly record?: undefined; readonly cause: Transient };

/** Seconds. A cluster that was not read for so long may never answer again: what its record said is lost, as that of a
 *  record that somebody deleted. Before that it is waited for. */
const lostAfterSeconds = 1_800;

/** Ticks that have failed to read it meanwhile: where nobody has looked, as while Poolkeeper itself was down, nothing
 *  is known of the cluster. Half of those of that time, as some may come late. */
const lostAfterMisses = lostAfterSeconds / tickSeconds / 2;

/** Seconds: three ticks. */
const knownForSeconds = 3 * tickSeconds;

/** The last tick has looked at the sequence by this record. Otherwise it may have been kept elsewhere meanwhile, as
 *  while its cluster was down, and what stands here is what was left then.
 *  @param record as `namespace/sequence` */
export function isKnownBy(
  checkpoint: Pick<Checkpoint, 'sequenceRecords' | 'sequencesUnseen' | 'tickedAt'> | undefined,
  record: string,
  now: Date,
): boolean {
  const { sequenceRecords = [], sequencesUnseen = {}, tickedAt } = checkpoint ?? {};
  const name = record.slice(record.indexOf('/') + 1);
  const isRecent = tickedAt !== undefined && secondsSince(tickedAt, now) <= knownForSeconds;
  const isLeft = sequencesUnseen[leftKey(record)] !== undefined;
  return isRecent && !isLeft && sequenceRecords.includes(record) && sequencesUnseen[name] === undefined;
}

/** By which a checkpoint remembers, among what could not be looked at, since when a record is of no configured
 *  sequence.
 *  @param record as `namespace/sequence` */
export function leftKey(record: string): string {
  return `left ${record}`;
}

/** By which it remembers until when looks went by such a record.
 *  @param record as `namespace/sequence` */
export function lookedAtKey(record: string): string {
  return `last ${record}`;
}

/** For one look: the checkpoint of each cluster is read once for all sequences. */
export function withCheckpointsOnce<Ports extends Pick<SequencePorts, 'checkpoints'>>(ports: Ports): Ports {
  const { checkpoints } = ports;
  if (checkpoints === undefined) return ports;
  return { ...ports, checkpoints: { load: oncePer((cluster: string) => checkpoints.load(cluster)) } };
}

/** The record that a sequence has there is the newest that it has. Throws Transient. */
export async function isSettled(name: string, { cluster, namespace }: Place, ports: SequencePorts): Promise<boolean> {
  if (ports.checkpoints === undefined) return true;
  return isKnownBy(await ports.checkpoints.load(cluster), `${namespace}/${name}`, ports.clock());
}

/** The record that a sequence has left where it was kept before its first cluster or its namespace was changed: that a
 *  person has paused or aborted it, and what it has applied, is so wherever its record is kept. By our own table, which
 *  remembers what this installation keeps. Undefined: there is none, or the one here is the newest. Throws Transient
 *  where it cannot be read.
 *  @param here where it is kept now, with the record that it has there */
export async function formerRecord(
  name: string,
  { own, ...here }: Place & { readonly own: SequenceRecord | undefined },
  ports: SequencePorts,
): Promise<FormerRecord | undefined> {
  const known = await Promise.all(ports.configuration.clusters.map((cluster) => leftOn(cluster, name, ports)));
  const left = known.flat().filter(({ cluster, namespace }) => !isSamePlace({ cluster, namespace }, here));
  const places = left.map((each) => takenText(each, ports.clock()));
  const read = (await Promise.all(left.map((each) => readAt(each, name, ports)))).flatMap((each) => each ?? []);
  const records = read.flatMap(({ record }) => record ?? []);
  const takers = own === undefined ? records : [own, ...records];
  const open = read.filter((each) => !isTakenOver(each, takers));
  for (const { left: from, cause } of open) if (cause !== undefined) waitUnlessLost({ left: from, cause }, own, ports);
  const readable = open.flatMap(({ left: place, record }) => (record === undefined ? [] : [{ place, record }]));
  const taken = withFormer(readable, own);
  if (taken !== undefined) return { ...taken, places };
  const lost = open.find(({ cause }) => cause !== undefined);
  if (lost === undefined) return undefined;
  const goesOn = own === undefined ? 'begins anew' : 'goes on by what its record here says';
  const note = `${goesOn}: its record on cluster ${lost.left.cluster} cannot be read, and with it what people said of it`;
  return { record: own, note, places };
}

/** Undefined: none of them says anything that the one here does not know. */
function withFormer(
  readable: readonly { readonly place: LeftAt; readonly record: SequenceRecord }[],
  own: SequenceRecord | undefined,
): Pick<FormerRecord, 'record' | 'note'> | undefined {
  const former = readable.toSorted((a, b) => lastChangeMs(a.record) - lastChangeMs(b.record));
  const newest = former.at(-1);
  if (newest === undefined) return undefined;
  const place = `in namespace ${newest.place.namespace} of cluster ${newest.place.cluster}`;
  const note = `goes on by its record ${place}`;
  const records = former.map(({ record }) => record);
  if (own === undefined) return { record: records.reduce(withLeftOf), note };
  if (isSaidAlone(own)) return withOwnWords(newest.place, records.reduce(withLeftOf), { own, note });
  const isNewer = lastChangeMs(newest.record) > lastChangeMs(own);
  if (!isNewer && records.every((each) => unheardStop(each, own) === undefined)) return undefined;
  const record = [...records, own].toSorted((a, b) => lastChangeMs(a) - lastChangeMs(b)).reduce(withLeftOf);
  return { record, note: isNewer ? note : `goes on by its record here, and by what people said in that ${place}` };
}

/** Nobody has looked by the record here yet. What people said there counts since looks went by the former one; of what
 *  they said before, as by a file that was not deployed, at most a stop does. */
function withOwnWords(
  { lookedAtMs }: LeftAt,
  before: SequenceRecord,
  { own, note }: { readonly own: SequenceRecord; readonly note: string },
): Pick<FormerRecord, 'record' | 'note'> {
  const record = withSaid(before, own, lookedAtMs);
  const { paused } = record;
  const isStopped = paused !== undefined && paused.at !== before.paused?.at && Date.parse(paused.at) < lookedAtMs;
  const rest = isStopped
    ? `; of what people said here before the move, the stop by ${paused.who} alone counts, as a pause`
    : '; what people said here before the move does not count';
  return { record, note: isSaidBefore(own, lookedAtMs) ? `${note}${rest}` : note };
}

function isSamePlace(a: Place, b: Place): boolean {
  return textOf(a) === textOf(b);
}

function textOf({ cluster, namespace }: Place): string {
  return `${cluster}/${namespace}`;
}

async function leftOn(
  { name: cluster }: ClusterSettings,
  name: string,
  ports: SequencePorts,
): Promise<readonly LeftAt[]> {
  const checkpoint = await ports.checkpoints?.load(cluster);
  if (checkpoint === undefined) return [];
  return (checkpoint.sequenceRecords ?? []).flatMap((each) => {
    const [namespace = '', sequence] = each.split('/');
    return sequence === name ? [{ cluster, namespace, checkpoint, ...timesOf(each, checkpoint) }] : [];
  });
}

/** @param record as `namespace/sequence` */
function timesOf(
  record: string,
  { sequencesUnseen = {}, lastGoodReadAt, tickedAt }: Checkpoint,
): Pick<LeftAt, 'leftFromMs' | 'lookedAtMs'> {
  const left = sequencesUnseen[leftKey(record)];
  return {
    leftFromMs: withSlack(left ?? lastGoodReadAt),
    lookedAtMs: withSlack(sequencesUnseen[lookedAtKey(record)] ?? left ?? tickedAt ?? lastGoodReadAt),
  };
}

function withSlack(since: string | undefined): number {
  return since === undefined ? 0 : Date.parse(since) - knownForSeconds * 1000;
}

/** Undefined: there is none to take over. */
async function readAt(left: LeftAt, name: string, ports: SequencePorts): Promise<ReadAt | undefined> {
  try {
    const stored = await (await ports.cluster(left.cluster)).sequenceRecords?.load(left.namespace, name);
    if (stored === undefined || stored.text === '') return undefined;
    const read = parseSequenceRecord(stored.text);
    if (read === 'unreadable') throw new Transient('it cannot be understood', { kind: 'invalid' });
    if (read.owner !== undefined && read.owner !== ports.installation) return undefined;
    const { orphanedAt: _, stood: __, ...record } = read;
    return { left, record };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return { left, cause };
  }
}

/** Nothing was looked at by it since another one has taken its place. */
function isTakenOver({ left, record }: ReadAt, takers: readonly SequenceRecord[]): boolean {
  const takenMs = takenOverMs(left, takers);
  return takenMs !== undefined && (record === undefined ? 0 : lastChangeMs(record)) <= takenMs;
}

/** When one of the records has taken the place of the one there, in milliseconds since the epoch: it had been left by
 *  then, or was in the same minutes. Undefined: none has. */
function takenOverMs(left: LeftAt, records: readonly SequenceRecord[]): number | undefined {
  const taken = records.flatMap(({ tookOver = [] }) => tookOver.map((each) => each.split(' ')));
  const times = taken.flatMap(([place, at = '']) => (place === textOf(left) ? [Date.parse(at)] : []));
  const since = times.filter((each) => each >= left.leftFromMs);
  return since.length === 0 ? undefined : Math.max(...since);
}

/** As a record remembers what it has taken the place of. */
function takenText(place: Place, now: Date): string {
  return `${textOf(place)} ${now.toISOString()}`;
}

function waitUnlessLost(
  { left, cause }: { readonly left: LeftAt; readonly cause: Transient },
  own: SequenceRecord | undefined,
  { clock }: Pick<SequencePorts, 'clock'>,
): void {
  const isRefused = cause.kind === 'forbidden';
  if (isRefused ? isGivenUp(left, own) : isLost(cause, left.checkpoint, clock())) return;
  const { cluster, namespace } = left;
  const why = `its former record in namespace ${namespace} of cluster ${cluster} cannot be read: ${cause.message}`;
  throw new Transient(why, { cause, kind: cause.kind });
}

/** Whoever has aborted it or told it to go on since, where it is kept now, wants no other. */
function isGivenUp({ leftFromMs }: LeftAt, own: SequenceRecord | undefined): boolean {
  return own !== undefined && isDecided(own, leftFromMs);
}

/** What is not understood can be mended, and people's words may stand there. */
function isLost({ kind }: Transient, { lastGoodReadAt, misses }: Checkpoint, now: Date): boolean {
  if (kind === 'invalid') return false;
  if (lastGoodReadAt === undefined) return true;
  return secondsSince(lastGoodReadAt, now) >= lostAfterSeconds && misses >= lostAfterMisses;
}

import {
  appliedAlone,
  type FormerObject,
  type HeldApplication,
  hasBeenSaid,
  isUnheard,
  parseSequenceRecord,
  type SequenceRecord,
  sequenceRecordText,
  wasDoneAt,
} from '../../core/sequences/record.ts';
import type { SequenceProblem } from '../../core/sequences/sequence-problems.ts';
import { Misconfigured, Transient } from '../../core/text/errors.ts';
import { isPast, plusSeconds } from '../../core/text/instant.ts';
import { clipped, counted, listed } from '../../core/text/phrases.ts';
import { unique } from '../../core/text/unique.ts';
import type { StoredText } from '../../ports/sequences.ts';
import type { SequenceWindow } from '../../ports/tables.ts';
import { configuredObjects } from './configured-objects.ts';
import { findMade } from './find-made.ts';
import { isSettled } from './former-record.ts';
import { keptBySequence } from './hold-applications.ts';
import type { SequenceKeepPorts } from './sequence-ports.ts';
import { releaseWindow } from './write-windows.ts';

/** What became of the records of this cluster that belong to no configured sequence any more. */
export interface ReleasedOrphans {
  readonly problems: readonly (SequenceProblem & { readonly sequence: string })[];
  /** Records that are still to be released, as `namespace/sequence`. */
  readonly left: readonly string[];
}

/** Takes away what sequences left that were removed, renamed or moved to another first cluster or namespace: the
 *  windows that their records name, what they had applied if they were never done and are to restore, and then the
 *  record. Only records that this installation has kept are touched, as our own table remembers them: others may have
 *  sequences on the same cluster. What fails is tried again by the next tick. */
export async function releaseOrphans(
  cluster: string,
  orphans: readonly string[],
  ports: SequenceKeepPorts,
): Promise<ReleasedOrphans> {
  const problems: (SequenceProblem & { readonly sequence: string })[] = [];
  const left: string[] = [];
  for (const orphan of orphans) {
    const sequence = orphan.slice(orphan.indexOf('/') + 1);
    try {
      if (!(await release({ cluster, namespace: orphan.slice(0, orphan.indexOf('/')), sequence }, ports)))
        left.push(orphan);
    } catch (cause) {
      if (!(cause instanceof Transient || cause instanceof Misconfigured)) throw cause;
      ports.logger.warn('what a sequence left could not be taken away', { sequence, why: cause.message });
      left.push(orphan);
      if (cause instanceof Transient && ['conflict', 'unreachable', 'busy'].includes(cause.kind)) continue;
      const since = ports.clock().toISOString();
      const why = `it is no longer configured here, and what it left could not be taken away: ${cause.message}`;
      problems.push({ kind: 'refused', sequence, item: '', cluster, since, why });
    }
  }
  return { problems, left };
}

interface Orphan {
  readonly cluster: string;
  readonly namespace: string;
  readonly sequence: string;
}

/** True: nothing of it is left that is ours to take away. Throws Transient and Misconfigured. */
async function release(orphan: Orphan, ports: SequenceKeepPorts): Promise<boolean> {
  const stored = await (await ports.cluster(orphan.cluster)).sequenceRecords?.load(orphan.namespace, orphan.sequence);
  if (stored === undefined || stored.text === '') return true;
  const record = parseSequenceRecord(stored.text);
  if (record === 'unreadable') throw new Transient('its record cannot be understood', { kind: 'invalid' });
  if (record.owner !== undefined && record.owner !== ports.installation) return true;
  const gone = await releaseWindows(record, ports);
  if (gone === 'waits') return false;
  const heir = await heirOf(orphan, ports);
  if (heir === 'awaited') return false;
  const left = leftBy(record, heir);
  if (isToWait(left) && !isPast(deletedAt(record, ports.clock()), ports.clock())) {
    if (record.orphanedAt === undefined) await waitFirst(orphan, { record, stored, gone, left }, ports);
    return false;
  }
  const objects = await releaseObjects(orphan, left, ports);
  if (objects === 'going') return false;
  await forget(orphan, stored, ports);
  await tell(orphan, { id: `released/${stored.resourceVersion ?? ''}`, text: `${gone}, ${objects}` }, ports);
  return true;
}

/** What is said of its windows. `waits`: another sequence has one of the Applications, and has not looked at it yet. */
async function releaseWindows({ held }: SequenceRecord, ports: SequenceKeepPorts): Promise<string> {
  let windows = 0;
  const stay: string[] = [];
  for (const each of Object.values(held ?? {})) {
    const became = await releaseHeld(each, ports);
    if (became === 'waits') return became;
    if (became === 'released') windows += 1;
    if (became === 'stays')
      stay.push(clipped(`AppProject ${each.namespace}/${each.project} of cluster ${each.cluster}`, 300));
  }
  const gone = `${counted(windows, 'window')} of it ${windows === 1 ? 'is' : 'are'} gone`;
  return stay.length === 0 ? gone : `${gone}, but not in ${listed(unique(stay))}, which is not configured any more`;
}

/** The record of the sequence of this name where it is kept now, with all that stands in this one; undefined: it is not
 *  configured any more. `awaited`: there is none yet, or one of which it is not known that it is as new. */
async function heirOf(
  { sequence: name }: Orphan,
  ports: SequenceKeepPorts,
): Promise<SequenceRecord | 'awaited' | undefined> {
  const sequence = ports.configuration.sequences?.[name];
  if (sequence === undefined) return undefined;
  const place = { cluster: sequence.clusters[0] ?? '', namespace: sequence.namespace };
  const records = (await ports.cluster(place.cluster)).sequenceRecords;
  const record = parseSequenceRecord((await records?.load(place.namespace, name))?.text ?? '');
  if (record === 'unreadable') return 'awaited';
  return (await isSettled(name, place, ports)) ? record : 'awaited';
}

/** What goes with the record. */
interface Left {
  /** What it has applied and is to be deleted. */
  readonly objects: readonly FormerObject[];
  /** People's words, which are in no other record. */
  readonly isSaid: boolean;
  /** It was done, which no other record says: configured again, it would be as if it had never been. */
  readonly isDone: boolean;
}

function leftBy(record: SequenceRecord, heir: SequenceRecord | undefined): Left {
  const isToDelete = isBeingTakenBack(record) || (record.done === undefined && wasDoneAt(record) === undefined);
  return {
    objects: isToDelete && record.onAbort === 'restore' ? appliedAlone(record, heir) : [],
    isSaid: heir === undefined ? hasBeenSaid(record) : isUnheard(record, heir),
    isDone: heir === undefined && wasDoneAt(record) !== undefined,
  };
}

/** Somebody has aborted it, and not all that it had applied is gone. */
function isBeingTakenBack({ aborted, cleanedAt }: SequenceRecord): boolean {
  return aborted !== undefined && cleanedAt === undefined;
}

function isToWait({ objects, isSaid, isDone }: Left): boolean {
  return objects.length > 0 || isSaid || isDone;
}

/** Seconds for which what a sequence has applied, and what people said of it, stays after the sequence is gone from the
 *  configuration: a file that was deployed by mistake deletes nothing. */
const staysSeconds = 1_800;

function deletedAt({ orphanedAt }: SequenceRecord, now: Date): string {
  return plusSeconds(orphanedAt === undefined ? now : new Date(orphanedAt), staysSeconds);
}

/** Its windows are gone, and its time begins. */
async function waitFirst(
  orphan: Orphan,
  {
    record,
    stored,
    gone,
    left,
  }: {
    readonly record: SequenceRecord;
    readonly stored: StoredText;
    readonly gone: string;
    readonly left: Left;
  },
  ports: SequenceKeepPorts,
): Promise<void> {
  const { held: _, stood: __, ...rest } = record;
  const now = ports.clock();
  const text = sequenceRecordText({ ...rest, orphanedAt: now.toISOString() });
  const records = (await ports.cluster(orphan.cluster)).sequenceRecords;
  await records?.save(orphan.namespace, orphan.sequence, { ...stored, text });
  const deleted = `${goesText(left)} at ${deletedAt(record, now)} unless it is configured again`;
  await tell(orphan, { id: `orphaned/${stored.resourceVersion ?? ''}`, text: `${gone}, and ${deleted}` }, ports);
}

function goesText({ objects, isSaid }: Left): string {
  if (objects.length === 0 && !isSaid) return 'that it was done is forgotten';
  if (objects.length === 0) return 'that people have paused, aborted or skipped it is forgotten';
  return isSaid ? 'what it applied is deleted and what people said of it forgotten' : 'what it applied is deleted';
}

async function tell(
  { cluster, sequence }: Orphan,
  { id, text }: { readonly id: string; readonly text: string },
  ports: SequenceKeepPorts,
): Promise<void> {
  await ports.timeline.append([
    {
      id: `sequence/${sequence}/${id}`,
      at: ports.clock().toISOString(),
      cluster,
      pool: '',
      type: 'poolkeeper.sequence',
      text: `sequence ${sequence} is no longer configured here: ${text}`,
      correlation: sequence,
    },
  ]);
}

/** `kept`: a configured sequence holds the Application back too. `waits`: one has it, and has not looked at it yet.
 *  `stays`: it is on a cluster that is not configured any more. */
async function releaseHeld(
  held: HeldApplication,
  ports: SequenceKeepPorts,
): Promise<'released' | 'kept' | 'waits' | 'stays'> {
  const kept = await keptBySequence(held, ports);
  if (kept !== undefined) return kept;
  return (await ifConfigured(() => releaseWindow(held, ports))) === 'stays' ? 'stays' : 'released';
}

/** Takes the windows of sequences away whose first cluster is not configured any more, and with it their records.
 *  Returns what is still to be taken away. */
export async function releaseOfRemoved(
  removed: string,
  windows: readonly SequenceWindow[],
  ports: SequenceKeepPorts,
): Promise<readonly SequenceWindow[]> {
  const left: SequenceWindow[] = [];
  for (const window of windows) {
    const { of, ...held } = window;
    try {
      const became = await releaseHeld(held, ports);
      if (became === 'waits') left.push(window);
      if (became === 'released') await tellReleased(removed, window, ports);
    } catch (cause) {
      if (!(cause instanceof Transient)) throw cause;
      const { application } = held;
      ports.logger.warn('a window of a cluster that was removed stays', { of, application, why: cause.message });
      left.push(window);
    }
  }
  return left;
}

async function tellReleased(
  removed: string,
  { of, cluster, namespace, project, application }: SequenceWindow,
  { timeline, clock }: SequenceKeepPorts,
): Promise<void> {
  const sequence = of.slice(of.indexOf('/') + 1);
  const at = clock().toISOString();
  await timeline.append([
    {
      id: `sequence/${sequence}/freed/${cluster}/${namespace}/${project}/${application}/${at}`,
      at,
      cluster,
      pool: '',
      type: 'poolkeeper.sequence',
      text: `sequence ${sequence}: its record was on cluster ${removed}, which is no longer configured. Its window for ${application} in AppProject ${namespace}/${project} of cluster ${cluster} is gone`,
      correlation: sequence,
    },
  ]);
}

/** Whatever is on a cluster that is not configured any more stays there. */
async function ifConfigured<T>(take: () => Promise<T>): Promise<T | 'stays'> {
  try {
    return await take();
  } catch (cause) {
    if (!(cause instanceof Misconfigured)) throw cause;
    return 'stays';
  }
}

/** What is said of the objects that it had applied; `going`: some are being deleted. */
async function releaseObjects({ sequence }: Orphan, { objects }: Left, ports: SequenceKeepPorts): Promise<string> {
  if (objects.length === 0) return 'and what it applied stays';
  let going = 0;
  for (const each of objects.toReversed())
    if ((await ifConfigured(() => removeApplied(sequence, each, ports))) === true) going += 1;
  return going > 0 ? 'going' : 'and so is what it had applied, but for what other sequences have';
}

/** True: it was there, and is being deleted. */
async function removeApplied(
  sequence: string,
  { cluster, path, uid }: FormerObject,
  ports: SequenceKeepPorts,
): Promise<boolean> {
  const { reader, writer } = await ports.cluster(cluster);
  const found = await findMade(sequence, { path, uid }, reader);
  if (found === undefined || configuredObjects(cluster, found, ports).length > 0) return false;
  await writer?.remove(path, uid);
  return true;
}

/** An account that may not delete the record empties it. */
async function forget(
  { cluster, namespace, sequence }: Orphan,
  stored: StoredText,
  ports: SequenceKeepPorts,
): Promise<void> {
  const records = (await ports.cluster(cluster)).sequenceRecords;
  try {
    await records?.remove(namespace, sequence, stored);
  } catch (cause) {
    if (!(cause instanceof Transient) || cause.kind !== 'forbidden') throw cause;
    await records?.save(namespace, sequence, { ...stored, text: '' });
  }
}

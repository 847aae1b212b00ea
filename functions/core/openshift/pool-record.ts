import * as z from 'zod';
import { isPast } from '../text/instant.ts';
import { problems } from '../text/problems.ts';
import { Hold, holdsAnnotation, instant, rolloutHoldId } from './hold.ts';

/** Whatever the order of their keys. */
export function sameRecord(a: PoolRecord, b: PoolRecord): boolean {
  return isSame(a, b);
}

/** As the text that is written of them: what is undefined is not there. */
function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [own, other] = [definedEntries(a), new Map(definedEntries(b))];
  return own.length === other.size && own.every(([key, value]) => other.has(key) && isSame(value, other.get(key)));
}

function definedEntries(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, part]) => part !== undefined);
}

/** The record of a pool; the empty one where there is none, or it is unreadable. */
export function recordIn({ record }: { readonly record: RecordRead }): PoolRecord {
  return record.kind === 'record' ? record.record : emptyRecord;
}

/** The holds of a pool; empty for an unreadable record. */
export function holdsOf(pool: { readonly record: RecordRead }): readonly Hold[] {
  return recordIn(pool).holds;
}

/** When Poolkeeper let the rollout go that is noted as not ended, or resumed the pool, if that is what it did last.
 *  Undefined: neither. */
export function resumeNoted({ last, resumedAt }: PoolRecord): string | undefined {
  return resumedAt ?? (last?.did === 'resumed' ? last.at : undefined);
}

/** The holds of a record that no person has overruled. An overruled one may stay on it for a week, or for as long as a
 *  sync runs, and keeps nothing paused: whoever asks whether a pool is held asks for these. */
export function standingHolds({ holds }: Pick<PoolRecord, 'holds'>): readonly Hold[] {
  return holds.filter(({ overruled }) => overruled === undefined);
}

/** The holds of a pool that no person has overruled. */
export function standingHoldsOf(pool: { readonly record: RecordRead }): readonly Hold[] {
  return standingHolds(recordIn(pool));
}

/** Whether its syncs have ended and it waits for its gates. What they changed may not be rendered yet, so the pool can
 *  look updated. Its emergency lane passes freezes; one that has ended in this moment is gone with the next look. */
export function isAboutToResume({
  paused,
  record,
}: {
  readonly paused: boolean;
  readonly record: RecordRead;
}): boolean {
  if (!paused || record.kind !== 'record') return false;
  const { pause, emergency, release } = record.record;
  const holding = standingHolds(record.record).filter(({ kind }) => kind !== 'freeze' || emergency === undefined);
  return pause === 'ours' && holding.length === 0 && release !== undefined;
}

/** Manual holds and freezes that go on and that nobody has overruled: nothing but the record says that they stand. */
export function holdsOfPeople(record: PoolRecord | undefined, now: Date): readonly Hold[] {
  const isOfPerson = ({ kind }: Hold) => kind === 'manual' || kind === 'freeze';
  return (record?.holds ?? []).filter(
    (hold) => isOfPerson(hold) && hold.overruled === undefined && !isPast(hold.until, now),
  );
}

/** The hold of a run on the pool; undefined: it has none. */
export function holdOfRun(pool: { readonly record: RecordRead }, run: string): Hold | undefined {
  return holdsOf(pool).find(({ id }) => id === rolloutHoldId(run));
}

/** What ended syncs leave behind for the gates of a pool: which MachineConfigs one rollout must cover. */
export const Release = z.object({
  since: instant,
  /** When the end of the newest operation was observed, after which the render settles. By our clock: that of Argo CD
   *  may be slow, and whoever may write an Application may write any date. A thaw leaves it as it was. */
  finishedAt: instant,
  /** MachineConfigs that the operations applied; the pool's rendered config must list those it selects. */
  machineConfigs: z.array(z.string()),
  why: z.string(),
  /** Who pushed what it rolls out, by their GitHub logins; empty text: somebody who is not known. Noted only where the
   *  pool excludes them from its approvals, or its approvers have logins there. */
  pushers: z.array(z.string()).optional(),
  /** Applications, a few, whose syncs are of nobody who is known to have pushed. */
  unpushed: z.array(z.string()).optional(),
  /** Applications whose sync failed, and which may be rolled out only after an approval. */
  afterFailed: z.array(z.string()).optional(),
  /** When the last freeze of the pool ended: until then its pause was wanted, however long it lasted. */
  thawedAt: instant.optional(),
});

export type Release = z.infer<typeof Release>;

/** A freeze that a person ended before its time. It outweighs every copy of that freeze, so that no other pool brings
 *  it back. */
export const Thaw = z.object({
  /** Of the freeze. */
  id: z.string().min(1),
  /** Freezes of this id that began later count. */
  at: instant,
  by: z.string(),
  why: z.string(),
  /** When the freeze would have ended by itself: no copy counts any longer, and this may be forgotten. */
  until: instant,
  /** It ended for this pool only; other pools stay frozen. */
  here: z.literal(true).optional(),
});
export type Thaw = z.infer<typeof Thaw>;

/** The emergency lane of a pool: until its end the pool resumes whatever freezes, windows and the like say. */
export const Emergency = z.object({ who: z.string(), why: z.string(), since: instant, until: instant });
export type Emergency = z.infer<typeof Emergency>;

/** A resume by what is no person, as far as its field manager tells. */
export const ProgramResume = z.object({
  /** By the API server's clock, and no later than it was found. */
  at: instant,
  /** Ids of some holds that stood then. */
  holds: z.array(z.string()),
});
export type ProgramResume = z.infer<typeof ProgramResume>;

/** A change (`changeName`) that was let go, and when that began, by our clock. In image mode by the rendered config
 *  alone where nobody knew with which image. */
const LetGoChange = z.object({ change: z.string(), at: instant });

/** What was let go last of a pool whose changes people approve: what was approved before that, and is another change,
 *  has to be approved again. */
export const RolledOut = LetGoChange.extend({
  /** The change before that one; absent: none is known. */
  before: LetGoChange.optional(),
});
export type RolledOut = z.infer<typeof RolledOut>;

/** The content of the annotation. There is no second copy: losing every table loses no hold. */
export const PoolRecord = z.object({
  v: z.literal(1),
  /** Owner of the pause. `ours`: Poolkeeper set it and may clear it. `foreign`: found in place, never cleared by us.
   *  `overridden`: a person resumed a pool that we had paused, and has overruled each of its holds. Absent: no
   *  claim. */
  pause: z.enum(['ours', 'foreign', 'overridden']).optional(),
  /** Since when Poolkeeper has paused the pool. */
  pausedSince: instant.optional(),
  /** Argo CD has applied `spec.paused: true` from Git to a pool that Poolkeeper had paused. The API server goes on to
   *  name Poolkeeper as who paused it, and the pause is Git's, for as long as Git says so. `at`: since when the pool is
   *  paused. `applied`: the Applications that may have applied it; absent: a version noted it that noted none. */
  pausedInGit: z
    .object({
      by: z.string(),
      at: instant,
      applied: z.array(z.object({ argocd: z.string(), namespace: z.string(), name: z.string() })).optional(),
    })
    .optional(),
  /** When Poolkeeper last resumed it, if that rollout had not ended when something else was noted; or when a run first
   *  let a node of it go, until its rollout has ended. */
  resumedAt: instant.optional(),
  holds: z.array(Hold),
  release: Release.optional(),
  /** The pool had no record, and what was published of it could not be read: this is without that, which the first
   *  look that can read it adds. Absent: nothing is missing. */
  lacksPublished: z.literal(true).optional(),
  thawed: z.array(Thaw).optional(),
  emergency: Emergency.optional(),
  /** The last resume by a person, until Poolkeeper resumes or pauses the pool for reasons of its own: whatever is noted
   *  in `last` since, it is told, and respected until what it let go is done. Absent: there was none, or a version
   *  wrote it that noted it in `last` alone. */
  letGo: z
    .object({
      at: instant,
      by: z.string(),
      /** The rendered config that rolls out because of it. */
      config: z.string(),
      /** Absent: it was a person, or a version wrote it that did not ask. */
      program: ProgramResume.optional(),
    })
    .optional(),
  /** Noted only where people approve the changes of the pool. Absent: nothing was let go since, or a version wrote it
   *  that did not note it. */
  rolledOut: RolledOut.optional(),
  /** Last action on the pool, so that `oc describe mcp` and the events need no table. */
  last: z
    .object({
      did: z.enum(['paused', 'resumed', 'overridden', 'left']),
      at: instant,
      why: z.string(),
      by: z.string().optional(),
      /** What was resumed by a program and is, or is to be, paused again; absent: it was not. */
      program: ProgramResume.optional(),
      /** How often in a row it was paused again because a hook Job had resumed it; absent: it was not. */
      hooks: z.number().optional(),
      /** The rendered config that a resume let go, if its rollout is to end with a window; absent: it rolls nothing
       *  out, or went although its window was closed. */
      target: z.string().optional(),
      /** The rendered config to which a resume takes nodes that had a later one, or another image; absent: none had. */
      takesBack: z.string().optional(),
      /** The rendered config that the gates of a resume, or its turn in a sequence, let go; absent: nothing asks for
       *  one. */
      asked: z.string().optional(),
      /** As in the release that the resume ended, for a pool that is paused again in mid-rollout. */
      pushers: z.array(z.string()).optional(),
      afterFailed: z.array(z.string()).optional(),
      /** Overruled holds, a few, that have ended since, by their ids: what their syncs had brought by then is decided.
       *  Absent: none has, or a version wrote it that noted the end of the last one as an action of its own. */
      ended: z.array(z.object({ hold: z.string(), at: instant, startedAt: instant.optional() })).optional(),
    })
    .optional(),
});

export type PoolRecord = z.infer<typeof PoolRecord>;

/** What outlives the holds of a pool: an open emergency lane, and thaws that other pools may not know of yet. */
export function lasting({ thawed = [], emergency }: PoolRecord, now: Date): Pick<PoolRecord, 'thawed' | 'emergency'> {
  const known = thawed.filter(({ until }) => !isPast(until, now));
  return {
    ...(known.length === 0 ? {} : { thawed: known }),
    ...(emergency === undefined || isPast(emergency.until, now) ? {} : { emergency }),
  };
}

export const emptyRecord: PoolRecord = { v: 1, holds: [] };

/** The parsed annotation: none, a record, or something that a newer or foreign writer left. */
export type RecordRead =
  | { readonly kind: 'none' }
  | { readonly kind: 'record'; readonly record: PoolRecord }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Whether what was published of the pool is the only copy of its record, or of a part of that. */
export function isLost(read: RecordRead): boolean {
  return read.kind === 'none' || (read.kind === 'record' && read.record.lacksPublished === true);
}

/** The record with its holds not yet validated. */
const Frame = PoolRecord.extend({ holds: z.array(z.unknown()) });

/** Parses the annotation. An unreadable one is never overwritten: the pool is left alone and reported. An
 *  annotation of 256 KiB can contain half a million problems: they are counted hold by hold and not kept. */
export function readRecord(text: string | undefined): RecordRead {
  if (text === undefined || text === '') return { kind: 'none' };
  const found = problems();
  const json = parseJson(text);
  if (countValues(json, mostValues) > mostValues) return unreadable(`it holds more than ${mostValues} values`);
  const frame = Frame.safeParse(json);
  if (!frame.success) {
    found.add(frame.error.issues);
    return unreadable(found.words());
  }
  const holds = frame.data.holds.flatMap((each, index) => {
    const hold = found.isEnough ? undefined : Hold.safeParse(each);
    if (hold?.success === false) found.add(hold.error.issues, ['holds', index]);
    return hold?.success ? [hold.data] : [];
  });
  return found.count > 0 ? unreadable(found.words()) : { kind: 'record', record: { ...frame.data, holds } };
}

function unreadable(why: string): RecordRead {
  return { kind: 'unreadable', why: `annotation ${holdsAnnotation}: ${why}` };
}

/** Undefined: it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Half as many again as Poolkeeper ever writes: it bounds them with the bytes of a record. */
const mostValues = 30_000;

/** Texts, numbers, lists and objects in a piece of JSON. Stops counting beyond `most`. */
export function countValues(root: unknown, most: number): number {
  const waiting = [root];
  let count = 0;
  while (waiting.length > 0 && count <= most) {
    const value = waiting.pop();
    count += 1;
    if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) waiting.push(each);
  }
  return count;
}

export function without(
  record: PoolRecord,
  ...keys: readonly (
    | 'pause'
    | 'release'
    | 'pausedSince'
    | 'pausedInGit'
    | 'resumedAt'
    | 'emergency'
    | 'lacksPublished'
  )[]
): PoolRecord {
  const copy = { ...record };
  for (const key of keys) delete copy[key];
  return copy;
}

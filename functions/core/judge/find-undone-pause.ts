import { isOfPerson } from '../openshift/field-managers.ts';
import { applicationOfHold, type Hold, runOfHold } from '../openshift/hold.ts';
import { isRolling, type Pool } from '../openshift/pool.ts';
import type { PoolRecord, ProgramResume } from '../openshift/pool-record.ts';
import { isPast, secondsSince } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';
import type { PoolState } from './pool-state.ts';

/** What resumed a pool. */
type Sort = 'argocd' | 'program' | 'hook' | 'unknown';

/** A resume by a program that matters now. */
export interface UndonePause {
  /** ISO instant, by the API server's clock. */
  readonly at: string;
  /** Field manager, or words for a hook Job. */
  readonly by: string;
  readonly sort: Sort;
  /** Holds that it was resumed in spite of, and that go on. */
  readonly standing: readonly Hold[];
  /** Ids of holds that stood then. */
  readonly holds: readonly string[];
}

/** Seconds after such a resume within which it is told in any case: it may be found together with the end of its sync,
 *  and the pass that found it may die. */
const toldAtLeast = 180;
/** Seconds for which a pause that was made again must stay: Argo CD's self-heal waits five minutes at most. */
const staysSeconds = 600;

/** The last resume of the pool by a program: as long as it is not paused and something that it was held for goes on, or
 *  what it was let go for; and for some minutes in any case. Undefined: there is none. */
export function undonePauseOf({ pool, rests }: PoolState, now: Date): UndonePause | undefined {
  if (pool.record.kind !== 'record') return undefined;
  const { record } = pool.record;
  const standing = record.holds.filter(({ overruled }) => overruled?.byProgram === true);
  const known = [unsettled(pool, record), ...noted(record), ...standing.flatMap(ofHold)];
  const [resume] = known.filter((each) => each !== undefined).toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  if (resume === undefined) return undefined;
  // It is paused again for the others, or nothing could be written yet.
  const isMeant = ({ id, overruled }: Hold) => overruled === undefined && resume.holds.includes(id);
  const going = [...standing, ...record.holds.filter(isMeant)];
  const isRecent = secondsSince(resume.at, now) < (pool.paused ? staysSeconds : toldAtLeast);
  const goesOn = !pool.paused && (going.length > 0 || goesOnFor(record, { pool, rests, now }));
  return isRecent || goesOn ? { ...resume, sort: sortOf(resume.by, record), standing: going } : undefined;
}

interface Resume extends ProgramResume {
  readonly by: string;
}

/** No pass could write yet that it was resumed. */
function unsettled({ paused, pausedBy }: Pool, { pause, holds }: PoolRecord): Resume | undefined {
  if (pause !== 'ours' || paused || pausedBy?.at === undefined || isOfPerson(pausedBy.manager)) return undefined;
  return { at: pausedBy.at, by: pausedBy.manager, holds: holds.map(({ id }) => id) };
}

/** Of a person's resume since, the record has nothing of the one before. */
function noted({ letGo, last }: PoolRecord): readonly Resume[] {
  return [letGo, last].flatMap((each) =>
    each?.program === undefined ? [] : [{ ...each.program, by: each.by ?? unknownWriter }],
  );
}

function ofHold({ id, overruled }: Hold): readonly Resume[] {
  return overruled === undefined ? [] : [{ at: overruled.at, by: overruled.by, holds: [id] }];
}

/** Nothing holds it any more, and it is not paused, although it would be. */
function goesOnFor(
  { letGo, thawed = [] }: PoolRecord,
  { pool, rests, now }: { readonly pool: Pool; readonly rests: boolean | undefined; readonly now: Date },
): boolean {
  if (letGo?.program === undefined) return false;
  const { holds } = letGo.program;
  const isThawed = thawed.some(({ id, here, until }) => here === true && holds.includes(id) && !isPast(until, now));
  return isThawed || rests === true || (isRolling(pool) && letGo.config === pool.target.name);
}

/** How a record names a writer that the API server does not. */
const unknownWriter = 'somebody';

function sortOf(by: string, { last }: PoolRecord): Sort {
  if (by === unknownWriter) return 'unknown';
  if (/^argocd\b/.test(by)) return 'argocd';
  return last?.hooks !== undefined && last.by === by && by.includes(' ') ? 'hook' : 'program';
}

/** `in the middle of a sync`. */
export function past({ standing, holds }: UndonePause): string {
  const syncs = standing.filter(({ kind }) => kind === 'sync');
  if (syncs.some(({ phase }) => phase === 'syncing')) return 'in the middle of a sync';
  if (syncs.some(({ phase }) => phase === 'expected')) return 'while a sync is awaited';
  if (syncs.length > 0 || holds.some((id) => applicationOfHold(id) !== undefined)) return 'while a sync held it';
  if (holds.some((id) => id.startsWith('freeze/'))) return 'in spite of a freeze';
  return holds.length > 0 ? 'in spite of a hold' : 'before its gates had opened';
}

/** What the pool was held for, in words. */
export function heldWords({ holds, standing }: UndonePause): string {
  const ids = unique([...standing.map(({ id }) => id), ...holds]);
  return ids.length === 0 ? 'its gates' : listed(ids.map(wordsOf), 3);
}

/** Of a hold that may be gone. */
function wordsOf(id: string): string {
  const application = applicationOfHold(id);
  if (application !== undefined) return `the sync of ${application.namespace}/${application.name}`;
  const run = runOfHold(id);
  if (run !== undefined) return `run ${run}`;
  const [kind, ...who] = id.split('/');
  if (kind === 'freeze') return `the freeze of ${who.slice(1).join('/')}`;
  return kind === 'manual' ? `the hold of ${who.join('/')}` : 'a push';
}

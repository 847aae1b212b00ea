import { type Approval, isPossible, saidAhead } from '../gates/approvals.ts';
import { changeToApprove } from '../gates/change-to-approve.ts';
import { type Evidence, noEvidence } from '../gates/evidence.ts';
import { rolloutOf } from '../gates/rollout.ts';
import { configOfChange } from '../openshift/change-name.ts';
import { settingsOf } from '../openshift/managed-pools.ts';
import { hasPendingChange, hasPendingRollout, mayHaveNodesBehind, type Pool } from '../openshift/pool.ts';
import { type PoolRecord, type RolledOut, recordIn, sameRecord } from '../openshift/pool-record.ts';
import { given } from '../text/given.ts';
import { ifGiven } from '../text/if-given.ts';
import { latest } from '../text/instant.ts';
import { respected } from './let-go.ts';
import type { PoolAction } from './plan.ts';
import type { Snapshot } from './snapshot.ts';

/** What was let go last of a pool: as its record says, or the published one if that record was lost. What nobody was
 *  asked for counts as let go once a person has resumed it, a run has let a node go to it, or all nodes have it. */
export function rolledOutLast(pool: Pool, snapshot: Snapshot, now: Date): RolledOut | undefined {
  const own = recordIn(pool);
  const last = lastNoted([own.rolledOut, snapshot.published[pool.name]?.rolledOut], now);
  if (!isApproved(pool, snapshot)) return last;
  const known = byRun(byPerson(last, own, pool), pool, snapshot);
  return haveAllAnother(known, pool) ? noteOf(known, pool.current.name, now.toISOString()) : known;
}

/** The action with what was let go last in its record. Every record that is decided passes through here: what lets a
 *  change go adds it, and all else carries on what is known. What nodes go to without a resume of ours is noted in the
 *  pass that sees it: it may be taken back before anything else is written, and nothing tells later that it was. */
export function withRolledOut(action: PoolAction, pool: Pool, snapshot: Snapshot, now: Date): PoolAction {
  const known = rolledOutLast(pool, snapshot, now);
  if (action.kind !== 'none') {
    const rolledOut = isApproved(pool, snapshot) ? afterAction(known, action, pool, snapshot, now) : known;
    return { ...action, record: { ...action.record, ...given({ rolledOut }) } };
  }
  if (pool.record.kind !== 'record' || !isApproved(pool, snapshot)) return action;
  const { record } = pool.record;
  const rolledOut = unasked(known, record, pool, now);
  const next = { ...record, ...given({ rolledOut }) };
  if (rolledOut === undefined || sameRecord(next, record)) return action;
  return { kind: 'record', record: next, why: `nodes were let go to ${rolledOut.change}` };
}

/** Which image a resume rolls out is noted with it, and is read first, also where no gate asks. */
export function lacksImage(pool: Pool, snapshot: Snapshot): boolean {
  const evidence = evidenceOf(pool, snapshot);
  if (!isApproved(pool, snapshot) || evidence.images.kind !== 'not-asked') return false;
  return rolloutOf({ pool, evidence }).kind === 'rolls';
}

function isApproved({ name }: Pool, { settings }: Snapshot): boolean {
  return settingsOf(settings, name).approve !== undefined;
}

function evidenceOf({ name }: Pool, { evidence }: Snapshot): Evidence {
  return evidence.get(name) ?? noEvidence;
}

function afterAction(
  before: RolledOut | undefined,
  action: Exclude<PoolAction, { kind: 'none' }>,
  pool: Pool,
  snapshot: Snapshot,
  now: Date,
): RolledOut | undefined {
  const known = byPerson(before, action.record, pool);
  if (letsGo(action, pool)) return letGoNow(known, pool, snapshot, now);
  return action.kind === 'pause' ? known : unasked(known, action.record, pool, now);
}

/** By a resume, or of a pool that is not paused, because its gates or its turn have let go what it wants now. */
function letsGo({ kind, record }: Exclude<PoolAction, { kind: 'none' }>, pool: Pool): boolean {
  const asked = record.last?.asked;
  return kind === 'resume' || (asked !== undefined && asked !== recordIn(pool).last?.asked);
}

/** Not before what people have said of others, also where the clock that took that runs ahead. */
function letGoNow(known: RolledOut | undefined, pool: Pool, snapshot: Snapshot, now: Date): RolledOut {
  const evidence = evidenceOf(pool, snapshot);
  // Its nodes have it, also the image.
  if (known !== undefined && isOf(known, pool.target) && rolloutOf({ pool, evidence }).kind === 'none') return known;
  const { approvals, images } = evidence;
  const found = images.kind === 'seen' ? changeToApprove(pool, images.value) : undefined;
  const change = found?.kind === 'known' ? found.change : pool.target.name;
  const ofOthers = ({ config }: Approval) => config !== change;
  const ahead = approvals.kind === 'seen' ? saidAhead(approvals.value.filter(ofOthers), now) : undefined;
  return noteOf(known, change, ahead ?? now.toISOString());
}

/** A resume by a person lets go what the pool wanted then. */
function byPerson(known: RolledOut | undefined, { letGo }: PoolRecord, pool: Pool): RolledOut | undefined {
  if (letGo === undefined || letGo.config !== pool.target.name || !mayRoll(pool)) return known;
  return isAfter(letGo.at, known) ? noteOf(known, letGo.config, letGo.at) : known;
}

/** Whatever the pool wants by now: other nodes of it may still wait for their turn. */
function byRun(known: RolledOut | undefined, { name }: Pool, { nodesLetGo }: Snapshot): RolledOut | undefined {
  const last = nodesLetGo?.get(name)?.last;
  if (last === undefined || isOf(known, { name: last.target })) return known;
  return isAfter(last.since, known) ? noteOf(known, last.target, last.since) : known;
}

/** What the nodes of a pool go to that is not paused, and stays so: all that a person's resume is respected for, and
 *  what a node has that nobody was asked for. */
function unasked(known: RolledOut | undefined, record: PoolRecord, pool: Pool, now: Date): RolledOut | undefined {
  if (pool.paused || !mayRoll(pool) || isOf(known, pool.target)) return known;
  const isLetGo = hasTaken(pool) || respected(record, pool, now) !== undefined;
  return isLetGo ? noteOf(known, pool.target.name, now.toISOString()) : known;
}

/** A node has what is pending. Counts that the MCO has not brought up to date are of what was so before. */
function hasTaken(pool: Pool): boolean {
  return hasPendingChange(pool) && pool.counts.updated > 0 && pool.observedGeneration >= pool.generation;
}

function mayRoll(pool: Pool): boolean {
  return hasPendingRollout(pool) || mayHaveNodesBehind(pool);
}

function haveAllAnother(known: RolledOut | undefined, { target, current, counts }: Pool): boolean {
  if (known === undefined || current.name === '' || isOf(known, current)) return false;
  return !hasPendingChange({ target, current }) && counts.updated === counts.machines;
}

function isOf(known: RolledOut | undefined, { name }: Pick<Pool['target'], 'name'>): boolean {
  return known !== undefined && configOfChange(known.change) === name;
}

function isAfter(at: string, known: RolledOut | undefined): boolean {
  return known === undefined || Date.parse(at) > Date.parse(known.at);
}

/** A change that goes on was let go when it began. */
function noteOf(known: RolledOut | undefined, change: string, at: string): RolledOut {
  if (known === undefined) return { change, at };
  if (known.change === change) return known;
  return { change, at: latest([known.at, at]) ?? at, before: { change: known.change, at: known.at } };
}

/** Nothing was let go later than now: otherwise, after a clock that ran ahead was set back, no approval would count for
 *  as long. */
function lastNoted(notes: readonly (RolledOut | undefined)[], now: Date): RolledOut | undefined {
  const known = notes.flatMap((note) => ifGiven(note));
  const possible = known.filter(({ at }) => isPossible(at, now));
  const [last] = possible.toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  const [ahead] = known;
  return last ?? (ahead && { change: ahead.change, at: now.toISOString() });
}

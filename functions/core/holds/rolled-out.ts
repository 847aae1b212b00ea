import { saidUntil } from '../gates/approvals.ts';
import { changeToApprove } from '../gates/change-to-approve.ts';
import { type Evidence, noEvidence } from '../gates/evidence.ts';
import { rolloutOf } from '../gates/rollout.ts';
import { configOfChange } from '../openshift/change-name.ts';
import { settingsOf } from '../openshift/managed-pools.ts';
import { condition, hasPendingChange, type Pool } from '../openshift/pool.ts';
import { type PoolRecord, type RolledOut, recordIn } from '../openshift/pool-record.ts';
import { given } from '../text/given.ts';
import { isLaterSecond, latest } from '../text/instant.ts';
import type { PoolAction } from './plan.ts';
import type { Snapshot } from './snapshot.ts';

/** What was let go last of a pool: as its record says, or the published one if that record was lost. What nobody was
 *  asked for counts as let go once a person has resumed it, a run has let a node go to it, or all nodes have it. */
export function rolledOutLast(pool: Pool, snapshot: Snapshot, now: Date): RolledOut | undefined {
  const own = recordIn(pool);
  const last = later(own.rolledOut, snapshot.published[pool.name]?.rolledOut);
  if (!isApproved(pool, snapshot)) return last;
  const known = withLetGo(last, own);
  const taken = takenUnasked(pool, snapshot, known, now);
  return taken === undefined ? known : noteOf(known, taken.change, taken.at);
}

/** The action with what was let go last in its record. Every record that is decided passes through here: what lets a
 *  change go adds it, and all else carries on what is known. That a run has let the first node go is noted at once:
 *  what it takes may be taken back before anything else is written. */
export function withRolledOut(action: PoolAction, pool: Pool, snapshot: Snapshot, now: Date): PoolAction {
  const before = rolledOutLast(pool, snapshot, now);
  if (action.kind === 'none') return isOfRun(pool, snapshot) ? noted(pool, before) : action;
  const known = isApproved(pool, snapshot) ? withLetGo(before, action.record) : before;
  const rolledOut = letsGo(action, pool, snapshot) ? letGoNow(known, pool, snapshot, now) : known;
  return { ...action, record: { ...action.record, ...given({ rolledOut }) } };
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

/** Its nodes go while it stays paused. */
function isOfRun(pool: Pool, snapshot: Snapshot): boolean {
  return isApproved(pool, snapshot) && snapshot.nodesLetGo?.has(pool.name) === true;
}

function noted({ record: read, target }: Pool, rolledOut: RolledOut | undefined): PoolAction {
  if (read.kind !== 'record' || isOf(read.record.rolledOut, target)) return { kind: 'none' };
  const why = `a run has let a node go to ${target.name}`;
  return { kind: 'record', record: { ...read.record, ...given({ rolledOut }) }, why };
}

/** By a resume, or of a pool that is not paused, because its gates or its turn have let go what it wants now. */
function letsGo({ kind, record }: Exclude<PoolAction, { kind: 'none' }>, pool: Pool, snapshot: Snapshot): boolean {
  if (!isApproved(pool, snapshot)) return false;
  const asked = record.last?.asked;
  return kind === 'resume' || (asked !== undefined && asked !== recordIn(pool).last?.asked);
}

/** Not before what people have said of it, also where the clock that took that runs ahead. */
function letGoNow(known: RolledOut | undefined, pool: Pool, snapshot: Snapshot, now: Date): RolledOut {
  const evidence = evidenceOf(pool, snapshot);
  // Its nodes have it, also the image.
  if (known !== undefined && isOf(known, pool.target) && rolloutOf({ pool, evidence }).kind === 'none') return known;
  const { approvals, images } = evidence;
  const found = images.kind === 'seen' ? changeToApprove(pool, images.value) : undefined;
  const change = found?.kind === 'known' ? found.change : pool.target.name;
  return noteOf(known, change, saidUntil(approvals.kind === 'seen' ? approvals.value : [], now));
}

function withLetGo(known: RolledOut | undefined, { letGo }: PoolRecord): RolledOut | undefined {
  // An earlier version did not note which one it was.
  if (letGo === undefined || letGo.config === '') return known;
  const isNoted = known !== undefined && Date.parse(letGo.at) <= Date.parse(known.at);
  return isNoted ? known : noteOf(known, letGo.config, letGo.at);
}

/** What nodes have, or are on their way to, without a resume of the pool. */
function takenUnasked(
  pool: Pool,
  { nodesLetGo }: Snapshot,
  known: RolledOut | undefined,
  now: Date,
): Omit<RolledOut, 'before'> | undefined {
  const { target, current } = pool;
  if (nodesLetGo?.has(pool.name) === true)
    return isOf(known, target) ? undefined : { change: target.name, at: now.toISOString() };
  if (known === undefined || current.name === '' || isOf(known, current)) return undefined;
  const at = hadAllUntil(pool, known, now);
  return at === undefined ? undefined : { change: current.name, at };
}

/** Until when all nodes had the current config after that was let go; undefined: they did not, or nobody knows. */
function hadAllUntil(pool: Pool, { at }: RolledOut, now: Date): string | undefined {
  const { machines, updated } = pool.counts;
  if (!hasPendingChange(pool)) return updated === machines ? now.toISOString() : undefined;
  // False since before that was let go where the rollout goes on that began then.
  const { status, since } = condition(pool, 'Updated') ?? {};
  return status === 'False' && since !== undefined && isLaterSecond(since, at) ? since : undefined;
}

function isOf(known: RolledOut | undefined, { name }: Pool['target']): boolean {
  return known !== undefined && configOfChange(known.change) === name;
}

function noteOf(known: RolledOut | undefined, change: string, at: string): RolledOut {
  if (known === undefined) return { change, at };
  const until = latest([known.at, at]) ?? at;
  if (known.change === change) return { ...known, at: until };
  return { change, at: until, before: { change: known.change, at: known.at } };
}

function later(a: RolledOut | undefined, b: RolledOut | undefined): RolledOut | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Date.parse(b.at) > Date.parse(a.at) ? b : a;
}

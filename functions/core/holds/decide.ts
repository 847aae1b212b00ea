import type { Hold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { isLost, recordIn, standingHolds, standingHoldsOf } from '../openshift/pool-record.ts';
import { act } from './act.ts';
import { withoutEndedLane } from './emergency.ts';
import { advanceHolds } from './next-holds.ts';
import { withOwnRecord } from './overwritten.ts';
import { settleOwnership } from './ownership.ts';
import { canWait, type PoolAction, type PoolPlan } from './plan.ts';
import { withRolledOut } from './rolled-out.ts';
import type { Snapshot } from './snapshot.ts';
import { withNodesLetGo, withUnendedResume } from './unended-resume.ts';
import { whileUnread, withPublished } from './with-published.ts';

/** What to do with each pool. Pure and level-triggered: of a snapshot in which its actions are written, it decides
 *  `none`. */
export function decide(snapshot: Snapshot, now: Date): readonly PoolPlan[] {
  const plans = snapshot.pools.map((pool) => decidePool(pool, snapshot, now));
  const known = withHeld(snapshot, plans);
  return known === snapshot ? plans : plans.map((plan) => (canWait(plan) ? decidePool(plan.pool, known, now) : plan));
}

/** The snapshot with pools as held that are so from this pass on. What only resumes, or waits, is decided by it: a pool
 *  that is paused now for the sync of a push comes before those of higher waves. */
export function withHeld(snapshot: Snapshot, plans: readonly PoolPlan[]): Snapshot {
  const held = new Map(plans.flatMap((plan) => (isHeldNow(plan) ? [[plan.pool.name, heldBy(plan)] as const] : [])));
  return held.size === 0 ? snapshot : { ...snapshot, pools: snapshot.pools.map((pool) => held.get(pool.name) ?? pool) };
}

/** One hold may begin in the pass in which another one ends, and the hold of a failed sync may await the next one. One
 *  whose sync has just failed awaits nothing more. */
function isHeldNow({ action, pool }: PoolPlan): boolean {
  if (action.kind !== 'record') return action.kind === 'pause';
  const before = standingHoldsOf(pool);
  const isKnown = (hold: Hold) =>
    before.some(({ id, phase }) => id === hold.id && (phase === hold.phase || hold.phase === 'failed'));
  return !standingHolds(action.record).every(isKnown);
}

function heldBy({ action, pool }: PoolPlan): Pool {
  if (action.kind === 'none') return pool;
  const paused = pool.paused || action.kind === 'pause';
  return { ...pool, paused, record: { kind: 'record', record: action.record } };
}

/** What to do with one pool; asked again, for this pool alone, after a write conflict. */
export function decidePool(read: Pool, snapshot: Snapshot, now: Date): PoolPlan {
  const pool = withOwnRecord(read, snapshot);
  if (pool.record.kind === 'unreadable') {
    return { pool, action: { kind: 'none' }, gates: [], notes: [{ about: pool.name, why: pool.record.why }] };
  }
  const before = recordIn(pool);
  const begun = withNodesLetGo(pool, snapshot);
  const known = withPublished(recordIn(begun), pool, snapshot, now);
  const owned = withoutEndedLane(settleOwnership(known, pool, snapshot, now), now);
  const { missed, record, ...beside } = advanceHolds(owned, pool, snapshot, now);
  const { action, ...acted } = act({ record, missed }, before, pool, snapshot, now);
  const noted = withResumeNoted(withRolledOut(action, pool, snapshot, now), asKnown(begun, snapshot));
  return { ...acted, action: whileUnread(noted, pool, snapshot, now), ...beside };
}

/** A pool that has lost its record with that which was published last. */
function asKnown(pool: Pool, { published }: Snapshot): Pool {
  const record = published[pool.name];
  return isLost(pool.record) && record !== undefined ? { ...pool, record: { kind: 'record', record } } : pool;
}

function withResumeNoted(action: PoolAction, pool: Pool): PoolAction {
  return action.kind === 'none' ? action : { ...action, record: withUnendedResume(action.record, pool) };
}

import type { Operation } from '../argocd/application.ts';
import type { Hold } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import type { Push } from '../routing/awaited-push.ts';
import { isLaterSecond } from '../text/instant.ts';
import { isOfCommit } from './answers.ts';
import { withoutFailure } from './left-failed.ts';

/** Characters of a person or a field manager that a hold remembers. */
const nameAtMost = 253;

/** The hold after somebody has resumed its pool in spite of it. A person has so decided about what failed before. */
export function overrule(hold: Hold, { target, ...mark }: NonNullable<Hold['overruled']>): Hold {
  const forTarget = hold.kind === 'rollout' && target !== undefined ? { target } : {};
  const decided = mark.byProgram === true ? hold : withoutFailure(hold);
  return { ...decided, overruled: { ...mark, by: mark.by.slice(0, nameAtMost), ...forTarget } };
}

/** The record with its holds marked, if they are those of a pool that was resumed under an earlier version: that one
 *  marked the pool alone. */
export function withMarks(record: PoolRecord, now: Date): PoolRecord {
  const { pause, holds, last } = record;
  if (pause !== 'overridden' || holds.every(isOverruled)) return record;
  const mark = { at: last?.at ?? now.toISOString(), by: last?.by ?? 'somebody' };
  return { ...record, holds: holds.map((hold) => (isOverruled(hold) ? hold : overrule(hold, mark))) };
}

/** Holds for the record of a pool that is not paused. If a person has overruled all of them, the record says so of the
 *  pool too. */
export function unpausedWith(holds: readonly Hold[]): Pick<PoolRecord, 'pause' | 'holds'> {
  const isOverridden = holds.length > 0 && holds.every(isOverruled);
  return { ...(isOverridden ? { pause: 'overridden' } : {}), holds: [...holds] };
}

/** What is known beside the hold of what it is held for. */
interface HeldFor {
  readonly pool: Pool;
  /** The newest operation of its Application, if it was read. */
  readonly operation: Operation | undefined;
  /** The push of this pass that is for it. */
  readonly push: Push | undefined;
  readonly now: Date;
}

/** The hold as it was, and the one that stood for it if it had no room. */
interface HeldBefore {
  readonly before: Hold | undefined;
  readonly together: Hold | undefined;
}

/** The hold as it goes on, by what a person has decided. A decision is about what stood when it was made: the push that
 *  was awaited with the sync that answers it, or the operation that ran, with its retries. With another push or another
 *  operation the hold begins anew, or whoever can keep a hold alive would keep the pool unprotected. */
export function asDecided(hold: Hold, { before, together }: HeldBefore, heldFor: HeldFor): Hold {
  if (before === undefined) {
    const mark = hold.kind === 'sync' ? together?.overruled : undefined;
    return mark !== undefined && isDecided(hold, mark.at) ? { ...hold, overruled: mark } : withoutMark(hold);
  }
  if (before.overruled === undefined) return withoutMark(hold);
  if (isSameMatter(hold, before, heldFor)) return { ...hold, overruled: before.overruled };
  return { ...withoutMark(hold), since: heldFor.now.toISOString() };
}

function withoutMark({ overruled: _, ...hold }: Hold): Hold {
  return hold;
}

/** Whether a hold without a place of its own was there at that time, by what it is held for. */
function stoodAt({ phase, startedAt, pushedAt, since }: Hold, at: string): boolean {
  const began = phase === 'expected' ? (pushedAt ?? since) : (startedAt ?? pushedAt ?? since);
  return !isLaterSecond(began, at);
}

/** What a guard holds back has no time of its own, and its guard stays closed meanwhile. */
export function isDecided(hold: Hold, at: string): boolean {
  return hold.behindGuard === true || stoodAt(hold, at);
}

function isSameMatter(hold: Hold, before: Hold, { pool, operation, push }: HeldFor): boolean {
  switch (hold.kind) {
    case 'manual':
    case 'freeze':
      return true;
    case 'rollout':
      return before.overruled?.target === undefined || before.overruled.target === pool.target.name;
    case 'sync':
      return isSamePush(hold, before, push) && isSameOperation(hold, before, operation);
    default:
      return hold.kind satisfies never;
  }
}

/** A push to its writer may be delivered twice, and be of two times. One that Argo CD gets only now is another one. */
function isSamePush(hold: Hold, before: Hold, push: Push | undefined): boolean {
  if (hold.pushedAt === before.pushedAt) return true;
  if (push?.isGivenLater === true) return false;
  const ofWriter = hold.revision === undefined && before.revision === undefined ? hold.via?.revision : undefined;
  return ofWriter !== undefined && ofWriter === before.via?.revision;
}

function isSameOperation(hold: Hold, before: Hold, operation: HeldFor['operation']): boolean {
  if (hold.startedAt === undefined || hold.startedAt === before.startedAt) return true;
  // It was to come, or ran already and was not seen yet.
  if (before.startedAt === undefined || before.phase === 'expected') return true;
  if (before.overruled !== undefined && !isLaterSecond(hold.startedAt, before.overruled.at)) return true;
  return operation?.startedAt === hold.startedAt && isOfCommit(operation, hold);
}

function isOverruled({ overruled }: Hold): boolean {
  return overruled !== undefined;
}

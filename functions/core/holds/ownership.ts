import { window } from '../gates/window.ts';
import { isOfOtherPerson } from '../openshift/field-managers.ts';
import { isGivenUp } from '../openshift/given-up.ts';
import { applicationOfHold, fieldManager, type Hold } from '../openshift/hold.ts';
import { isManaged } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { holdsOfPeople, lasting, standingHolds, without } from '../openshift/pool-record.ts';
import { given } from '../text/given.ts';
import { ifGiven } from '../text/if-given.ts';
import { earliest, isLaterSecond, plusSeconds } from '../text/instant.ts';
import { gateQuestion } from './gate-question.ts';
import { letGoBy, programResume } from './let-go.ts';
import { overrule, withMarks } from './overruled.ts';
import { lossWords } from './overwritten.ts';
import { pausedInGit, takenFromGit, whileInGit } from './paused-in-git.ts';
import { hooksKept, hooksLately, resumedByHook } from './resumed-by-hook.ts';
import type { Snapshot } from './snapshot.ts';

/** Whose pause is it now? People and other tools may have changed `spec.paused` since our last write. */
export function settleOwnership(read: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord {
  const record = withMarks(read, now);
  return takenFromGit(record, pool, snapshot, now) ?? settled(whileInGit(record, pool, now), pool, snapshot, now);
}

function settled(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord {
  const by = pool.pausedBy?.manager ?? 'somebody';
  switch (record.pause) {
    case 'ours':
      if (!pool.paused) return resumedByOthers(record, pool, snapshot, now);
      if (by !== fieldManager && pool.pausedBy !== undefined) return takenOver(record, by, now);
      return pausedInGit(record, pool, snapshot, now) ?? record;
    case 'foreign':
      return pool.paused ? record : without(record, 'pause');
    case 'overridden':
      if (!pool.paused) return record;
      return takenOver(record, by, now);
    case undefined:
      if (isOrphan(pool, snapshot) && wasOurs(pool, snapshot)) return adopted(record, pool, snapshot, now);
      return withLostHolds(withoutTheirRollout(record, pool, snapshot, now), pool, snapshot, now);
    default:
      return record.pause satisfies never;
  }
}

/** A rollout that we let go, and that a person keeps paused while its window is closed, is theirs from then on: they
 *  decide when it goes on, and no window stops what they resume. */
function withoutTheirRollout(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord {
  const { last } = record;
  const { paused, pausedBy } = pool;
  if (!paused || !isOfOtherPerson(pausedBy?.manager) || last?.target === undefined) return record;
  if (window.ask(gateQuestion(record, pool, snapshot, now)).open) return record;
  const { target: _, ...others } = last;
  return { ...record, last: others };
}

/** Paused by our field manager but without our record: somebody removed the annotation, or replaced the pool with a
 *  copy that lacks it. */
function isOrphan(pool: Pool, { settings }: Snapshot): boolean {
  return pool.paused && pool.pausedBy?.manager === fieldManager && isManaged(settings, pool);
}

/** The last published record of the pool is a pause of ours. Otherwise somebody else used our field manager name,
 *  which anyone can: such a pause is not ours to end, and becomes an incident when it lasts. A pool that was given up
 *  since is not ours either: the pass that did so may have died before it published that, or runs beside this one. */
function wasOurs(pool: Pool, { published }: Snapshot): boolean {
  const last = published[pool.name];
  const at = pool.record.kind === 'record' ? pool.record.record.last?.at : undefined;
  const isLater = at !== undefined && Date.parse(at) >= Date.parse(last?.last?.at ?? at);
  return last?.pause === 'ours' && !(isGivenUp(pool) && isLater);
}

/** While it stands, every Application is checked after the record of a pool was lost. */
export const recoveryHold = 'manual/poolkeeper';

/** Adopts the pause, so that the pool does not stay paused forever unnoticed. It stays held for as long as a push may
 *  wait for its sync, and in that time every Application is read more than once. What is known of its holds goes on:
 *  that a sync has failed, or what is to be approved, no Application says. */
function adopted(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord {
  const { settings, published } = snapshot;
  const at = now.toISOString();
  const recovery: Hold = {
    id: recoveryHold,
    kind: 'manual',
    who: 'Poolkeeper',
    why: `${lossWords(pool)}; it stays paused until every Application has been checked`,
    since: at,
    until: plusSeconds(now, settings.policy.expectSyncWithinSeconds),
  };
  const holds = record.holds.length > 0 ? record.holds : [recovery, ...lostHolds(pool, snapshot, now)];
  return {
    ...record,
    ...given({ release: record.release ?? published[pool.name]?.release }),
    ...lasting(published[pool.name] ?? record, now),
    pause: 'ours',
    pausedSince: pool.pausedBy?.at ?? at,
    holds,
    last: { did: 'paused', at, why: recovery.why },
  };
}

/** Holds that were published last, of a pool whose record is gone: those of people, and those of syncs. */
export function lostHolds(pool: Pool, snapshot: Snapshot, now: Date): readonly Hold[] {
  const ofPeople = holdsOfPeople(snapshot.published[pool.name], now).filter(({ id }) => id !== recoveryHold);
  return [...ofPeople, ...lostSyncs(pool, snapshot)];
}

/** Those of syncs that nobody has overruled. Each goes on by what its Application shows. Where there was little room
 *  for what is published, it does not say whose they are. */
function lostSyncs({ name: pool }: Pool, { published }: Snapshot): readonly Hold[] {
  const holds = published[pool]?.holds ?? [];
  const syncs = holds.filter(({ kind, overruled }) => kind === 'sync' && overruled === undefined);
  return syncs.map((hold) => {
    const { namespace = '', name = '' } = applicationOfHold(hold.id) ?? {};
    return hold.who === '' ? { ...hold, who: `${namespace}/${name}` } : hold;
  });
}

/** Our pause has gone together with our record, by whoever made the pool again, replaced or edited it. The command that
 *  disconnects a cluster takes both away, too. */
export function hasLostPause(pool: Pool, { settings, published }: Snapshot): boolean {
  const { name, paused, pausedBy, record } = pool;
  if (paused || record.kind !== 'none' || pausedBy?.manager === fieldManager) return false;
  return published[name]?.pause === 'ours' && isManaged(settings, pool);
}

/** The pool without its record and, unlike an orphan, without our pause. One that was made again carries its holds on,
 *  and what is to pass its gates: nobody has resumed it. Where both were taken from the same pool at once, by whoever
 *  replaced or edited it, that is a resume, in spite of what people hold it for. Of its syncs whoever replaces a pool
 *  need not know: it is paused for them again. */
function withLostHolds(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord {
  const published = snapshot.published[pool.name];
  if (published === undefined || pool.record.kind !== 'none' || !isManaged(snapshot.settings, pool)) return record;
  const { pause, release, ...before } = published;
  const lost = lostHolds(pool, snapshot, now);
  const isPauseLost = hasLostPause(pool, snapshot);
  // Its emergency lane may be open, and then it was not paused before either.
  const found = { ...record, holds: [...lost], ...lasting(before, now), ...(isPauseLost ? given({ release }) : {}) };
  const by = pool.pausedBy?.manager ?? 'somebody';
  if (!pool.paused && pause !== undefined && !isMadeAgain(pool, published)) {
    if (by === fieldManager || (lost.length === 0 && !isPauseLost)) return record;
    return pausedForSyncs(overridden(found, pool, snapshot, now), lostSyncs(pool, snapshot), release);
  }
  if (lost.length === 0 && !isPauseLost) return record;
  const loss = pool.recordBy === undefined ? 'the pool has lost its record' : lossWords(pool);
  const why = `${loss}: what it was held for goes on`;
  return { ...found, last: { did: 'left', at: now.toISOString(), why, by } };
}

/** The record of a pool that somebody has resumed, with the holds of syncs, and what earlier ones have left for its
 *  gates, as they were: they pause it again. */
function pausedForSyncs(record: PoolRecord, syncs: readonly Hold[], release: PoolRecord['release']): PoolRecord {
  if (syncs.length === 0) return record;
  const asBefore = new Map(syncs.map((hold) => [hold.id, hold]));
  const holds = record.holds.map((hold) => asBefore.get(hold.id) ?? hold);
  return { ...without(record, 'pause'), holds, ...given({ release }) };
}

/** Later than Poolkeeper paused it, or somebody held it. */
function isMadeAgain({ createdAt }: Pool, { pausedSince, holds }: PoolRecord): boolean {
  if (createdAt === undefined) return false;
  return [...ifGiven(pausedSince), ...holds.map(({ since }) => since)].some((at) => isLaterSecond(createdAt, at));
}

/** A person's decision, or only a Job that was left in Git. */
function resumedByOthers(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord {
  const hook = resumedByHook(record, pool, snapshot, now);
  if (hook === undefined) return overridden(record, pool, snapshot, now);
  const at = now.toISOString();
  const last = {
    did: 'left' as const,
    at,
    why: `${hook.words}, resumed the pool during its sync`,
    by: hook.words,
    hooks: hooksLately(record, now) + 1,
    program: { at: earliest([pool.pausedBy?.at, at]) ?? at, holds: [hook.hold] },
  };
  const holds = record.holds.map((hold) => (hold.id === hook.hold ? { ...hold, resumedAt: at } : hold));
  return { ...without(record, 'pause'), holds, last };
}

/** Every hold that stands is overruled with it, and none that comes later. */
function overridden(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord {
  const {
    pausedBy,
    target: { name: target },
  } = pool;
  const resumed = programResume(pool, record, now);
  const by = pausedBy?.manager ?? 'somebody';
  const at = now.toISOString();
  const said = { at, why: `${by} resumed the pool`, by, ...hooksKept(record, now) };
  if (snapshot.settings.policy.onOverride === 'enforce' && standingHolds(record).length > 0)
    return { ...without(record, 'pause'), last: { did: 'left', ...said, ...resumed } };
  const last = { did: 'overridden' as const, ...said };
  // What began between the decision and this look came later.
  const decidedAt = earliest([pausedBy?.at, at]) ?? at;
  const mark = { at: decidedAt, by, target, ...(resumed.program && { byProgram: true as const }) };
  const holds = record.holds.map((hold) => overrule(hold, mark));
  return {
    ...without(record, 'release', 'pausedSince'),
    pause: 'overridden',
    holds,
    letGo: { ...letGoBy(by, target, now), ...resumed },
    last,
  };
}

function takenOver(record: PoolRecord, by: string, now: Date): PoolRecord {
  const last = { did: 'left' as const, at: now.toISOString(), why: `${by} has paused the pool`, by };
  return { ...without(record, 'release', 'pausedSince'), pause: 'foreign', last };
}

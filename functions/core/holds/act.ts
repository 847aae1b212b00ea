import { askGates } from '../gates/ask-gates.ts';
import type { Gate, GateQuestion } from '../gates/gate.ts';
import type { GateView } from '../gates/gate-view.ts';
import { image } from '../gates/image.ts';
import { gates } from '../gates/index.ts';
import { rendered } from '../gates/rendered.ts';
import { rest } from '../gates/rest.ts';
import { rolloutOf } from '../gates/rollout.ts';
import { fieldManager } from '../openshift/hold.ts';
import { isManaged } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import { emptyRecord, lasting, type PoolRecord, sameRecord, standingHolds, without } from '../openshift/pool-record.ts';
import { given } from '../text/given.ts';
import { ifGiven } from '../text/if-given.ts';
import { isPast, plusSeconds, secondsSince } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';
import { emergencyWords, holdsThatCount, openEmergency } from './emergency.ts';
import { gateQuestion } from './gate-question.ts';
import { pauseAfterMissed } from './missed-sync.ts';
import { unpausedWith } from './overruled.ts';
import { hasLostPause } from './ownership.ts';
import { type AfterResume, lateWithinSeconds } from './pause-again.ts';
import { pauseForTurn } from './pause-for-turn.ts';
import type { PoolAction, PoolPlan } from './plan.ts';
import { reasonsInShort } from './reason.ts';
import { askedFor, renderedLate } from './rendered-late.ts';
import { restAgain } from './resting.ts';
import { hooksKept } from './resumed-by-hook.ts';
import { lacksImage } from './rolled-out.ts';
import type { Snapshot } from './snapshot.ts';
import { stopAtClosing, stoppedAtClosing, takenBack } from './stop-at-closing.ts';

type Acted = Pick<PoolPlan, 'pool' | 'action' | 'gates' | 'skipped' | 'lacking'>;

interface Advanced {
  readonly record: PoolRecord;
  /** Why the pool is to be paused although no hold is left. */
  readonly missed?: string | undefined;
}

/** What to write to the pool, given its new record. */
export function act(
  { record, missed }: Advanced,
  before: PoolRecord,
  pool: Pool,
  snapshot: Snapshot,
  now: Date,
): Acted {
  const holding = holdsThatCount(record, now);
  if (holding.length > 0) return { pool, action: keepHeld(record, before, snapshot, { pool, now }), gates: [] };
  if (record.pause === 'ours') return resumeThroughGates(record, before, pool, snapshot, now);
  if (missed !== undefined) return { pool, action: pauseAfterMissed(record, missed, now), gates: [] };
  if (record.pause === undefined && hasLostPause(pool, snapshot))
    return { pool, action: pauseForGates(record, now), gates: [] };
  const left = withEnded(record, before, pool, now);
  const again = record.pause === 'foreign' ? undefined : afterResume(leftUnpaused(left, pool), pool, snapshot, now);
  return again ?? { pool, action: leaveAlone(left, before, pool, now), gates: [] };
}

/** Nothing but holds that do not count is left, if any. */
function leaveAlone(record: PoolRecord, before: PoolRecord, pool: Pool, now: Date): PoolAction {
  // Frozen, but its emergency lane is open: the freeze stands and pauses it again when the lane ends.
  const isFrozen = standingHolds(record).length > 0;
  const why = isFrozen ? emergencyWords(record) : `${record.letGo?.by ?? 'somebody'} resumed the pool`;
  if (record.holds.length > 0) return recordIfChanged(leftUnpaused(record, pool), before, why);
  const settled =
    record.pause === undefined && before === emptyRecord ? before : withoutMarks(record, before, pool, now);
  return recordIfChanged(settled, before, noHoldLeft);
}

/** Seconds for which the end of an overruled hold is remembered, and how many such ends: longer than a sync that was
 *  over before anybody looked is of any interest. */
const ended = { seconds: 60, atMost: 30 } as const;

/** With the overruled holds that have ended: what their syncs brought was decided when the pool was resumed, and waits
 *  for no gate. Their end is no action on the pool: what was done before it, as a resume of ours, counts as ever. */
function withEnded(record: PoolRecord, before: PoolRecord, { paused }: Pool, now: Date): PoolRecord {
  if (paused) return record;
  const { release: _release, ...known } = record;
  const { holds, last } = record;
  const over = before.holds.filter(
    ({ id, kind, overruled }) => kind === 'sync' && overruled !== undefined && !holds.some((each) => each.id === id),
  );
  if (last === undefined || over.length === 0) return known;
  const at = now.toISOString();
  const earlier = (last.ended ?? []).filter((each) => secondsSince(each.at, now) < ended.seconds);
  const all = [...over.map(({ id, startedAt }) => ({ hold: id, at, ...given({ startedAt }) })), ...earlier];
  return { ...known, last: { ...last, ended: all.slice(0, ended.atMost) } };
}

/** Why a pool that nothing holds does not simply go on. Undefined: it does. */
function afterResume(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): AfterResume | undefined {
  return (
    renderedLate(record, pool, snapshot, now) ??
    stopAtClosing(record, pool, snapshot, now) ??
    pauseForTurn(record, pool, snapshot, now) ??
    restAgain(record, pool, snapshot, now)
  );
}

const pausedUnderOurName =
  'the pool stays paused until a person resumes it: Poolkeeper had given it up, or somebody uses its name';

const noHoldLeft = 'no hold is left on the pool';

/** Holds that do not count say of a pool without a pause of ours whether a person has overruled all of them. */
function leftUnpaused(record: PoolRecord, { paused }: Pool): PoolRecord {
  const isKnown = record.pause === 'ours' || record.pause === 'foreign';
  return paused || isKnown ? record : { ...without(record, 'pause'), ...unpausedWith(record.holds) };
}

function keepHeld(
  record: PoolRecord,
  before: PoolRecord,
  snapshot: Snapshot,
  { pool, now }: { readonly pool: Pool; readonly now: Date },
): PoolAction {
  const why = reasonsInShort(holdsThatCount(record, now).map((hold) => hold.why));
  // A pool that stopped being managed while it was held is not paused again; its holds run out.
  const isKept = record.pause === 'ours' || record.pause === 'foreign';
  if (isKept || !(pool.paused || isManaged(snapshot.settings, pool)))
    return recordIfChanged(leftUnpaused(record, pool), before, why);
  if (pool.paused) {
    const by = pool.pausedBy?.manager ?? 'somebody';
    const said = by === fieldManager ? pausedUnderOurName : `the pool was already paused by ${by}`;
    const last = { did: 'left' as const, at: now.toISOString(), why: said, by };
    return recordIfChanged({ ...without(record, 'release'), pause: 'foreign', last }, before, why);
  }
  return pauseNow(record, why, now);
}

/** What it was held for has ended in the look that finds its pause gone: it goes on to its gates, which decide about
 *  what that brings. */
function pauseForGates(record: PoolRecord, now: Date): PoolAction {
  return pauseNow(record, `${reasonToResume(record, now)}; its gates decide when it resumes`, now);
}

function pauseNow(record: PoolRecord, why: string, now: Date): PoolAction {
  const at = now.toISOString();
  const again = resumedJustNow(record, at);
  const reason = again === undefined ? why : `${again.resumed}: paused again; ${why}`;
  return {
    kind: 'pause',
    record: {
      ...record,
      pause: 'ours',
      pausedSince: at,
      last: { did: 'paused', at, why: reason, ...again?.noted, ...hooksKept(record, now) },
    },
    why: reason,
  };
}

/** This pass found that a hook Job had resumed it, or a person, in spite of other holds than those that stand now. */
function resumedJustNow({ last }: PoolRecord, at: string) {
  if ((last?.did !== 'left' && last?.did !== 'overridden') || last.at !== at || last.by === undefined) return undefined;
  const { by, program, why: resumed } = last;
  return { resumed, noted: { by, ...given({ program }) } };
}

/** No hold is left: the pool resumes once its gates are open. */
function resumeThroughGates(record: PoolRecord, before: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): Acted {
  const question = gateQuestion(record, pool, snapshot, now);
  const { closed, skipped, because, warnings, lacking } = askGates(gates, question);
  const why = reasonToResume(record, now);
  const past = closed.filter(({ timeout }) => timeout?.action === 'drop' && isPast(timeout.at, now));
  if (past.length > 0) {
    const droppedBy = past.find((each) => !mayWaitForImage(each, closed, question));
    if (droppedBy !== undefined) return { pool, action: giveUp(record, droppedBy, now), gates: [] };
    // The time counts from when the image was built.
    const images = question.evidence.images.kind === 'not-asked' ? 'images' : lacking;
    return { pool, action: recordIfChanged(record, before, why), gates: closed, skipped, lacking: images };
  }
  if (closed.length > 0)
    return { pool, action: recordIfChanged(atRest(record, closed, now), before, why), gates: closed, skipped, lacking };
  const reasons = [why, ...because, ...warnings].join('; ');
  const last = { ...stoppedAtClosing(question), ...askedFor(question), ...takenBack(question), why: reasons };
  // What the resume does is noted with it, also where no gate asks.
  const unread = rolloutOf(question).kind === 'unread' ? 'nodesBehind' : undefined;
  const unnamed = lacksImage(pool, snapshot) ? 'images' : undefined;
  return { pool, action: resume(record, last, now), gates: closed, skipped, lacking: lacking ?? unread ?? unnamed };
}

/** Its image is not built yet, or nobody knows. */
function mayWaitForImage(
  { gate }: GateView,
  closed: readonly GateView[],
  { evidence: { images } }: Pick<GateQuestion, 'evidence'>,
): boolean {
  return images.kind !== 'seen' || (gate !== image.name && closed.some((each) => each.gate === image.name));
}

/** Nothing was rendered for what its syncs left behind, not late either, so a pool that rests does not resume for it:
 *  who waits until it has would wait for ever. A failed sync stays noted, until it is approved or one succeeds. */
function atRest(record: PoolRecord, closed: readonly GateView[], now: Date): PoolRecord {
  const { release } = record;
  if (release === undefined || release.afterFailed !== undefined) return record;
  const isClosed = ({ name }: Gate) => closed.some(({ gate, unread }) => gate === name && unread !== true);
  const isLate = isPast(plusSeconds(new Date(release.finishedAt), lateWithinSeconds), now);
  return isLate && isClosed(rest) && !isClosed(rendered) ? without(record, 'release') : record;
}

/** A gate stayed closed for too long, and its timeout is to drop the pool: the pause stays, and is nobody's of ours. */
function giveUp(record: PoolRecord, { gate, why }: GateView, now: Date): PoolAction {
  const reason = `gate ${gate} stayed closed for too long, so Poolkeeper gives the pool up; it stays paused until a person resumes it: ${why}`;
  const last = { did: 'left' as const, at: now.toISOString(), why: reason };
  return { kind: 'record', record: { v: 1, holds: record.holds, ...lasting(record, now), last }, why: reason };
}

/** A freeze that the lane passes is named: it is why the pool was still paused. */
function reasonToResume(record: PoolRecord, now: Date): string {
  const why = record.release?.why;
  const frozenBy = unique(standingHolds(record).map(({ who }) => who));
  if (openEmergency(record, now) === undefined || frozenBy.length === 0) return why ?? noHoldLeft;
  const passed = `it passes the freeze of ${listed(frozenBy, 2)}`;
  return [...ifGiven(why), `${emergencyWords(record)}; ${passed}`].join('; ');
}

/** Freezes stay on the record of a pool that resumes through its emergency lane, and so do holds that a person has
 *  overruled. */
function resume(
  record: PoolRecord,
  resumed: Omit<NonNullable<PoolRecord['last']>, 'did' | 'at'>,
  now: Date,
): PoolAction {
  const last = { did: 'resumed' as const, at: now.toISOString(), ...resumed };
  return {
    kind: 'resume',
    record: { v: 1, ...unpausedWith(record.holds), ...lasting(record, now), last },
    why: resumed.why,
  };
}

/** No hold is left on a pool that is not ours to resume: only our record is cleared. Why we leave it paused is said;
 *  otherwise what was done last stays, or nothing would stop what we have let go. */
function withoutMarks(record: PoolRecord, before: PoolRecord, { pausedBy }: Pool, now: Date): PoolRecord {
  if (before.holds.length === 0 && before.pause === undefined) return record;
  const { letGo, pausedInGit, last } = record;
  const kept = { ...lasting(record, now), ...(letGo && { letGo }), ...(pausedInGit && { pausedInGit }) };
  const at = now.toISOString();
  if (record.pause !== 'foreign' || last?.at === at) return { v: 1, holds: [], ...kept, ...given({ last }) };
  const by = pausedBy?.manager === fieldManager ? pausedUnderOurName : 'somebody else paused it';
  return { v: 1, holds: [], ...kept, last: { did: 'left', at, why: `Poolkeeper holds it no longer; ${by}` } };
}

function recordIfChanged(record: PoolRecord, before: PoolRecord, why: string): PoolAction {
  return sameRecord(record, before) ? { kind: 'none' } : { kind: 'record', record, why };
}

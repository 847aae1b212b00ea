import type { Hold } from '../openshift/hold.ts';
import { isChangingConfig, isInFlight, type Node } from '../openshift/node.ts';
import type { Pool } from '../openshift/pool.ts';
import { given } from '../text/given.ts';
import { earliest, isEarlierSecond, isPast, latest, plusSeconds, secondsSince } from '../text/instant.ts';
import { isSettled, type Pause, pauseNow, type Race, type Verdict, verdictOf, withoutOthersNodes } from './race.ts';

/** What a pass knows about the race of one hold. */
export interface RaceFacts {
  readonly cluster: string;
  readonly hold: Pick<Hold, 'id' | 'since' | 'pushedAt'>;
  readonly pool: Pool;
  /** The pool is held for it now: not if the hold has ended, or if a person resumed the pool in spite of it. A pause
   *  that comes then is for others. */
  readonly isHeld: boolean;
  /** `metadata.generation` returned by our pause patch, in the pass that paused. */
  readonly pauseGeneration: number | undefined;
  /** Nodes of the pool, read AFTER the confirmation was observed; undefined if not read. */
  readonly nodes: readonly Node[] | undefined;
  /** There are further nodes that could not be read; absent: these are all. */
  readonly areNodesLacking?: true | undefined;
  /** The Application was read in this pass. */
  readonly isApplicationRead: boolean;
  /** `startedAt` of the hold's own operation; undefined: none observed. Earlier operations are not this hold's. */
  readonly operation: string | undefined;
  /** That operation has applied something that the MCO renders. */
  readonly hasApplied: boolean;
  /** It has applied nothing yet, and something keeps it from that. */
  readonly isKeptWaiting: boolean;
  /** The rendered config that the pool went to at the last look before that operation began, if it is known. */
  readonly targetSeenBefore: string | undefined;
  /** The last complete list of Applications before this hold: no operation of it ran then, whatever its Application
   *  says, which tenants write. */
  readonly unseenUntil: string | undefined;
  /** When it wrote the change to the cluster, if known. */
  readonly appliedAt: string | undefined;
  /** It has written, or deleted, something of which that is not known. */
  readonly isUntimed: true | undefined;
  /** Somebody else has resumed the pool in spite of the hold. */
  readonly isResumed: boolean;
  /** The sync has ended or failed. */
  readonly isOver: boolean;
  /** The pool is still paused. A small sync may end before the MCO has observed its pause: while the pool waits for its
   *  gates the confirmation may still come. */
  readonly isPausedStill: boolean;
  /** Seconds. How long a confirmation may take before the sync counts as unprotected. */
  readonly confirmWithinSeconds: number;
  readonly now: Date;
}

/** What of it says which pause the pool has. */
type PauseFacts = Pick<RaceFacts, 'pool' | 'pauseGeneration' | 'isHeld'>;

/** Applies what is known now. Known times never change, so passes may repeat or overlap; a later pause within the hold
 *  has times of its own. */
export function advanceRace(race: Race | undefined, facts: RaceFacts): Race {
  const base = race === undefined ? newRace(facts) : ofPauseNow(race, facts);
  const known: Race = {
    ...base,
    pushedAt: base.pushedAt ?? facts.hold.pushedAt,
    pausedAt: base.pausedAt ?? pausedSince(facts.pool),
    pauseGeneration: base.pauseGeneration ?? (base.later === undefined ? facts.pauseGeneration : undefined),
    ...changeOf(base, facts),
  };
  const isNew = pauseNow(known).confirmedAt === undefined;
  const confirmed = isNew ? withConfirmation(known, facts) : withoutOthersNodes(known);
  const isPausedStill = facts.isPausedStill && pausedAnewAt(pauseNow(confirmed), facts.pool) === undefined;
  const verdict = base.verdict ?? dueVerdict(confirmed, { ...facts, isPausedStill });
  const isUnjudged =
    verdict === undefined && base.endedAt === undefined && isOverUnjudged(confirmed, { ...facts, isPausedStill });
  const now = facts.now.toISOString();
  const isJudgedNow = verdict !== undefined && base.verdict === undefined;
  return { ...confirmed, verdict, ...(isJudgedNow ? { judgedAt: now } : {}), ...(isUnjudged ? { endedAt: now } : {}) };
}

/** What its sync did, and when. */
function changeOf(race: Race, facts: RaceFacts): Pick<Race, 'appliedAt' | 'isUntimed' | 'operation'> {
  const operation = race.operation ?? facts.operation;
  return {
    appliedAt: race.appliedAt ?? facts.appliedAt,
    isUntimed: race.isUntimed ?? facts.isUntimed,
    ...given({ operation }),
  };
}

/** Whether the MCO has observed the pause, and only the nodes are lacking to confirm it. */
export function awaitsNodes(race: Race | undefined, facts: PauseFacts): boolean {
  const now = race === undefined ? undefined : ofPauseNow(race, facts);
  if (now?.confirmedAt !== undefined || now?.later !== undefined) return false;
  return isObserved(now, now?.pauseGeneration ?? facts.pauseGeneration, facts.pool);
}

/** The pool has that pause still, and the MCO has observed it. */
function isObserved(pause: Pause | undefined, generation: number | undefined, pool: Pool): boolean {
  const isOther = pause !== undefined && pausedAnewAt(pause, pool) !== undefined;
  return !isOther && isConfirmed(pool, generation);
}

/** The race of the pause that the pool has now. A foreign pause that is lifted, or a hook Job that resumes the pool,
 *  ends the pause that was confirmed: nodes may have been targeted since. What was judged stays, and the later pause is
 *  followed beside it. */
function ofPauseNow(race: Race, facts: PauseFacts): Race {
  const pausedAt = facts.isHeld ? pausedAnewAt(pauseNow(race), facts.pool) : undefined;
  if (pausedAt === undefined) return race;
  const pause = { pausedAt, pauseGeneration: facts.pauseGeneration, confirmedAt: undefined };
  if (isSettled(race)) return { ...race, later: pause };
  const { rollingBefore: _, isConfirmedBefore: __, ...others } = race;
  return { ...others, ...pause, isPausedAnew: true };
}

/** Since when the pool has been paused, if that is another pause than the known one. The time alone is not enough: that
 *  of a foreign pause is of its manager's last write, whatever that was. To lift a pause and to set one again moves the
 *  generation by two, where a render moves it by one. */
function pausedAnewAt(known: Pause, pool: Pool): string | undefined {
  const at = pausedSince(pool);
  if (known.pausedAt === undefined || at === undefined || Date.parse(at) <= Date.parse(known.pausedAt))
    return undefined;
  if (known.pauseGeneration === undefined) return isOurs(pool) ? at : undefined;
  const moved = pool.generation - known.pauseGeneration;
  return moved === 0 || moved === 1 ? undefined : at;
}

function isOurs({ record }: Pool): boolean {
  return record.kind === 'record' && record.record.pause === 'ours';
}

/** A confirmation counts once the nodes were read: before that it is unknown which nodes the pause missed, unless those
 *  that could be read are enough to know that it is late. If another pass paused, the confirmed generation is used
 *  instead of the one its patch returned. */
function withConfirmation(race: Race, facts: RaceFacts): Race {
  const { pool, nodes, areNodesLacking, now } = facts;
  const { pausedAt, pauseGeneration } = pauseNow(race);
  if (!isObserved(pauseNow(race), pauseGeneration, pool)) return race;
  const confirmation = { confirmedAt: now.toISOString(), pauseGeneration: pauseGeneration ?? pool.generation };
  if (race.later !== undefined) return { ...race, later: { pausedAt, ...confirmation } };
  if (nodes === undefined) return race;
  const hasGone = (node: Node) => isInFlight(node) || hasArrived(node, { race, pool });
  const missed = nodes.filter((node) => hasGone(node) && !isOfEarlierRollout(node, race, pool));
  if (areNodesLacking === true && missed.length === 0) return race;
  const before = nodes.filter((node) => isInFlight(node) && !missed.includes(node)).map(({ name }) => name);
  return {
    ...race,
    ...confirmation,
    missedNodes: missed.map((node) => node.name),
    ...(before.length === 0 ? {} : { rollingBefore: before }),
    ...(facts.isApplicationRead && race.operation === undefined ? { isConfirmedBefore: true as const } : {}),
    firstTargetedAt: firstTargeted(missed, now),
  };
}

/** The node was targeted, rebooted and is back before anybody looked: it has the config that the pool went to after
 *  this change began, and both the MCO's controller and the node's own daemon have written since. A node that waited,
 *  and that a revert finds where it was, has only the controller's mark. One that joined since has the config from the
 *  start; where one of the times is unknown, no node is accused. */
function hasArrived(node: Node, { race, pool }: { readonly race: Race; readonly pool: Pool }): boolean {
  const isBack = !isInFlight(node) && node.currentConfig !== '' && node.currentConfig === pool.target.name;
  if (!isBack || race.targetBefore === undefined || node.currentConfig === race.targetBefore) return false;
  const begun = changeBegun(race);
  if (node.createdAt === undefined || !isEarlierSecond(node.createdAt, begun)) return false;
  return [node.targetedAt, node.reportedAt].every((at) => at !== undefined && !isEarlierSecond(at, begun));
}

/** Whether the node is on its way to what was rendered before this change. Names say it better than times, as
 *  managedFields give a manager's last write, which may be one of many during an update, by a clock that is not ours. A
 *  node that goes to what the pool went to before is no node of this change; one that goes to what it has gone to since
 *  is. Whether another config was rendered for this change and replaced at once, its name does not tell. */
function isOfEarlierRollout(node: Node, race: Race, { target }: Pool): boolean {
  const { targetBefore } = race;
  // The same rendered config says nothing of an image.
  if (targetBefore === undefined || !isChangingConfig(node)) return isTargetedBefore(node, changeBegun(race));
  if (node.desiredConfig === targetBefore) return true;
  // The pool may have come back to a config that nodes have been on their way to since.
  if (node.desiredConfig === target.name) return isLongBefore(node.targetedAt, changeBegun(race));
  const isNothingRendered = target.name === targetBefore && node.currentConfig !== targetBefore;
  return isNothingRendered || isTargetedBefore(node, changeBegun(race));
}

/** The controller has not written since, or the daemon was at work before and has reported nothing else since: a node
 *  that is cordoned is given no other config. Source: MCO pkg/controller/node/node_controller.go
 *  `getAllCandidateMachines`. */
function isTargetedBefore({ targetedAt, reportedAt, state }: Node, begun: string): boolean {
  const isAtWork = state === 'Working' && reportedAt !== undefined && isEarlierSecond(reportedAt, begun);
  return isAtWork || (targetedAt !== undefined && isEarlierSecond(targetedAt, begun));
}

/** Seconds by which the clocks of a cluster and of Poolkeeper are apart at most. */
const clocksApartSeconds = 300;

function isLongBefore(targetedAt: string | undefined, begun: string): boolean {
  return targetedAt !== undefined && secondsSince(targetedAt, new Date(begun)) > clocksApartSeconds;
}

/** The first that is known of the change, but not what was looked at since without it. */
function changeBegun(race: Race): string {
  const claimed = earliest([race.pushedAt, race.operation, race.since]);
  return latest([claimed, race.unseenUntil]) ?? race.since;
}

/** The verdict is due once nothing can change it: a missed node stays missed, so it is published while the sync still
 *  runs; a confirmation that does not come in time makes the sync unprotected. Without a sync there is no verdict, and
 *  nodes that went while its pause was on the way went for somebody else's change. Nor is there one where unprotected
 *  would be untrue. */
function dueVerdict(race: Race, facts: RaceFacts): Verdict | undefined {
  const { isOver, isPausedStill, confirmWithinSeconds, now } = facts;
  if (race.operation === undefined || race.endedAt !== undefined || isTakenAway(race, facts)) return undefined;
  if (race.missedNodes.length > 0) return 'late';
  if (race.confirmedAt !== undefined) return isOver ? verdictOf(race) : undefined;
  if (isUndecided(race, facts)) return undefined;
  // The pool may have been paused long before, for others.
  const begun = race.pausedAt === undefined ? undefined : latest([race.pausedAt, race.since]);
  const isTooLong = begun !== undefined && isPast(plusSeconds(new Date(begun), confirmWithinSeconds), now);
  return isTooLong || (isOver && !isPausedStill) ? 'unprotected' : undefined;
}

/** A pause that somebody else took away before its sync had ended was neither early nor in time, whatever it was when
 *  it was confirmed. */
function isTakenAway({ confirmedAt, missedNodes }: Race, { isResumed }: RaceFacts): boolean {
  return isResumed && confirmedAt !== undefined && missedNodes.length === 0;
}

/** The MCO has observed the pause, and only the nodes are lacking to know what it missed; or its sync is kept waiting
 *  and has applied nothing that it could miss. */
function isUndecided(race: Race, { pool, isKeptWaiting, operation }: RaceFacts): boolean {
  if (race.confirmedAt !== undefined) return false;
  // An earlier attempt, or operation, of this hold may have, of which nothing is reported any more.
  const mayHaveApplied = race.operation !== operation || race.appliedAt !== undefined || race.isUntimed === true;
  return (isKeptWaiting && !mayHaveApplied) || isObserved(race, race.pauseGeneration, pool);
}

/** The hold ended and no sync followed or applied anything, its pause was taken away, or what that missed was not found
 *  out while there was time: there will be no verdict. */
function isOverUnjudged(race: Race, facts: RaceFacts): boolean {
  const { isOver, isPausedStill } = facts;
  if (isTakenAway(race, facts)) return true;
  if (!isOver || (race.operation !== undefined && !isUndecided(race, facts))) return false;
  return race.confirmedAt !== undefined || !isPausedStill;
}

/** The MCO's node controller has observed the pause: no further node is targeted. It does not say that none was. */
export function isConfirmed(pool: Pool, pauseGeneration: number | undefined): boolean {
  return pool.paused && pool.observedGeneration >= Math.min(pauseGeneration ?? pool.generation, pool.generation);
}

/** Seconds from a change to its rendered config. Source: the MCO's render controller, which waits so long for more. */
const renderSeconds = 5;

/** Until something of this hold is rendered, the pool's target is a config from before it. Argo CD reports what it
 *  applied only later. */
function targetBefore({ pool, operation, hasApplied, targetSeenBefore, now }: RaceFacts): string | undefined {
  const isFresh = !hasApplied && (operation === undefined || secondsSince(operation, now) < renderSeconds);
  if (isFresh) return pool.target.name;
  return targetSeenBefore ?? (hasApplied ? undefined : pool.target.name);
}

function newRace(facts: RaceFacts): Race {
  const { cluster, hold, pool } = facts;
  const before = targetBefore(facts);
  return {
    cluster,
    pool: pool.name,
    hold: hold.id,
    since: hold.since,
    pushedAt: hold.pushedAt,
    pausedAt: undefined,
    pauseGeneration: undefined,
    confirmedAt: undefined,
    appliedAt: undefined,
    firstTargetedAt: undefined,
    missedNodes: [],
    verdict: undefined,
    ...given({ targetBefore: before }),
    // Later passes know a later sweep alone: the one that has found it.
    ...given({ unseenUntil: facts.unseenUntil }),
  };
}

/** Since when the pool is paused. A foreign pause protects too: its time is that of the last write to `spec.paused`. */
function pausedSince(pool: Pool): string | undefined {
  if (!pool.paused || pool.record.kind !== 'record') return undefined;
  return pool.record.record.pausedSince ?? pool.pausedBy?.at;
}

function firstTargeted(missed: readonly Node[], now: Date): string | undefined {
  if (missed.length === 0) return undefined;
  return earliest(missed.map((node) => node.targetedAt)) ?? now.toISOString();
}

import type { Hold } from '../openshift/hold.ts';
import { isInFlight, type Node } from '../openshift/node.ts';
import type { Pool } from '../openshift/pool.ts';
import { earliest, isEarlierSecond, isPast, plusSeconds } from '../text/instant.ts';
import { type Race, type Verdict, verdictOf } from './race.ts';

/** What a pass knows about the race of one hold. */
export interface RaceFacts {
  readonly cluster: string;
  readonly hold: Pick<Hold, 'id' | 'since' | 'pushedAt'>;
  readonly pool: Pool;
  /** `metadata.generation` returned by our pause patch, in the pass that paused. */
  readonly pauseGeneration: number | undefined;
  /** Nodes of the pool, read AFTER the confirmation was observed; undefined if not read. */
  readonly nodes: readonly Node[] | undefined;
  /** `startedAt` of the hold's own operation; undefined: none observed. Earlier operations are not this hold's. */
  readonly operation: string | undefined;
  /** That operation has applied something that the MCO renders. */
  readonly hasApplied: boolean;
  /** When it wrote the change to the cluster, if known. */
  readonly appliedAt: string | undefined;
  /** The sync has ended or failed. */
  readonly isOver: boolean;
  /** The pool is still paused. A small sync may end before the MCO has observed its pause: while the pool waits for its
   *  gates the confirmation may still come. */
  readonly isPausedStill: boolean;
  /** Seconds. How long a confirmation may take before the sync counts as unprotected. */
  readonly confirmWithinSeconds: number;
  readonly now: Date;
}

/** Applies what is known now. Known times never change, so passes may repeat or overlap. */
export function advanceRace(race: Race | undefined, facts: RaceFacts): Race {
  const base = race ?? newRace(facts);
  const operation = base.operation ?? facts.operation;
  const known: Race = {
    ...base,
    pushedAt: base.pushedAt ?? facts.hold.pushedAt,
    pausedAt: base.pausedAt ?? pausedSince(facts.pool),
    pauseGeneration: base.pauseGeneration ?? facts.pauseGeneration,
    appliedAt: base.appliedAt ?? facts.appliedAt,
    ...(operation === undefined ? {} : { operation }),
  };
  const confirmed = known.confirmedAt === undefined ? withConfirmation(known, facts) : known;
  const verdict = base.verdict ?? dueVerdict(confirmed, facts);
  const isUnjudged = verdict === undefined && base.endedAt === undefined && isOverUnjudged(confirmed, facts);
  return { ...confirmed, verdict, ...(isUnjudged ? { endedAt: facts.now.toISOString() } : {}) };
}

/** A confirmation counts once the nodes were read: before that it is unknown which nodes the pause missed. If another
 *  pass paused, the confirmed generation is used instead of the one its patch returned. */
function withConfirmation(race: Race, { pool, nodes, now }: RaceFacts): Race {
  if (nodes === undefined || !isConfirmed(pool, race.pauseGeneration)) return race;
  const inFlight = nodes.filter(isInFlight);
  const missed = inFlight.filter((node) => !isOfEarlierRollout(node, race));
  const before = inFlight.filter((node) => isOfEarlierRollout(node, race)).map(({ name }) => name);
  return {
    ...race,
    confirmedAt: now.toISOString(),
    pauseGeneration: race.pauseGeneration ?? pool.generation,
    missedNodes: missed.map((node) => node.name),
    ...(before.length === 0 ? {} : { rollingBefore: before }),
    firstTargetedAt: firstTargeted(missed, now),
  };
}

/** The node was targeted before this change began, or for the config that the pool was rolling out before it. The
 *  time alone is not enough: managedFields record a manager's last write, which may be a later one. */
function isOfEarlierRollout({ targetedAt, desiredConfig }: Node, race: Race): boolean {
  const begun = earliest([race.pushedAt, race.operation, race.since]) ?? race.since;
  if (targetedAt !== undefined && isEarlierSecond(targetedAt, begun)) return true;
  return race.targetBefore !== undefined && desiredConfig === race.targetBefore;
}

/** The verdict is due once nothing can change it: a missed node stays missed, so it is published while the sync still
 *  runs; a confirmation that does not come in time makes the sync unprotected. Without a sync there is no verdict. */
function dueVerdict(race: Race, { isOver, isPausedStill, confirmWithinSeconds, now }: RaceFacts): Verdict | undefined {
  if (race.missedNodes.length > 0) return 'late';
  if (race.operation === undefined) return undefined;
  if (race.confirmedAt !== undefined) return isOver ? verdictOf(race) : undefined;
  const isTooLong =
    race.pausedAt !== undefined && isPast(plusSeconds(new Date(race.pausedAt), confirmWithinSeconds), now);
  return isTooLong || (isOver && !isPausedStill) ? 'unprotected' : undefined;
}

/** The hold ended and no sync followed: there will be no verdict. */
function isOverUnjudged(race: Race, { isOver, isPausedStill }: RaceFacts): boolean {
  return isOver && race.operation === undefined && (race.confirmedAt !== undefined || !isPausedStill);
}

/** The MCO's node controller has observed the pause: no further node is targeted. It does not say that none was. */
export function isConfirmed(pool: Pool, pauseGeneration: number | undefined): boolean {
  return pool.paused && pool.observedGeneration >= Math.min(pauseGeneration ?? pool.generation, pool.generation);
}

/** Until something of this hold is applied, the pool's target is a config from before it. */
function newRace({ cluster, hold, pool, hasApplied }: RaceFacts): Race {
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
    ...(hasApplied ? {} : { targetBefore: pool.target.name }),
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

import type { Hold } from '../openshift/hold.ts';
import { isInFlight, type Node } from '../openshift/node.ts';
import type { Pool } from '../openshift/pool.ts';
import { earliest, isEarlierSecond, isPast, plusSeconds } from '../text/instant.ts';
import type { Race, Verdict } from './race.ts';

/** What a pass knows about the race of one hold. */
export interface RaceFacts {
  readonly cluster: string;
  readonly hold: Pick<Hold, 'id' | 'since' | 'pushedAt'>;
  readonly pool: Pool;
  /** `metadata.generation` that our pause patch returned, in the pass that paused. */
  readonly pauseGeneration: number | undefined;
  /** Nodes of the pool, read AFTER the confirmation was seen; undefined when they were not read. */
  readonly nodes: readonly Node[] | undefined;
  /** When the change was written to the cluster, as far as it can be told. */
  readonly appliedAt: string | undefined;
  /** The sync has ended or failed. */
  readonly isOver: boolean;
  /** The pool is paused still. A small sync ends before the MCO has observed its pause: while the pool waits for its
   *  gates the confirmation may still come. */
  readonly isPausedStill: boolean;
  /** How long a confirmation may take before the sync counts as unprotected. Seconds. */
  readonly confirmWithinSeconds: number;
  readonly now: Date;
}

/** Takes in what is known now. Times once known never change, so passes may repeat or overlap. */
export function advanceRace(race: Race | undefined, facts: RaceFacts): Race {
  const base = race ?? newRace(facts);
  const known: Race = {
    ...base,
    pushedAt: base.pushedAt ?? facts.hold.pushedAt,
    pausedAt: base.pausedAt ?? pausedSince(facts.pool),
    pauseGeneration: base.pauseGeneration ?? facts.pauseGeneration,
    appliedAt: base.appliedAt ?? facts.appliedAt,
  };
  const confirmed = known.confirmedAt === undefined ? withConfirmation(known, facts) : known;
  return { ...confirmed, verdict: base.verdict ?? dueVerdict(confirmed, facts) };
}

/** The confirmation counts once the nodes were looked at: before that nobody knows whom the pause missed. When
 *  another pass paused, the generation that is confirmed stands for the one that its patch returned. */
function withConfirmation(race: Race, { pool, nodes, now }: RaceFacts): Race {
  if (nodes === undefined || !isConfirmed(pool, race.pauseGeneration)) return race;
  const missed = nodes.filter(isInFlight);
  return {
    ...race,
    confirmedAt: now.toISOString(),
    pauseGeneration: race.pauseGeneration ?? pool.generation,
    missedNodes: missed.map((node) => node.name),
    firstTargetedAt: firstTargeted(missed, now),
  };
}

/** Due once nothing can change it: a missed node will not be un-missed, so people hear of it while the sync still
 *  runs; a confirmation that does not come in time makes the sync unprotected. */
function dueVerdict(race: Race, { isOver, isPausedStill, confirmWithinSeconds, now }: RaceFacts): Verdict | undefined {
  if (race.missedNodes.length > 0) return 'late';
  if (race.confirmedAt !== undefined) return isOver ? verdictOf(race) : undefined;
  const isTooLong =
    race.pausedAt !== undefined && isPast(plusSeconds(new Date(race.pausedAt), confirmWithinSeconds), now);
  return isTooLong || (isOver && !isPausedStill) ? 'unprotected' : undefined;
}

/** How the race stands, also before it is over. */
export function verdictOf(race: Race): Verdict {
  if (race.confirmedAt === undefined) return 'unprotected';
  if (race.missedNodes.length > 0) return 'late';
  if (race.appliedAt === undefined) return 'early';
  return isEarlierSecond(race.appliedAt, race.confirmedAt) ? 'in time' : 'early';
}

/** The MCO's node controller has taken note of the pause: no further node is targeted. It does not say that none
 *  was. */
export function isConfirmed(pool: Pool, pauseGeneration: number | undefined): boolean {
  return pool.paused && pool.observedGeneration >= Math.min(pauseGeneration ?? pool.generation, pool.generation);
}

function newRace({ cluster, hold, pool }: RaceFacts): Race {
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
  };
}

/** A foreign pause protects as well: then the hold's own beginning counts. */
function pausedSince(pool: Pool): string | undefined {
  if (!pool.paused || pool.record.kind !== 'record') return undefined;
  return pool.record.record.pausedSince ?? pool.pausedBy?.at;
}

function firstTargeted(missed: readonly Node[], now: Date): string | undefined {
  if (missed.length === 0) return undefined;
  return earliest(missed.map((node) => node.targetedAt)) ?? now.toISOString();
}

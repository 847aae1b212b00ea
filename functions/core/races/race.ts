import { isEarlierSecond } from '../text/instant.ts';

/** The race of one sync hold against the MCO: its known times, all ISO instants. Stored in the table; losing it loses
 *  statistics, never a hold. */
export interface Race {
  readonly cluster: string;
  readonly pool: string;
  /** Hold id and its `since`: one race per hold. */
  readonly hold: string;
  readonly since: string;
  /** When the push was received; undefined for a sync without one. */
  readonly pushedAt: string | undefined;
  readonly pausedAt: string | undefined;
  /** `metadata.generation` returned by the pause patch; the confirmation waits for it. */
  readonly pauseGeneration: number | undefined;
  /** When the MCO was seen to have observed the pause, with the nodes read after it. */
  readonly confirmedAt: string | undefined;
  /** When Argo CD wrote the change to the cluster. */
  readonly appliedAt: string | undefined;
  /** When the first of the missed nodes was targeted; undefined: none was. */
  readonly firstTargetedAt: string | undefined;
  /** Nodes that were targeted because of this hold's change and before the pause was confirmed. */
  readonly missedNodes: readonly string[];
  readonly verdict: Verdict | undefined;
  /** `startedAt` of the hold's own operation, once it was seen. Without one nothing is judged: no sync followed. */
  readonly operation?: string | undefined;
  /** Rendered config that the pool went to before anything of this hold was applied: nodes on their way to it are not
   *  missed. Absent: what was applied may be in it. */
  readonly targetBefore?: string | undefined;
  /** Nodes of an earlier rollout that were still on their way when the pause was confirmed. The pause does not
   *  stop them. */
  readonly rollingBefore?: readonly string[] | undefined;
  /** It ended without a verdict, because no sync followed. */
  readonly endedAt?: string | undefined;
}

/** `early`: confirmed before the change was applied. `in time`: after it, and no node was targeted.
 *  `late`: nodes were targeted. `unprotected`: the pause was never confirmed. */
export type Verdict = 'early' | 'in time' | 'late' | 'unprotected';

/** Merges what two overlapping passes know of one race. Known times never change, and the confirmation keeps the nodes
 *  that were observed with it. */
export function joinRaces(first: Race, second: Race): Race {
  const confirmed = first.confirmedAt === undefined ? second : first;
  const joined: Race = {
    ...first,
    pushedAt: first.pushedAt ?? second.pushedAt,
    pausedAt: first.pausedAt ?? second.pausedAt,
    pauseGeneration: first.pauseGeneration ?? second.pauseGeneration,
    appliedAt: first.appliedAt ?? second.appliedAt,
    confirmedAt: confirmed.confirmedAt,
    firstTargetedAt: confirmed.firstTargetedAt,
    missedNodes: confirmed.missedNodes,
    rollingBefore: confirmed.rollingBefore,
    operation: first.operation ?? second.operation,
    targetBefore: first.targetBefore ?? second.targetBefore,
    endedAt: first.endedAt ?? second.endedAt,
    verdict: first.verdict ?? second.verdict,
  };
  // Two overlapping passes may each have judged by a confirmation of their own: a verdict that compares times is given
  // again by the joined ones.
  const comparesTimes = joined.confirmedAt !== undefined && ['early', 'in time'].includes(joined.verdict ?? '');
  return comparesTimes ? { ...joined, verdict: verdictOf(joined) } : joined;
}

/** The verdict as of now, also before the race is over. */
export function verdictOf(race: Race): Verdict {
  if (race.confirmedAt === undefined) return 'unprotected';
  if (race.missedNodes.length > 0) return 'late';
  if (race.appliedAt === undefined) return 'early';
  return isEarlierSecond(race.appliedAt, race.confirmedAt) ? 'in time' : 'early';
}

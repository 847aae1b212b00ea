import { earliest, isEarlierSecond, latest } from '../text/instant.ts';

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
  /** When Argo CD wrote the first of its MachineConfigs to the cluster. */
  readonly appliedAt: string | undefined;
  /** It has written, or deleted, something else that the MCO renders, of which the time is not known. */
  readonly isUntimed?: true | undefined;
  /** When the first of the missed nodes was targeted; undefined: none was. */
  readonly firstTargetedAt: string | undefined;
  /** Nodes that were targeted because of this hold's change and before the pause was confirmed. */
  readonly missedNodes: readonly string[];
  readonly verdict: Verdict | undefined;
  /** When it got its verdict; absent: it has none, or an earlier version gave it. */
  readonly judgedAt?: string | undefined;
  /** `startedAt` of the hold's own operation, once it was seen. Without one nothing is judged: no sync followed. */
  readonly operation?: string | undefined;
  /** Rendered config that the pool went to before anything of this hold was applied: nodes on their way to it are not
   *  missed. Absent: what was applied may be in it. */
  readonly targetBefore?: string | undefined;
  /** Before it, the operation was not running: what a look before the hold proves, whatever the operation says of its
   *  begin. The look that finds it is none. */
  readonly unseenUntil?: string | undefined;
  /** When the pause was confirmed its Application was read, and no operation of this hold had begun. Absent: one had,
   *  or nobody knows. */
  readonly isConfirmedBefore?: true | undefined;
  /** Nodes of an earlier rollout that had not arrived when the pause was confirmed, also such as had failed. The pause
   *  does not stop them. */
  readonly rollingBefore?: readonly string[] | undefined;
  /** It ended without a verdict: no sync followed or applied anything, somebody else resumed the pool before the end of
   *  the sync, or what the pause missed is not known, because nodes could not be read. */
  readonly endedAt?: string | undefined;
  /** The pool was resumed and paused again before the race was judged: its times are those of the later pause. */
  readonly isPausedAnew?: true | undefined;
  /** The pause that came after the verdict, within the same hold. The verdict is not about it. */
  readonly later?: Pause | undefined;
}

/** Names a race within its cluster. */
export type RaceKey = Pick<Race, 'pool' | 'hold' | 'since'>;

/** The same as one text. None of its parts has a line break. */
export function raceKeyText({ pool, hold, since }: RaceKey): string {
  return `${pool}\n${hold}\n${since}`;
}

/** One pause of the pool: when, at which generation, and when the MCO was seen to have observed it. */
export type Pause = Pick<Race, 'pausedAt' | 'pauseGeneration' | 'confirmedAt'>;

/** The pause that the pool has now, as far as the race knows: whoever asks whether the pool is confirmed paused asks
 *  about this one. */
export function pauseNow(race: Race): Pause {
  return race.later ?? race;
}

/** `early`: confirmed before the change was applied. `in time`: after it, or it is not known which was first, and no
 *  node was targeted.
 *  `late`: nodes were targeted. `unprotected`: the pause was not confirmed in time, or never. */
export type Verdict = 'early' | 'in time' | 'late' | 'unprotected';

/** Merges what two overlapping passes know of one race. Known times never change, and the confirmation keeps the nodes
 *  that were observed with it. If the passes know of two pauses, the race is about the one that was judged, else about
 *  the later one. */
export function joinRaces(first: Race, second: Race): Race {
  const joined: Race = {
    ...first,
    pushedAt: first.pushedAt ?? second.pushedAt,
    appliedAt: first.appliedAt ?? second.appliedAt,
    operation: first.operation ?? second.operation,
    isUntimed: first.isUntimed ?? second.isUntimed,
    targetBefore: first.targetBefore ?? second.targetBefore,
    ...unseenIn(first, second),
    endedAt: first.endedAt ?? second.endedAt,
    verdict: first.verdict ?? second.verdict,
    judgedAt: first.judgedAt ?? second.judgedAt,
    ...joinPauses(first, second),
  };
  // Two overlapping passes may each have judged by a confirmation of their own: a verdict that compares times is given
  // again by the joined ones.
  const comparesTimes = joined.confirmedAt !== undefined && ['early', 'in time'].includes(joined.verdict ?? '');
  return comparesTimes ? judged(withoutOthersNodes({ ...joined, verdict: undefined })) : joined;
}

function judged(race: Race): Race {
  return { ...race, verdict: verdictOf(race) };
}

/** Nodes that went before the pause was confirmed are none of a sync that begins after that: then its Application was
 *  seen without one. Where it could not be read, or one was seen, they count, whatever Argo CD's clock says of its
 *  begin. */
export function withoutOthersNodes(race: Race): Race {
  const { operation, confirmedAt, missedNodes, isConfirmedBefore } = race;
  if (isSettled(race) || missedNodes.length === 0 || isConfirmedBefore !== true) return race;
  if (operation === undefined || confirmedAt === undefined) return race;
  return isEarlierSecond(confirmedAt, operation) ? { ...race, missedNodes: [], firstTargetedAt: undefined } : race;
}

function unseenIn(first: Race, second: Race): Pick<Race, 'unseenUntil'> {
  const unseenUntil = latest([first.unseenUntil, second.unseenUntil]);
  return unseenUntil === undefined ? {} : { unseenUntil };
}

/** What a race knows of the pause that it is about, and of the one after it. */
type OfPause = Pause &
  Pick<Race, 'firstTargetedAt' | 'missedNodes' | 'rollingBefore' | 'isConfirmedBefore' | 'isPausedAnew' | 'later'>;

function joinPauses(first: Race, second: Race): OfPause {
  const about = isSamePause(first, second) ? joinSamePause(first, second) : aboutOne(first, second);
  const { pausedAt, pauseGeneration, confirmedAt, isConfirmedBefore } = about;
  const { firstTargetedAt, missedNodes, rollingBefore, isPausedAnew } = about;
  const later = laterOf([first, second, first.later, second.later], pausedAt);
  const pause = { pausedAt, pauseGeneration, confirmedAt, isConfirmedBefore, isPausedAnew, later };
  return { ...pause, firstTargetedAt, missedNodes, rollingBefore };
}

function joinSamePause(first: Race, second: Race): Race {
  const confirmed = first.confirmedAt === undefined ? second : first;
  return {
    ...confirmed,
    pausedAt: first.pausedAt ?? second.pausedAt,
    pauseGeneration: first.pauseGeneration ?? second.pauseGeneration,
    isPausedAnew: first.isPausedAnew ?? second.isPausedAnew,
  };
}

/** It has its verdict, or will never have one. */
export function isSettled({ verdict, endedAt }: Pick<Race, 'verdict' | 'endedAt'>): boolean {
  return verdict !== undefined || endedAt !== undefined;
}

/** A pass that does not know when the pool was paused knows of no other pause. */
function isSamePause(first: Pause, second: Pause): boolean {
  return first.pausedAt === undefined || second.pausedAt === undefined || first.pausedAt === second.pausedAt;
}

/** Whose pause the joined race is about. */
function aboutOne(first: Race, second: Race): Race {
  if (isSamePause(first, second) || isSettled(first)) return first;
  return isSettled(second) || isLaterPause(second, first.pausedAt) ? second : first;
}

/** The latest of the pauses that came after the one of the race, with its confirmation if any of them knows it. */
function laterOf(pauses: readonly (Pause | undefined)[], than: string | undefined): Pause | undefined {
  const known = pauses.flatMap((each) => (each !== undefined && isLaterPause(each, than) ? [each] : []));
  const at = latest(known.map(({ pausedAt }) => pausedAt));
  const same = known.filter(({ pausedAt }) => pausedAt === at);
  if (same.length === 0) return undefined;
  return {
    pausedAt: at,
    pauseGeneration: same.find(({ pauseGeneration }) => pauseGeneration !== undefined)?.pauseGeneration,
    confirmedAt: earliest(same.map(({ confirmedAt }) => confirmedAt)),
  };
}

function isLaterPause({ pausedAt }: Pause, than: string | undefined): boolean {
  return pausedAt !== undefined && than !== undefined && Date.parse(pausedAt) > Date.parse(than);
}

/** The verdict as of now, also before the race is over. */
export function verdictOf(race: Race): Verdict {
  if (race.confirmedAt === undefined) return 'unprotected';
  if (race.missedNodes.length > 0) return 'late';
  const { appliedAt, isUntimed, operation = '', confirmedAt } = race;
  if (appliedAt !== undefined && isEarlierSecond(appliedAt, confirmedAt)) return 'in time';
  return isUntimed === true && !isEarlierSecond(confirmedAt, operation) ? 'in time' : 'early';
}

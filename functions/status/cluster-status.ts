import { applicationLink, type LinkPlaces, poolLink } from '../core/configuration/links.ts';
import type { GateView } from '../core/gates/gate-view.ts';
import { waitOfGuard } from '../core/gates/guard-waits.ts';
import type { Wait } from '../core/gates/wait.ts';
import { ownerOfHold } from '../core/openshift/hold.ts';
import { lostRaces, lostStill } from '../core/races/choose-races.ts';
import type { Race } from '../core/races/race.ts';
import { secondsBetween } from '../core/text/durations.ts';
import { given } from '../core/text/given.ts';
import { byTurns } from '../core/text/rounds.ts';
import { safeLine, safeText } from '../core/text/safe-text.ts';
import { asPrinted } from '../core/text/shell-words.ts';
import { isShortened } from '../core/timeline/few-holds.ts';
import { isOverridden } from '../core/timeline/is-overridden.ts';
import { isAhead, isStale } from '../core/timeline/is-stale.ts';
import { poolAsOf } from '../core/timeline/pool-as-of.ts';
import type { UnreadablePool } from '../core/timeline/unreadable-pool.ts';
import type { ClusterView, HoldView, NodeView, PoolView } from '../core/timeline/view.ts';
import { isAtRest, keepsPaused, waitsOf } from '../core/timeline/waits-of.ts';
import { changeStatus } from './change-status.ts';
import type {
  ClusterStatus,
  GateStatus,
  HolderStatus,
  HoldStatus,
  PauseStatus,
  PoolStatus,
  RaceStatus,
  WaitStatus,
} from './status.ts';

/** A view older than this is stale. Seconds: three ticks of one minute. */
const staleAfterSeconds = 180;
/** Longest MCO message shown, characters. */
const messageLimit = 1000;
/** Longest reason shown, characters. */
const reasonLimit = 500;

/** Status of one cluster; `view` undefined: never read. */
export function clusterStatus(
  name: string,
  {
    view,
    configured,
    places,
    now,
  }: {
    readonly view: ClusterView | undefined;
    readonly configured: boolean;
    readonly places?: LinkPlaces | undefined;
    readonly now: Date;
  },
): ClusterStatus {
  if (view === undefined) {
    return { name, sight: 'never', configured, poolCounts: { all: 0, paused: 0, degraded: 0 }, whole: true, pools: [] };
  }
  const known = view.pools.map((pool) => poolAsOf(pool, now));
  const pools = known
    .map((pool) => ({ ...poolStatus(pool, name, now), ...linkOf(places && poolLink(places, name, pool.name)) }))
    .toSorted(byNeed);
  const { blind, poolsLeftOut: left, unreadablePools: unread = [] } = view;
  return {
    name,
    sight: blind !== undefined ? 'blind' : isStale(view.readAt, now, staleAfterSeconds) ? 'stale' : 'seen',
    configured,
    readAt: view.readAt,
    ...(isAhead(view.readAt, now) ? {} : { readAgeSeconds: wholeSeconds(view.readAt, now) }),
    blind: blind && { ...blind, why: safeLine(blind.why, reasonLimit) },
    poolCounts: {
      all: pools.length + unread.length + (left?.all ?? 0),
      paused: pools.filter(({ pause }) => pause !== undefined).length + (left?.paused ?? 0),
      degraded: pools.filter(({ degraded }) => degraded).length + (left?.degraded ?? 0),
      ...(unread.length === 0 ? {} : { unreadable: unread.length }),
    },
    ...(left === undefined ? {} : { poolsLeftOut: left.all }),
    whole: true,
    pools,
    ...unreadableOf(unread),
    ...holdersOf(known, places, now),
    ...guardsOf(view),
    ...partsOf(view),
    ...ignoredOf(view),
  };
}

function unreadableOf(pools: readonly UnreadablePool[]): Pick<ClusterStatus, 'unreadablePools'> {
  if (pools.length === 0) return {};
  return { unreadablePools: pools.map(({ name, since, wasOurs }) => ({ name, ...given({ since, wasOurs }) })) };
}

function linkOf(link: string | undefined): { readonly link?: string } {
  return link === undefined ? {} : { link };
}

/** Holders in one answer. */
const holdersShown = 20;

type Holders = Pick<ClusterStatus, 'holders' | 'holdersLeftOut'>;

/** What a person or an emergency lane has gone past is shown with its pool, and holds nothing. */
function holdersOf(pools: readonly PoolView[], places: LinkPlaces | undefined, now: Date): Holders {
  const known = pools.flatMap(({ name, holds }) => holds.filter(keepsPaused).map((hold) => ({ ...hold, pool: name })));
  // Whose those are of which a pool has too many is not known.
  const all = known.filter(({ more }) => more === undefined);
  const unnamed = known.reduce((sum, { more = 0 }) => sum + more, 0);
  const projects = new Map(all.map(({ id, project }) => [id, project]));
  const holders = [...Map.groupBy(all, ({ id }) => id).values()].flatMap((holds): readonly HolderStatus[] => {
    const [first] = holds.toSorted((a, b) => Date.parse(a.since) - Date.parse(b.since));
    if (first === undefined) return [];
    const { id, kind, who, since } = first;
    const isLinked = kind === 'sync' && !isShortened(id);
    const link = places && isLinked ? applicationLink(places, id.replace(/^sync\//, '')) : undefined;
    return [
      {
        id,
        kind,
        who,
        pools: holds.map(({ pool }) => pool),
        ...linkOf(link),
        since,
        ageSeconds: wholeSeconds(since, now),
      },
    ];
  });
  const shown = inTurns(holders, projects).slice(0, holdersShown);
  const left = { holders: holders.length - shown.length, holds: unnamed };
  return {
    ...(shown.length === 0 ? {} : { holders: [...shown] }),
    ...(left.holders + left.holds === 0 ? {} : { holdersLeftOut: left }),
  };
}

/** People and runs, then Applications, one of each owner after the other: whoever makes up Applications hides no
 *  other holder. Of each those with the most pools first. */
function inTurns(
  holders: readonly HolderStatus[],
  projects: ReadonlyMap<string, string | undefined>,
): readonly HolderStatus[] {
  const sorted = holders.toSorted((a, b) => b.pools.length - a.pools.length || a.id.localeCompare(b.id, 'en'));
  const isSync = ({ kind }: HolderStatus) => kind === 'sync';
  return [
    ...sorted.filter((each) => !isSync(each)),
    ...byTurns(sorted.filter(isSync), ({ id }) => ownerOfHold({ id, project: projects.get(id) })),
  ];
}

function guardsOf({ guards = [] }: ClusterView): Pick<ClusterStatus, 'guards'> {
  if (guards.length === 0) return {};
  return {
    guards: guards.map((guard) => {
      const { about, why, how, pools } = guard;
      const wait = waitOfGuard(guard);
      return {
        about: safeLine(about, reasonLimit),
        why: safeLine(why, reasonLimit),
        ...commandOf(how),
        ...(pools === undefined ? {} : { pools: [...pools] }),
        ...(wait === undefined ? {} : { wait: waitStatus(wait) }),
      };
    }),
  };
}

/** Characters: two names of 253 and a patch. */
const commandLimit = 1000;

function partsOf({ operatorParts }: ClusterView): Pick<ClusterStatus, 'operatorParts'> {
  if (operatorParts === undefined) return {};
  const { readAt, parts } = operatorParts;
  return {
    operatorParts: { readAt, parts: parts.map((part) => ({ ...part, says: safeLine(part.says, reasonLimit) })) },
  };
}

function ignoredOf({ ignoredAnnotations: ignored = [] }: ClusterView): Pick<ClusterStatus, 'ignoredAnnotations'> {
  if (ignored.length === 0) return {};
  return {
    ignoredAnnotations: ignored.map(({ application, why }) => ({
      application: safeLine(application, reasonLimit),
      why: safeLine(why, reasonLimit),
    })),
  };
}

function poolStatus(pool: PoolView, cluster: string, now: Date): PoolStatus {
  const { machines, ready, updated, unavailable, degraded } = pool.counts;
  return {
    name: pool.name,
    state: stateOf(pool),
    managed: pool.managed,
    protection: pool.protection,
    ageSeconds: wholeSecondsOrUnknown(pool.createdAt, now),
    currentConfig: pool.currentConfig,
    targetConfig: pool.targetConfig,
    pending: pool.pending,
    pendingSources: pool.pendingSources && {
      added: [...pool.pendingSources.added],
      removed: [...pool.pendingSources.removed],
    },
    ...(pool.pendingImage === undefined ? {} : { pendingImage: safeLine(pool.pendingImage, reasonLimit) }),
    ...changeStatus(pool, now),
    updated: pool.updated,
    updating: pool.updating,
    degraded: pool.degraded,
    counts: { machines, ready, updated, unavailable, degraded },
    message: safeText(pool.message, messageLimit),
    pause: pauseStatus(pool, now),
    overridden: isOverridden(pool),
    holds: pool.holds.map((hold) => holdStatus(hold, now)),
    ...emergencyOf(pool),
    closedGates: pool.closedGates.map(gateStatus),
    ...(isAtRest(pool) ? { rests: true } : {}),
    why: whyPaused(pool, cluster),
    races: pool.races.map(raceStatus),
    ...lostOf(pool, now),
    minutesLeft: pool.minutesLeft,
    nodes: pool.nodes?.map(nodeStatus),
    joined: pool.joined?.map((node) => ({ ...node })),
  };
}

function nodeStatus({ waitsFor, steps, ...node }: NodeView): NonNullable<PoolStatus['nodes']>[number] {
  return { ...node, waitsFor: safeLine(waitsFor, reasonLimit), steps: steps.map((step) => ({ ...step })) };
}

function lostOf({ races, lostRaces: known }: PoolView, now: Date): Pick<PoolStatus, 'lostRaces'> {
  const lost = lostStill(known ?? lostRaces(races, now), now);
  return lost.length === 0 ? {} : { lostRaces: lost.map(({ verdict, count, lastAt }) => ({ verdict, count, lastAt })) };
}

function raceStatus({ hold, verdict, since, missedNodes, rollingBefore, ...times }: Race): RaceStatus {
  const { endedAt, pushedAt, pausedAt, confirmedAt, appliedAt, firstTargetedAt } = times;
  return {
    hold,
    verdict,
    since,
    pushedAt,
    pausedAt,
    confirmedAt,
    appliedAt,
    firstTargetedAt,
    missedNodes: [...missedNodes],
    ...(rollingBefore === undefined ? {} : { rollingBefore: [...rollingBefore] }),
    ...(endedAt === undefined ? {} : { endedAt }),
  };
}

/** At times the MCO sets more than one condition to True; the one that needs a person wins. Degraded nodes make it
 *  report Updating without any rollout (measured), so Degraded comes first. */
function stateOf(pool: PoolView): PoolStatus['state'] {
  if (pool.degraded) return 'degraded';
  if (pool.counts.machines === 0) return 'empty';
  if (pool.updating) return 'updating';
  if (pool.pending) return 'pending';
  return pool.updated ? 'updated' : 'unknown';
}

function pauseStatus(pool: PoolView, now: Date): PauseStatus | undefined {
  if (!pool.paused) return undefined;
  return {
    whose: whoseOf(pool.pauseOf),
    by: pool.pausedBy,
    since: pool.pausedSince,
    ageSeconds: wholeSecondsOrUnknown(pool.pausedSince, now),
    confirmed: pool.confirmed,
  };
}

function whoseOf(pauseOf: string): PauseStatus['whose'] {
  return pauseOf === 'ours' || pauseOf === 'foreign' || pauseOf === 'overridden' ? pauseOf : 'unclear';
}

function emergencyOf({ emergency }: PoolView): Pick<PoolStatus, 'emergency'> {
  if (emergency === undefined) return {};
  const { who, why, since, until } = emergency;
  return { emergency: { who: safeLine(who, reasonLimit), why: safeLine(why, reasonLimit), since, until } };
}

function holdStatus({ overruled, more, ...hold }: HoldView, now: Date): HoldStatus {
  const { id, kind, who, why, phase, since, until } = hold;
  return {
    id,
    kind,
    who,
    why: safeLine(why, reasonLimit),
    phase,
    since,
    ageSeconds: wholeSeconds(since, now),
    until,
    overdue: Date.parse(until) <= now.getTime(),
    ...(overruled === undefined ? {} : { overruled: { at: overruled.at, by: safeLine(overruled.by, reasonLimit) } }),
    ...(more === undefined ? {} : { more }),
  };
}

function gateStatus({ gate, why, since, unread, opens, opensAt, approves }: GateView): GateStatus {
  return {
    gate,
    why: safeLine(why, reasonLimit),
    since,
    ...(unread === true ? { unread } : {}),
    opens: safeLine(opens, reasonLimit),
    ...(opensAt === undefined ? {} : { opensAt }),
    ...(approves === undefined ? {} : { approves }),
  };
}

function whyPaused(pool: PoolView, cluster: string): PoolStatus['why'] {
  if (!pool.paused) return undefined;
  const { now, afterwards, override } = waitsOf(pool, cluster);
  return {
    now: now.map(waitStatus),
    afterwards: afterwards.map(waitStatus),
    ...(override === undefined ? {} : { override: safeLine(override, reasonLimit) }),
  };
}

function waitStatus({ how, timeout, ...wait }: Wait): WaitStatus {
  const line = (text: string) => safeLine(text, reasonLimit);
  return {
    ...wait,
    name: line(wait.name),
    why: line(wait.why),
    value: line(wait.value),
    threshold: line(wait.threshold),
    opens: line(wait.opens),
    who: line(wait.who),
    ...commandOf(how),
    ...(timeout === undefined ? {} : { timeout: { ...timeout } }),
  };
}

/** Half a command, or a changed one, does something else. */
function commandOf(how: string | undefined): { readonly how?: string } {
  const command = how === undefined || how.length > commandLimit ? undefined : asPrinted(how);
  return command === undefined ? {} : { how: command };
}

/** Pools that need a person first, then pending ones, then by name. */
function byNeed(a: PoolStatus, b: PoolStatus): number {
  return need(b) - need(a) || a.name.localeCompare(b.name, 'en');
}

function need(pool: PoolStatus): number {
  return (pool.degraded ? 4 : 0) + (pool.pause === undefined ? 0 : 2) + (pool.state === 'updating' ? 1 : 0);
}

function wholeSeconds(since: string, now: Date): number {
  return Math.floor(secondsBetween(since, now));
}

function wholeSecondsOrUnknown(since: string | undefined, now: Date): number | undefined {
  return since === undefined ? undefined : wholeSeconds(since, now);
}

import { moreIgnored } from '../argocd/ignored-annotations.ts';
import type { GateView } from '../gates/gate-view.ts';
import { type GuardView, moreGuards } from '../gates/guard-waits.ts';
import { racesToShow } from '../races/choose-races.ts';
import { given } from '../text/given.ts';
import { listed } from '../text/phrases.ts';
import { unique } from '../text/unique.ts';
import { withRoom } from '../text/with-room.ts';
import { fewHolds, type HoldsNamed, shortId } from './few-holds.ts';
import { isOverridden } from './is-overridden.ts';
import type { ClusterView, HoldView, PoolsLeftOut, PoolView } from './view.ts';
import { keepsPaused } from './waits-of.ts';

type Cut = (view: ClusterView) => ClusterView;

/** What can be dropped from a view so that it has room in so many bytes of JSON, least important first. After the last
 *  it has, whatever the clusters and whoever writes to them have made up. */
export function viewCuts(bytes: number): readonly Cut[] {
  return [...cutsOfPools(), (view) => fewPools(view, bytes)];
}

/** Those that leave every pool there. */
export function cutsOfPools(): readonly Cut[] {
  return [
    eachPool((pool) => ({ ...pool, races: racesToShow(pool.races, fewRaces) })),
    eachPool((pool) => ({ ...pool, races: [], nodes: [], joined: [], message: clip(pool.message, 500) })),
    eachPool((pool) => shortPool(pool, { named: { all: 9, people: 9 }, names: 600, texts: 200, items: 5 })),
    shortView({ named: { all: 4, people: 9 }, names: 160, texts: 160, items: 5 }),
    shortView({ named: { all: 1, people: 9 }, names: 80, texts: 120, items: 2 }),
    shortView({ named: { all: 0, people: 3 }, names: 60, texts: 80, items: 1 }),
    barely({ named: { all: 0, people: 1 }, names: 40, texts: 60, items: 1 }),
    barely({ named: { all: 0, people: 0 }, names: 24, texts: 40, items: 0 }),
    barely({ named: { all: 0, people: 0 }, names: 10, texts: 1, items: 0 }),
  ];
}

/** Races of a pool that are kept if space is short. */
const fewRaces = 5;

/** How much is kept: UTF-16 units of names and of other texts, entries of lists. */
interface Room {
  readonly named: HoldsNamed;
  readonly names: number;
  readonly texts: number;
  readonly items: number;
}

function eachPool(cut: (pool: PoolView) => PoolView): Cut {
  return (view) => ({ ...view, pools: view.pools.map(cut) });
}

function shortView(room: Room): Cut {
  return (view) => ({ ...withShortRest(view, room), pools: view.pools.map((pool) => shortPool(pool, room)) });
}

/** Whose name and state people ask for, and what they would resume past: nothing else. */
function barely(room: Room): Cut {
  return (view) => {
    const { cluster, readAt, blind, pools, ...rest } = withShortRest(view, room);
    const { poolsLeftOut, unreadablePools, guards, ignoredAnnotations, operatorParts } = rest;
    return {
      cluster,
      readAt,
      blind,
      pools: pools.map((pool) => barePool(pool, room)),
      ...given({ poolsLeftOut, unreadablePools, guards, ignoredAnnotations, operatorParts }),
    };
  };
}

/** Beside the pools. What is left out of a list is counted in it. */
function withShortRest(view: ClusterView, room: Room): ClusterView {
  const { blind, guards, ignoredAnnotations: ignored, operatorParts } = view;
  const items = Math.max(room.items, 1) * 5;
  return {
    ...view,
    blind: blind && { ...blind, why: clip(blind.why, 500) },
    ...fewUnreadable(view),
    ...(guards && { guards: firstOf(guards, items, moreGuards).map((guard) => shortGuard(guard, room)) }),
    ...(ignored && {
      ignoredAnnotations: firstOf(ignored, items, moreIgnored).map(({ application, why }) => ({
        application: clip(application, room.names),
        why: clip(why, room.texts),
      })),
    }),
    ...(operatorParts && {
      operatorParts: {
        readAt: operatorParts.readAt,
        parts: operatorParts.parts
          .slice(0, 20)
          .map(({ name, state, says }) => ({ name: clip(name, 80), state, says: clip(says, room.texts) })),
      },
    }),
  };
}

/** Pools that cannot be parsed and are named where space is short. The API server gives names 253 characters. */
const mostUnreadable = 50;

function fewUnreadable(view: ClusterView): Pick<ClusterView, 'unreadablePools' | 'poolsLeftOut'> {
  const { unreadablePools: all = [], poolsLeftOut = noneLeftOut } = view;
  const more = all.length - mostUnreadable;
  if (more <= 0) return {};
  return {
    unreadablePools: all.slice(0, mostUnreadable),
    poolsLeftOut: { ...poolsLeftOut, all: poolsLeftOut.all + more },
  };
}

const noneLeftOut: PoolsLeftOut = { all: 0, paused: 0, degraded: 0 };

function shortGuard(guard: GuardView, room: Room): GuardView {
  const { about, why, how, pools, since, isTurn, isTurnUnread, elsewhere, until } = guard;
  return {
    about: clip(about, Math.max(room.names, 60)),
    why: clip(why, room.texts),
    ...commandOf(how, room),
    ...(pools && { pools: firstNames(pools, room) }),
    ...given({ since, isTurn, isTurnUnread }),
    ...(elsewhere === undefined ? {} : { elsewhere: clip(elsewhere, Math.max(room.names, 60)) }),
    ...given({ until }),
  };
}

/** Half a command does something else. */
function commandOf(how: string | undefined, { names }: Room): { readonly how?: string } {
  return how === undefined || how.length > names * 5 ? {} : { how };
}

function shortPool(pool: PoolView, room: Room): PoolView {
  const { change, pendingSources: sources, spared, gatesAhead, takes, emergency, inGit, keptPaused } = pool;
  const { names, texts, items } = room;
  return {
    ...pool,
    races: [],
    nodes: [],
    joined: [],
    message: clip(pool.message, pool.degraded ? texts : 0),
    pausedBy: clip(pool.pausedBy, names),
    currentConfig: clip(pool.currentConfig, Math.max(names, 60)),
    targetConfig: clip(pool.targetConfig, Math.max(names, 60)),
    holds: shortHolds(pool.holds, room),
    closedGates: shortGates(pool.closedGates, room),
    ...(inGit && { inGit: { place: clip(inGit.place, texts) } }),
    ...(keptPaused === undefined ? {} : { keptPaused: clip(keptPaused, texts) }),
    ...(takes === undefined ? {} : { takes: clip(takes, texts) }),
    ...(emergency && { emergency: { ...emergency, who: clip(emergency.who, names), why: clip(emergency.why, texts) } }),
    ...(gatesAhead && { gatesAhead: shortGates(gatesAhead, room) }),
    ...(sources && {
      pendingSources: { added: firstNames(sources.added, room), removed: firstNames(sources.removed, room) },
    }),
    ...(spared && {
      spared: spared.slice(0, items).map(({ hold, revision, why, at }) => {
        return { hold: shortId(hold, names), revision: clip(revision, names), why: clip(why, texts), at };
      }),
    }),
    ...(change && {
      change: {
        ...change,
        from: clip(change.from, names),
        to: clip(change.to, names),
        ...(change.others && { others: change.others.map((each) => clip(each, names)) }),
        parts: change.parts.slice(0, items).map((part) => clip(part, texts)),
        security: change.security.slice(0, items).map((topic) => clip(topic, texts)),
        causes: change.causes.slice(0, items).map(({ kind, sources: of, why }) => {
          return { kind, sources: firstNames(of, room), why: clip(why, texts) };
        }),
        ...(change.unread === undefined ? {} : { unread: clip(change.unread, texts) }),
      },
    }),
  };
}

function barePool(pool: PoolView, room: Room): PoolView {
  const { name, createdAt, managed, paused, confirmed, pending, updated, updating, degraded, counts } = pool;
  const { emergency, inGit, keptPaused, lostRaces, minutesLeft, certificatesExpire } = pool;
  const { machines, ready, unavailable } = counts;
  const ahead = pool.closedGates.some(isApproval) ? [] : (pool.gatesAhead ?? []).filter(isApproval);
  const bareGates = (gates: readonly GateView[]) =>
    shortGates(gates, room).map(({ timeout: _timeout, ...gate }) => gate);
  return {
    name,
    ...given({ createdAt }),
    managed,
    protection: pool.protection,
    paused,
    pauseOf: pool.pauseOf,
    pausedSince: pool.pausedSince,
    pausedBy: clip(pool.pausedBy, room.names),
    ...(inGit && { inGit: { place: clip(inGit.place, room.texts) } }),
    ...(keptPaused === undefined ? {} : { keptPaused: clip(keptPaused, room.texts) }),
    confirmed,
    currentConfig: clip(pool.currentConfig, room.names + 24),
    targetConfig: clip(pool.targetConfig, room.names + 24),
    pending,
    ...given({ certificatesExpire }),
    updated,
    updating,
    degraded,
    counts: { machines, updated: counts.updated, ready, unavailable, degraded: counts.degraded },
    message: clip(pool.message, degraded ? room.texts : 0),
    holds: shortHolds(pool.holds, room, false),
    ...(emergency && {
      emergency: {
        who: clip(emergency.who, room.names),
        why: clip(emergency.why, room.texts),
        since: emergency.since,
        until: emergency.until,
      },
    }),
    closedGates: bareGates(pool.closedGates),
    ...(ahead.length === 0 ? {} : { gatesAhead: bareGates(ahead) }),
    races: [],
    ...(lostRaces === undefined || room.texts === 1
      ? {}
      : { lostRaces: lostRaces.slice(0, 2).map(({ verdict, count, lastAt }) => ({ verdict, count, lastAt })) }),
    ...given({ minutesLeft }),
    inShort: true,
  };
}

function shortHolds(holds: readonly HoldView[], { named, names, texts }: Room, apart = true): readonly HoldView[] {
  return fewHolds(holds, named, apart).map((hold) => ({
    ...hold,
    id: shortId(hold.id, names),
    who: clip(hold.who, names),
    ...(hold.project === undefined ? {} : { project: clip(hold.project, names) }),
    why: clip(hold.why, texts),
    ...(hold.overruled && { overruled: { at: hold.overruled.at, by: clip(hold.overruled.by, names) } }),
  }));
}

/** Whether people are asked for their approval is kept, and of what: a part of it approves nothing. */
function shortGates(gates: readonly GateView[], room: Room): readonly GateView[] {
  const inOrder = gates.toSorted((a, b) => Number(isApproval(b)) - Number(isApproval(a)));
  const count = Math.max(room.items, gates.filter(isApproval).length);
  const left = inOrder.length <= count + 1 ? [] : inOrder.slice(count);
  const kept = inOrder.slice(0, inOrder.length - left.length);
  return [...kept, ...otherGates(left)].map((gate) => shortGate(gate, room));
}

function isApproval({ gate }: GateView): boolean {
  return gate === 'approval';
}

/** One that stands for several. */
function otherGates(left: readonly GateView[]): readonly GateView[] {
  if (left.length === 0) return [];
  return [
    {
      gate: listed(unique(left.map(({ gate }) => gate)), 5),
      why: 'not told here: there is no room for it',
      value: 'closed',
      threshold: 'open',
      since: undefined,
      opens: 'as "poolkeeper why" says',
      who: 'as "poolkeeper why" says',
    },
  ];
}

function shortGate(gate: GateView, room: Room): GateView {
  const { how, excludes, ...said } = gate;
  const { names, texts } = room;
  return {
    ...said,
    // A part of one is nobody.
    ...(excludes && { excludes: withRoom(excludes, names * 5) }),
    gate: clip(gate.gate, Math.max(names, 60)),
    why: clip(gate.why, texts),
    value: clip(gate.value, texts),
    threshold: clip(gate.threshold, texts),
    opens: clip(gate.opens, texts),
    who: clip(gate.who, texts),
    ...commandOf(how, room),
  };
}

/** As many as there is room for, and how many more there are. */
function firstNames(all: readonly string[], { items, names }: Room): readonly string[] {
  return firstOf(all, items, (left) => `${left} more`).map((name) => clip(name, names));
}

function firstOf<T>(all: readonly T[], count: number, more: (left: number) => T): readonly T[] {
  return all.length <= count + 1 ? all : [...all.slice(0, count), more(all.length - count)];
}

/** The pools that so many bytes have room for, those that need people first, and how many there are besides. */
export function fewPools(view: ClusterView, bytes: number): ClusterView {
  const byNeed = view.pools.toSorted((a, b) => need(b) - need(a));
  const most = { all: Number.MAX_SAFE_INTEGER, paused: Number.MAX_SAFE_INTEGER, degraded: Number.MAX_SAFE_INTEGER };
  let left = bytes - sizeOf({ ...view, pools: [], poolsLeftOut: most });
  const kept = new Set<PoolView>();
  for (const pool of byNeed) {
    left -= sizeOf(pool) + 1;
    if (left < 0) break;
    kept.add(pool);
  }
  const others = view.pools.filter((pool) => !kept.has(pool));
  if (others.length === 0) return view;
  const { all, paused, degraded } = view.poolsLeftOut ?? noneLeftOut;
  return {
    ...view,
    pools: view.pools.filter((pool) => kept.has(pool)),
    poolsLeftOut: {
      all: all + others.length,
      paused: paused + others.filter((pool) => pool.paused).length,
      degraded: degraded + others.filter((pool) => pool.degraded).length,
    },
  };
}

function need(pool: PoolView): number {
  const isOfPeople = pool.holds.some((hold) => hold.kind !== 'sync' && keepsPaused(hold));
  const isForeign = pool.paused && pool.pauseOf !== 'ours';
  const asksPeople = [...pool.closedGates, ...(pool.gatesAhead ?? [])].some(isApproval);
  return (
    (pool.degraded ? 8 : 0) +
    (isOfPeople || isForeign || asksPeople ? 4 : 0) +
    (pool.paused ? 2 : 0) +
    (pool.pending || isOverridden(pool) ? 1 : 0)
  );
}

export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** At most so many UTF-16 units, with what is left out in the middle marked. */
function clip(text: string, limit: number): string {
  if (text.length <= limit) return text;
  if (limit === 0) return '';
  const tail = Math.floor(limit / 2);
  return `${text.slice(0, limit - 1 - tail)}…${text.slice(text.length - tail)}`.toWellFormed();
}

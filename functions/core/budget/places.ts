import type { Budget } from '../configuration/budget.ts';
import { isGoingBack } from '../openshift/going-back.ts';
import { hasPendingChange, isRolling, mayHaveNodesBehind, type Pool } from '../openshift/pool.ts';
import { earliest, isPast, plusSeconds } from '../text/instant.ts';
import { nodesOf, nodesTaken } from './kept-places.ts';
import { type Overrun, overrunBy, unanswered } from './limits.ts';
import type { Place, Places } from './place.ts';

/** Seconds from the taking of a place to the look of a pass that ends it because its pool does not roll: until then,
 *  the pass that took it may still let nodes go by what it has read (`requireFreshLook`, 120 s), by another clock. */
export const unbegunSeconds = 150;

/** Seconds for which a place counts after its own cluster was last looked at, whether its pool was seen rolling or not:
 *  a pass may die between a resume and the look at it. Of a cluster that is out of sight for a day, nothing is known,
 *  and people have been alerted. */
const unseenSeconds = 24 * 3600;

/** Seconds for which a place counts after its cluster is no longer configured: what rolls there goes on, and a file
 *  that was deployed by mistake, or that renames a cluster, gives no place away. Nobody looks there any more, so it is
 *  no day for those that wait. */
const unconfiguredSeconds = 3600;

/** What a pass of one cluster knows. */
export interface BudgetQuestion {
  readonly cluster: string;
  readonly budget: Budget;
  /** All pools of the cluster. */
  readonly pools: readonly Pool[];
  /** Names of all configured clusters: what others have stored is forgotten, their places after a while. */
  readonly clusters: readonly string[];
  readonly now: Date;
}

export type PlaceAnswer =
  | {
      readonly kind: 'taken';
      /** Of the place that it has now. */
      readonly since: string;
      /** Of the place that it had before; undefined: none. */
      readonly instead: string | undefined;
    }
  | { readonly kind: 'full'; readonly overrun: Overrun };

/** The places after a pool has asked for one, and what it got. One that has a place keeps it, as if it were new: the
 *  pass that took it has died, and no other is to end it while this one resumes. If it would take more nodes than it
 *  has a place for, it asks as one that has none. One whose last resume was not answered waits for the end of its
 *  place, so that others have their turn before it asks anew.
 *  @param behind pools of the cluster that wait for this one, and keep their places until it is done: they do not count
 *  against it */
export function takePlace(
  before: Places,
  pool: Pool,
  question: BudgetQuestion,
  behind: readonly string[] = [],
): { readonly places: Places; readonly answer: PlaceAnswer } {
  const places = current(before, question);
  const own = placeOf(places, question.cluster, pool.name);
  if (own?.inDoubt === true && pool.paused) return { places, answer: { kind: 'full', overrun: unanswered(own) } };
  const place = newPlace(pool, question, own);
  if (own === undefined || place.nodes > own.nodes) {
    const isAhead = (each: Place) => each.cluster !== question.cluster || !behind.includes(each.pool);
    const ahead = places.taken.filter((each) => each !== own && isAhead(each));
    const overrun = overrunBy(place, { ...places, taken: ahead }, question.budget);
    if (overrun !== undefined) return { places, answer: { kind: 'full', overrun } };
  }
  const taken =
    own === undefined ? [...places.taken, place] : places.taken.map((each) => (each === own ? place : each));
  return { places: { ...places, taken }, answer: { kind: 'taken', since: place.since, instead: own?.since } };
}

export function placeOf({ taken }: Pick<Places, 'taken'>, cluster: string, pool: string): Place | undefined {
  return taken.find((each) => isOf(each, cluster, pool));
}

/** A place that the pass itself has taken. */
export interface TookPlace extends Omit<Extract<PlaceAnswer, { readonly kind: 'taken' }>, 'kind'> {
  readonly pool: string;
}

/** Which pools of a cluster roll, as a pass saw it. */
export interface RollingSeen {
  readonly rolling: readonly Pool[];
  /** Those of which it is not known: they may be rolling. */
  readonly unknown: readonly string[];
  /** Of these, the ones whose resume was not answered; absent: none. */
  readonly inDoubt?: readonly string[];
  readonly took: readonly TookPlace[];
  /** ISO instant at which the pass began to read. */
  readonly lookedAt: string;
}

/** The places after a pass has seen which pools of its cluster roll. */
export function seenRolling(before: Places, seen: RollingSeen, question: BudgetQuestion): Places {
  const places = current(before, question);
  const { cluster, now } = question;
  const until = plusSeconds(now, unseenSeconds);
  const kept = places.taken.flatMap((place) => {
    const pool = seen.rolling.find(({ name }) => isOf(place, cluster, name));
    if (pool !== undefined) return { ...begunBy(place), nodes: nodesRolling(pool, place), until };
    if (place.cluster !== cluster) return place;
    if (seen.inDoubt?.includes(place.pool)) return inDoubt(place, now);
    return seen.unknown.includes(place.pool) ? place : unused(place, seen);
  });
  const begun = seen.rolling.filter(({ name }) => !kept.some((place) => isOf(place, cluster, name)));
  const added = begun.map((pool) => ({ ...newPlace(pool, question), nodes: nodesRolling(pool) }));
  return { ...places, taken: [...kept, ...added] };
}

/** It counts from the end of the attempt on: the API server may take some time to carry it out. */
function inDoubt(place: Place, now: Date): Place {
  return { ...place, since: laterThan(place, now), inDoubt: true };
}

function begunBy({ inDoubt: _answered, ...place }: Place): Place {
  return place;
}

/** What becomes of the place of a pool that does not roll: it ends once no other pass may still let nodes go by it. The
 *  pass that has taken it last gives it back as it was. */
function unused(place: Place, { took, lookedAt }: RollingSeen): readonly Place[] {
  const own = took.find(({ pool, since }) => pool === place.pool && since === place.since);
  const since = own === undefined ? place.since : own.instead;
  const mayEnd = since === undefined || isPast(plusSeconds(new Date(since), unbegunSeconds), new Date(lookedAt));
  return mayEnd ? [] : [{ ...place, since }];
}

/** Pools that count: those that roll, and of those that had a place the ones that were paused again and whose nodes are
 *  not back yet. */
export function rollingPools(pools: readonly Pool[], had: readonly string[]): readonly Pool[] {
  return pools.filter((pool) => {
    const isEnding = pool.paused && had.includes(pool.name) && mayBeOnTheirWay(pool);
    return isRolling(pool) || isGoingBack(pool) || (isEnding && (hasPendingChange(pool) || mayHaveNodesBehind(pool)));
  });
}

/** Until the MCO has seen the pause, nodes may go that it does not count yet. */
function mayBeOnTheirWay({ counts, generation, observedGeneration }: Pool): boolean {
  return counts.unavailable > 0 || observedGeneration < generation;
}

/** Without what no longer counts, and with the nodes of this cluster. */
function current(places: Places, { cluster, clusters, pools, now }: BudgetQuestion): Places {
  const isConfigured = (name: string) => clusters.includes(name);
  const nodes = Object.entries({ ...places.nodes, [cluster]: nodesOf(pools) });
  const soon = plusSeconds(now, unconfiguredSeconds);
  return {
    ...places,
    taken: places.taken
      .filter(({ until }) => !isPast(until, now))
      .map((place) =>
        isConfigured(place.cluster) ? place : { ...place, until: earliest([place.until, soon]) ?? soon },
      ),
    nodes: Object.fromEntries(nodes.filter(([name]) => isConfigured(name))),
  };
}

function newPlace(pool: Pool, { cluster, now }: BudgetQuestion, before?: Place): Place {
  return {
    cluster,
    pool: pool.name,
    nodes: nodesTaken(pool, before?.nodes ?? 0),
    since: laterThan(before, now),
    until: plusSeconds(now, unseenSeconds),
  };
}

/** Later than the one that it takes the place of, whatever the clocks: each pass knows its own again. */
function laterThan(before: Place | undefined, now: Date): string {
  const isLater = before === undefined || Date.parse(before.since) < now.getTime();
  return isLater ? now.toISOString() : plusSeconds(new Date(before.since), 0.001);
}

/** A paused pool takes no further nodes, however many it may take when it resumes. */
function nodesRolling(pool: Pool, place?: Place): number {
  if (!pool.paused) return nodesTaken(pool, place?.nodes ?? 0);
  return place?.nodes ?? Math.max(1, pool.counts.unavailable);
}

function isOf(place: Place, cluster: string, pool: string): boolean {
  return place.cluster === cluster && place.pool === pool;
}

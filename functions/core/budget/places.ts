import type { Budget } from '../configuration/budget.ts';
import { nodesTogether } from '../impact/nodes-at-once.ts';
import { isGoingBack } from '../openshift/going-back.ts';
import { hasPendingChange, isRolling, mayHaveNodesBehind, type Pool } from '../openshift/pool.ts';
import { earliest, isPast, plusSeconds } from '../text/instant.ts';
import { nodesOf } from './kept-places.ts';
import { type Overrun, overrunBy } from './limits.ts';
import type { Place, Places } from './place.ts';

/** Seconds after which a pass ends a place of its own cluster whose pool does not roll: a resume follows at once, and
 *  the pass that was to resume it may have died. */
const unbegunSeconds = 600;

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

export type PlaceAnswer = { readonly kind: 'taken' } | { readonly kind: 'full'; readonly overrun: Overrun };

/** The places after a pool has asked for one, and what it got. One that has a place keeps it, as if it were new: the
 *  pass that took it has died, and no other is to end it while this one resumes.
 *  @param behind pools of the cluster that wait for this one, and keep their places until it is done: they do not count
 *  against it */
export function takePlace(
  before: Places,
  pool: Pool,
  question: BudgetQuestion,
  behind: readonly string[] = [],
): { readonly places: Places; readonly answer: PlaceAnswer } {
  const places = current(before, question);
  const place = newPlace(pool, question);
  const isOwn = (each: Place) => isOf(each, question.cluster, pool.name);
  if (places.taken.some(isOwn)) {
    const taken = places.taken.map((each) => (isOwn(each) ? place : each));
    return { places: { ...places, taken }, answer: { kind: 'taken' } };
  }
  const ahead = places.taken.filter((each) => each.cluster !== question.cluster || !behind.includes(each.pool));
  const overrun = overrunBy(place, { ...places, taken: ahead }, question.budget);
  if (overrun !== undefined) return { places, answer: { kind: 'full', overrun } };
  return { places: { ...places, taken: [...places.taken, place] }, answer: { kind: 'taken' } };
}

/** Which pools of a cluster roll, as a pass saw it. */
export interface RollingSeen {
  readonly rolling: readonly Pool[];
  /** Those whose places end if they do not roll. Another that has a place was given it by a pass that runs beside this
   *  one, unless that is long ago. */
  readonly mayEnd: readonly string[];
  /** Those that cannot be parsed: they may be rolling. */
  readonly unreadable: readonly string[];
}

/** The places after a pass has seen which pools of its cluster roll. */
export function seenRolling(
  before: Places,
  { rolling, mayEnd, unreadable }: RollingSeen,
  question: BudgetQuestion,
): Places {
  const places = current(before, question);
  const { cluster, now } = question;
  const rolls = (place: Place) => rolling.some(({ name }) => isOf(place, cluster, name));
  const isOld = ({ since }: Place) => isPast(plusSeconds(new Date(since), unbegunSeconds), now);
  const mayStay = (place: Place) => rolls(place) || unreadable.includes(place.pool);
  const isDone = (place: Place) => !mayStay(place) && (mayEnd.includes(place.pool) || isOld(place));
  const kept = places.taken.filter((place) => place.cluster !== cluster || !isDone(place));
  const until = plusSeconds(now, unseenSeconds);
  const begun = rolling.filter(({ name }) => !kept.some((place) => isOf(place, cluster, name)));
  return {
    ...places,
    taken: [
      ...kept.map((place) => (rolls(place) ? { ...place, until } : place)),
      ...begun.map((pool) => newPlace(pool, question)),
    ],
  };
}

/** Pools that count: those that roll, and of those that had a place the ones that were paused again and whose nodes are
 *  not back yet. */
export function rollingPools(pools: readonly Pool[], had: readonly string[]): readonly Pool[] {
  return pools.filter((pool) => {
    const isEnding = pool.paused && had.includes(pool.name) && pool.counts.unavailable > 0;
    return isRolling(pool) || isGoingBack(pool) || (isEnding && (hasPendingChange(pool) || mayHaveNodesBehind(pool)));
  });
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

function newPlace({ name, maxUnavailable, counts: { machines } }: Pool, { cluster, now }: BudgetQuestion): Place {
  return {
    cluster,
    pool: name,
    nodes: nodesTogether(maxUnavailable, machines),
    since: now.toISOString(),
    until: plusSeconds(now, unseenSeconds),
  };
}

function isOf(place: Place, cluster: string, pool: string): boolean {
  return place.cluster === cluster && place.pool === pool;
}

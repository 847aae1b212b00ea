import { areStillKept, type KeptPlaces, keptPlaces, keptUntilUnused } from '../../core/budget/kept-places.ts';
import { rollingPools, seenRolling, type TookPlace, unbegunSeconds } from '../../core/budget/places.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import { mayBeResumed } from '../act/write-pool.ts';
import { isUnlooked } from '../node-turns/kept-runs.ts';
import { takenByRun } from '../node-turns/run-places.ts';
import type { FollowedPass } from '../pass-state.ts';
import { budgetQuestion } from '../resume/budget-question.ts';
import { changePlaces } from '../resume/change-places.ts';

/** Stores which pools of the cluster roll, whoever began it, and ends the places of those that are done. A sweep looks
 *  at them even if nothing has changed: a pass that died may have left a place. */
export async function keepPlaces(pass: FollowedPass): Promise<KeptPlaces | undefined> {
  const { observation, snapshot, performed, ports, now } = pass;
  const pools = performed.map(({ pool }) => pool);
  const question = budgetQuestion({ snapshot, pools, ports }, now);
  if (question === undefined) return undefined;
  const { cluster } = question;
  const before = observation.checkpoint.places;
  const had = before?.pools ?? [];
  const took = tookPlaces(pass);
  const rolling = rollingOf(pass, had);
  const unknown = unknownPools(pass);
  const mayRoll = unknown.filter((name) => had.includes(name) || took.some(({ pool }) => pool === name));
  const areSeen = { rolling, unknown: mayRoll.filter((name) => !rolling.some((pool) => pool.name === name)) };
  const kept = keptPlaces(areSeen, pools, now);
  if (areStillKept(before, kept, now) && took.length === 0 && !observation.swept) return before;
  const inDoubt = performed.filter(mayBeResumed).map(({ pool }) => pool.name);
  const seen = { rolling, unknown, inDoubt, took, lookedAt: observation.lookedAt };
  try {
    const own = await changePlaces(ports.budgetPlaces, (places) => {
      const after = seenRolling(places, seen, question);
      return { places: after, outcome: after.taken.filter((place) => place.cluster === cluster) };
    });
    return keptUntilUnused(kept, own, unbegunSeconds);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    // The next pass tries again; until then places are kept for too long rather than given away.
    ports.logger.warn('places of the budget were not stored', { cluster, why: cause.message });
    return before;
  }
}

function tookPlaces({ performed, snapshot }: FollowedPass): readonly TookPlace[] {
  return performed.flatMap(({ pool: { name } }) => {
    const place = snapshot.evidence.get(name)?.place;
    return place?.kind === 'seen' && place.value.kind === 'taken' ? [{ ...place.value, pool: name }] : [];
  });
}

/** The MCO takes the nodes of a pool that somebody has resumed past its run, however many the run has let go. */
function rollingOf({ performed, runs }: FollowedPass, had: readonly string[]): readonly Pool[] {
  const isByRun = (pool: Pool) => pool.paused && (runs.places.has(pool.name) || isUnlooked(pool, runs));
  const pools = performed.map(({ pool }) => pool);
  const byMco = rollingPools(
    pools.filter((pool) => !isByRun(pool)),
    had,
  );
  const byRuns = pools.flatMap((pool) => {
    const nodes = runs.places.get(pool.name) ?? 0;
    return nodes === 0 || byMco.includes(pool) ? [] : [takenByRun(pool, nodes)];
  });
  return [...byMco, ...byRuns];
}

/** Pools of which this pass does not know whether they roll. */
function unknownPools({ performed, runs, snapshot }: FollowedPass): readonly string[] {
  const unknown = performed.filter((each) => isUnlooked(each.pool, runs) || mayBeResumed(each));
  return [...(snapshot.unreadablePools ?? []), ...unknown.map(({ pool }) => pool.name)];
}

import { areStillKept, type KeptPlaces, keptPlaces } from '../../core/budget/kept-places.ts';
import { rollingPools, seenRolling } from '../../core/budget/places.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import { isUnlooked } from '../node-turns/kept-runs.ts';
import type { FollowedPass } from '../pass-state.ts';
import { changePlaces } from '../resume/change-places.ts';

/** Stores which pools of the cluster roll, whoever began it, and ends the places of those that are done. A sweep looks
 *  at them even if nothing has changed: a pass that died may have left a place. */
export async function keepPlaces(pass: FollowedPass): Promise<KeptPlaces | undefined> {
  const { observation, snapshot, performed, ports, now } = pass;
  const { name: cluster, budget } = snapshot.settings;
  if (budget === undefined) return undefined;
  const before = observation.checkpoint.places;
  const pools = performed.map(({ pool }) => pool);
  const had = before?.pools ?? [];
  const took = pools.filter(({ name }) => snapshot.evidence.get(name)?.place.kind === 'seen').map(({ name }) => name);
  const unlooked = pools.filter((pool) => isUnlooked(pool, pass.runs)).map(({ name }) => name);
  const rolling = [
    ...rollingPools(
      pools.filter(({ name }) => !pass.runs.places.has(name) && !unlooked.includes(name)),
      had,
    ),
    ...poolsOfRuns(pass),
  ];
  const unreadable = [...(snapshot.unreadablePools ?? []), ...unlooked];
  const stay = had.filter((name) => unreadable.includes(name));
  const kept = keptPlaces([...rolling.map(({ name }) => name), ...stay], pools, now);
  const isUnused = took.some((name) => !kept.pools.includes(name));
  if (areStillKept(before, kept, now) && !isUnused && !observation.swept) return before;
  const seen = { rolling, mayEnd: [...had, ...took], unreadable };
  const clusters = ports.configuration.clusters.map((each) => each.name);
  const question = { cluster, budget, pools, clusters, now };
  try {
    await changePlaces(ports.budgetPlaces, (places) => ({
      places: seenRolling(places, seen, question),
      outcome: undefined,
    }));
    return kept;
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    // The next pass tries again; until then places are kept for too long rather than given away.
    ports.logger.warn('places of the budget were not stored', { cluster, why: cause.message });
    return before;
  }
}

/** Pools of which a run has a node on its way. */
function poolsOfRuns({ performed, runs }: FollowedPass): readonly Pool[] {
  return performed.flatMap(({ pool }) => {
    const nodes = runs.places.get(pool.name) ?? 0;
    return nodes === 0 ? [] : [{ ...pool, maxUnavailable: String(nodes) }];
  });
}

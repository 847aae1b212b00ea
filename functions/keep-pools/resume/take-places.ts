import type { Places } from '../../core/budget/place.ts';
import { type PlaceAnswer, takePlace } from '../../core/budget/places.ts';
import { noEvidence } from '../../core/gates/evidence.ts';
import { degradedBehind } from '../../core/gates/health.ts';
import { settingsInTurn } from '../../core/holds/canary-wave.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { laterSteps } from '../../core/sequences/pool-steps.ts';
import { Transient } from '../../core/text/errors.ts';
import { type Observed, seen, unreadable } from '../../core/text/observed.ts';
import { budgetQuestion } from './budget-question.ts';
import { changePlaces } from './change-places.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** Takes places of the budget for pools that nothing else keeps paused, in the order of their names. */
export async function takePlaces(reading: EvidenceReading): Promise<GatheredEvidence> {
  const { snapshot, candidates, ports, now } = reading;
  const question = budgetQuestion({ snapshot, pools: snapshot.pools, ports }, now);
  if (question === undefined) return { ofPool: () => ({}) };
  const ofPool = (name: string) => settingsInTurn(name, snapshot);
  const behind = (pool: Pool) =>
    degradedBehind({
      ...{ pool, pools: snapshot.pools, settings: ofPool(pool.name), settingsOf: ofPool },
      ...{ laterSteps: laterSteps(pool.name, snapshot.sequenceSteps), step: snapshot.sequenceSteps?.get(pool.name) },
      evidence: snapshot.evidence.get(pool.name) ?? noEvidence,
    });
  const takeAll = (places: Places) => {
    let taken = places;
    const answers = new Map<string, PlaceAnswer>();
    for (const pool of byName(candidates)) {
      const asked = takePlace(taken, pool, question, behind(pool));
      taken = asked.places;
      answers.set(pool.name, asked.answer);
    }
    return { places: taken, outcome: answers };
  };
  try {
    const answers = await changePlaces(ports.budgetPlaces, takeAll);
    return { ofPool: (pool) => placeOf(answers.get(pool), now) };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const place = unreadable(cause.message);
    return { ofPool: () => ({ place }) };
  }
}

function placeOf(answer: PlaceAnswer | undefined, now: Date): { readonly place?: Observed<PlaceAnswer> } {
  return answer === undefined ? {} : { place: seen(answer, now) };
}

function byName(pools: readonly Pool[]): readonly Pool[] {
  return pools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

import { unanswered } from '../../core/budget/limits.ts';
import type { PlaceAnswer } from '../../core/budget/places.ts';
import { noEvidence } from '../../core/gates/evidence.ts';
import { decide, decidePool, withHeld } from '../../core/holds/decide.ts';
import { canWait, type PoolPlan } from '../../core/holds/plan.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { seen } from '../../core/text/observed.ts';
import { observeAgain, withPool } from '../observe/observe.ts';
import type { ObservedPass, WrittenPass } from '../pass-state.ts';
import { gatherEvidence } from '../resume/gather-evidence.ts';
import { factsAgain } from './guard-facts.ts';
import { perform } from './perform.ts';
import type { PerformPorts } from './perform-ports.ts';
import { mayBeResumed, type PerformedPool } from './write-pool.ts';

/** Pauses and holds are written at once: they do not wait for the reads that other pools need before they resume. */
export async function decideAndWrite(pass: ObservedPass): Promise<WrittenPass> {
  const { observation, cluster, ports } = pass;
  const now = ports.clock();
  const plans = decide(observation.snapshot, now);
  const begun = writeAll(
    plans.filter((plan) => !canWait(plan)),
    performPorts(pass, observation.snapshot),
  );
  const decided = { plans: plans.filter(canWait), snapshot: withHeld(observation.snapshot, plans) };
  const gathering = gatherEvidence(decided, { cluster, now, ports });
  // Even if the reads fail, the writes already begun are awaited first.
  gathering.catch(() => undefined);
  const first = await begun;
  const { plans: resuming, snapshot: known } = await gathering;
  const snapshot = { ...known, pools: observation.snapshot.pools };
  const resumed = await writeAll(resuming, performPorts(pass, snapshot));
  const written = [...first, ...resumed.map((each) => withoutAnswer(each, snapshot, now))];
  const performed = snapshot.pools.flatMap(({ name }) => written.filter(({ plan }) => plan.pool.name === name));
  return { ...pass, snapshot, performed };
}

/** While nobody knows whether it was resumed, its place of the budget keeps its gate closed, as in the looks to come:
 *  what keeps it paused is not another reason in each of them. */
function withoutAnswer(performed: PerformedPool, snapshot: Snapshot, now: Date): PerformedPool {
  const { plan } = performed;
  const evidence = snapshot.evidence.get(plan.pool.name);
  const place = evidence?.place;
  if (!mayBeResumed(performed) || place?.kind !== 'seen' || place.value.kind !== 'taken') return performed;
  const inDoubt = seen<PlaceAnswer>({ kind: 'full', overrun: unanswered(place.value) }, now);
  const known = new Map(snapshot.evidence).set(plan.pool.name, { ...noEvidence, ...evidence, place: inDoubt });
  const { gates, skipped } = decidePool(plan.pool, { ...snapshot, evidence: known }, now);
  return { ...performed, plan: { ...plan, gates, skipped } };
}

async function writeAll(plans: readonly PoolPlan[], ports: PerformPorts): Promise<readonly PerformedPool[]> {
  const performed = await Promise.all(plans.map((plan) => perform({ kind: 'pool', plan }, ports)));
  return performed.flatMap((each) => (each.kind === 'pool' ? [each] : []));
}

/** @param snapshot basis of the new decision after a lost write conflict */
export function performPorts(pass: ObservedPass, snapshot: Snapshot): PerformPorts {
  const { cluster, ports } = pass;
  const { argocd, clock, clockSpeed, logger, wait } = ports;
  return {
    cluster,
    argocd,
    clock,
    clockSpeed,
    logger,
    wait,
    lookedAt: pass.observation.lookedAt,
    withPool: (pool) => withPool(snapshot, pool),
    observeAgain: (pool) => observeAgain(snapshot, pool, ports),
    factsAgain: (plan, facts) => factsAgain(plan, facts, { pass, snapshot }),
  };
}

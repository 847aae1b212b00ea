import { type PlaceAnswer, takePlace } from '../../core/budget/places.ts';
import { openEmergency } from '../../core/holds/emergency.ts';
import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import { poolsOnTheirWay, type RunRecord } from '../../core/node-turns/run-record.ts';
import { hasPendingChange, mayHaveNodesBehind, type Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import { notAsked, type Observed, seen, unreadable } from '../../core/text/observed.ts';
import type { WrittenPass } from '../pass-state.ts';
import { type BudgetAsked, budgetQuestion } from '../resume/budget-question.ts';
import { changePlaces } from '../resume/change-places.ts';
import type { EvidencePorts } from '../resume/evidence-reader.ts';
import type { NodeGates } from './node-gates.ts';

/** Whether there is a place of the budget for the next node of the pool: it is taken only when that node goes. */
export async function whetherPlace(pool: Pool, atOnce: number, asking: Asking): Promise<Observed<PlaceAnswer>> {
  const question = budgetQuestion(asking, asking.ports.clock());
  if (question === undefined || !(hasPendingChange(pool) || mayHaveNodesBehind(pool))) return notAsked;
  const { clock, budgetPlaces } = asking.ports;
  try {
    return seen(takePlace(await budgetPlaces.load(), ofRun(pool, atOnce), question).answer, clock());
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return unreadable(cause.message);
  }
}

/** Takes a place for each pool whose first node is about to go. Returns why one may not, by pool: none that goes past
 *  the budget, which counts there as soon as its node is on its way. */
export async function takeRunPlaces(
  plan: RunPlan,
  { before, after, gates }: GoingNodes,
  written: WrittenPass,
): Promise<ReadonlyMap<string, string>> {
  const { snapshot, performed, ports } = written;
  const question = budgetQuestion({ snapshot, pools: performed.map(({ pool }) => pool), ports }, ports.clock());
  const had = poolsOnTheirWay(before);
  const wanted = [...poolsOnTheirWay(after)].filter((name) => !had.has(name));
  const pools = wanted.flatMap((name) => performed.find(({ pool }) => pool.name === name)?.pool ?? []);
  if (question === undefined || pools.length === 0) return new Map();
  const asking = pools.filter((pool) => !isPastBudget(pool, gates.get(pool.name), question.now));
  try {
    return await changePlaces(ports.budgetPlaces, (places) => {
      let taken = places;
      const refused = new Map<string, string>();
      for (const pool of pools) {
        const asked = takePlace(taken, ofRun(pool, plan.run.atOnce), question);
        taken = asked.places;
        if (asked.answer.kind === 'full' && asking.includes(pool))
          refused.set(pool.name, `gate budget: ${asked.answer.overrun.why}`);
      }
      return { places: taken, outcome: refused };
    });
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return new Map(asking.map(({ name }) => [name, `the places of the budget cannot be read: ${cause.message}`]));
  }
}

interface GoingNodes {
  readonly before: RunRecord;
  readonly after: RunRecord;
  /** Of each pool. */
  readonly gates: ReadonlyMap<string, NodeGates>;
}

/** In its emergency lane, or because the gate has been closed for so long that it no longer counts. */
function isPastBudget({ record }: Pool, gates: NodeGates | undefined, now: Date): boolean {
  const isInLane = record.kind === 'record' && openEmergency(record.record, now) !== undefined;
  return isInLane || gates?.skipped.some(({ gate }) => gate === 'budget') === true;
}

/** What the MCO would take at once, the run does. */
function ofRun(pool: Pool, atOnce: number): Pool {
  return { ...pool, maxUnavailable: String(atOnce) };
}

interface Asking extends BudgetAsked {
  readonly ports: Pick<EvidencePorts, 'configuration' | 'budgetPlaces' | 'clock'>;
}

import { nodesTaken } from '../../core/budget/kept-places.ts';
import { type PlaceAnswer, placeOf, takePlace } from '../../core/budget/places.ts';
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
    return seen(takePlace(await budgetPlaces.load(), takenByRun(pool, atOnce), question).answer, clock());
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return unreadable(cause.message);
  }
}

/** Takes a place for each pool whose first node is about to go, or a further one where the run takes more at once by
 *  now. Returns why one may not, by pool: none that goes past the budget, which counts there as soon as its node is on
 *  its way. */
export async function takeRunPlaces(
  plan: RunPlan,
  { before, after, gates }: GoingNodes,
  written: WrittenPass,
): Promise<ReadonlyMap<string, string>> {
  const { snapshot, performed, ports } = written;
  const question = budgetQuestion({ snapshot, pools: performed.map(({ pool }) => pool), ports }, ports.clock());
  const had = poolsOnTheirWay(before);
  const pools = [...poolsOnTheirWay(after)].flatMap(([name, away]) => {
    const isFurther = away > (had.get(name) ?? 0);
    const pool = isFurther ? performed.find((each) => each.pool.name === name)?.pool : undefined;
    return pool === undefined ? [] : [takenByRun(pool, nodesOfRun(plan.run, away))];
  });
  if (question === undefined || pools.length === 0) return new Map();
  const asking = pools.filter((pool) => !isPastBudget(pool, gates.get(pool.name), question.now));
  try {
    return await changePlaces(ports.budgetPlaces, (places) => {
      let taken = places;
      const refused = new Map<string, string>();
      for (const pool of pools) {
        const own = had.has(pool.name) ? placeOf(taken, question.cluster, pool.name) : undefined;
        if (own !== undefined && own.nodes >= nodesTaken(pool, 0)) continue;
        const asked = takePlace(taken, pool, question);
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

/** Nodes for which a run keeps a place where so many are on their way. */
export function nodesOfRun({ atOnce }: RunPlan['run'], away: number): number {
  return away === 0 ? 0 : Math.max(atOnce, away);
}

/** What the MCO would take at once if the pool were not paused, the run does. */
export function takenByRun(pool: Pool, nodes: number): Pool {
  return { ...pool, paused: false, maxUnavailable: String(nodes) };
}

interface Asking extends BudgetAsked {
  readonly ports: Pick<EvidencePorts, 'configuration' | 'budgetPlaces' | 'clock'>;
}

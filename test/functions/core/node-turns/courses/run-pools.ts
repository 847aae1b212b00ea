import { askGates } from '../../../../../functions/core/gates/ask-gates.ts';
import type { GateView } from '../../../../../functions/core/gates/gate-view.ts';
import { sequence } from '../../../../../functions/core/gates/sequence.ts';
import { wave } from '../../../../../functions/core/gates/wave.ts';
import { gateQuestion } from '../../../../../functions/core/holds/gate-question.ts';
import type { RunPool } from '../../../../../functions/core/node-turns/run-question.ts';
import { runOfHold } from '../../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../../functions/core/openshift/pool.ts';
import { holdOfRun } from '../../../../../functions/core/openshift/pool-record.ts';
import { poolShown, poolsShown, snapshotOf } from './readings.ts';
import { isBefore, type Scene, type State } from './state.ts';

/** The pools as the run finds them, each as `keep-pools` has it. */
export function runPools(state: State, scene: Scene): readonly RunPool[] {
  return scene.plan.pools.map((name) => runPool(name, state, scene));
}

function runPool(name: string, state: State, scene: Scene): RunPool {
  const { plan } = scene;
  const pool = poolShown(name, state);
  const hold = holdOfRun(pool, plan.name);
  const unpaused = whyNotPaused(pool, plan.name);
  const gates = unpaused === undefined ? gatesOf(name, state, scene) : { why: unpaused, closed: [] };
  return {
    name,
    target: pool.target.name,
    isPaused: unpaused === undefined,
    closed: gates.why,
    heldSince: hold?.since,
    ...(hold?.overruled !== undefined && !pool.paused ? { isResumed: true as const } : {}),
    after: plan.pools.filter((other) => isBefore(other, name, scene)),
    ...(gates.closed.length > 0 ? { waitsForThem: true as const } : {}),
  };
}

function whyNotPaused(pool: Pool, run: string): string | undefined {
  const hold = holdOfRun(pool, run);
  if (hold === undefined || pool.record.kind !== 'record') return 'it does not have the hold of the run yet';
  if (hold.overruled !== undefined) return `${hold.overruled.by} has resumed it`;
  if (pool.record.record.pause !== 'ours' || !pool.paused) return 'it is not paused yet';
  return pool.observedGeneration >= pool.generation ? undefined : 'the MCO has not confirmed its pause yet';
}

interface Gates {
  readonly why: string | undefined;
  readonly closed: readonly GateView[];
}

/** What else holds the pool, or which gate that keeps an order would, if it had one node, and its run did not hold
 *  it. */
function gatesOf(name: string, state: State, scene: Scene): Gates {
  const pools = poolsShown(state, scene).map((pool) => (pool.name === name ? asOneNode(pool) : pool));
  const pool = pools.find((each) => each.name === name);
  if (pool?.record.kind !== 'record') return { why: 'it has no record', closed: [] };
  const { record } = pool.record;
  if (record.holds.length > 0) return { why: record.holds.map(({ why }) => why).join('; '), closed: [] };
  const question = gateQuestion(record, pool, snapshotOf(state, scene, { pools }), new Date(state.at));
  const { closed } = askGates([wave, sequence], question);
  return { why: closed.map(({ gate, why }) => `gate ${gate}: ${why}`)[0], closed };
}

function asOneNode(pool: Pool): Pool {
  if (pool.record.kind !== 'record') return pool;
  const holds = pool.record.record.holds.filter(({ id }) => runOfHold(id) === undefined);
  return {
    ...pool,
    maxUnavailable: '1',
    counts: { ...pool.counts, machines: 1, updated: 0, ready: 1, unavailable: 0 },
    record: { kind: 'record', record: { ...pool.record.record, holds } },
  };
}

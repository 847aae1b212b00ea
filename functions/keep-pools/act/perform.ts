import { decidePool, type PoolPlan } from '../../core/holds/decide.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import type { PoolChange, Pools } from '../../ports/cluster.ts';
import type { Logger } from '../../ports/telemetry.ts';
import type { Clock } from '../../ports/time.ts';

/** How often a lost race against another writer is run again before the queue tries later. The MCO's client sends
 *  about five requests a second in all: twenty tries of some ten milliseconds outlast several such writers. */
const attempts = 20;

/** What became of one plan. */
export interface Performed {
  readonly plan: PoolPlan;
  /** The pool as the API server has it now. */
  readonly pool: Pool;
  /** Why nothing could be written, when the API server refused. */
  readonly failure: Transient | undefined;
}

export interface PerformPorts {
  readonly pools: Pools;
  /** The snapshot as it is now, with this pool as it was just read. */
  readonly observeAgain: (pool: Pool) => Promise<Snapshot>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Carries out one pool's plan: at most one patch. Whoever loses a resourceVersion race reads again and decides
 *  again. */
export async function perform(first: PoolPlan, ports: PerformPorts): Promise<Performed> {
  let plan = first;
  for (let attempt = 1; ; attempt += 1) {
    const change = changeOf(plan);
    if (change === undefined) return { plan, pool: plan.pool, failure: undefined };
    try {
      const pool = await ports.pools.patchPool(plan.pool, change);
      ports.logger.info('pool patched', { pool: pool.name, action: plan.action.kind, generation: pool.generation });
      await announce(plan, pool, ports);
      return { plan, pool, failure: undefined };
    } catch (cause) {
      if (!(cause instanceof Transient)) throw cause;
      if (cause.kind !== 'conflict' || attempt === attempts) return { plan, pool: plan.pool, failure: cause };
      const fresh = await ports.pools.readPool(plan.pool.name);
      if (fresh === undefined)
        return { plan: { ...plan, action: { kind: 'none' } }, pool: plan.pool, failure: undefined };
      plan = decidePool(fresh, await ports.observeAgain(fresh), ports.clock());
    }
  }
}

function changeOf({ action }: PoolPlan): PoolChange | undefined {
  switch (action.kind) {
    case 'none':
      return undefined;
    case 'pause':
      return { paused: true, record: action.record };
    case 'record':
      return { record: action.record };
    case 'resume':
      return { paused: false, record: action.record };
    default:
      return action satisfies never;
  }
}

/** The console shows it on the pool. Best effort: the pause counts, not the notice of it. */
async function announce({ action }: PoolPlan, pool: Pool, { pools, clock, logger }: PerformPorts): Promise<void> {
  if (action.kind !== 'pause' && action.kind !== 'resume') return;
  const reason = action.kind === 'pause' ? 'PausedByPoolkeeper' : 'ResumedByPoolkeeper';
  try {
    await pools.recordEvent(pool, { reason, message: action.why, type: 'Normal', at: clock() });
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('Kubernetes event was not accepted', { pool: pool.name, why: cause.message });
  }
}

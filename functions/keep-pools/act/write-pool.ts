import { decidePool } from '../../core/holds/decide.ts';
import type { PoolPlan } from '../../core/holds/plan.ts';
import { keepPausedAnnotation } from '../../core/openshift/kept-paused.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { sameRecord } from '../../core/openshift/pool-record.ts';
import { isInDoubt, Transient } from '../../core/text/errors.ts';
import { command } from '../../core/text/shell-words.ts';
import type { PoolChange } from '../../ports/cluster.ts';
import { ownPart } from '../own-part.ts';
import { requireFreshLook } from './look-age.ts';
import type { PerformPorts } from './perform-ports.ts';

/** Write attempts after conflicts with other writers, before the queue retries later. The MCO's client sends about five
 *  requests a second in total: twenty attempts of some ten milliseconds each outlast several such writers. */
const attempts = 20;

/** What became of the plan for one pool. */
export interface PerformedPool {
  readonly kind: 'pool';
  readonly plan: PoolPlan;
  /** The pool as the API server last returned it. */
  readonly pool: Pool;
  /** Why nothing could be written, when the API server refused. */
  readonly failure: Transient | undefined;
  /** Why nothing of the pool is published, and what was published of it stays: it may be older than that, or has lost
   *  its record, which could not be put back. Absent: it is published. */
  readonly undated?: Transient | undefined;
}

/** The answer to its resume is lost. */
export function mayBeResumed({ plan, failure }: PerformedPool): boolean {
  return plan.action.kind === 'resume' && failure !== undefined && isInDoubt(failure);
}

/** Why the record that it had lost could not be put back, so that its gates were asked without it; undefined: it has
 *  its own, or never had one. */
export function whyStillLost({ pool, undated, failure }: PerformedPool): string | undefined {
  return undated === undefined || pool.record.kind === 'none' ? undefined : failure?.message;
}

/** Carries out one pool's plan: at most one patch. After a resourceVersion conflict it reads and decides again,
 *  on as few reads as are safe. */
export async function writePool(first: PoolPlan, ports: PerformPorts): Promise<PerformedPool> {
  let plan = first;
  for (let attempt = 1; ; attempt += 1) {
    const written = await writeOnce(plan, ports);
    if (written.failure?.kind !== 'conflict' || attempt === attempts) return written;
    const about = { pool: plan.pool.name };
    const again = await ownPart('reading a pool again', about, () => readAgain(written.plan, ports), ports);
    if (again.failure !== undefined) return unwritten(plan, again.failure);
    if (again.value === undefined) return unchanged({ ...plan, action: { kind: 'none' } });
    plan = again.value;
  }
}

async function writeOnce(plan: PoolPlan, ports: PerformPorts): Promise<PerformedPool> {
  const change = changeOf(plan);
  if (change === undefined) return unchanged(plan);
  try {
    return { ...unchanged(plan), pool: await patched(plan, change, ports) };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return unwritten(plan, cause);
  }
}

function unchanged(plan: PoolPlan): PerformedPool {
  return { kind: 'pool', plan, pool: plan.pool, failure: undefined };
}

function unwritten(plan: PoolPlan, failure: Transient): PerformedPool {
  return { kind: 'pool', plan, pool: plan.pool, failure };
}

/** The decision on the pool as it is now; undefined: it is gone. */
async function readAgain(plan: PoolPlan, ports: PerformPorts): Promise<PoolPlan | undefined> {
  const fresh = await ports.cluster.pools.readPool(plan.pool.name);
  return fresh && decideAgain(plan, fresh, ports);
}

async function patched(plan: PoolPlan, change: PoolChange, ports: PerformPorts): Promise<Pool> {
  const { cluster, lookedAt, logger } = ports;
  if (plan.action.kind === 'resume') requireFreshLook(lookedAt, ports);
  const pool = await cluster.pools.patchPool(plan.pool, change);
  logger.info('pool patched', { pool: pool.name, action: plan.action.kind, generation: pool.generation });
  await recordEvent(plan, pool, ports);
  return pool;
}

/** The MCO may target nodes at any moment: what only waits for its pause is paused by what was seen before. A hold too
 *  many ends with the next pass. */
async function decideAgain(before: PoolPlan, fresh: Pool, ports: PerformPorts): Promise<PoolPlan> {
  if (isStillToPause(before, fresh)) {
    const plan = decidePool(fresh, ports.withPool(fresh), ports.clock());
    if (plan.action.kind === 'pause') return plan;
  }
  return decidePool(fresh, await ports.observeAgain(fresh), ports.clock());
}

/** Nobody else has paused or resumed it, or written its record: not another pass, whose hold a person may have
 *  overruled since. */
function isStillToPause({ action, pool }: PoolPlan, fresh: Pool): boolean {
  return action.kind === 'pause' && !fresh.paused && isSameRecord(pool.record, fresh.record);
}

function isSameRecord(before: Pool['record'], after: Pool['record']): boolean {
  if (before.kind !== 'record' || after.kind !== 'record') return before.kind === 'none' && after.kind === 'none';
  return sameRecord(before.record, after.record);
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

/** Who wants the pool to stay paused meets our pause first where `oc describe mcp` shows it. */
function keepPausedHint({ name }: Pool): string {
  return `To keep it paused: ${command('oc', 'annotate', 'mcp', name, `${keepPausedAnnotation}=say why`)}`;
}

/** The console shows it on the pool. Best effort: what counts is the pause, not the event. */
async function recordEvent({ action }: PoolPlan, pool: Pool, { cluster, clock, logger }: PerformPorts): Promise<void> {
  if (action.kind !== 'pause' && action.kind !== 'resume') return;
  const isPause = action.kind === 'pause';
  const reason = isPause ? 'PausedByPoolkeeper' : 'ResumedByPoolkeeper';
  const message = isPause ? `${action.why}. ${keepPausedHint(pool)}` : action.why;
  try {
    await cluster.pools.recordEvent(pool, { reason, message, type: 'Normal', at: clock() });
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('Kubernetes event was not accepted', { pool: pool.name, why: cause.message });
  }
}

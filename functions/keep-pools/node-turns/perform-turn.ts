import { holdsThatCount } from '../../core/holds/emergency.ts';
import type { TurnAction } from '../../core/node-turns/judge-turn.ts';
import { formerRule, jobPlaceOf, type RunPlan } from '../../core/node-turns/run-plan.ts';
import type { RunProblem } from '../../core/node-turns/run-question.ts';
import { turnJob } from '../../core/node-turns/turn-job.ts';
import { mayGo, whyStays } from '../../core/node-turns/turn-node.ts';
import { rolloutHoldId } from '../../core/openshift/hold.ts';
import { membershipOf } from '../../core/openshift/membership.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { isInDoubt, Transient } from '../../core/text/errors.ts';
import type { NodeTurnPorts } from '../../ports/node-turns.ts';
import { requireFreshLook } from '../act/look-age.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { jobIdOf } from './read-work.ts';

export interface Performing {
  readonly plan: RunPlan;
  /** When the pass began to read, ISO instant. */
  readonly lookedAt: string;
  /** All pools of the cluster: they decide where a node belongs. */
  readonly pools: readonly Pool[];
  readonly cluster: ClusterPorts;
  readonly turns: NodeTurnPorts;
  readonly ports: KeepPorts;
}

/** What the next look may find mended, and is told if it lasts; anything else is told at once. */
const mayPass: readonly Transient['kind'][] = ['conflict', 'unreachable', 'busy'];

/** What came of one thing for a turn. */
interface Performed {
  /** Why it could not be done. */
  readonly problems: readonly RunProblem[];
  /** It is a Job that was made just now. */
  readonly isMade: boolean;
  /** It is a Job that was not made, beyond doubt, and will not be as long as nobody mends why. */
  readonly isRefused?: boolean | undefined;
}

/** Does one thing for a turn. The record says so already: what is not done, because a pass dies or the node has
 *  changed, the next look does. */
export async function performTurn(action: TurnAction, performing: Performing): Promise<Performed> {
  const { plan, lookedAt, ports } = performing;
  try {
    requireFreshLook(lookedAt, ports);
    return { problems: [], isMade: await perform(action, performing) };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const { kind, node } = action;
    ports.logger.warn('a step of a turn could not be done', { run: plan.name, node, step: kind, why: cause.message });
    const since = ports.clock().toISOString();
    const problem = { node, since, why: cause.message, ...(kind === 'create-job' ? { maySkip: true as const } : {}) };
    const mayBeDone = mayPass.includes(cause.kind);
    return {
      problems: [mayBeDone ? { ...problem, kind: 'unseen', mayPass: true } : { ...problem, kind: 'refused' }],
      isMade: false,
      isRefused: kind === 'create-job' && !mayBeDone && !isInDoubt(cause),
    };
  }
}

/** Whether it has made a Job. */
async function perform(action: TurnAction, performing: Performing): Promise<boolean> {
  const { plan, turns, ports } = performing;
  const { node: name } = action;
  switch (action.kind) {
    case 'create-job': {
      const { turn, rule, part } = action;
      // A gate is only looked at.
      const jobSpec = part === 'after' ? rule.rule.cleanUpJobSpec : rule.rule.jobSpec;
      if (jobSpec === undefined || formerRule(plan, rule.id)?.refused !== undefined) return false;
      const { timeoutSeconds, onTargetNode } = rule.rule;
      const job = turnJob(
        { ...jobPlaceOf(rule), jobSpec, timeoutSeconds, onTargetNode },
        jobIdOf({ plan, node: name, turn }, rule, part),
        { pool: turn.pool, targetConfig: turn.target, wasCordoned: turn.cordoned === true },
      );
      const made = await turns.jobs.createJob(job.namespace, job.manifest);
      ports.logger.info('job of a turn', { run: plan.name, node: name, job: job.name, made });
      return made === 'created';
    }
    case 'let-go':
      await letGo(action, performing);
      return false;
    case 'cordon-again': {
      const fresh = await turns.nodes.readReadyNode(name);
      if (fresh !== undefined && !fresh.node.cordoned) await turns.nodes.changeNode(fresh, { unschedulable: true });
      return false;
    }
    default:
      return action satisfies never;
  }
}

async function letGo(
  { node: name, turn }: Extract<TurnAction, { readonly kind: 'let-go' }>,
  { plan, pools, cluster, turns, ports }: Performing,
): Promise<void> {
  const [pool, fresh] = await Promise.all([cluster.pools.readPool(turn.pool), turns.nodes.readReadyNode(name)]);
  if (pool === undefined || fresh === undefined || !isHeldByRunAlone(pool, plan.name, ports.clock())) return;
  const membership = membershipOf(fresh.node, pools);
  if (membership.kind !== 'member' || membership.pool !== turn.pool) return;
  if (!mayGo(fresh.node, turn, pool.target.name) || whyStays(fresh.node, plan, turn) !== undefined) return;
  await turns.nodes.changeNode(fresh, { desiredConfig: turn.target });
  ports.logger.info('node let go', { run: plan.name, node: name, config: turn.target });
}

/** Right before a node goes: a sync, a freeze or a person may hold the pool since the pass began, or have resumed it. A
 *  freeze whose emergency lane is open does not count, as it does not for the pool. */
export function isHeldByRunAlone(pool: Pool, run: string, now: Date): boolean {
  const { paused, record } = pool;
  if (!paused || record.kind !== 'record' || record.record.pause !== 'ours') return false;
  const standing = holdsThatCount(record.record, now);
  return standing.length > 0 && standing.every(({ id }) => id === rolloutHoldId(run));
}

import { asInPool } from '../../core/node-turns/canary-nodes.ts';
import { isSameContent } from '../../core/node-turns/canary-plan.ts';
import type { CanaryStep, NotedCanary, SeenPool } from '../../core/node-turns/canary-run.ts';
import { canaryStateOf, isSameCanary } from '../../core/node-turns/canary-state.ts';
import {
  type CanaryWrite,
  isSameSelector,
  type LabelledCluster,
  poolAfter,
  refusedWrite,
  withWrite,
} from '../../core/node-turns/canary-write.ts';
import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import type { RunProblem } from '../../core/node-turns/run-question.ts';
import { mayGo, type TurnNode, whyStays } from '../../core/node-turns/turn-node.ts';
import { isDegraded } from '../../core/openshift/pool.ts';
import { byName } from '../../core/text/by-name.ts';
import { Transient } from '../../core/text/errors.ts';
import type { FreshPool, NodeTurnPorts } from '../../ports/node-turns.ts';
import { requireFreshLook } from '../act/look-age.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { isHeldByRunAlone } from './perform-turn.ts';

export interface PerformingCanary {
  /** The name of the run. */
  readonly run: string;
  /** Undefined: it is configured no longer, and lets nobody go. */
  readonly plan: RunPlan | undefined;
  /** When the pass began to read, ISO instant. */
  readonly lookedAt: string;
  /** As the look found them. */
  readonly nodes: readonly TurnNode[];
  readonly pools: readonly SeenPool[];
  readonly cluster: { readonly pools: Pick<ClusterPorts['pools'], 'readPool'> };
  readonly turns: Pick<NodeTurnPorts, 'nodes' | 'canary'>;
  readonly ports: Pick<KeepPorts, 'clock' | 'clockSpeed' | 'logger'>;
}

/** What the next look may find mended, and is told if it lasts; anything else is told at once. */
const mayPass: readonly Transient['kind'][] = ['conflict', 'unreachable', 'busy'];

/** Does what mode canary writes, one after another, and stops at the first that cannot be done: what follows depends on
 *  it. The next look goes on from what it finds. Returns why one could not be done. */
export async function performCanary(
  steps: readonly CanaryStep[],
  performing: PerformingCanary,
): Promise<readonly RunProblem[]> {
  const { run, ports, nodes, pools } = performing;
  let cluster: LabelledCluster = { nodes, pools };
  for (const step of steps) {
    const node = nodeOf(step);
    const told = (why: string): readonly RunProblem[] => [
      { kind: 'refused', node, since: ports.clock().toISOString(), why },
    ];
    try {
      requireFreshLook(performing.lookedAt, ports);
      const why = await perform(step, cluster, performing);
      if (why !== undefined) return told(why);
      if (step.kind === 'write') cluster = withWrite(cluster, step.write);
      ports.logger.info('canary', { run, node, step: step.kind });
    } catch (cause) {
      if (!(cause instanceof Transient)) throw cause;
      ports.logger.warn('a step of the canary could not be done', { run, node, step: step.kind, why: cause.message });
      const since = ports.clock().toISOString();
      if (mayPass.includes(cause.kind)) return [{ kind: 'unseen', node, since, why: cause.message, mayPass: true }];
      return told(cause.message);
    }
  }
  return [];
}

function nodeOf(step: CanaryStep): string {
  if (step.kind === 'let-go') return step.node;
  return step.kind === 'write' && step.write.kind === 'label-node' ? step.write.node : '';
}

/** Undefined: it is done, or there was nothing to do; otherwise why it must not be done. */
async function perform(
  step: CanaryStep,
  cluster: LabelledCluster,
  performing: PerformingCanary,
): Promise<string | undefined> {
  switch (step.kind) {
    case 'begin':
      return begin(step.own, performing);
    case 'end':
      await performing.turns.canary.changePool(await notedPool(step.own, performing), { noted: null });
      return undefined;
    case 'write':
      return write(step, cluster, performing);
    case 'let-go':
      return letGo(step, cluster, performing);
    default:
      return step satisfies never;
  }
}

/** Over the note of no other run, and only where each selector is one that the note knows: what somebody has written
 *  since the look would be put back to what was there before. Of a pool that is gone there is none. Throws
 *  Transient. */
async function begin({ pool: name, state }: NotedCanary, { run, turns }: PerformingCanary): Promise<undefined> {
  const pools = await turns.canary.listFreshPools();
  const fresh = freshIn(pools, name);
  const noted = fresh.noted === undefined ? undefined : canaryStateOf(fresh.noted);
  if (noted !== undefined && (noted === 'unreadable' || noted.run !== run))
    throw changed(`pool ${name} has the note of another run`);
  for (const { pool, original, during } of state.way.selectors) {
    const there = pools.find(({ name: each }) => each === pool);
    if (there === undefined) continue;
    if (!isSameSelector(there.nodeSelector, original) && !isSameSelector(there.nodeSelector, during))
      throw changed(`somebody has changed the node selector of pool ${pool}`);
  }
  await turns.canary.changePool(fresh, { noted: JSON.stringify(state) });
}

/** The pool with the note that a step was judged by. Throws Transient where another one stands there, or none: the run
 *  has ended, and another pass has put everything back, since this one began. */
async function notedPool({ pool: name, state }: NotedCanary, { turns }: PerformingCanary): Promise<FreshPool> {
  const fresh = await turns.canary.readFreshPool(name);
  if (fresh?.noted === undefined || !isSameCanary(canaryStateOf(fresh.noted), state))
    throw changed(`pool ${name} has another note of the run, or none`);
  return fresh;
}

function freshIn(pools: readonly FreshPool[], name: string): FreshPool {
  const fresh = byName(pools, name);
  if (fresh === undefined) throw changed(`pool ${name} is gone`);
  return fresh;
}

function changed(why: string): Transient {
  return new Transient(why, { kind: 'conflict' });
}

async function write(
  { write: wanted, own }: Extract<CanaryStep, { readonly kind: 'write' }>,
  cluster: LabelledCluster,
  performing: PerformingCanary,
): Promise<string | undefined> {
  const { turns } = performing;
  if (wanted.kind === 'write-selector') {
    const why = refusedWrite(wanted, cluster, new Set());
    if (why !== undefined) return why;
    const fresh = await turns.canary.readFreshPool(wanted.pool);
    const looked = byName(cluster.pools, wanted.pool);
    if (fresh === undefined || looked === undefined || !isSameSelector(fresh.nodeSelector, looked.nodeSelector))
      throw changed(`somebody has changed the node selector of pool ${wanted.pool}`);
    await notedPool(own, performing);
    await turns.canary.changePool(fresh, { nodeSelector: wanted.selector });
    return undefined;
  }
  const fresh = await turns.nodes.readReadyNode(wanted.node);
  if (fresh === undefined) return undefined;
  const why = refusedWrite(wanted, withNode(cluster, fresh.node), new Set([wanted.node]));
  if (why !== undefined) return why;
  await notedPool(own, performing);
  await turns.nodes.changeNode(fresh, { labels: wanted.labels });
  return undefined;
}

function withNode(cluster: LabelledCluster, node: LabelledCluster['nodes'][number]): LabelledCluster {
  return { ...cluster, nodes: cluster.nodes.map((each) => (each.name === node.name ? node : each)) };
}

/** Everything is read again: a sync, a freeze or a person may hold the pool since the pass began, the canary may be
 *  paused or rendered anew, and the node may be cordoned. What is not as it should be, the next look says. */
async function letGo(
  { node: name, turn, own }: Extract<CanaryStep, { readonly kind: 'let-go' }>,
  seen: LabelledCluster,
  performing: PerformingCanary,
): Promise<string | undefined> {
  const { run, plan, cluster, turns, ports } = performing;
  const { way, canary: canaryName } = own.state;
  const [pool, canary, fresh, pools] = await Promise.all([
    cluster.pools.readPool(turn.pool),
    cluster.pools.readPool(canaryName),
    turns.nodes.readReadyNode(name),
    turns.canary.listFreshPools(),
  ]);
  if (pool === undefined || canary === undefined || fresh === undefined || !isHeldByRunAlone(pool, run, ports.clock()))
    return undefined;
  if (canary.paused || isDegraded(canary) || !isSameContent(canary.target.name, pool.target.name)) return undefined;
  if (fresh.node.cordoned || !mayGo(asInPool(fresh.node, turn.pool, canaryName), turn, pool.target.name))
    return undefined;
  if (plan === undefined || whyStays(fresh.node, plan, turn) !== undefined) return undefined;
  const labels: Extract<CanaryWrite, { readonly kind: 'label-node' }> = {
    kind: 'label-node',
    node: name,
    labels: way.entry,
  };
  const before = withNode({ ...seen, pools }, fresh.node);
  const why = refusedWrite(labels, before, new Set([name]));
  if (why !== undefined) return why;
  const moved = poolAfter(labels, before);
  if (moved !== canaryName) return `its labels would not bring it into pool ${canaryName}`;
  await notedPool(own, performing);
  await turns.nodes.changeNode(fresh, { labels: way.entry });
  return undefined;
}

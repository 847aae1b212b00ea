import {
  aBudget,
  aDrainingNode,
  aLiveNode,
  aPendingPod,
  aPod,
  drainFailing,
  type Json,
  refused,
  type World,
} from '../../functions/core/diagnose/world.ts';
import type { Cause } from '../situation.ts';

/** worker-2 is drained for an update, and the eviction of shop/web-a is refused; its sibling runs on worker-1. */
export function aBlockedDrain(change: Partial<World> = {}): Partial<World> {
  return {
    nodes: [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')],
    machines: [drainFailing('worker-2', refused('web-a'))],
    pods: [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })],
    budgets: [aBudget('web')],
    ...change,
  };
}

/** Two of three pods are healthy, and two are needed. */
export const short: Json = { expectedPods: 3, currentHealthy: 2, desiredHealthy: 2 };

/** The same, and web-b, which should stand in for it, has no node. */
export function withPending(
  message: string,
  pending: Parameters<typeof aPod>[1] = {},
  change: Partial<World> = {},
): Partial<World> {
  return aBlockedDrain({
    pods: [aPod('web-a', { node: 'worker-2' }), aPendingPod('web-b', message, pending)],
    budgets: [aBudget('web', { status: short })],
    ...change,
  });
}

export function drainCause(code: string, about: string, named: readonly string[]): Cause {
  return { pool: 'worker', kind: 'drain-blocked', code, about, named };
}

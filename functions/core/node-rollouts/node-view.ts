import { isFailing, type Node } from '../openshift/node.ts';
import type { NodeRollout } from '../openshift/node-rollout.ts';
import type { Pool } from '../openshift/pool.ts';
import type { NodeView } from '../timeline/view.ts';
import type { ClusterRollouts } from './follow.ts';
import { courseOf } from './in-order.ts';
import { unmetCondition } from './unmet.ts';

/** Nodes shown of one pool: those that have been updating the longest. */
const nodesShown = 20;

/** Status view of a pool's nodes that are updating.
 *  @param nodes of this pass; a node without one is described by its rollout alone */
export function nodeViews(
  pool: Pool,
  nodes: readonly Node[],
  { rollouts, readAt }: { readonly rollouts: ClusterRollouts; readonly readAt: string },
): readonly NodeView[] {
  const live = new Map(nodes.map((node) => [node.name, node]));
  return rollouts.open
    .filter((rollout) => rollout.pool === pool.name)
    .toSorted((a, b) => (a.begun.at < b.begun.at ? -1 : 1))
    .slice(0, nodesShown)
    .map((rollout) => viewOfStory(rollout, live.get(rollout.node), readAt));
}

function viewOfStory(rollout: NodeRollout, node: Node | undefined, readAt: string): NodeView {
  return {
    name: rollout.node,
    from: rollout.from,
    to: rollout.to,
    begunAt: rollout.begun.at,
    step: rollout.step,
    stepSince: rollout.steps[rollout.step]?.begun?.at ?? rollout.progressedAt,
    failing: node !== undefined && isFailing(node),
    waitsFor: node === undefined ? '' : unmetCondition(node, rollout, readAt),
    steps: courseOf(rollout).map(({ name, begun, ended }) => ({ name, begunAt: begun?.at, endedAt: ended?.at })),
  };
}

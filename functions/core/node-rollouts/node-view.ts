import { isFailing, type Node } from '../openshift/node.ts';
import { type NodeStory, stepNames } from '../openshift/node-rollout.ts';
import type { Pool } from '../openshift/pool.ts';
import type { NodeView } from '../timeline/view.ts';
import type { ClusterStories } from './follow.ts';
import { unmetCondition } from './unmet.ts';

/** How many nodes under way people see of one pool: those that have been under way the longest. */
const nodesShown = 20;

/** What people see of a pool's nodes that are on their way.
 *  @param nodes of this pass; a node without one is told by its story alone */
export function nodeViews(
  pool: Pool,
  nodes: readonly Node[],
  { stories, readAt }: { readonly stories: ClusterStories; readonly readAt: string },
): readonly NodeView[] {
  const live = new Map(nodes.map((node) => [node.name, node]));
  return stories.open
    .filter((story) => story.pool === pool.name)
    .toSorted((a, b) => (a.begun.at < b.begun.at ? -1 : 1))
    .slice(0, nodesShown)
    .map((story) => viewOfStory(story, live.get(story.node), readAt));
}

function viewOfStory(story: NodeStory, node: Node | undefined, readAt: string): NodeView {
  return {
    name: story.node,
    from: story.from,
    to: story.to,
    begunAt: story.begun.at,
    step: story.step,
    stepSince: story.steps[story.step]?.begun?.at ?? story.progressedAt,
    failing: node !== undefined && isFailing(node),
    waitsFor: node === undefined ? '' : unmetCondition(node, story, readAt),
    steps: stepNames.flatMap((name) => {
      const times = story.steps[name];
      return times === undefined ? [] : [{ name, begunAt: times.begun?.at, endedAt: times.ended?.at }];
    }),
  };
}

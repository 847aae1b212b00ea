import type { Inquiry } from '../../findings/inquiry.ts';
import type { Node } from '../../openshift/node.ts';
import { between } from '../../text/phrases.ts';
import { isEvicted } from '../objects/pod.ts';
import { readPodsOn } from '../read-pods-on.ts';
import { explainTermination } from '../rules/termination.ts';
import type { Obstacle } from './obstacle.ts';

/** Milliseconds after which a pod that should be gone is taken to stay. */
const overdueAfter = 5 * 60_000;
/** Explained of one node, each one call. */
const explainedAtMost = 2;

/** Pods that should have been gone long ago: a drain waits for them as for those that it evicts. Source: kubectl drain
 *  waitForDelete. */
export function* stuckPods(node: Node): Inquiry<readonly Obstacle[]> {
  const { list: pods } = yield* readPodsOn(node.name);
  if (pods.kind !== 'read') return [];
  const stuck = pods.value.items.filter(
    (pod) => isEvicted(pod) && between(pod.metadata.deletionTimestamp ?? pods.readAt, pods.readAt) > overdueAfter,
  );
  const obstacles: Obstacle[] = [];
  for (const pod of stuck.slice(0, explainedAtMost))
    obstacles.push({ nodes: [node.name], finding: yield* explainTermination(pod, pods.readAt) });
  return obstacles;
}

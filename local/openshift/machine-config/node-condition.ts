import type { Node } from '../api-server/cluster-objects.ts';
import { annotationOf } from './node-annotations.ts';

/** Why a node does not count as ready, in the node controller's words; undefined: it is ready. A cordoned node is
 *  not. */
export function unreadiness({ metadata, spec, status }: Node): string | undefined {
  for (const { type, status: is, reason, message } of status?.conditions ?? []) {
    if (type === 'Ready' && is !== 'True')
      return `node ${metadata.name} is reporting NotReady=${is}: ${reason}: ${message}`;
    if (type === 'DiskPressure' && is !== 'False') return `node ${metadata.name} is reporting OutOfDisk=${is}`;
    if (type === 'NetworkUnavailable' && is !== 'False')
      return `node ${metadata.name} is reporting NetworkUnavailable=${is}`;
  }
  return spec.unschedulable ? `node ${metadata.name} is reporting Unschedulable` : undefined;
}

/** The node has the desired configuration and says so. */
export function isDone(node: Node): boolean {
  return (
    annotationOf(node, 'currentConfig') === annotationOf(node, 'desiredConfig') &&
    annotationOf(node, 'state') === 'Done'
  );
}

/** The daemon fails to bring the node to the desired configuration. */
export function isFailing(node: Node): boolean {
  return annotationOf(node, 'currentConfig') !== annotationOf(node, 'desiredConfig') && isDegraded(node);
}

export function isDegraded(node: Node): boolean {
  return (
    annotationOf(node, 'desiredConfig') !== '' && ['Degraded', 'Unreconcilable'].includes(annotationOf(node, 'state'))
  );
}

/** Counts against maxUnavailable: not ready, or being updated. A failing node does not, because it may get another
 *  target. */
export function isUnavailable(node: Node): boolean {
  return unreadiness(node) !== undefined || (!isDone(node) && !isFailing(node));
}

/** Whether the daemon has ever run here. */
export function isManaged(node: Node): boolean {
  return node.metadata.labels?.['kubernetes.io/os'] !== 'windows' && annotationOf(node, 'currentConfig') !== '';
}

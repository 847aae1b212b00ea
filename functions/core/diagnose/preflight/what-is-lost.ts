import type { Inquiry } from '../../findings/inquiry.ts';
import type { Unread } from '../../findings/unread.ts';
import type { Node } from '../../openshift/node.ts';
import { isOfPlatform } from '../objects/metadata.ts';
import { isEvicted, isTerminal, type Pod } from '../objects/pod.ts';
import { readPodsOn } from '../read-pods-on.ts';

/** What a drain takes with it although nothing stops it. The MCO drains with force and deletes local storage.
 *  Source: MCO pkg/daemon/drain.go. */
export interface NodeLosses {
  readonly node: string;
  /** Pods that nobody makes again: `namespace/name`. */
  readonly unmanaged: readonly string[];
  /** Pods with an emptyDir: its content is gone. */
  readonly localStorage: readonly string[];
}

export function* whatIsLost(
  node: Node,
): Inquiry<{ readonly losses: NodeLosses | undefined; readonly unread: readonly Unread[] }> {
  const { list: pods, unread } = yield* readPodsOn(node.name);
  if (pods.kind !== 'read') return { losses: undefined, unread };
  const evicted = pods.value.items.filter((pod) => isEvicted(pod) && !isTerminal(pod) && !isOfPlatform(pod.metadata));
  const losses: NodeLosses = {
    node: node.name,
    unmanaged: evicted.filter(({ metadata }) => metadata.ownerReferences.length === 0).map(nameOf),
    localStorage: evicted.filter(({ spec }) => spec.volumes.some(({ emptyDir }) => emptyDir)).map(nameOf),
  };
  const nothing = losses.unmanaged.length + losses.localStorage.length === 0;
  return { losses: nothing ? undefined : losses, unread };
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

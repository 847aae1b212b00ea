import * as z from 'zod';
import type { Node } from '../../openshift/node.ts';
import { foreignName } from '../../text/foreign-text.ts';
import { Condition, conditionOf, flag, listOf, Metadata, maybeText, text } from './metadata.ts';

export const Taint = z.object({ key: text, value: text, effect: text, timeAdded: maybeText });
export type Taint = z.infer<typeof Taint>;

const said = text.transform(foreignName);
const NodeInfo = z.object({ bootID: said, osImage: said, kernelVersion: said });
const unknownInfo = { bootID: '', osImage: '', kernelVersion: '' };

/** A node as the API server keeps it, without its images: the live half of what `Node` (metadata alone) lacks. */
export const LiveNode = z.object({
  metadata: Metadata,
  spec: z.object({ unschedulable: flag, taints: listOf(Taint) }).catch({ unschedulable: false, taints: [] }),
  status: z
    .object({
      conditions: listOf(Condition),
      /** A kubelet may write any text there, of any length. */
      nodeInfo: NodeInfo.catch(unknownInfo),
    })
    .catch({ conditions: [], nodeInfo: unknownInfo }),
});
export type LiveNode = z.infer<typeof LiveNode>;

const prefix = 'machineconfiguration.openshift.io/';

export function annotationOf(node: LiveNode, name: string): string {
  return node.metadata.annotations[`${prefix}${name}`] ?? '';
}

/** The MCO's own fields of a live node, in the words that the pool's nodes are judged in. */
export function mcoView(
  node: LiveNode,
): Pick<Node, 'currentConfig' | 'desiredConfig' | 'desiredDrain' | 'lastAppliedDrain' | 'state'> {
  return {
    currentConfig: annotationOf(node, 'currentConfig'),
    desiredConfig: annotationOf(node, 'desiredConfig'),
    desiredDrain: annotationOf(node, 'desiredDrain'),
    lastAppliedDrain: annotationOf(node, 'lastAppliedDrain'),
    state: annotationOf(node, 'state'),
  };
}

/** True, false, or undefined when the kubelet's condition is not there. */
export function isNodeReady(node: LiveNode): boolean | undefined {
  const ready = conditionOf(node.status.conditions, 'Ready');
  return ready === undefined ? undefined : ready.status === 'True';
}

import type { Remedy } from '../../findings/trouble.ts';
import { controlPlaneLabels } from '../../openshift/control-plane-labels.ts';
import { command } from '../../text/shell-words.ts';
import type { LiveNode } from '../objects/node.ts';
import { remedy } from '../remedies.ts';

/** One of the nodes that etcd runs on. */
export function isOfControlPlane({ metadata }: Pick<LiveNode, 'metadata'>): boolean {
  return controlPlaneLabels.some((label) => label in metadata.labels);
}

/** A member of etcd goes with such a node: whoever deletes one beside another that is away ends the cluster, and where
 *  there is but one it is the cluster. So no command takes it away. */
export function replaceControlPlaneNode(node: string): readonly Remedy[] {
  return [
    remedy('See which members of etcd are left', {
      command: command('oc', '-n', 'openshift-etcd', 'get', 'pods', '-l', 'k8s-app=etcd', '-o', 'wide'),
    }),
    remedy(
      `Only if ${node} never comes back: it is of the control plane, so save etcd first, and replace it by the procedure of your release for an unhealthy etcd member, one node at a time; a single node is restored or installed anew instead`,
      { risk: 'data-loss' },
    ),
  ];
}

import type { Node } from '../api-server/cluster-objects.ts';

const prefix = 'machineconfiguration.openshift.io/';

/** Keys of the annotations through which the controller and a node's daemon communicate. Source: MCO
 *  pkg/daemon/constants. */
export const annotations = {
  currentConfig: `${prefix}currentConfig`,
  desiredConfig: `${prefix}desiredConfig`,
  state: `${prefix}state`,
  reason: `${prefix}reason`,
  desiredDrain: `${prefix}desiredDrain`,
  lastAppliedDrain: `${prefix}lastAppliedDrain`,
  postConfigAction: `${prefix}post-config-action`,
  controlPlaneTopology: `${prefix}controlPlaneTopology`,
} as const;

/** The annotation's value; empty when it is missing. */
export function annotationOf(node: Node, key: keyof typeof annotations): string {
  return node.metadata.annotations?.[annotations[key]] ?? '';
}

/** Values by the short names of their keys. */
export type AnnotationValues = Partial<Record<keyof typeof annotations, string>>;

export function annotate(node: Node, values: AnnotationValues): void {
  node.metadata.annotations ??= {};
  for (const [key, value] of Object.entries(values))
    node.metadata.annotations[annotations[key as keyof typeof annotations]] = value;
}

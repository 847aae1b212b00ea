import { machineAnnotation } from '../../core/diagnose/objects.ts';
import type { Node } from '../../core/openshift/node.ts';
import { foreignImage, foreignMessage, foreignName } from '../../core/text/foreign-text.ts';
import { newestOwner } from './managed-fields.ts';
import { MetadataOnly, understand } from './metadata.ts';

const prefix = 'machineconfiguration.openshift.io/';

/** Parses a node from its metadata. Throws Transient if invalid. */
export function nodeOf(body: unknown): Node {
  const { metadata } = understand(MetadataOnly, body, 'Node');
  const annotations = ['f:metadata', 'f:annotations'];
  const read = (key: string) => metadata.annotations[`${prefix}${key}`] ?? '';
  const said = (key: string) => foreignName(read(key));
  const machine = metadata.annotations[machineAnnotation];
  return {
    name: metadata.name,
    uid: metadata.uid,
    labels: metadata.labels,
    currentConfig: said('currentConfig'),
    desiredConfig: said('desiredConfig'),
    state: said('state'),
    // Errors of the config daemon, which quote URLs and headers.
    reason: foreignMessage(read('reason')),
    desiredDrain: said('desiredDrain'),
    lastAppliedDrain: said('lastAppliedDrain'),
    postConfigAction: said('post-config-action'),
    targetedAt: newestOwner(metadata.managedFields, [...annotations, `f:${prefix}desiredConfig`])?.at,
    reportedAt: newestOwner(metadata.managedFields, [...annotations, `f:${prefix}state`])?.at,
    createdAt: metadata.creationTimestamp ?? undefined,
    machine: machine === undefined ? undefined : foreignName(machine),
    ...imagesOf(foreignImage(read('currentImage')), foreignImage(read('desiredImage'))),
    ...(read('controlPlaneTopology') === 'SingleReplica' ? { isNeverDrained: true } : {}),
  };
}

/** Only nodes of image mode have them. */
function imagesOf(currentImage: string, desiredImage: string): Pick<Node, 'currentImage' | 'desiredImage'> {
  return { ...(currentImage === '' ? {} : { currentImage }), ...(desiredImage === '' ? {} : { desiredImage }) };
}

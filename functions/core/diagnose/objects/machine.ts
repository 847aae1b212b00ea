import * as z from 'zod';
import { count, listOf, Metadata, maybeText, text, words } from './metadata.ts';
import { Taint } from './node.ts';

/** machine.openshift.io/v1beta1: the machine behind a node. What the provider was asked for may hold secrets and is
 *  not read. */
export const Machine = z.object({
  metadata: Metadata,
  status: z
    .object({
      phase: text,
      errorReason: text,
      errorMessage: text,
      nodeRef: z.object({ name: text }).optional().catch(undefined),
      lastUpdated: maybeText,
    })
    .catch({ phase: '', errorReason: '', errorMessage: '', nodeRef: undefined, lastUpdated: undefined }),
});
export type Machine = z.infer<typeof Machine>;

const noTemplate = { metadata: { labels: {} }, taints: [] };

/** What makes machines alike, and how many. The nodes of its machines get the labels and taints of the template. */
export const MachineSet = z.object({
  metadata: Metadata,
  spec: z
    .object({
      replicas: count,
      template: z
        .object({
          spec: z
            .object({ metadata: z.object({ labels: words }).catch({ labels: {} }), taints: listOf(Taint) })
            .catch(noTemplate),
        })
        .catch({ spec: noTemplate }),
    })
    .catch({ replicas: 0, template: { spec: noTemplate } }),
  status: z.object({ readyReplicas: count }).catch({ readyReplicas: 0 }),
});
export type MachineSet = z.infer<typeof MachineSet>;

/** On a node: `<namespace>/<machine>`. */
export const machineAnnotation = 'machine.openshift.io/machine';
/** On a machine: the set that made it. */
export const machineSetLabel = 'machine.openshift.io/cluster-api-machineset';
/** On a set with a MachineAutoscaler: how far it may grow. */
export const maximumAnnotation = 'machine.openshift.io/cluster-api-autoscaler-node-group-max-size';

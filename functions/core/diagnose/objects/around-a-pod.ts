import * as z from 'zod';
import { Condition, flag, listOf, Metadata, text } from './metadata.ts';

/** A Namespace that is being deleted says in its conditions what remains in it. Source: Kubernetes namespace
 *  controller. */
export const Namespace = z.object({
  metadata: Metadata,
  status: z.object({ phase: text, conditions: listOf(Condition) }).catch({ phase: '', conditions: [] }),
});
export type Namespace = z.infer<typeof Namespace>;

/** A KubeVirt machine; its condition LiveMigratable says whether a drain can move it. */
export const VirtualMachineInstance = z.object({
  metadata: Metadata,
  status: z.object({ conditions: listOf(Condition) }).catch({ conditions: [] }),
});
export type VirtualMachineInstance = z.infer<typeof VirtualMachineInstance>;

/** Which Service answers a webhook; undefined for one that is called by URL. */
export const WebhookConfiguration = z.object({
  metadata: Metadata,
  webhooks: listOf(
    z.object({
      name: z.string(),
      clientConfig: z
        .object({ service: z.object({ namespace: text, name: text }).optional().catch(undefined) })
        .catch({ service: undefined }),
    }),
  ),
});
export type WebhookConfiguration = z.infer<typeof WebhookConfiguration>;

export const EndpointSlice = z.object({
  metadata: Metadata,
  endpoints: listOf(z.object({ conditions: z.object({ ready: flag }).catch({ ready: false }) })),
});
export type EndpointSlice = z.infer<typeof EndpointSlice>;

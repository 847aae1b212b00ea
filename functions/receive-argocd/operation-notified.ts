import * as z from 'zod';
import { KubernetesName } from '../shell/kubernetes-name.ts';

/** Type of the events that the notification template we ship sends. */
export const operationType = 'poolkeeper.argocd.operation.v1';

/** Enough of a CloudEvent to tell whether it concerns us. */
export const TypedEvent = z.object({ specversion: z.literal('1.0'), type: z.string().min(1) });

/** A CloudEvent of our notification template, as far as it is used: the pass reads the rest from the Application
 *  itself. What Argo CD does not know is "", [], {}, 0 or false, never missing. */
export const OperationNotified = z.object({
  id: z.string().min(1).max(512),
  /** `argocd/<instance>`, the instance being `poolkeeperInstance` of the notifications' context. */
  source: z.string().regex(/^argocd\/./, 'expected argocd/<instance>'),
  data: z.object({
    application: z.object({ name: KubernetesName, namespace: KubernetesName }),
    sync: z.object({ status: z.string(), revision: z.string(), revisions: z.array(z.string()) }),
    operation: z.object({ phase: z.string(), startedAt: z.string() }),
  }),
});
export type OperationNotified = z.infer<typeof OperationNotified>;

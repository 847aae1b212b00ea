import * as z from 'zod';
import { KubernetesName } from '../shell/kubernetes-name.ts';

/** Event type sent by our notification template. */
export const operationType = 'poolkeeper.argocd.operation.v1';

/** Enough of a CloudEvent to check whether it is relevant. */
export const TypedEvent = z.object({ specversion: z.literal('1.0'), type: z.string().min(1) });

/** One complaint about the list, not one for each of half a million items: those take seconds, in which everything else
 *  of one process waits. */
const Texts = z.custom<readonly string[]>(
  (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
  'expected a list of texts',
);

/** A CloudEvent of our notification template, limited to the fields in use: the pass reads the rest from the
 *  Application itself. Unknown values are "", [], {}, 0 or false, never missing. */
export const OperationNotified = z.object({
  id: z.string().min(1).max(512),
  /** `argocd/<instance>`, where the instance is `poolkeeperInstance` of the notifications' context. */
  source: z.string().regex(/^argocd\/./, 'expected argocd/<instance>'),
  data: z.object({
    application: z.object({ name: KubernetesName, namespace: KubernetesName }),
    sync: z.object({ status: z.string(), revision: z.string(), revisions: Texts }),
    operation: z.object({ phase: z.string(), startedAt: z.string() }),
  }),
});
export type OperationNotified = z.infer<typeof OperationNotified>;

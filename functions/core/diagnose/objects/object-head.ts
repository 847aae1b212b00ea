import * as z from 'zod';
import { authorOf, ManagedBy } from './managed-fields.ts';
import { Condition, count, listOf, Metadata, maybeCount } from './metadata.ts';

/** Metadata of any object, with who wrote what. For objects whose content must not be read. */
export const ObjectHead = z.object({ metadata: Metadata }).and(ManagedBy);
export type ObjectHead = z.infer<typeof ObjectHead>;

/** The newest write to its spec, else its creation; ISO instant, the beginning of time when neither is known. */
export function changedAt(head: ObjectHead): string {
  return authorOf(head, ['f:spec'])?.at ?? head.metadata.creationTimestamp ?? new Date(0).toISOString();
}

/** Evidence of when an object was changed. */
export const changedPath = 'changed';

/** A ReplicaSet, StatefulSet or the like: how many pods it owes, how many it made, and whether it could. */
export const ReplicaOwner = z.object({
  metadata: Metadata,
  spec: z.object({ replicas: maybeCount }).catch({ replicas: undefined }),
  status: z
    .object({ replicas: maybeCount, conditions: listOf(Condition) })
    .catch({ replicas: undefined, conditions: [] }),
});
export type ReplicaOwner = z.infer<typeof ReplicaOwner>;

/** How many pods a DaemonSet should have and how many are ready. */
export const DaemonSet = z.object({
  metadata: Metadata,
  status: z
    .object({ desiredNumberScheduled: count, numberReady: count })
    .catch({ desiredNumberScheduled: 0, numberReady: 0 }),
});
export type DaemonSet = z.infer<typeof DaemonSet>;

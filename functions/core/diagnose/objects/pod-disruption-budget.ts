import * as z from 'zod';
import { Condition, count, intOrPercent, LabelSelector, listOf, Metadata, maybeCount, text } from './metadata.ts';

const noStatus = {
  expectedPods: 0,
  desiredHealthy: 0,
  currentHealthy: 0,
  disruptionsAllowed: 0,
  observedGeneration: undefined,
  conditions: [],
};

/** policy/v1. There an empty selector means all pods of the namespace, a missing one none. */
export const PodDisruptionBudget = z.object({
  metadata: Metadata,
  spec: z
    .object({
      minAvailable: intOrPercent,
      maxUnavailable: intOrPercent,
      selector: LabelSelector,
      unhealthyPodEvictionPolicy: text,
    })
    .catch({ minAvailable: undefined, maxUnavailable: undefined, selector: undefined, unhealthyPodEvictionPolicy: '' }),
  status: z
    .object({
      expectedPods: count,
      desiredHealthy: count,
      currentHealthy: count,
      disruptionsAllowed: count,
      observedGeneration: maybeCount,
      conditions: listOf(Condition),
    })
    .catch(noStatus),
});
export type PodDisruptionBudget = z.infer<typeof PodDisruptionBudget>;

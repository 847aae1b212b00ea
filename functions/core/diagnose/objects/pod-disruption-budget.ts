import * as z from 'zod';
import { isMapping } from '../../openshift/member.ts';
import { Condition, count, intOrPercent, LabelSelector, listOf, Metadata, maybeCount, text } from './metadata.ts';

const noStatus = {
  expectedPods: 0,
  desiredHealthy: 0,
  currentHealthy: 0,
  disruptionsAllowed: 0,
  observedGeneration: undefined,
  conditions: [],
};

/** Labels, expressions and values of a selector: those in use have a handful. */
const longestSelector = 20;

/** Budgets are compared with pods one by one, and whoever may write them may write thousands in his namespace, each
 *  with hundreds of expressions. One with a longer selector counts as covering all pods of its namespace: it can
 *  concern no others. */
const Selector = z.preprocess((selector) => (sizeOf(selector) > longestSelector ? {} : selector), LabelSelector);

function sizeOf(selector: unknown): number {
  if (!isMapping(selector)) return 0;
  const { matchLabels, matchExpressions } = selector;
  const expressions = Array.isArray(matchExpressions) ? matchExpressions.slice(0, longestSelector + 1) : [];
  const ofExpressions = expressions.reduce((sum: number, each: unknown) => sum + 1 + valuesIn(each), 0);
  return (isMapping(matchLabels) ? Object.keys(matchLabels).length : 0) + ofExpressions;
}

function valuesIn(expression: unknown): number {
  return isMapping(expression) && Array.isArray(expression['values']) ? expression['values'].length : 0;
}

/** policy/v1. There an empty selector means all pods of the namespace, a missing one none. */
export const PodDisruptionBudget = z.object({
  metadata: Metadata,
  spec: z
    .object({
      minAvailable: intOrPercent,
      maxUnavailable: intOrPercent,
      selector: Selector,
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

import { referenceGroup, referenceKinds } from './reference-resources.ts';
import type { PlannedRule } from './run-plan.ts';

/** Where the API of the cluster has the MutexRule of a rule. */
export function liveRulePath({ namespace, name }: Pick<PlannedRule, 'namespace' | 'name'>): string {
  const [place, rule] = [namespace, name].map(encodeURIComponent);
  return `/apis/${referenceGroup}/v1alpha1/namespaces/${place}/${referenceKinds.MutexRule}/${rule}`;
}

import type { Node, Pod } from '../api-server/cluster-objects.ts';
import { isJsonObject, valueAt } from '../api-server/json.ts';
import { selects } from '../api-server/label-selector.ts';

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: string[];
}

const requiredTerms = [
  'affinity',
  'nodeAffinity',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'nodeSelectorTerms',
];

/** Whether one of the pod's required node terms holds; within a term all of it must. A term without anything holds for
 *  no node. Source: k8s.io/component-helpers scheduling/corev1/nodeaffinity. */
export function meetsNodeAffinity({ spec }: Pod, { metadata }: Node): boolean {
  const terms = valueAt(spec, requiredTerms);
  if (!Array.isArray(terms)) return true;
  return terms.filter(isJsonObject).some((term) => {
    const byLabel = expressionsOf(term['matchExpressions']);
    const byField = expressionsOf(term['matchFields']);
    if (byLabel.length + byField.length === 0) return false;
    return holds(byLabel, metadata.labels) && holds(byField, { 'metadata.name': metadata.name });
  });
}

function holds(matchExpressions: Expression[], labels: Record<string, string> | undefined): boolean {
  return selects({ matchExpressions }, labels, true);
}

function expressionsOf(value: unknown): Expression[] {
  if (!Array.isArray(value)) return [];
  return value.filter(isJsonObject).map(({ key, operator, values }) => ({
    key: String(key),
    operator: String(operator),
    ...(Array.isArray(values) && { values: values.map(String) }),
  }));
}

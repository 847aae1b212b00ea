import type { Inquiry } from '../../findings/inquiry.ts';
import { read } from '../../findings/unread.ts';
import type { OwnerReference } from '../objects/metadata.ts';
import { isHealthy, type Pod } from '../objects/pod.ts';
import type { PodDisruptionBudget } from '../objects/pod-disruption-budget.ts';
import { podsSelected } from '../questions.ts';

/** The primary of a database by CloudNativePG, whose budget lets it go to no node: once its node is cordoned the
 *  operator makes a replica on another node the primary, and the eviction passes. Without a healthy one elsewhere it
 *  stays. Source: cloudnative-pg internal/controller, `setPrimaryOnSchedulableNode`. Whoever writes such an owner into
 *  their own pods hides their own budget from a forecast; a drain that is blocked is told all the same.
 *  @param instances of its database (`instancesOf`) */
export function isSwitchedOver(budget: PodDisruptionBudget, pod: Pod, instances: readonly Pod[]): boolean {
  const owner = databaseOf(pod);
  if (owner === undefined || databaseOf(budget)?.name !== owner.name || !isPrimary(pod)) return false;
  return instances.some(
    (other) => databaseOf(other)?.name === owner.name && other.spec.nodeName !== pod.spec.nodeName && isHealthy(other),
  );
}

/** By the label of the operator, and by that of its earlier versions. Replicas have a budget of their own, and nobody
 *  takes their place. */
function isPrimary({ metadata: { labels } }: Pod): boolean {
  return (labels['cnpg.io/instanceRole'] ?? labels['role']) === 'primary';
}

function databaseOf({ metadata }: Pick<Pod, 'metadata'>): OwnerReference | undefined {
  return metadata.ownerReferences.find(
    ({ controller, kind, apiVersion }) =>
      controller && kind === 'Cluster' && apiVersion.startsWith('postgresql.cnpg.io/'),
  );
}

/** The pods of the database that a budget which spares none is of; none: it is of no such database, or they cannot be
 *  read. */
export function* instancesOf({ metadata, status }: PodDisruptionBudget): Inquiry<readonly Pod[]> {
  const owner = status.disruptionsAllowed === 0 ? databaseOf({ metadata }) : undefined;
  if (owner === undefined) return [];
  const pods = yield* read(podsSelected(metadata.namespace, { matchLabels: { 'cnpg.io/cluster': owner.name } }));
  return pods.kind === 'read' ? pods.value.items : [];
}

import type { Registry } from '../api-server/registry.ts';
import { daemonSets, deployments, statefulSets } from '../api-server/resource-types.ts';
import type { ResourceStatus } from './application.ts';

export type Health = 'Healthy' | 'Progressing' | 'Missing';

/** How an object is doing; nothing for the kinds that Argo CD has no check for, and it has none for those of the
 *  machine config operator. */
export function healthOf(
  registry: Registry,
  { group = '', kind, name, namespace = '' }: ResourceStatus,
): Health | undefined {
  const type = [deployments, statefulSets, daemonSets].find((each) => each.kind === kind && each.group === group);
  if (!type) return undefined;
  const workload = registry.get(type, name, namespace);
  if (!workload) return 'Missing';
  const { status = {}, spec, metadata } = workload;
  const wanted = Number(status['desiredNumberScheduled'] ?? spec.replicas ?? 1);
  const ready = Number(status['readyReplicas'] ?? status['numberReady'] ?? 0);
  return status['observedGeneration'] === metadata.generation && ready >= wanted ? 'Healthy' : 'Progressing';
}

/** The worst of all; nothing to check is healthy. */
export function worstHealth(registry: Registry, resources: readonly ResourceStatus[]): Health {
  const all = resources.map((resource) => healthOf(registry, resource));
  if (all.includes('Missing')) return 'Missing';
  return all.includes('Progressing') ? 'Progressing' : 'Healthy';
}

import type { Registry } from '../api-server/registry.ts';
import { daemonSets, deployments, statefulSets } from '../api-server/resource-types.ts';
import type { ResourceStatus } from './application.ts';

export type Health = 'Healthy' | 'Progressing' | 'Missing';

/** Health of an object; undefined for kinds without a health check in Argo CD, such as those of the Machine Config
 *  Operator. */
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

/** The worst health of all resources; Healthy when none has a check. */
export function worstHealth(registry: Registry, resources: readonly ResourceStatus[]): Health {
  const all = resources.map((resource) => healthOf(registry, resource));
  if (all.includes('Missing')) return 'Missing';
  return all.includes('Progressing') ? 'Progressing' : 'Healthy';
}

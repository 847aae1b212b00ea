import type { PodDisruptionBudget, Workload } from '../api-server/cluster-objects.ts';
import type { Registry } from '../api-server/registry.ts';
import { deployments, namespaces, podDisruptionBudgets } from '../api-server/resource-types.ts';

export interface DeploymentPlan {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly nodeSelector?: Record<string, string>;
  /** What each pod requests, as `{ cpu: '500m' }`. */
  readonly requests?: Record<string, string>;
}

export interface BudgetPlan {
  readonly namespace: string;
  readonly name: string;
  readonly minAvailable?: number | string;
  readonly maxUnavailable?: number | string;
  readonly matchLabels: Record<string, string>;
}

const person = { manager: 'kubectl-create' };

export function addNamespace(registry: Registry, name: string): void {
  if (!registry.get(namespaces, name)) registry.create(namespaces, { metadata: { name } }, person);
}

/** Pods carry the label `app: <name>`. */
export function deploy(
  registry: Registry,
  { namespace, name, replicas, nodeSelector, requests }: DeploymentPlan,
): Workload {
  addNamespace(registry, namespace);
  const labels = { app: name };
  const container = {
    name,
    image: `images.example.com/${namespace}/${name}:1`,
    ...(requests && { resources: { requests } }),
  };
  const spec = { containers: [container], ...(nodeSelector && { nodeSelector }) };
  return registry.create(
    deployments,
    {
      metadata: { name, namespace, labels },
      spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
    person,
  );
}

export function addDisruptionBudget(
  registry: Registry,
  { namespace, name, minAvailable, maxUnavailable, matchLabels }: BudgetPlan,
): PodDisruptionBudget {
  addNamespace(registry, namespace);
  const spec = {
    ...(minAvailable !== undefined && { minAvailable }),
    ...(maxUnavailable !== undefined && { maxUnavailable }),
    selector: { matchLabels },
  };
  return registry.create(podDisruptionBudgets, { metadata: { name, namespace }, spec }, person);
}

import type { Application, ManagedResource, OperationResult } from '../application.ts';
import type { Pool } from '../pool.ts';
import { poolSelects } from '../selector.ts';

/** Annotation on an Application that names its pools itself: `worker,infra`, or `none`. The most trusted answer. */
export const poolsAnnotation = 'poolkeeper.dev/pools';

const machineConfigGroup = 'machineconfiguration.openshift.io';

/** Kinds that the MCO renders for every pool, or whose pools cannot be told from their name alone. Unknown counts as a match.
 *  Source: MCO render, kubelet-config, container-runtime-config and template controllers. */
const rendersForEveryPool: Readonly<Record<string, readonly string[]>> = {
  [machineConfigGroup]: ['KubeletConfig', 'ContainerRuntimeConfig', 'MachineOSConfig'],
  'config.openshift.io': [
    'Image',
    'ImageDigestMirrorSet',
    'ImageTagMirrorSet',
    'ClusterImagePolicy',
    'ImagePolicy',
    'Node',
    'FeatureGate',
    'APIServer',
    'Proxy',
  ],
  'operator.openshift.io': ['ImageContentSourcePolicy'],
};

/** Labels of a MachineConfig, from its metadata. */
export interface LabelledMachineConfig {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Which pools an Application's sync may make the MCO roll, and how that is known. */
export interface Touch {
  readonly pools: readonly string[];
  readonly why: string;
}

type Resource = Pick<ManagedResource, 'group' | 'kind' | 'name'>;

/** The one entrance: from an Application to the pools it touches.
 *  Order of trust: its annotation, then the kinds it manages and the kinds its operation wrote or pruned. */
export function poolsTouched(
  application: Application,
  live: { readonly pools: readonly Pool[]; readonly machineConfigs: readonly LabelledMachineConfig[] },
): Touch {
  const named = application.annotations[poolsAnnotation];
  if (named !== undefined) return namedPools(named, live.pools);

  const rendered = renderedResources(application);
  if (rendered.length === 0) return { pools: [], why: 'it manages nothing that the Machine Config Operator renders' };

  const touched = live.pools.filter((pool) => rendered.some((resource) => touches(resource, pool, live)));
  const names = rendered.slice(0, 3).map((resource) => `${resource.kind} ${resource.name}`);
  const more = rendered.length > names.length ? ` and ${rendered.length - names.length} more` : '';
  return { pools: touched.map((pool) => pool.name), why: `it manages ${names.join(', ')}${more}` };
}

/** Names of the MachineConfigs whose labels must be read before the pools can be told: no pool's render lists them. */
export function unplacedMachineConfigs(application: Application, pools: readonly Pool[]): readonly string[] {
  if (application.annotations[poolsAnnotation] !== undefined) return [];
  const placed = new Set(pools.flatMap((pool) => pool.target.sources));
  return renderedResources(application)
    .filter((resource) => isMachineConfig(resource) && !placed.has(resource.name))
    .map((resource) => resource.name);
}

/** What the Application manages, or its operation touched, that the MCO renders; hooks are no part of it. */
export function renderedResources(application: Application): readonly Resource[] {
  const results = application.operation?.results.filter((result) => result.hookType === '') ?? [];
  const seen = new Map<string, Resource>();
  for (const resource of [...application.resources, ...results]) {
    if (isRendered(resource)) seen.set(`${resource.group}/${resource.kind}/${resource.name}`, resource);
  }
  return [...seen.values()];
}

/** True for a resource whose change may give a pool a new rendered config. */
export function isRendered(resource: Pick<Resource, 'group' | 'kind'>): boolean {
  if (resource.group === machineConfigGroup && ['MachineConfig', 'MachineConfigPool'].includes(resource.kind))
    return true;
  return rendersForEveryPool[resource.group]?.includes(resource.kind) ?? false;
}

export function isMachineConfig(resource: Pick<Resource, 'group' | 'kind'>): boolean {
  return resource.group === machineConfigGroup && resource.kind === 'MachineConfig';
}

/** MachineConfigs that an operation applied: one rollout must cover them all. */
export function appliedMachineConfigs(results: readonly OperationResult[]): readonly string[] {
  return results
    .filter((result) => isMachineConfig(result) && result.hookType === '' && result.status === 'Synced')
    .map((result) => result.name);
}

function namedPools(text: string, pools: readonly Pool[]): Touch {
  const wanted = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'none');
  const known = pools.filter((pool) => wanted.includes(pool.name)).map((pool) => pool.name);
  return { pools: known, why: `its annotation ${poolsAnnotation} says ${text.trim() || 'none'}` };
}

function touches(
  resource: Resource,
  pool: Pool,
  live: { readonly machineConfigs: readonly LabelledMachineConfig[]; readonly pools: readonly Pool[] },
): boolean {
  if (resource.group === machineConfigGroup && resource.kind === 'MachineConfigPool')
    return resource.name === pool.name;
  if (!isMachineConfig(resource)) return true;
  if (pool.target.sources.includes(resource.name)) return true;

  const labelled = live.machineConfigs.find((each) => each.name === resource.name);
  if (labelled !== undefined) return poolSelects(pool.machineConfigSelector, labelled.labels);
  const isPlaced = live.pools.some((each) => each.target.sources.includes(resource.name));
  return !isPlaced;
}

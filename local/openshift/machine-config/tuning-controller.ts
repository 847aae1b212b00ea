import type { PoolTuning } from '../api-server/cluster-objects.ts';
import { sameJson } from '../api-server/json.ts';
import { keyOf, type OwnerReference } from '../api-server/kubernetes-object.ts';
import { selects } from '../api-server/label-selector.ts';
import type { Registry } from '../api-server/registry.ts';
import {
  containerRuntimeConfigs,
  kubeletConfigs,
  machineConfigPools,
  machineConfigs,
  type ResourceType,
} from '../api-server/resource-types.ts';
import type { Pace } from '../pace.ts';
import { machineConfigManifest } from './machine-config-manifest.ts';

interface Parts {
  readonly registry: Registry;
  readonly pace: Pace;
}

const manager = 'machine-config-controller';

/** From a change of a KubeletConfig or ContainerRuntimeConfig to its machine config. Milliseconds. */
const delayMs = 200;

interface Tuning {
  readonly type: ResourceType<PoolTuning>;
  /** Last part of the generated machine config's name. */
  readonly suffix: string;
  readonly file: string;
}

const tunings: readonly Tuning[] = [
  { type: kubeletConfigs, suffix: 'generated-kubelet', file: '/etc/kubernetes/kubelet.conf' },
  { type: containerRuntimeConfigs, suffix: 'generated-containerruntime', file: '/etc/crio/crio.conf.d/99-tuning' },
];

/**
 * Turns KubeletConfigs and ContainerRuntimeConfigs into machine configs for the pools that they select by the pools'
 * own labels. Pools that inherit from such a pool get it too: the machine config carries that pool's role.
 */
export function startTuningController(parts: Parts): void {
  const { registry, pace } = parts;
  registry.subscribe(({ type, kind, object }) => {
    const tuning = tunings.find((each) => each.type === type);
    if (tuning && kind !== 'DELETED') pace.after(delayMs, () => generate(parts, tuning, object.metadata.name));
  });
}

function generate(parts: Parts, tuning: Tuning, name: string): void {
  const { registry } = parts;
  const source = registry.get(tuning.type, name);
  if (!source) return;
  const pools = registry
    .list(machineConfigPools)
    .filter(({ metadata }) => selects(source.spec.machineConfigPoolSelector, metadata.labels));
  for (const pool of pools) writeMachineConfig(registry, pool.metadata.name, { tuning, source });
  writeStatus(parts, tuning.type, { source, found: pools.length > 0 });
}

function writeMachineConfig(
  registry: Registry,
  pool: string,
  { tuning, source }: { readonly tuning: Tuning; readonly source: PoolTuning },
): void {
  const { type, suffix, file } = tuning;
  const { machineConfigPoolSelector, ...settings } = source.spec;
  const name = `99-${pool}-${suffix}${ordinal(registry, type, source.metadata.name)}`;
  const manifest = machineConfigManifest(name, pool, { [file]: JSON.stringify(settings) });
  const existing = registry.get(machineConfigs, name);
  if (existing)
    registry.update(machineConfigs, { ...existing, ...(manifest.spec && { spec: manifest.spec }) }, { manager });
  else
    registry.create(
      machineConfigs,
      { ...manifest, metadata: { ...manifest.metadata, ownerReferences: [ownedBy(source)] } },
      { manager },
    );
}

/** The first object of a kind has no number. */
function ordinal(registry: Registry, type: ResourceType<PoolTuning>, name: string): string {
  const byAge = registry
    .list(type)
    .sort((left, right) => left.metadata.creationTimestamp.localeCompare(right.metadata.creationTimestamp));
  const at = byAge.findIndex(({ metadata }) => metadata.name === name);
  return at > 0 ? `-${at}` : '';
}

function writeStatus(
  { registry, pace }: Parts,
  type: ResourceType<PoolTuning>,
  { source, found }: { readonly source: PoolTuning; readonly found: boolean },
): void {
  const condition = found
    ? { type: 'Success', status: 'True' as const, message: 'Success' }
    : {
        type: 'Failure',
        status: 'False' as const,
        message: `Error: could not find any MachineConfigPool set for ${source.kind} ${source.metadata.name}`,
      };
  const last = source.status?.conditions?.at(-1);
  if (
    last?.type === condition.type &&
    last.message === condition.message &&
    source.status?.observedGeneration === source.metadata.generation
  )
    return;
  const conditions = [{ ...condition, lastTransitionTime: pace.timestamp() }];
  const status = { observedGeneration: source.metadata.generation ?? 0, conditions };
  if (sameJson(source.status, status)) return;
  registry.modify(type, keyOf(source), (draft) => Object.assign(draft, { status }), {
    manager,
    subresource: 'status',
  });
}

/** Not as controller: the render controller would take it for a rendered configuration. */
function ownedBy({ apiVersion, kind, metadata }: PoolTuning): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid };
}

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

const manager = 'machine-config-controller';

/** From a change of a tuning object to the machine config made from it. Milliseconds; it is quick. */
const delayMs = 200;

interface Tuning {
  readonly type: ResourceType<PoolTuning>;
  /** Ends the name of the machine config that is made. */
  readonly suffix: string;
  readonly file: string;
}

const tunings: readonly Tuning[] = [
  { type: kubeletConfigs, suffix: 'generated-kubelet', file: '/etc/kubernetes/kubelet.conf' },
  { type: containerRuntimeConfigs, suffix: 'generated-containerruntime', file: '/etc/crio/crio.conf.d/99-tuning' },
];

/**
 * Turns KubeletConfigs and ContainerRuntimeConfigs into machine configs for the pools that they choose by the pools'
 * own labels. Pools that inherit from such a pool get it too: the machine config carries that pool's role.
 */
export function startTuningController({ registry, pace }: { readonly registry: Registry; readonly pace: Pace }): void {
  registry.subscribe(({ type, kind, object }) => {
    const tuning = tunings.find((each) => each.type === type);
    if (tuning && kind !== 'DELETED') pace.after(delayMs, () => generate(tuning, object.metadata.name));
  });

  function generate({ type, suffix, file }: Tuning, name: string): void {
    const source = registry.get(type, name);
    if (!source) return;
    const pools = registry
      .list(machineConfigPools)
      .filter(({ metadata }) => selects(source.spec.machineConfigPoolSelector, metadata.labels));
    const { machineConfigPoolSelector, ...settings } = source.spec;
    for (const { metadata } of pools) {
      const manifest = machineConfigManifest(`99-${metadata.name}-${suffix}${ordinal(type, name)}`, metadata.name, {
        [file]: JSON.stringify(settings),
      });
      const existing = registry.get(machineConfigs, manifest.metadata.name);
      if (existing)
        registry.update(machineConfigs, { ...existing, ...(manifest.spec && { spec: manifest.spec }) }, { manager });
      else
        registry.create(
          machineConfigs,
          { ...manifest, metadata: { ...manifest.metadata, ownerReferences: [ownedBy(source)] } },
          { manager },
        );
    }
    tell(type, source, pools.length > 0);
  }

  /** The first object of a kind has no number. */
  function ordinal(type: ResourceType<PoolTuning>, name: string): string {
    const byAge = registry
      .list(type)
      .sort((left, right) => left.metadata.creationTimestamp.localeCompare(right.metadata.creationTimestamp));
    const at = byAge.findIndex(({ metadata }) => metadata.name === name);
    return at > 0 ? `-${at}` : '';
  }

  function tell(type: ResourceType<PoolTuning>, source: PoolTuning, found: boolean): void {
    const message = found
      ? 'Success'
      : `Error: could not find any MachineConfigPool set for ${source.kind} ${source.metadata.name}`;
    const condition = found
      ? { type: 'Success', status: 'True' as const, message }
      : { type: 'Failure', status: 'False' as const, message };
    const last = source.status?.conditions?.at(-1);
    if (
      last?.type === condition.type &&
      last.message === message &&
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
}

/** Not as controller: the render controller would take it for a configuration rendered by somebody else. */
function ownedBy({ apiVersion, kind, metadata }: PoolTuning): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid };
}

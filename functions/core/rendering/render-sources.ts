import type { PoolChooser } from '../impact/pools-of-managed.ts';
import type { DisruptionPolicy } from './disruption-policy.ts';
import type { MachineConfigContent } from './machine-config.ts';

/** What a prediction needs of a cluster beside its pools. It holds the content of MachineConfigs, which may be secret: it stays in memory. */
export interface RenderSources {
  /** Every MachineConfig that one of the pools merges, with its content. */
  readonly machineConfigs: readonly MachineConfigContent[];
  /** Undefined: the cluster has none, or it may not be read; then the MCO's defaults are taken. */
  readonly policy: DisruptionPolicy | undefined;
  /** What KubeletConfigs and ContainerRuntimeConfigs choose pools by; undefined: not read, and any of them may choose any pool. */
  readonly choosers: readonly PoolChooser[] | undefined;
  readonly isSingleNode: boolean;
  /** Pools whose nodes run an image that is built on the cluster. */
  readonly layeredPools: readonly string[];
}

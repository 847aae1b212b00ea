import type { LabelSelector } from './selector.ts';

/** A MachineConfig by its metadata alone: pools select MachineConfigs by label. */
export interface LabelledMachineConfig {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** ISO instant of the newest write to its spec; absent: not known. */
  readonly changedAt?: string | undefined;
}

/** MachineConfigs that were asked for and could not be read, and why, by name. They may be there, with any labels. */
export type UnreadMachineConfigs = ReadonlyMap<string, string>;

/** How a KubeletConfig, ContainerRuntimeConfig or MachineOSConfig of the cluster chooses its pools. */
export interface PoolChooser {
  readonly kind: string;
  readonly name: string;
  /** Selects pools by their labels. Undefined: it has none. */
  readonly selector: LabelSelector | undefined;
  /** The one pool that a MachineOSConfig names. */
  readonly pool?: string | undefined;
}

import type { LabelSelector } from './selector.ts';

/** Labels of a MachineConfig, from its metadata. */
export interface LabelledMachineConfig {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** How a KubeletConfig, ContainerRuntimeConfig or MachineOSConfig of the cluster chooses its pools. */
export interface PoolChooser {
  readonly kind: string;
  readonly name: string;
  readonly selector: LabelSelector | undefined;
  /** The one pool that a MachineOSConfig names. */
  readonly pool?: string | undefined;
}

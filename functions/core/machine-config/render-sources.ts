import type { PoolChooser } from '../openshift/pool-chooser.ts';
import type { Observed } from '../text/observed.ts';
import type { DisruptionPolicy } from './disruption-policy.ts';
import type { MachineConfigContent } from './machine-config.ts';

/** The properties of a cluster that affect the disruption of a change. In texts for people, unknown means the MCO's
 *  default; in a decision it stays unknown. */
export interface ClusterCircumstances {
  /** Undefined: there is none, it may not be read, or it lags behind its spec. */
  readonly policy: DisruptionPolicy | undefined;
  readonly isSingleNode: boolean;
  /** Pools whose nodes run an image built on the cluster; undefined: unknown. */
  readonly layeredPools: readonly string[] | undefined;
}

/** What a prediction needs of a cluster besides its pools. Contains the content of MachineConfigs, which may be secret:
 *  it stays in memory. */
export interface RenderSources extends ClusterCircumstances {
  /** Every MachineConfig that one of the pools merges, with its content. */
  readonly machineConfigs: readonly MachineConfigContent[];
  /** By what KubeletConfigs, ContainerRuntimeConfigs and MachineOSConfigs choose pools; if not observed, they may
   *  choose any pool. */
  readonly choosers: Observed<readonly PoolChooser[]>;
}

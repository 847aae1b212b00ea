import type { PoolChooser } from '../openshift/pool-chooser.ts';
import type { Observed } from '../text/observed.ts';
import type { DisruptionPolicy } from './disruption-policy.ts';
import type { MachineConfigContent } from './machine-config.ts';

/** What of a cluster decides how much a difference hurts. For telling people, what is not known is taken as the
 *  MCO's default; for a decision it is not known. */
export interface ClusterCircumstances {
  /** Undefined: the cluster has none, it may not be read, or it has not caught up with its spec. */
  readonly policy: DisruptionPolicy | undefined;
  readonly isSingleNode: boolean;
  /** Pools whose nodes run an image that is built on the cluster; undefined: not known. */
  readonly layeredPools: readonly string[] | undefined;
}

/** What a prediction needs of a cluster beside its pools. It holds the content of MachineConfigs, which may be
 *  secret: it stays in memory. */
export interface RenderSources extends ClusterCircumstances {
  /** Every MachineConfig that one of the pools merges, with its content. */
  readonly machineConfigs: readonly MachineConfigContent[];
  /** What KubeletConfigs, ContainerRuntimeConfigs and MachineOSConfigs choose pools by; what was not seen may choose
   *  any pool. */
  readonly choosers: Observed<readonly PoolChooser[]>;
}

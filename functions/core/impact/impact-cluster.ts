import type { DisruptionPolicy } from '../machine-config/disruption-policy.ts';
import type { MachineConfigContent } from '../machine-config/machine-config.ts';
import type { Pool } from '../openshift/pool.ts';
import type { WarnedNode } from './pool-warnings.ts';
/** The fields of a pool that a prediction needs. */
export type ImpactPool = Pick<
  Pool,
  'name' | 'labels' | 'machineConfigSelector' | 'nodeSelector' | 'maxUnavailable' | 'counts'
>;

/** The fields of a cluster that a prediction needs; unknown values make the result worse, never better. */
export interface ImpactCluster {
  readonly name: string;
  readonly pools: readonly ImpactPool[];
  /** MachineConfigs of the cluster with their content; undefined if they may not be read: then only the two sides in
   *  Git count. */
  readonly machineConfigs?: readonly MachineConfigContent[] | undefined;
  /** Effective NodeDisruptionPolicy; undefined: the MCO's defaults. */
  readonly policy?: DisruptionPolicy | undefined;
  /** One node is control plane and worker (`Infrastructure` topology SingleReplica). */
  readonly isSingleNode?: boolean | undefined;
  /** Pools for which a MachineOSConfig builds images; undefined: unknown, so that any pool may be one. */
  readonly layeredPools?: readonly string[] | undefined;
  /** For warnings of overlapping pools; undefined: only overlaps that the selectors prove. */
  readonly nodes?: readonly WarnedNode[] | undefined;
}

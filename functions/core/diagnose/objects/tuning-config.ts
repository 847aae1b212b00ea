import * as z from 'zod';
import { Condition, LabelSelector, listOf, Metadata, maybeCount } from './metadata.ts';

/** A KubeletConfig, ContainerRuntimeConfig, ControllerConfig, MachineOSBuild or ClusterOperator: only what the MCO
 *  says of it and which pools it is for, never what it holds. */
export const TuningConfig = z.object({
  metadata: Metadata,
  spec: z.object({ machineConfigPoolSelector: LabelSelector }).catch({ machineConfigPoolSelector: undefined }),
  status: z
    .object({ observedGeneration: maybeCount, conditions: listOf(Condition) })
    .catch({ observedGeneration: undefined, conditions: [] }),
});
export type TuningConfig = z.infer<typeof TuningConfig>;

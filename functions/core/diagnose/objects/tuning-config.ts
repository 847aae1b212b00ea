import * as z from 'zod';
import { Condition, LabelSelector, listOf, Metadata, maybeCount } from './metadata.ts';

/** A ControllerConfig, MachineOSBuild or ClusterOperator: only what is said of it, never what it holds. */
export const Reported = z.object({
  metadata: Metadata,
  status: z
    .object({ observedGeneration: maybeCount, conditions: listOf(Condition) })
    .catch({ observedGeneration: undefined, conditions: [] }),
});
export type Reported = z.infer<typeof Reported>;

/** A KubeletConfig or ContainerRuntimeConfig: also which pools it is for. */
export const TuningConfig = Reported.extend({
  spec: z.object({ machineConfigPoolSelector: LabelSelector }).catch({ machineConfigPoolSelector: undefined }),
});
export type TuningConfig = z.infer<typeof TuningConfig>;

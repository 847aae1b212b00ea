import * as z from 'zod';
import { Condition, listOf, Metadata } from './metadata.ts';

/** A KubeletConfig, ContainerRuntimeConfig, ControllerConfig, MachineOSBuild or ClusterOperator: only what the MCO
 *  says of it, never what it holds. */
export const TuningConfig = z.object({
  metadata: Metadata,
  status: z.object({ conditions: listOf(Condition) }).catch({ conditions: [] }),
});
export type TuningConfig = z.infer<typeof TuningConfig>;

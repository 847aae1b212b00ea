import * as z from 'zod';
import { Condition, listOf, Metadata, text } from './metadata.ts';

/** One per node, same name, since OpenShift 4.19: what the config daemon is doing and why it is stuck, without reading
 *  a log. A condition is `Unknown` while its step runs and after a failed attempt; its message tells which. */
export const MachineConfigNode = z.object({
  metadata: Metadata,
  /** Which rendered config its conditions are about. */
  spec: z.object({ configVersion: z.object({ desired: text }) }).catch({ configVersion: { desired: '' } }),
  status: z.object({ conditions: listOf(Condition) }).catch({ conditions: [] }),
});
export type MachineConfigNode = z.infer<typeof MachineConfigNode>;

/** What is read of the objects of a cluster, for those who follow them. */
export { machineAnnotation } from './objects/machine.ts';
export type { MachineConfigNode } from './objects/machine-config-node.ts';
export { type Condition, conditionOf } from './objects/metadata.ts';
export { isNodeReady } from './objects/node.ts';

/** Lint of a MachineConfig before it is rendered. */
export { lintMachineConfig } from './lint/lint-machine-config.ts';

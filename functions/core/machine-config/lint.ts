/** Lint of the MachineConfigs of a change before they are rendered. */
export { type ChangeLint, changeLint } from './lint/lint-change.ts';

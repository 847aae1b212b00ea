/** Log lines around a failure. */
export { type BootedSystem, changesText } from './logs/booted-system.ts';
export { bootedSystemOf, logCalls, logPath, readLog } from './logs/read-log.ts';

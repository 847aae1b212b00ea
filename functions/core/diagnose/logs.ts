/** Log lines around a failure. */
export { logCalls, logPath, readLog } from './logs/read-log.ts';

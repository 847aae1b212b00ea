/** Texts of the MCO that others read as well. */
export { parseNodeDegraded } from './text/node-degraded-text.ts';
export { errorText, isDrainTimeout, readNodeReason } from './text/node-reason.ts';

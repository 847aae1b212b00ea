/** Changes that certainly do nothing to the nodes need no pause. */
export { type Harm, type HarmSight, noHarmSeen } from './skip-harmless/disruption-forecast.ts';
export { askForHarm, harmOf, mayBeSpared } from './skip-harmless/disruption-of-push.ts';
export { runningSpared, sparedNow, stillSpared } from './skip-harmless/unpaused-sync.ts';

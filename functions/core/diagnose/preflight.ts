/** What stops the drains of a rollout that has not begun. */
export type { Obstacle } from './preflight/obstacle.ts';
export { nodesToDrain, type Preflight, preflight } from './preflight/preflight.ts';
export { preflightText } from './preflight/preflight-text.ts';

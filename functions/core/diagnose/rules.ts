/** Rules whose findings the judge adds without a look at the cluster. */

export { drainingSincePath } from './rules/drain.ts';
export { inNoPool } from './rules/no-pool.ts';
export { onControlPlane } from './rules/on-control-plane.ts';
export { explainPause } from './rules/paused.ts';
export { inSeveralPools } from './rules/several-pools.ts';
export { leftPath, usedUpPath } from './rules/stalled.ts';

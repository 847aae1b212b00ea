import type { Pool } from '../openshift/pool.ts';
import type { Snapshot } from './snapshot.ts';

/** One pool, with everything that a pass has seen of its cluster. */
export interface PoolInSnapshot {
  readonly pool: Pool;
  readonly snapshot: Snapshot;
  readonly now: Date;
}

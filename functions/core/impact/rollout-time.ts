import type { Pool } from '../openshift/pool.ts';
import { durationText } from './estimate.ts';
import type { NodePace } from './node-pace.ts';
import { nodesTogether } from './nodes-at-once.ts';

/** How long the rest of a rollout takes if its nodes are slow: what it may need is asked, not what it usually needs. */
export interface RolloutTime {
  /** Minutes until the last node is back. */
  readonly whole: number;
  /** Minutes until the nodes that would begin now are back. */
  readonly next: number;
  /** `10 nodes, one at a time, up to 15 min each`. */
  readonly text: string;
}

export function rolloutTime(
  { counts: { machines, updated }, maxUnavailable }: Pick<Pool, 'counts' | 'maxUnavailable'>,
  { slow }: NodePace,
): RolloutTime {
  const left = Math.max(0, machines - updated);
  const atOnce = nodesTogether(maxUnavailable, machines, left);
  const nodes = `${left} ${left === 1 ? 'node' : 'nodes'}`;
  const pace = atOnce === 1 ? 'one at a time' : `${atOnce} at a time`;
  return {
    whole: Math.ceil(left / atOnce) * slow,
    next: left === 0 ? 0 : slow,
    text: `${nodes}, ${pace}, up to ${durationText(slow)} each`,
  };
}

import type { PoolImpact } from '../report.ts';

/** `12 nodes, 1 at a time`. */
export function nodesWords({ machines, maxUnavailable }: Pick<PoolImpact, 'machines' | 'maxUnavailable'>): string {
  if (machines === 0) return 'no nodes';
  return `${machines} ${machines === 1 ? 'node' : 'nodes'}, ${maxUnavailable} at a time`;
}

import type { PoolView } from './view.ts';

/** `rolls`: nodes go to another config or image, or back to the former one. `lacks-nodes`: nothing is rolled out, and
 *  the MCO calls the pool updating as long as a node of it is cordoned or not ready. */
export type Movement = 'rolls' | 'lacks-nodes' | 'none';

/** What the nodes of a pool do that is not paused. Failed nodes do not count: they may have failed long after. */
export function movementOf({
  pending,
  updating,
  degraded,
  counts,
}: Pick<PoolView, 'pending' | 'updating' | 'degraded'> & {
  readonly counts: Pick<PoolView['counts'], 'machines' | 'updated' | 'unavailable' | 'degraded'>;
}): Movement {
  if (pending || counts.updated + counts.degraded < counts.machines) return 'rolls';
  return !degraded && (updating || counts.unavailable > 0) ? 'lacks-nodes' : 'none';
}

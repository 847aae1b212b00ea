import type { PoolView } from './view.ts';

/** Whether a person resumed it past a hold. Views of earlier versions know it of the pool alone. */
export function isOverridden({ holds, paused, pauseOf }: Pick<PoolView, 'holds' | 'paused' | 'pauseOf'>): boolean {
  return holds.some(({ overruled }) => overruled !== undefined) || (pauseOf === 'overridden' && !paused);
}

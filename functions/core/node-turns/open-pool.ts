import type { RunPool } from './run-question.ts';
import { isAt, type TurnNode } from './turn-node.ts';

/** The first pool of the run that is not paused, so that the MCO would take its nodes without their Jobs. One that
 *  somebody has resumed past the run, and that has no such node any more, keeps nobody from going. */
export function openPool(pools: readonly RunPool[], nodes: readonly TurnNode[]): RunPool | undefined {
  const hasLeft = ({ name, target }: RunPool) => nodes.some((node) => node.pool === name && !isAt(node, target));
  return pools.find((pool) => !pool.isPaused && (pool.isResumed !== true || hasLeft(pool)));
}

import { isAtRest, type Pool } from '../openshift/pool.ts';

/** How a pool stood at the last pass after which everything known of its nodes was stored. */
export interface PoolMark {
  /** `status.configuration`: the config that all its nodes had. */
  readonly config: string;
  readonly updated: number;
  readonly machines: number;
  /** Every node ran `config`. */
  readonly isAtRest: boolean;
  /** ISO instant of that pass. */
  readonly at: string;
}

export function poolMark(pool: Pool, at: string): PoolMark {
  const { machines, updated } = pool.counts;
  return { config: pool.current.name, updated, machines, isAtRest: isAtRest(pool), at };
}

/** Whether nodes may have changed their config, come or gone since, even if the pool is at rest now as it was then.
 *  Without a mark nothing can be compared. */
export function mayHaveChanged({ current, counts }: Pool, mark: PoolMark | undefined): boolean {
  if (mark === undefined) return false;
  return current.name !== mark.config || counts.updated !== mark.updated || counts.machines !== mark.machines;
}

/** The marks, by pool, unless they are older than the last pass. */
export function marksOf(checkpoint: {
  readonly marks?: Readonly<Record<string, PoolMark>> | undefined;
  readonly marksAt?: string | undefined;
  readonly lastGoodReadAt: string | undefined;
}): Readonly<Record<string, PoolMark>> {
  const { marks = {}, marksAt, lastGoodReadAt } = checkpoint;
  return marksAt === lastGoodReadAt ? marks : {};
}

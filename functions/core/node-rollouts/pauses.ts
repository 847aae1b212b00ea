import type { Node } from '../openshift/node.ts';
import type { PausedPool } from '../openshift/paused-pool.ts';
import type { Pool } from '../openshift/pool.ts';

/** Nodes that joined during one pause, listed at most. */
const listedAtMost = 100;

/** Whether nodes may have come or gone since the pool's nodes were last read: its count changed, or a new node has not
 *  reported its config. */
export function mayHaveJoined(pool: Pool, known: PausedPool | undefined): boolean {
  if (!pool.paused || known === undefined) return false;
  return known.machines !== pool.counts.machines || known.joined.some(({ config }) => config === '');
}

/** What is kept about a paused pool from pass to pass: its node count, and the nodes created since it was paused.
 *  @param known what the pass before kept
 *  @param nodes members of the pool; undefined if they were not read in this pass
 *  @returns undefined if the pool is not paused */
export function pausedNow(
  pool: Pool,
  known: PausedPool | undefined,
  nodes: readonly Node[] | undefined,
): PausedPool | undefined {
  if (!pool.paused) return undefined;
  if (nodes === undefined) return known ?? { machines: pool.counts.machines, joined: [] };
  const since = pausedSince(pool);
  const joined = nodes.flatMap(({ name, createdAt, currentConfig }) =>
    createdAt === undefined || since === undefined || Date.parse(createdAt) <= Date.parse(since)
      ? []
      : [{ name, at: createdAt, config: currentConfig }],
  );
  return {
    machines: pool.counts.machines,
    joined: joined.toSorted((a, b) => (a.at < b.at ? -1 : 1)).slice(0, listedAtMost),
  };
}

function pausedSince({ record, pausedBy }: Pool): string | undefined {
  return (record.kind === 'record' ? record.record.pausedSince : undefined) ?? pausedBy?.at;
}

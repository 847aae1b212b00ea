import type { Diagnosis } from '../../functions/core/diagnose/diagnosis.ts';
import { lookInto } from '../../functions/keep-pools/watch/look-into.ts';
import type { ClusterReader } from '../../local/snapshot/cluster-reader.ts';

export interface DrainQuestion {
  readonly pool: string;
  readonly node: string;
  /** Since when the node is being drained, and when somebody asks. ISO instants. */
  readonly since: string;
  readonly readAt: string;
}

/** Why this node cannot be drained, with as many calls as a pass allows itself. */
export async function explainDrain({ pools, reader }: ClusterReader, asked: DrainQuestion): Promise<Diagnosis> {
  const pool = (await pools.listPools()).items.find(({ name }) => name === asked.pool);
  if (pool?.nodeSelector === undefined) throw new Error(`there is no pool ${asked.pool}`);
  const { items: nodes } = await pools.listNodes(pool.nodeSelector);
  const node = nodes.find(({ name }) => name === asked.node);
  if (node === undefined) throw new Error(`there is no node ${asked.node}`);
  const { since, readAt } = asked;
  const subject = { kind: 'node', symptom: 'draining', cluster: 'lab', pool, nodes, node, since, readAt } as const;
  return lookInto(subject, reader, { maxCalls: 15 });
}

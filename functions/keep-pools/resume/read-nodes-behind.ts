import type { NodeBehind } from '../../core/gates/evidence.ts';
import { hasJustJoined, membersOf } from '../../core/openshift/membership.ts';
import { isBehind } from '../../core/openshift/node.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { type Observed, seen, unreadable } from '../../core/text/observed.ts';
import { readNodes, withoutNodesOf } from '../read/read-nodes.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** Which nodes of these pools the MCO has not taken to the config of their pool yet. */
export async function readNodesBehind(reading: EvidenceReading): Promise<GatheredEvidence> {
  const read = new Map(
    await Promise.all(reading.candidates.map(async (pool) => [pool.name, await behindIn(pool, reading)] as const)),
  );
  return {
    ofPool: (pool) => {
      const nodesBehind = read.get(pool);
      return nodesBehind === undefined ? {} : { nodesBehind };
    },
  };
}

async function behindIn(
  pool: Pool,
  { cluster, snapshot, now }: EvidenceReading,
): Promise<Observed<readonly NodeBehind[]>> {
  const { nodes: read, unreadable: invalid } = await readNodes(pool, cluster.pools);
  const nodes = withoutNodesOf(snapshot.unreadablePools, read);
  if (nodes.kind !== 'seen') return unreadable(nodes.kind === 'unreadable' ? nodes.why : 'not read');
  const behind = membersOf(pool, snapshot.pools, nodes.value).filter((node) => isBehind(node, pool));
  const [first] = invalid;
  if (behind.length === 0 && first !== undefined) return unreadable(`node ${first.name} cannot be parsed`);
  return seen(
    behind.map((node) => ({ name: node.name, hasJustJoined: hasJustJoined(node, pool) })),
    now,
  );
}

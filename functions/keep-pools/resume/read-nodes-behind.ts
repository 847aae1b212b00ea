import type { Evidence, NodeBehind } from '../../core/gates/evidence.ts';
import { wantedImage } from '../../core/openshift/image-build.ts';
import { hasJustJoined, membersOf } from '../../core/openshift/membership.ts';
import { isBehind } from '../../core/openshift/node.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { type Observed, seen, seenValue, unreadable } from '../../core/text/observed.ts';
import { readNodes, withoutNodesOf } from '../read/read-nodes.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';
import { imagesOn } from './read-images.ts';

/** Which nodes of these pools the MCO has not taken to the config of their pool yet, or in image mode to its image.
 *  Where images cannot be read, the gate `image` says so, and nodes go by their configs. */
export async function readNodesBehind(reading: EvidenceReading): Promise<GatheredEvidence> {
  const images = await imagesOn(reading);
  const read = new Map(
    await Promise.all(
      reading.candidates.map(
        async (pool) => [pool.name, { images, nodesBehind: await behindIn(pool, images, reading) }] as const,
      ),
    ),
  );
  return { ofPool: (pool) => read.get(pool) ?? {} };
}

async function behindIn(
  pool: Pool,
  images: Evidence['images'],
  { cluster, snapshot, now }: EvidenceReading,
): Promise<Observed<readonly NodeBehind[]>> {
  const { nodes: read, unreadable: invalid } = await readNodes(pool, cluster.pools);
  const nodes = withoutNodesOf(snapshot.unreadablePools, read);
  if (nodes.kind !== 'seen') return unreadable(nodes.kind === 'unreadable' ? nodes.why : 'not read');
  const listed = seenValue(images);
  const wanted = listed?.kind === 'listed' ? wantedImage(pool.name, listed) : undefined;
  const behind = membersOf(pool, snapshot.pools, nodes.value).filter((node) => isBehind(node, pool, wanted));
  const [first] = invalid;
  if (behind.length === 0 && first !== undefined) return unreadable(`node ${first.name} cannot be parsed`);
  return seen(
    behind.map((node) => ({ name: node.name, hasJustJoined: hasJustJoined(node, pool) })),
    now,
  );
}

import { readUpdateOf } from '../read/read-version-update.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** Whether an update of the cluster's version is under way. */
export async function readUpdate({ cluster, now }: EvidenceReading): Promise<GatheredEvidence> {
  const versionUpdate = await readUpdateOf(cluster.reader, now);
  return { ofPool: () => ({ versionUpdate }) };
}

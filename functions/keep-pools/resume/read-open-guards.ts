import { idOfCluster } from '../../core/guard/guarded-cluster.ts';
import { openGuardsOf, unreadableRecord } from '../../core/guard/open-guards.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import { readProjects } from '../read/read-projects.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** Whose guards are open, read after the pools were. */
export async function readOpenGuards({ snapshot, now, ports }: EvidenceReading): Promise<GatheredEvidence> {
  const cluster = snapshot.settings.name;
  const { projects, failure } = await readProjects(cluster, ports);
  const left = failure ?? unreadableRecord(projects);
  if (left !== undefined) return { ofPool: () => ({ openGuards: unreadable(left) }) };
  // Where it cannot be told, those of another cluster of this name count as well.
  const id = idOfCluster(snapshot);
  const ids = id === undefined ? undefined : [id, ...(snapshot.guardIds ?? [])];
  return { ofPool: (pool) => ({ openGuards: seen(openGuardsOf(projects, { cluster, ids, pool }), now) }) };
}

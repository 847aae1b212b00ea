import type { Evidence } from '../../core/gates/evidence.ts';
import { isWithoutRights } from '../../core/text/errors.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import { whyUnread } from '../read/why-unread.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** The images that are built for pools: one list, and another where the cluster has any. */
export async function readImages(reading: EvidenceReading): Promise<GatheredEvidence> {
  const images = await imagesOn(reading);
  return { ofPool: () => ({ images }) };
}

/** Of one cluster: what the pass has read of them, for whichever pool, else one read. Rejects never. */
export async function imagesOn({
  snapshot,
  cluster,
  now,
  ports,
}: Pick<EvidenceReading, 'snapshot' | 'cluster' | 'now' | 'ports'>): Promise<Evidence['images']> {
  const known = [...snapshot.evidence.values()].find(({ images }) => images.kind !== 'not-asked');
  if (known !== undefined) return known.images;
  try {
    return seen({ kind: 'listed', ...(await cluster.renderings.readImages()) }, now);
  } catch (cause) {
    return isWithoutRights(cause) ? seen(forbidden, now) : unreadable(whyUnread(cause, ports.logger));
  }
}

const forbidden = {
  kind: 'forbidden' as const,
  why: 'Poolkeeper may not list MachineOSConfigs and MachineOSBuilds, run `poolkeeper connect` again',
};

import type { Evidence } from '../../core/gates/evidence.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import { whyUnread } from '../read/why-unread.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';
import { imagesOn } from './read-images.ts';

/** What people have said about the changes of these pools: one query for each. In image mode a change is known by its
 *  image, which is handed on to the gate `image`. */
export async function readApprovals(reading: EvidenceReading): Promise<GatheredEvidence> {
  const images = await imagesOn(reading);
  const read = new Map(
    await Promise.all(reading.candidates.map(async ({ name }) => [name, await approvalsOf(name, reading)] as const)),
  );
  return {
    ofPool: (pool) => {
      const approvals = read.get(pool);
      return approvals === undefined ? {} : { approvals, images };
    },
  };
}

async function approvalsOf(pool: string, { snapshot, now, ports }: EvidenceReading): Promise<Evidence['approvals']> {
  try {
    return seen(await ports.approvals.list(snapshot.settings.name, pool), now);
  } catch (cause) {
    return unreadable(whyUnread(cause, ports.logger));
  }
}

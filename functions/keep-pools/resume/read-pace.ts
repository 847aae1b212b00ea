import { nodePaceOf } from '../../core/node-rollouts/pace.ts';
import { Transient } from '../../core/text/errors.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** How long nodes take, from the stored history of the cluster. */
export async function readPace({ snapshot, ports, now }: EvidenceReading): Promise<GatheredEvidence> {
  try {
    const stored = await ports.nodeRollouts.load(snapshot.settings.name);
    return { ofPool: (pool) => ({ pace: seen(nodePaceOf(stored?.paces[pool]), now) }) };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const pace = unreadable(cause.message);
    return { ofPool: () => ({ pace }) };
  }
}

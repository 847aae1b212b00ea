import type { Evidence } from '../../core/gates/evidence.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import { whyUnread } from '../read/why-unread.ts';
import { boundedPorts, turnsAtMost } from '../sequences/bounded-ports.ts';
import type { SequencePorts } from '../sequences/sequence-ports.ts';
import { turnOf } from '../sequences/turn-of.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** Whether the turns of these pools have come in their sequences. */
export async function readTurns(reading: EvidenceReading): Promise<GatheredEvidence> {
  const ports = boundedPorts(reading.ports, turnsAtMost);
  const read = new Map(
    await Promise.all(
      reading.candidates.map(async (pool) => [pool.name, await turnFor(pool, reading, ports)] as const),
    ),
  );
  return {
    ofPool: (pool) => {
      const turn = read.get(pool);
      return turn === undefined ? {} : { turn };
    },
  };
}

async function turnFor(
  { name }: Pool,
  { snapshot, now, ports: { logger } }: EvidenceReading,
  ports: SequencePorts,
): Promise<Evidence['turn']> {
  const step = snapshot.sequenceSteps?.get(name);
  if (step === undefined) return unreadable('it is in no sequence');
  try {
    return seen(await turnOf(step, ports), now);
  } catch (cause) {
    return unreadable(whyUnread(cause, logger));
  }
}

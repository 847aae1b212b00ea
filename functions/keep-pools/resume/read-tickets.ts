import { ticketUrl } from '../../core/configuration/ticket.ts';
import type { Evidence } from '../../core/gates/evidence.ts';
import { settingsOf } from '../../core/openshift/managed-pools.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import { whyUnread } from '../read/why-unread.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** What the tickets of these pools say. */
export async function readTickets(reading: EvidenceReading): Promise<GatheredEvidence> {
  const read = new Map(
    await Promise.all(reading.candidates.map(async (pool) => [pool.name, await ticketOf(pool, reading)] as const)),
  );
  return {
    ofPool: (pool) => {
      const ticket = read.get(pool);
      return ticket === undefined ? {} : { ticket };
    },
  };
}

async function ticketOf(pool: Pool, { snapshot, now, ports }: EvidenceReading): Promise<Evidence['ticket']> {
  const { ticket } = settingsOf(snapshot.settings, pool.name);
  if (ticket === undefined) return unreadable('none is configured');
  const names = { cluster: snapshot.settings.name, pool: pool.name, config: pool.target.name };
  try {
    return seen(await ports.tickets.ask(ticket, ticketUrl(ticket, names)), now);
  } catch (cause) {
    return unreadable(whyUnread(cause, ports.logger));
  }
}

import { isOfChange, ticketUrl } from '../../core/configuration/ticket.ts';
import { changeToApprove } from '../../core/gates/change-to-approve.ts';
import type { Evidence } from '../../core/gates/evidence.ts';
import { settingsOf } from '../../core/openshift/managed-pools.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import { whyUnread } from '../read/why-unread.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';
import { imagesOn } from './read-images.ts';

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

async function ticketOf(pool: Pool, reading: EvidenceReading): Promise<Evidence['ticket']> {
  const { snapshot, now, ports } = reading;
  const { ticket } = settingsOf(snapshot.settings, pool.name);
  if (ticket === undefined) return unreadable('none is configured');
  const asked = isOfChange(ticket) ? await changeOf(pool, reading) : { change: '' };
  if (asked.change === undefined) return unreadable(asked.why);
  const names = { cluster: snapshot.settings.name, pool: pool.name, config: asked.change };
  try {
    return seen(await ports.tickets.ask(ticket, ticketUrl(ticket, names)), now);
  } catch (cause) {
    return unreadable(whyUnread(cause, ports.logger));
  }
}

/** One ticket for each image of a rendered config, as approvals are given for it. */
async function changeOf(pool: Pool, reading: EvidenceReading) {
  const images = await imagesOn(reading);
  if (images.kind !== 'seen') return { why: images.kind === 'unreadable' ? images.why : 'its image has not been read' };
  const asked = changeToApprove(pool, images.value);
  return asked.kind === 'known' ? { change: asked.change } : { why: asked.why };
}

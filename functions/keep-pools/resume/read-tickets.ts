import { isOfChange, type Ticket, ticketUrl } from '../../core/configuration/ticket.ts';
import { changeToApprove } from '../../core/gates/change-to-approve.ts';
import type { Evidence } from '../../core/gates/evidence.ts';
import { settingsOf } from '../../core/openshift/managed-pools.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { notAsked, seen, unreadable } from '../../core/text/observed.ts';
import { whyUnread } from '../read/why-unread.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';
import { imagesOn } from './read-images.ts';

/** What the tickets of these pools say. */
export async function readTickets(reading: EvidenceReading): Promise<GatheredEvidence> {
  const { candidates, snapshot } = reading;
  const tickets = candidates.map((pool) => ({ pool, ticket: settingsOf(snapshot.settings, pool.name).ticket }));
  const isOfAny = tickets.some(({ ticket }) => ticket !== undefined && isOfChange(ticket));
  const images = isOfAny ? await imagesOn(reading) : notAsked;
  const read = new Map(
    await Promise.all(
      tickets.map(async ({ pool, ticket }) => [pool.name, await ticketOf(pool, ticket, images, reading)] as const),
    ),
  );
  return {
    ofPool: (pool) => {
      const ticket = read.get(pool);
      return ticket === undefined ? {} : { ticket };
    },
  };
}

async function ticketOf(
  pool: Pool,
  ticket: Ticket | undefined,
  images: Evidence['images'],
  { snapshot, now, ports }: EvidenceReading,
): Promise<Evidence['ticket']> {
  if (ticket === undefined) return unreadable('none is configured');
  const asked = isOfChange(ticket) ? changeOf(pool, images) : { change: '' };
  if (asked.change === undefined) return unreadable(asked.why);
  const names = { cluster: snapshot.settings.name, pool: pool.name, config: asked.change };
  try {
    return seen(await ports.tickets.ask(ticket, ticketUrl(ticket, names)), now);
  } catch (cause) {
    return unreadable(whyUnread(cause, ports.logger));
  }
}

/** One ticket for each image of a rendered config, as approvals are given for it. */
function changeOf(pool: Pool, images: Evidence['images']) {
  if (images.kind !== 'seen') return { why: images.kind === 'unreadable' ? images.why : 'its image has not been read' };
  const asked = changeToApprove(pool, images.value);
  return asked.kind === 'known' ? { change: asked.change } : { why: asked.why };
}

import type { Ticket } from '../core/configuration/ticket.ts';
import type { TicketAnswer } from '../core/gates/evidence.ts';

/** Ticket systems. */
export interface Tickets {
  /** Asks at this address, or answers as it did lately. Throws Transient for whatever cannot be read. */
  ask(ticket: Ticket, url: string): Promise<TicketAnswer>;
}

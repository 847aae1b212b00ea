import type { Ticket } from '../../core/configuration/ticket.ts';
import type { TicketAnswer } from '../../core/gates/evidence.ts';
import type { Tickets } from '../../ports/tickets.ts';
import type { Clock } from '../../ports/time.ts';
import { type GuardedGetOptions, guardedGet } from './guarded-get.ts';
import { valueAt } from './value-at.ts';

/** Bytes of an answer. */
const bodyAtMostBytes = 256 * 1024;
/** Answers kept. A thousand clusters with twenty pools are more than one process sees in the time that they count. */
const cachedAtMost = 1000;

export interface TicketServiceOptions extends GuardedGetOptions {
  readonly clock: Clock;
}

/** Tickets by HTTP, one GET each. Answers are kept in this process for as long as the configuration lets them count,
 *  failures too. */
export function ticketService(options: TicketServiceOptions): Tickets {
  const answers = new Map<string, { readonly at: number; readonly answer: Promise<TicketAnswer> }>();
  return {
    ask(ticket, url) {
      const key = JSON.stringify([ticket, url]);
      const now = options.clock().getTime();
      const known = answers.get(key);
      // One of later than now was asked for by a clock that was set back since.
      if (known !== undefined && known.at <= now && now < known.at + ticket.cacheSeconds * 1000) return known.answer;
      const answer = read(ticket, url, options);
      // Whoever asked gets the failure; here it only must not end the process.
      answer.catch(() => undefined);
      answers.delete(key);
      answers.set(key, { at: now, answer });
      for (const oldest of answers.keys()) {
        if (answers.size <= cachedAtMost) break;
        answers.delete(oldest);
      }
      return answer;
    },
  };
}

async function read(ticket: Ticket, url: string, options: TicketServiceOptions): Promise<TicketAnswer> {
  const request = { url, headers: { accept: 'application/json' }, bodyAtMostBytes };
  const { status, body } = await guardedGet(ticket, request, options);
  return { status, value: ticket.path === undefined ? undefined : valueAt(body, ticket.path) };
}

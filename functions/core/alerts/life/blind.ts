import { secondsBetween } from '../../text/durations.ts';
import type { Incident } from '../incident.ts';
import { type EvolveContext, type Evolved, iso, noted, nothing, refreshed } from './step.ts';

/** Seconds without a successful read after which messages say so: three ticks. */
export const staleAfterSeconds = 180;

/** Not readable: the state stays, and after a while messages say since when. */
export function unseen(stored: Incident, why: string, context: EvolveContext): Evolved {
  if (stored.state === 'ok') return nothing(stored);
  const stale: Incident =
    stored.staleSince === undefined ? { ...stored, staleSince: iso(context), staleWhy: why } : stored;
  const lasting = secondsBetween(stale.staleSince ?? iso(context), context.now) >= staleAfterSeconds;
  if (lasting && stored.state !== 'pending' && !wasShownStale(stale)) return refreshed(stale, context);
  return stale === stored ? nothing(stored) : noted(stale);
}

/** An edit was sent after reads began to fail, so the footer is in the messages. */
export function wasShownStale({ staleSince, lastEditAt }: Incident): boolean {
  if (staleSince === undefined || lastEditAt === undefined) return false;
  return Date.parse(lastEditAt) >= Date.parse(staleSince) + staleAfterSeconds * 1000;
}

/** The incident after a successful read, without its stale mark. */
export function inSight(incident: Incident): Incident {
  return incident.staleSince === undefined ? incident : { ...incident, staleSince: undefined, staleWhy: undefined };
}

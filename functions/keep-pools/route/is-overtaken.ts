import type { WorkEvent } from '../../../events/index.ts';
import { Transient } from '../../core/text/errors.ts';
import { secondsSince } from '../../core/text/instant.ts';
import type { KeepPorts } from '../keep-ports.ts';

/** Seconds: three ticks. A younger one is never left out, so that none is while work is done in time. */
const oldAfterSeconds = 180;

/** A tick of the clock from a backlog: one that came earlier or later has looked at the same cluster since it was sent,
 *  and it says no more than "look now". Rechecks and pushes look at less. After half an hour without passes 1,000
 *  clusters have 30,000 of them, and pushes wait behind. Where the cluster was not seen, or the table cannot be read,
 *  it is worth its pass. */
export async function isOvertaken(
  event: WorkEvent,
  { checkpoints, clock }: Pick<KeepPorts, 'checkpoints' | 'clock'>,
): Promise<boolean> {
  if (event.type !== 'poolkeeper.tick.v1' || event.data.why !== 'clock') return false;
  if (secondsSince(event.time, clock()) <= oldAfterSeconds) return false;
  try {
    const tickedAt = (await checkpoints.load(event.data.cluster))?.tickedAt;
    // One of the future was noted by a clock that has been set back since.
    if (tickedAt === undefined || secondsSince(tickedAt, clock()) < 0) return false;
    return secondsSince(event.time, new Date(tickedAt)) > 0;
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return false;
  }
}

import type { PublishedEvent } from '../../../events/index.ts';
import type { Transient } from '../../core/text/errors.ts';
import type { TimelineEntry } from '../../core/timeline/view.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { firstFailure, ownPart } from '../own-part.ts';

/** Writes the entries to the timeline and publishes the events, each whether the other fails or not.
 *  @returns why not all of it could be; undefined: it was. Whoever calls it has the next pass publish again */
export async function publish(
  { entries, events }: { readonly entries: readonly TimelineEntry[]; readonly events: readonly PublishedEvent[] },
  cluster: string,
  ports: Pick<KeepPorts, 'timeline' | 'bus' | 'logger'>,
): Promise<Transient | undefined> {
  const append = async () => (entries.length > 0 ? ports.timeline.append(entries) : undefined);
  const send = async () => (events.length > 0 ? ports.bus.publish(events) : undefined);
  return firstFailure([
    await ownPart('writing the timeline', { cluster }, append, ports),
    await ownPart('publishing events', { cluster }, send, ports),
  ]);
}

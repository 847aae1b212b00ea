import { Transient } from '../../core/text/errors.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { stable } from '../../core/text/stable.ts';
import type { TimelineEntry } from '../../core/timeline/view.ts';
import type { KeepPorts } from '../keep-ports.ts';

/** Seconds back to which each sweep puts entries on the timeline again: three of its usual intervals. */
const againWithinSeconds = 900;

/** What the log of a record has gained, and in a sweep what it has of the last quarter of an hour: the look that wrote
 *  it may have ended, or failed, before it was on the timeline, which has each entry once. */
export function entriesToNote<Entry extends { readonly at: string }>(
  before: readonly Entry[],
  log: readonly Entry[],
  { isSweep, now }: { readonly isSweep: boolean; readonly now: Date },
): readonly Entry[] {
  const known = new Set(before.map(stable));
  return log.filter(
    (entry) => !known.has(stable(entry)) || (isSweep && secondsSince(entry.at, now) < againWithinSeconds),
  );
}

/** The next sweep does what fails here, unless it comes too late. */
export async function noteEntries(
  entries: readonly TimelineEntry[],
  { timeline, logger }: Pick<KeepPorts, 'timeline' | 'logger'>,
): Promise<void> {
  if (entries.length === 0) return;
  try {
    await timeline.append(entries);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    logger.warn('the timeline could not be written', { entries: entries.length, why: cause.message });
  }
}

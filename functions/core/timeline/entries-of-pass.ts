import type { PublishedEvent } from '../../../events/index.ts';
import { ownerOfHold } from '../openshift/hold.ts';
import { counted } from '../text/phrases.ts';
import { byTurns } from '../text/rounds.ts';
import { timelineEntry } from './timeline-entry.ts';
import type { TimelineEntry } from './view.ts';

/** Entries about holds that one pass writes. Each takes two calls to the table, ten at a time: these some 2 s. */
const ofHoldsAtMost = 1000;

/** The entries of what a pass publishes. Whoever may write Applications can have thousands of holds begin or end in
 *  one: of each namespace one after the other is noted, and of the rest how many there are. */
export function entriesOfPass(events: readonly PublishedEvent[]): readonly TimelineEntry[] {
  const ofHolds = events.flatMap((event) => {
    const hold = syncHoldOf(event);
    return hold === undefined ? [] : [{ event, owner: ownerOfHold({ id: hold }) }];
  });
  if (ofHolds.length <= ofHoldsAtMost) return events.map(timelineEntry);
  const leftOut = byTurns(ofHolds, ({ owner }) => owner).slice(ofHoldsAtMost);
  const left = new Set(leftOut.map(({ event }) => event));
  return [...events.filter((event) => !left.has(event)).map(timelineEntry), ...moreEntry([...left])];
}

/** The sync hold that it is about, of which there may be thousands; undefined: it is about something else. */
function syncHoldOf(event: PublishedEvent): string | undefined {
  const hold = holdOf(event);
  return hold?.startsWith('sync/') ? hold : undefined;
}

function holdOf(event: PublishedEvent): string | undefined {
  switch (event.type) {
    case 'poolkeeper.pool.held.v1':
      return event.data.hold.id;
    case 'poolkeeper.pool.released.v1':
    case 'poolkeeper.race.decided.v1':
      return event.data.hold;
    case 'poolkeeper.pool.confirmed.v1':
      return event.correlation;
    default:
      return undefined;
  }
}

function moreEntry([first, ...others]: readonly PublishedEvent[]): readonly TimelineEntry[] {
  if (first === undefined) return [];
  const { cluster } = first.data;
  const text = `${counted(others.length + 1, 'more change')} of holds at this time: of each namespace some are listed`;
  return [{ id: `${first.id}/more`, at: first.time, cluster, pool: '', type: 'decision', text, correlation: cluster }];
}

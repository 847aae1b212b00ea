/** A calendar that is worked out, or why it cannot be. */
export type Expanded = Events | { readonly fault: string };

/** The events of a calendar, by when they begin. */
interface Events {
  readonly from: number;
  readonly starts: readonly number[];
  /** The latest end of each event and all before it. */
  readonly ends: readonly number[];
}

/** By text, zone and the instant that is asked for, in milliseconds. */
type WorkOut = (ics: string, timeZone: string, at: number) => Expanded;

/** Milliseconds before the first question for which a calendar is worked out at once. */
export const behind = 40 * 24 * 3_600_000;
/** Openings are looked for up to 400 days ahead (openings.ts), and so are those that follow them. */
const usable = 450 * 24 * 3_600_000;

/** Calendars that are kept worked out, because the gate asks in every pass: so many, or more of so many characters.
 *  They are asked for in turns, so that where one is too many, all are worked out anew. */
const keptAtMost = { calendars: 20, characters: 8 * 1024 * 1024 };
/** Characters as which an event that is worked out counts. */
const eventCharacters = 32;

/** What works a calendar out, asked once for what it covers, as long as there is room. */
export function keptWorkedOut(workOut: WorkOut): WorkOut {
  /** By text, which is not put together for every question, and zone. */
  const kept = new Map<string, Map<string, Expanded>>();
  return (ics, timeZone, at) => {
    const byZone = kept.get(ics) ?? new Map<string, Expanded>();
    const known = byZone.get(timeZone);
    if (known !== undefined && ('fault' in known || (known.from + behind <= at && at <= known.from + behind + usable)))
      return known;
    const expanded = workOut(ics, timeZone, at);
    byZone.set(timeZone, expanded);
    kept.delete(ics);
    kept.set(ics, byZone);
    forgetOldest(kept);
    return expanded;
  };
}

function forgetOldest(kept: Map<string, ReadonlyMap<string, Expanded>>): void {
  const sizeOf = ([ics, byZone]: readonly [string, ReadonlyMap<string, Expanded>]) =>
    ics.length + [...byZone.values()].reduce((sum, each) => sum + countOf(each) * eventCharacters, 0);
  let characters = [...kept].reduce((sum, each) => sum + sizeOf(each), 0);
  for (const oldest of kept) {
    if (kept.size <= keptAtMost.calendars || characters <= keptAtMost.characters) break;
    kept.delete(oldest[0]);
    characters -= sizeOf(oldest);
  }
}

function countOf(expanded: Expanded): number {
  return 'fault' in expanded ? 0 : expanded.starts.length;
}

import { isApprovalPart } from '../findings/cause-key.ts';
import type { Severity, Trouble } from '../findings/trouble.ts';
import { secondsBetween } from '../text/durations.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { unique } from '../text/unique.ts';
import type { Attention, EarlierCause, Incident } from './incident.ts';

/** Seconds after which a cause that comes back is news. One that somebody has taken, with what it was among, is none as
 *  long as that person, or another one, has the incident. */
export const knownForSeconds = 3600;

/** Seconds between two messages of causes that joined: an outage that spreads over forty namespaces is two of them. */
export const joinEverySeconds = 600;

/** Causes kept, and UTF-16 units of each: some 30 KiB at most. */
const keptAtMost = 100;
const longest = 300;

type Seen = { readonly severity: Severity; readonly digest: string };

/** What a digest says is wrong, each node for itself; the severity is compared by rank. */
function partsOf({ digest, severity }: Seen): readonly string[] {
  return digest.split(';').filter((part) => part !== severity && !isApprovalPart(part));
}

/** `node:code:blocker` without its node. */
function causeOf(part: string): string {
  const cause = part.slice(part.indexOf(':') + 1);
  return cause.length <= longest ? cause : fingerprint(cause);
}

/** A new cause, or more nodes, than what the person saw, or what was there at looks since or within the hour. The same
 *  cause moving from one node to the next is none, nor are causes that alternate. */
export function isMoreThanSeen(
  seen: Attention,
  earlier: readonly EarlierCause[],
  { trouble, now }: { readonly trouble: Pick<Trouble, 'severity' | 'digest'>; readonly now: Date },
): boolean {
  const [before, parts] = [partsOf(seen), partsOf(trouble)];
  const known = earlier.filter((each) => isKnown(each, now)).map(({ cause }) => cause);
  const causes = new Set([...before.map(causeOf), ...known]);
  const standing = new Set(parts.map(causeOf));
  const counts = earlier.map((each) => {
    const ofNow = isOfNow(each, seen, now) ? each.parts : 0;
    return standing.has(each.cause) ? Math.max(ofNow, each.taken ?? 0, each.back ?? 0) : ofNow;
  });
  const most = Math.max(before.length, ...counts);
  return parts.length > most || parts.some((part) => !causes.has(causeOf(part)));
}

function isKnown({ until, taken, back }: EarlierCause, now: Date): boolean {
  return taken !== undefined || back !== undefined || isWithinHour(until, now);
}

/** So many stood at a look since somebody took the incident, or so short a time ago that they are no news. */
function isOfNow({ until, manyAt = until }: EarlierCause, attention: Attention | undefined, now: Date): boolean {
  return isWithinHour(manyAt, now) || (attention !== undefined && isSince(manyAt, attention));
}

function isWithinHour(instant: string, now: Date): boolean {
  return secondsBetween(instant, now) <= knownForSeconds;
}

function isSince(instant: string, { at }: Attention): boolean {
  return Date.parse(instant) > Date.parse(at);
}

/** What was no news to one person is to the next, who takes it with what stands by then. */
export function withoutReturns(earlier: Incident['earlier']): Incident['earlier'] {
  return earlier?.map((each) => (each.back === undefined ? each : { ...each, back: undefined }));
}

/** The incident with what it was about before this look, where that was something else. */
export function withEarlier(stored: Incident | undefined, incident: Incident, now: Date): Incident {
  if (stored?.trouble === undefined || stored.number !== incident.number)
    return incident.earlier === undefined ? incident : { ...incident, earlier: undefined };
  if (stored.trouble.digest === incident.trouble?.digest) return incident;
  const { attention } = stored;
  const parts = partsOf(stored.trouble);
  const until = now.toISOString();
  const causes = unique(parts.map(causeOf));
  const kept = (stored.earlier ?? []).filter(
    (each) => isKnown(each, now) || (attention !== undefined && isSince(each.until, attention)),
  );
  const before = new Map(kept.map((each) => [each.cause, each]));
  const seen = attention === undefined ? [] : partsOf(attention);
  const isSeen = new Set(seen.map(causeOf));
  const latest = causes.map((cause): EarlierCause => {
    const known = before.get(cause);
    const taken = isSeen.has(cause) ? Math.max(seen.length, known?.taken ?? 0) : known?.taken;
    const isMore = known !== undefined && known.parts > parts.length && isOfNow(known, attention, now);
    const most = isMore ? { parts: known.parts, manyAt: known.manyAt ?? known.until } : { parts: parts.length };
    return { cause, until, ...most, taken };
  });
  const others = kept.filter(({ cause }) => !causes.includes(cause));
  // What comes back in time is no news for as long as it stays.
  const standing = incident.trouble === undefined ? [] : partsOf(incident.trouble);
  const returned = new Set(standing.map(causeOf));
  const withReturn = (each: EarlierCause): EarlierCause => {
    const known = before.get(each.cause);
    const isBack = attention !== undefined && known !== undefined && returned.has(each.cause) && isKnown(known, now);
    return isBack ? { ...each, back: Math.max(known.back ?? 0, standing.length) } : each;
  };
  const all = [...others, ...latest].map(withReturn);
  return { ...incident, earlier: all.slice(-keptAtMost) };
}

import { isApprovalPart } from '../findings/cause-key.ts';
import type { Severity, Trouble } from '../findings/trouble.ts';
import { secondsBetween } from '../text/durations.ts';
import { fingerprint } from '../text/fingerprint.ts';
import type { Attention, EarlierCause, Incident } from './incident.ts';

/** Seconds before an acknowledgement or snooze of which whoever gives it knows: what was there then, and comes back, is
 *  not new. */
const knownForSeconds = 3600;

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

/** A new cause, or more nodes, than what the person saw, or what was there at any look since, or in the hour before.
 *  The same cause moving from one node to the next is none, nor are causes that alternate. */
export function isMoreThanSeen(
  seen: Attention,
  earlier: readonly EarlierCause[],
  trouble: Pick<Trouble, 'severity' | 'digest'>,
): boolean {
  const [before, now] = [partsOf(seen), partsOf(trouble)];
  const still = earlier.filter((each) => isKnown(each, seen.at));
  const known = new Set([...before.map(causeOf), ...still.map(({ cause }) => cause)]);
  const most = Math.max(before.length, ...still.map(({ parts }) => parts));
  return now.length > most || now.some((part) => !known.has(causeOf(part)));
}

function isKnown({ until }: EarlierCause, at: string): boolean {
  return secondsBetween(until, new Date(at)) <= knownForSeconds;
}

/** The incident with what it was about before this look, where that was something else. */
export function withEarlier(stored: Incident | undefined, incident: Incident, now: Date): Incident {
  if (stored?.trouble === undefined || stored.number !== incident.number)
    return incident.earlier === undefined ? incident : { ...incident, earlier: undefined };
  if (stored.trouble.digest === incident.trouble?.digest) return incident;
  const parts = partsOf(stored.trouble);
  const until = now.toISOString();
  const causes = [...new Set(parts.map(causeOf))];
  const at = incident.attention?.at ?? until;
  const known = (stored.earlier ?? []).filter((each) => isKnown(each, at));
  const mostWith = (cause: string) =>
    Math.max(parts.length, ...known.filter((each) => each.cause === cause).map((each) => each.parts));
  const latest = causes.map((cause): EarlierCause => ({ cause, until, parts: mostWith(cause) }));
  const others = known.filter(({ cause }) => !causes.includes(cause));
  return { ...incident, earlier: [...others, ...latest].slice(-keptAtMost) };
}

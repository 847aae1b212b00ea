import type { AlertingPolicy } from '../configuration/policy.ts';
import { rootsOf } from '../findings/chain.ts';
import type { ObjectRef, Trouble } from '../findings/trouble.ts';
import { isProgress } from '../findings/trouble-words.ts';
import { secondsBetween } from '../text/durations.ts';
import { secondsSince } from '../text/instant.ts';
import { isAttended } from './attention.ts';
import { type Heard, type Incident, type NoteKind, openSince } from './incident.ts';

/** Whoever can make up namespaces takes no more of an incident's row. */
const ownersAtMost = 200;
/** Seconds between two messages of causes that joined: an outage that spreads over forty namespaces is two of them. */
const joinEverySeconds = 600;
/** Seconds between two messages of causes that came in place of others at most. */
const replaceEverySeconds = 3600;

interface Moment {
  readonly now: Date;
  readonly policy: AlertingPolicy;
}

/** Empty for what is no namespace's. */
export function ownerOf({ kind, namespace, name }: ObjectRef): string {
  return kind === 'Machine' ? (name.split('/')[0] ?? '') : namespace;
}

/** By the findings and by the digest: of a stored trouble the findings may be cut, and of hundreds the digest. */
function ownersOf({ digest, findings }: Pick<Trouble, 'digest' | 'findings'>): readonly string[] {
  const found = findings.flatMap(rootsOf).map(({ subject }) => ownerOf(subject));
  const owners = new Set([...found, ...digest.split(';').map(ownerOfPart)]);
  owners.delete('');
  return [...owners].slice(0, ownersAtMost);
}

/** Of `name:code:Kind namespace/name`. */
export function ownerOfPart(part: string): string {
  const ref = part.slice(part.lastIndexOf(':') + 1);
  const [, owner = ''] = /^\w+ ([^ /]+)\//.exec(ref) ?? [];
  return part.includes(':') ? owner : '';
}

function heardOf({ heard, trouble }: Incident, { now, policy }: Moment): readonly Heard[] {
  const all = heard ?? (trouble === undefined ? [] : ownersOf(trouble).map((owner): Heard => ({ owner })));
  const isForgotten = ({ goneSince }: Heard) =>
    goneSince !== undefined && secondsBetween(goneSince, now) >= policy.flapCalmSeconds;
  const known = all.some(isForgotten) ? all.filter((each) => !isForgotten(each)) : all;
  // Somebody was heard of: the next one joins.
  return known.length === 0 ? all.slice(0, 1) : known;
}

/** Owners who have joined an incident that people know by the causes of others; none where nobody's was known before,
 *  as of a drain whose blocker is found only later. */
export function joinedBy(incident: Incident, trouble: Trouble, context: Moment): readonly string[] {
  const heard = new Set(heardOf(incident, context).map(({ owner }) => owner));
  if (heard.size === 0 || isProgress(trouble.key.kind)) return [];
  return ownersOf(trouble).filter((owner) => !heard.has(owner));
}

/** Whether everybody is to be told now of causes that joined. Those that come in place of others, as where a rollout
 *  goes from the budget of one team to that of the next, are told at growing intervals: nobody is hidden behind what
 *  is gone. */
export function isJoinDue(incident: Incident, trouble: Trouble, context: Moment): boolean {
  if (joinedBy(incident, trouble, context).length === 0 || isAttended({ ...incident, trouble }, context.now))
    return false;
  const last = incident.notes.findLast(({ kind }) => kind === 'escalated');
  return last === undefined || secondsSince(last.at, context.now) >= apart(incident, last.at, trouble, context);
}

/** Seconds that lie between two such messages. */
function apart(incident: Incident, lastAt: string, trouble: Trouble, context: Moment): number {
  const present = new Set(ownersOf(trouble));
  if (heardOf(incident, context).some(({ owner }) => present.has(owner))) return joinEverySeconds;
  const sinceOpening = secondsSince(openSince(incident) ?? lastAt, new Date(lastAt));
  return Math.min(Math.max(sinceOpening, joinEverySeconds), replaceEverySeconds);
}

/** The incident with whom people have heard of after this step. What has been away for as long as ends flapping is news
 *  when it returns. */
export function hearing(stored: Incident | undefined, incident: Incident, trouble: Trouble, context: Moment): Incident {
  const before = stored?.number === incident.number ? heardOf(stored, context) : [];
  const present = new Set(ownersOf(trouble));
  const isTold = incident.notes.some(({ seq, kind }) => seq > (stored?.seq ?? 0) && tellsAll(kind));
  const known = new Set(before.map(({ owner }) => owner));
  const fresh = isTold || before.length === 0 ? [...present].filter((owner) => !known.has(owner)) : [];
  const gone = { goneSince: context.now.toISOString() };
  const kept = before.map((each) => {
    if (present.has(each.owner) === (each.goneSince === undefined)) return each;
    return { owner: each.owner, ...(each.goneSince === undefined ? gone : {}) };
  });
  const isSame = fresh.length === 0 && kept.every((each, at) => each === (incident.heard ?? before)[at]);
  if (isSame && kept.length === (incident.heard ?? before).length) return incident;
  // Those that are there come first: they are not told anew for lack of room.
  const byPresence = [...fresh.map((owner): Heard => ({ owner })), ...kept].toSorted(
    (a, b) => Number(a.goneSince !== undefined) - Number(b.goneSince !== undefined),
  );
  return { ...incident, heard: byPresence.slice(0, ownersAtMost) };
}

/** Of such a note every target shows all that the incident is about. */
function tellsAll(kind: NoteKind): boolean {
  return kind === 'opened' || kind === 'reopened' || kind === 'escalated' || kind === 'unattended';
}

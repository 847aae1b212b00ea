import type { AlertingPolicy } from '../configuration/policy.ts';
import { digestPart } from '../findings/cause-key.ts';
import { rootsOf } from '../findings/chain.ts';
import { isOfUnknown, ownerOf, ownerOfPart, placeOfOwner } from '../findings/owner.ts';
import type { Trouble } from '../findings/trouble.ts';
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

/** By the findings and by the digest: of a stored trouble the findings may be cut, and of hundreds the digest. */
function ownersOf({ digest, findings }: Pick<Trouble, 'digest' | 'findings'>): readonly string[] {
  const found = findings.flatMap((each) =>
    rootsOf(each).map((root) => [digestPart(each, root), ownerOf(root.subject)] as const),
  );
  const known = new Map(found);
  const owners = new Set([
    ...found.map(([, owner]) => owner),
    ...digest.split(';').map((part) => known.get(part) ?? ownerOfPart(part)),
  ]);
  owners.delete('');
  return [...owners].slice(0, ownersAtMost);
}

/** Whether people know of causes of this owner, by those whom they have heard of. Where it is not known whose one is,
 *  as of an Application that cannot be read now, it is nobody new; and an earlier version has noted the namespace
 *  alone. */
function isKnown(owner: string, heard: ReadonlySet<string>): boolean {
  if (heard.has(owner) || heard.has(placeOfOwner(owner))) return true;
  return isOfUnknown(owner) && [...heard].some((each) => each.startsWith(owner));
}

/** Whether causes of this owner may be among those of these. */
function isAmong(owner: string, present: ReadonlySet<string>): boolean {
  return present.has(owner) || (owner.includes('/') && present.has(`${placeOfOwner(owner)}/`));
}

function heardOf({ heard, trouble }: Incident, { now, policy }: Moment): readonly Heard[] {
  // A version stored that which noted neither these nor AppProjects.
  const stored = trouble === undefined ? [] : ownersOf(trouble).map((owner) => owner.replace(/\/$/, ''));
  const all = heard ?? stored.map((owner): Heard => ({ owner }));
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
  return ownersOf(trouble).filter((owner) => !isKnown(owner, heard));
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
  if (heardOf(incident, context).some(({ owner }) => isAmong(owner, present))) return joinEverySeconds;
  const sinceOpening = secondsSince(openSince(incident) ?? lastAt, new Date(lastAt));
  return Math.min(Math.max(sinceOpening, joinEverySeconds), replaceEverySeconds);
}

/** The incident with whom people have heard of after this step. What has been away for as long as ends flapping is news
 *  when it returns. */
export function hearing(stored: Incident | undefined, incident: Incident, trouble: Trouble, context: Moment): Incident {
  const present = new Set(ownersOf(trouble));
  const before = stored?.number === incident.number ? heardOf(stored, context) : [];
  const named = before.flatMap((each) => byProject(each, present));
  const isTold = incident.notes.some(({ seq, kind }) => seq > (stored?.seq ?? 0) && tellsAll(kind));
  const known = new Set(named.map(({ owner }) => owner));
  const fresh = isTold || before.length === 0 ? [...present].filter((owner) => !isKnown(owner, known)) : [];
  const gone = { goneSince: context.now.toISOString() };
  const kept = named.map((each) => {
    if (isAmong(each.owner, present) === (each.goneSince === undefined)) return each;
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

/** Of a namespace that an earlier version has noted: those of its AppProjects who are there. */
function byProject(heard: Heard, present: ReadonlySet<string>): readonly Heard[] {
  const { owner } = heard;
  if (owner.includes('/') || present.has(owner)) return [heard];
  const those = [...present].filter((each) => each.startsWith(`${owner}/`));
  return those.length === 0 ? [heard] : those.map((each) => ({ owner: each }));
}

/** Of such a note every target shows all that the incident is about. */
function tellsAll(kind: NoteKind): boolean {
  return kind === 'opened' || kind === 'reopened' || kind === 'escalated' || kind === 'unattended';
}

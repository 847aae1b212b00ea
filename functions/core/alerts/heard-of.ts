import type { AlertingPolicy } from '../configuration/policy.ts';
import { plainName } from '../findings/cause-key.ts';
import { isOfNamespace, isOfUnknown, placeOfOwner } from '../findings/owner.ts';
import type { Trouble } from '../findings/trouble.ts';
import { isProgress } from '../findings/trouble-words.ts';
import { secondsBetween } from '../text/durations.ts';
import { plusSeconds, secondsSince } from '../text/instant.ts';
import { listed } from '../text/phrases.ts';
import { middle, safeLine } from '../text/safe-text.ts';
import { unique } from '../text/unique.ts';
import { withRoom } from '../text/with-room.ts';
import { isAttended } from './attention.ts';
import { ownerOfCausePart } from './cause-owner.ts';
import { joinEverySeconds } from './earlier-causes.ts';
import { type Heard, type Incident, type IncidentNote, type NoteKind, openSince, type Passing } from './incident.ts';
import { hasJoined, isBeginning, noteTextLimit } from './notes.ts';
import { actsOf, causesOf, isOfAct, lastingCauses, type OwnedCause, ownersOf, passingCauses } from './owned-causes.ts';

/** UTF-16 units of the JSON of whom people have heard of: more than a thousand. Whoever can make up namespaces takes no
 *  more of an incident's row. */
const heardAtMost = 64 * 1024;
/** The same of the longest names of a namespace and an AppProject. */
const longestHeard = 512;
/** Seconds between two messages of causes that came in place of others at most. */
const replaceEverySeconds = 3600;

/** UTF-16 units of the JSON of the names of those who joined, and of each: the rest is counted. */
const namedAtMost = 300;
const nameAtMost = 90;

interface Moment {
  readonly now: Date;
  readonly policy: AlertingPolicy;
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

/** Whom people have heard of. Where all of them are forgotten one is left, by which the next one joins. */
function heardOf({ heard, trouble }: Incident, context: Moment): readonly Heard[] {
  // A version stored that which noted neither these nor AppProjects.
  const stored = trouble === undefined ? [] : [...ownersOf(causesOf(trouble))].map((owner) => owner.replace(/\/$/, ''));
  const all = heard ?? stored.map((owner): Heard => ({ owner }));
  const known = all.some((each) => isForgotten(each, context))
    ? all.filter((each) => !isForgotten(each, context))
    : all;
  return known.length === 0 ? all.slice(0, 1) : known;
}

function isForgotten({ goneSince }: Heard, { now, policy }: Moment): boolean {
  return goneSince !== undefined && secondsBetween(goneSince, now) >= policy.flapCalmSeconds;
}

function namesOf(heard: readonly Heard[], context: Moment): ReadonlySet<string> {
  return new Set(heard.filter((each) => !isForgotten(each, context)).map(({ owner }) => owner));
}

/** Lasting causes of those who have joined an incident that people know by others; where nobody's was known before,
 *  none of those that hold up what it has been about, as a drain whose blocker is found only later. */
export function joinedBy(incident: Incident, trouble: Trouble, context: Moment): readonly OwnedCause[] {
  if (isProgress(trouble.key.kind)) return [];
  const heard = heardOf(incident, context);
  const lasting = lastingCauses(trouble, incident.passing ?? [], context);
  const joining = heard.length === 0 ? lasting.filter((cause) => !isFoundLater(cause, incident.trouble)) : lasting;
  const known = namesOf(heard, context);
  return joining.filter(({ owner }) => owner !== '' && !isKnown(owner, known));
}

/** The incident has been about what this cause holds up, with nobody to blame but whose pod shut down, or about nothing
 *  that was known. */
function isFoundLater({ about }: OwnedCause, before: Trouble | undefined): boolean {
  const causes = before === undefined ? [] : causesOf(before);
  const same = causes.filter((each) => each.about === about);
  return causes.length === 0 || (same.length > 0 && ownersOf(same.filter(isNoMoment)).size === 0);
}

function isNoMoment({ heals }: OwnedCause): boolean {
  return heals !== 'by-itself';
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

/** Seconds that lie between two such messages. Where there is no room for all of whom people have heard, some are told
 *  again and again. */
function apart(incident: Incident, lastAt: string, trouble: Trouble, context: Moment): number {
  // All are told of a lane at once.
  if (trouble.key.kind === 'emergency') return 0;
  const heard = heardOf(incident, context);
  if (withRoom(heard, heardAtMost - longestHeard).length < heard.length) return replaceEverySeconds;
  if (actsOf(trouble).length > 0) return joinEverySeconds;
  const present = ownersOf(lastingCauses(trouble, incident.passing ?? [], context));
  if (heard.some(({ owner }) => isAmong(owner, present))) return joinEverySeconds;
  const sinceOpening = secondsSince(openSince(incident) ?? lastAt, new Date(lastAt));
  return Math.min(Math.max(sinceOpening, joinEverySeconds), replaceEverySeconds);
}

/** The incident with whom people have heard of after this step, and what may heal. Whose causes have been away for as
 *  long as ends flapping is news when one returns. */
export function hearing(stored: Incident | undefined, incident: Incident, trouble: Trouble, context: Moment): Incident {
  const isSame = stored?.number === incident.number;
  const notes = incident.notes.filter(({ seq }) => seq > (stored?.seq ?? 0));
  const telling = notes.findLast(({ kind }) => tellsAll(kind));
  const isBegun = notes.some(isBeginning);
  // Everybody was told that it is over: who joins after its return is news.
  const before = isSame && !isBegun ? heardOf(stored, context) : [];
  const earlier = isSame && !isBegun ? (stored.passing ?? []) : [];
  const known = namesOf(before, context);
  const next = withPassing(incident, passingCauses(trouble, earlier, known, context));
  const shown = telling === undefined ? [] : shownOwners(next, trouble, context);
  const isFirst = before.length === 0 && shown.length === 0;
  // Of what no note tells nobody has heard.
  const later = isFirst && notes.length > 0 ? foundLater(stored, trouble) : [];
  const joined = shown.filter((owner) => !isKnown(owner, known));
  // The opening shows what there is; one that is back in a list has its headline there alone.
  const note = isBegun ? notes.findLast(({ kind }) => kind === 'reopened') : (telling ?? notes.at(-1));
  const names = isBegun ? ownerNames('Involved', [...joined, ...later], trouble) : namesIn(trouble, joined, later);
  const listing = withNames(next, note, { names, joins: !isBegun && joined.length > 0 });
  const heard = withHeard(listing, { before, fresh: [...shown, ...later] }, trouble, context);
  return isSame && hasJoined(stored, heard) ? withoutGone(heard, context) : heard;
}

/** Somebody's name, of what lies in no namespace its own. Empty for what people did or asked that is nobody's, as the
 *  lane of a pool. */
function nameOf(owner: string, causes: readonly OwnedCause[]): string {
  if (isOfNamespace(owner)) return safeLine(owner.replace(/\/$/, ''), nameAtMost);
  const part = causes.find((cause) => cause.owner === owner)?.part ?? '';
  const isNobodys = isOfAct(owner) && ownerOfCausePart(part) === '';
  return isNobodys ? '' : safeLine(plainName(part.slice(part.lastIndexOf(':') + 1)), nameAtMost);
}

/** Who joined, or was found later. A note says by itself who is found alone. */
function namesIn(trouble: Trouble, joined: readonly string[], later: readonly string[]): string {
  if (joined.length > 0) return ownerNames('Joined', joined, trouble);
  return later.length > 1 ? ownerNames('Found', later, trouble) : '';
}

/** `Joined: a, b and c. `; empty: none of them has a name. */
function ownerNames(what: string, owners: readonly string[], trouble: Trouble): string {
  const causes = causesOf(trouble);
  const names = unique(owners.map((owner) => nameOf(owner, causes))).filter((name) => name !== '');
  return names.length === 0 ? '' : `${what}: ${listed(names, withRoom(names, namedAtMost).length)}. `;
}

/** With these names in the note that is told of them, and that it is the one by which everybody hears of who joined.
 *  They come first: no text of others stands before them, with which they could be cut off or taken for a part of a
 *  credential. */
function withNames(
  incident: Incident,
  told: IncidentNote | undefined,
  { names, joins }: { readonly names: string; readonly joins: boolean },
): Incident {
  if (told === undefined || (names === '' && !joins)) return incident;
  const text = names === '' ? told.text : names + middle(told.text, noteTextLimit - names.length);
  const named: IncidentNote = { ...told, text, ...(joins ? { joins: true } : {}) };
  return { ...incident, notes: incident.notes.map((note) => (note === told ? named : note)) };
}

/** Who is told from now on hears nothing of what is gone: when it comes back, it is news. Where all of it is, one is
 *  left, as forgotten, by which the next one joins. */
function withoutGone(incident: Incident, { now, policy }: Moment): Incident {
  const { heard = [] } = incident;
  const present = heard.filter(({ goneSince }) => goneSince === undefined);
  const goneSince = plusSeconds(now, -policy.flapCalmSeconds);
  return {
    ...incident,
    heard: present.length > 0 ? present : heard.slice(0, 1).map((each) => ({ ...each, goneSince })),
  };
}

function withPassing(incident: Incident, passing: readonly Passing[]): Incident {
  const before = incident.passing ?? [];
  const isSame = passing.length === before.length && passing.every((each, at) => each === before[at]);
  return isSame ? incident : { ...incident, passing };
}

/** Whose causes a message shows to all. What heals by itself and has only begun tells nobody of what will not. */
function shownOwners(incident: Incident, trouble: Trouble, context: Moment): readonly string[] {
  const all = causesOf(trouble);
  const lasting = lastingCauses(trouble, incident.passing ?? [], context);
  const shown = ownersOf([...lasting, ...all.filter(({ heals }) => heals === 'maybe')]);
  return [...(shown.size === 0 ? ownersOf(all) : shown)];
}

function foundLater(stored: Incident | undefined, trouble: Trouble): readonly string[] {
  const causes = causesOf(trouble).filter(isNoMoment);
  return [...ownersOf(causes.filter((cause) => isFoundLater(cause, stored?.trouble)))];
}

interface News {
  readonly before: readonly Heard[];
  readonly fresh: readonly string[];
}

function withHeard(incident: Incident, { before, fresh }: News, trouble: Trouble, context: Moment): Incident {
  const present = ownersOf(lastingCauses(trouble, incident.passing ?? [], context));
  const named = before.flatMap((each) => byProject(each, present));
  const known = namesOf(named, context);
  const news = fresh.filter((owner) => !isKnown(owner, known));
  const told = new Set(news);
  const kept = named.filter(({ owner }) => !told.has(owner)).map((each) => inView(each, present, context));
  // Those that are there come first: they are not told anew for lack of room.
  const byPresence = [...news.map((owner): Heard => ({ owner })), ...kept].toSorted(
    (a, b) => Number(a.goneSince !== undefined) - Number(b.goneSince !== undefined),
  );
  const heard = withRoom(byPresence, heardAtMost);
  const earlier = incident.heard ?? before;
  const isSame = heard.length === earlier.length && heard.every((each, at) => each === earlier[at]);
  // Absent it stands for those of the trouble, of which nobody was told.
  const isUnsaid = incident.heard === undefined && heard.length === 0 && ownersOf(causesOf(trouble)).size > 0;
  return isSame && !isUnsaid ? incident : { ...incident, heard };
}

/** Since when this one's causes are gone. Who is forgotten returns with a message alone. */
function inView(each: Heard, present: ReadonlySet<string>, context: Moment): Heard {
  if (isForgotten(each, context) || isAmong(each.owner, present) === (each.goneSince === undefined)) return each;
  return each.goneSince === undefined ? { ...each, goneSince: context.now.toISOString() } : { owner: each.owner };
}

/** Of a namespace that an earlier version has noted: those of its AppProjects who are there. */
function byProject(heard: Heard, present: ReadonlySet<string>): readonly Heard[] {
  const { owner } = heard;
  if (!isOfNamespace(owner) || owner.includes('/') || present.has(owner)) return [heard];
  const those = [...present].filter((each) => each.startsWith(`${owner}/`));
  return those.length === 0 ? [heard] : those.map((each) => ({ owner: each }));
}

/** Of such a note every target shows all that the incident is about. */
export function tellsAll(kind: NoteKind): boolean {
  return kind === 'opened' || kind === 'reopened' || kind === 'escalated' || kind === 'unattended';
}

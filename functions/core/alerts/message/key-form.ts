import { safeLine } from '../../text/safe-text.ts';
import { tellsAll } from '../heard-of.ts';
import type { Incident, IncidentNote } from '../incident.ts';
import { isBeginning, lastOf } from '../notes.ts';
import type { Message, MessageContext } from './message.ts';

/** Common parts of the forms for machines that identify an incident by its key. Texts are cleaned and bounded as in
 *  every message. */
export interface KeyFormContext extends MessageContext {
  readonly deliveryId: string;
  /** Those that the target has not received. */
  readonly notes: readonly IncidentNote[];
}

/** Escalations that are told at once. */
const newsAtMost = 12;

/** What everybody has been told since it began or came back, oldest first: what this target has not received of that,
 *  or else the last, as long as it is open. Who joins others is named there alone. */
export function newsOf({ notes, state }: Incident, unsent: readonly IncidentNote[]): readonly string[] {
  if (state === 'ok') return [];
  const told = notes.slice(notes.findLastIndex(isBeginning) + 1).filter(({ kind }) => tellsAll(kind));
  const fresh = told.filter(({ seq }) => unsent.some((note) => note.seq === seq));
  const last = lastOf(fresh, newsAtMost);
  const shown = fresh.length === 0 ? told.slice(-1) : last;
  const left = fresh.length - last.length;
  return [...shown.map(({ text }) => safeLine(text, 600)), ...(left > 0 ? [`and ${left} more`] : [])];
}

/** The same as one text, a line each. */
export function newsText(incident: Incident, { notes }: KeyFormContext): Readonly<Record<string, string>> {
  const news = newsOf(incident, notes);
  return news.length === 0 ? {} : { news: news.join('\n') };
}

export function firstRemedy({ remedies }: Message): Readonly<Record<string, string>> {
  const [remedy] = remedies;
  return remedy === undefined ? {} : { remedy: `${remedy.title} (${remedy.risk})` };
}

export function causeOf({ cause }: Message): Readonly<Record<string, string>> {
  return cause === undefined ? {} : { cause: `${cause.code}: ${cause.title}` };
}

/** The other causes: who is not named in its news is named here, as in every other message. */
export function otherCausesOf({ also }: Message): Readonly<Record<string, string>> {
  return also.length === 0 ? {} : { also: also.join('\n') };
}

/** Undefined if no status page is configured. */
export function linkOf({ link }: Message): string | undefined {
  return link === undefined || !/^https?:\/\//.test(link) ? undefined : encodeURI(link);
}

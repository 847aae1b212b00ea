import { columns, width, wrap } from '../../text/columns.ts';
import { clockTime } from '../../text/durations.ts';
import { safeLine, safeSubject } from '../../text/safe-text.ts';
import type { Incident, IncidentNote } from '../incident.ts';
import { escalationsOf, joinsRank } from '../notes.ts';
import { composeMessage } from './compose-message.ts';
import { headerValue } from './escape.ts';
import { mailPage } from './mail-page.ts';
import { type Message, type MessageContext, type MessageRemedy, openedWords } from './message.ts';
import { shellLines } from './shell-lines.ts';
import type { MessageForm } from './slack.ts';

export interface MailForm {
  /** The state in brackets, which clients that thread by subject leave out (RFC 5256, base subject); the rest is the
   *  same for the whole life of an incident. */
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface MailContext extends MessageContext {
  readonly deliveryId: string;
  /** Domain of the sender, for the right side of synthetic message ids. */
  readonly domain: string;
}

/** UTF-16 units: what clients show in a list, and what a name may take it to. */
const subjectLimits = { usual: 96, most: 250 } as const;

/** A mail with the current state, complete in its text part; `notes`: what it is sent for. In any form but the full
 *  one it says nothing that comes from a cluster or a person. */
export function mailMessage(
  incident: Incident,
  notes: readonly IncidentNote[],
  context: MailContext,
  form: MessageForm = 'full',
): MailForm {
  const composed = composeMessage(incident, context);
  const message = form === 'full' ? composed : inOwnWords(composed);
  const news = form === 'full' ? newsOf(notes, context.now) : [];
  return {
    subject: subjectOf(message),
    text: mailText(message, news, context.now),
    html: mailPage(message, news, context.now),
    headers: headersOf(incident, message, context),
  };
}

/** Servers refuse mails for their text, and whoever may name a pod or let a sync fail chooses a part of it. */
function inOwnWords(message: Message): Message {
  return {
    ...message,
    headline: `${message.kind} (${message.severity})`,
    firstHeadline: message.kind,
    why: 'The mail server refused this alert as it was written, perhaps for a text from the cluster. The status page has all of it; so has poolkeeper get incidents.',
    chain: [],
    also: [],
    remedies: [],
    facts: [],
    evidence: [],
    attention: undefined,
    notices: [],
    history: [],
    links: [],
  };
}

/** Escalations that a mail lists, beside its last news. */
const escalationsListed = 12;

/** What happened last, unless it is the opening, which the mail shows anyway, and before that the escalations that were
 *  not sent yet. Where there are too many it lists those that tell of who joined, and the first of the rest: the last
 *  ones are among the causes and the history. */
function newsOf(notes: readonly IncidentNote[], now: Date): readonly string[] {
  const last = notes.findLast(({ kind }) => kind !== 'opened' && kind !== 'changed');
  if (last === undefined) return [];
  const before = escalationsOf(notes).filter((note) => note !== last);
  const more = before.length - escalationsListed;
  const listed = before
    .toSorted((a, b) => joinsRank(a) - joinsRank(b))
    .slice(0, escalationsListed)
    .toSorted((a, b) => a.seq - b.seq);
  return [
    ...listed.map(({ at, text }) => `${clockTime(at, now)} ${safeLine(text, 600)}`),
    ...(more > 0 ? [`and ${more} more`] : []),
    safeLine(last.text, 600),
  ];
}

/** Every part is clean and on one line: no subject can start another header. No name is cut. */
function subjectOf({ state, place, firstHeadline, name }: Message): string {
  const end = ` [${name}]`;
  // The same room in every state: what follows it has to stay the same.
  const beside = '[RECOVERING] '.length + end.length;
  const { usual, most } = subjectLimits;
  return `[${state}] ${safeSubject(`${place}: ${firstHeadline}`, usual - beside, most - beside)}${end}`;
}

/** Clients thread by a synthetic message id that stands for the incident. Source: Alertmanager threads its mail in the
 *  same way. */
function headersOf(incident: Incident, message: Message, context: MailContext): Readonly<Record<string, string>> {
  const epoch = Math.floor(Date.parse(incident.openedAt ?? '') / 1000) || 0;
  const domain = headerValue(context.domain, 200).replace(/[^A-Za-z0-9.-]/g, '');
  const root = `<${message.name.toLowerCase()}-${epoch}@${domain}>`;
  return {
    References: root,
    'In-Reply-To': root,
    'Auto-Submitted': 'auto-generated',
    'X-Auto-Response-Suppress': 'All',
    'List-Id': `Poolkeeper alerts <alerts.poolkeeper.${domain}>`,
    'X-Poolkeeper-Delivery': headerValue(context.deliveryId, 200),
    'X-Poolkeeper-Incident': message.name,
    'X-Poolkeeper-State': message.state,
  };
}

function mailText(message: Message, news: readonly string[], now: Date): string {
  const { state, lasting, place, kind, headline } = message;
  const title = `${state}${state === 'RESOLVED' ? ' after' : ''} ${lasting} - ${place} - ${kind}`;
  const ended = state === 'RESOLVED';
  const parts: readonly (readonly string[])[] = [
    [...plain(title), ...plain(headline)],
    ended ? [] : news.flatMap(plain),
    titled(ended ? 'What ended it' : 'Why', [...plain(message.why), ...message.also.flatMap(item('*'))]),
    titled('Chain of causes', message.chain.flatMap(numbered)),
    titled('Do this', message.remedies.flatMap(remedyLines)),
    titled(
      'Facts',
      message.facts.flatMap(({ label, value }) => factLines(label, value)),
    ),
    titled('Evidence', message.evidence.slice(0, 12).flatMap(item('*'))),
    titled(
      'What happened',
      message.history.flatMap(({ at, text }) => wrap(text, { first: `${at}  `, rest: ' '.repeat(at.length + 2) })),
    ),
    message.attention === undefined ? [] : item('*')(sentence(message.attention)),
    message.notices.flatMap(item('!')),
    ['--', ...footerLines(message, now)],
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function plain(text: string): readonly string[] {
  return wrap(text, { first: '', rest: '' });
}

function titled(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title.toUpperCase(), ...lines];
}

function item(mark: string): (text: string) => readonly string[] {
  return (text) => wrap(text, { first: `${mark} `, rest: '  ' });
}

function numbered(text: string, index: number): readonly string[] {
  return wrap(text, { first: `${index + 1}. `, rest: '   ' });
}

function remedyLines({ title, risk, who, command, undo }: MessageRemedy, index: number): readonly string[] {
  return [
    ...numbered(`${title} (${risk}, ${who})`, index),
    ...(command === undefined ? [] : commandLines(command)),
    ...(undo === undefined ? [] : ['   Undo:', ...commandLines(undo)]),
  ];
}

function commandLines(command: string): readonly string[] {
  return command.split('\n').flatMap(shellLines);
}

function factLines(label: string, value: string): readonly string[] {
  const first = `${label}${' '.repeat(Math.max(2, 26 - width(label)))}`;
  return wrap(value, width(first) > columns / 2 ? { first: `${label} `, rest: '  ' } : { first, rest: ' '.repeat(26) });
}

function footerLines(message: Message, now: Date): readonly string[] {
  const { name, cause, confidence, evidenceReadAt, product, link, links, state } = message;
  const facts = [
    name,
    ...(cause === undefined ? [] : [`${cause.code}: ${cause.title}`]),
    ...(state === 'RESOLVED' ? [] : [confidence]),
    ...(evidenceReadAt === undefined ? [] : [`evidence read ${evidenceReadAt}`]),
    openedWords(message, now),
    product,
  ].filter((each) => each !== '');
  return [
    ...plain(facts.join(' - ')),
    ...links.flatMap(({ label, url }) => linkLines(label, url)),
    ...(link === undefined ? [] : linkLines('Status page', safeLine(link, 400))),
    ...(cause?.link === undefined ? [] : linkLines('About this cause', safeLine(cause.link, 400))),
  ];
}

/** Whole, however wide it is: half an address leads elsewhere. */
function linkLines(label: string, url: string): readonly string[] {
  return width(url) > columns ? [...plain(`${label}:`), url] : plain(`${label}: ${url}`);
}

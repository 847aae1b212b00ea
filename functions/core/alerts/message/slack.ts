import { clockTime } from '../../text/durations.ts';
import { beginning, middle, safeLine } from '../../text/safe-text.ts';
import type { Incident, IncidentNote, Occasion } from '../incident.ts';
import { escalationsOf, lastOf } from '../notes.ts';
import { composeMessage } from './compose-message.ts';
import { fairShare, mrkdwn, mrkdwnLines } from './escape.ts';
import { type Message, type MessageContext, summaryLine } from './message.ts';
import { type Block, contextOf, orderedList, sectionOf } from './slack-blocks.ts';
import { scaled, slackBudget } from './slack-budget.ts';
import {
  actionBlocks,
  ageOf,
  contextLine,
  detailsOf,
  doThis,
  fieldsOf,
  footerBlocks,
  headerBlock,
  pushedBy,
  whySection,
} from './slack-parts.ts';

/** Arguments of chat.postMessage and chat.update. */
export interface SlackForm {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** A thread reply that is also shown in the channel. */
  readonly broadcast: boolean;
}

/** Forms from the richest to one that cannot be refused for its size: everything; without chain and fields; one text
 *  section; text alone. A target that refuses a form gets the next one. */
export const messageForms = ['full', 'short', 'section', 'text'] as const;
export type MessageForm = (typeof messageForms)[number];

/** Fractions of the full lengths, tried until the sum fits. */
const scales = [1, 0.6, 0.35, 0.18] as const;

/** Escalations that a message lists. */
const newsAtMost = 8;
/** UTF-16 units of each in the plain forms: the time, and the names of those who joined. */
const plainNewsAtMost = 330;
/** UTF-16 units that each has there at least. */
const plainNewsAtLeast = 40;

/** The incident's message in the channel: always the complete current state, and what these notes have told since it
 *  began: who joined may be gone by now, and is named there alone. */
export function slackMessage(
  incident: Incident,
  context: MessageContext,
  form: MessageForm = 'full',
  notes: readonly IncidentNote[] = [],
): SlackForm {
  const message = composeMessage(incident, context);
  const text = escapedLine(summaryLine(message), slackBudget.text);
  const lines = newsOf(incident, notes, context.now);
  switch (form) {
    case 'full':
      return { text, blocks: fitting((scale) => fullBlocks(message, lines, context.now, scale)), broadcast: false };
    case 'short':
      return { text, blocks: fitting((scale) => shortBlocks(message, lines, context.now, scale)), broadcast: false };
    case 'section':
      return { text, blocks: [sectionOf(plainWords(message, lines, slackBudget.section))], broadcast: false };
    case 'text':
      return { text: plainWords(message, lines, slackBudget.plain), blocks: [], broadcast: false };
    default:
      return form satisfies never;
  }
}

/** A reply in the thread: what happened since the last one, oldest first; the first one has the evidence. Undefined:
 *  nothing to add. */
export function slackReply(
  incident: Incident,
  notes: readonly IncidentNote[],
  context: MessageContext,
  form: MessageForm = 'full',
): SlackForm | undefined {
  const message = composeMessage(incident, context);
  const news = notes.filter(({ kind }) => kind !== 'opened');
  const whose = whoseWords(message, context);
  const lines = news.map((note) => `${clockTime(note.at, context.now)}  ${whose}${safeLine(note.text, 600)}`);
  const isOpening = isOpeningOf(notes, context);
  const isToldAloud = isOpening && isAloudIn(context);
  const details = isOpening ? detailsOf(message) : undefined;
  const pushed = newlyPushedBy(isOpening, context);
  const last = news.at(-1);
  const isEmpty = details === undefined && !isToldAloud && pushed === '';
  if (last === undefined && isEmpty) return undefined;
  const head = isEmpty ? [] : headOf(message, whose);
  const broadcast = isLoud(context.occasion) || isToldAloud;
  const newest = last === undefined ? (head[0] ?? `Evidence for ${message.name}`) : `${whose}${last.text}`;
  const text = escapedLine(newest, slackBudget.text);
  if (form === 'section' || form === 'text') {
    const words = [...head, ...cutLines(lines, slackBudget.plain - head.join('\n').length - 1)];
    const all = [...words, ...(details === undefined ? [] : message.evidence)].join('\n');
    return { text: mrkdwn(all === '' ? text : all, slackBudget.plain, beginning), blocks: [], broadcast };
  }
  const blocks = fitting((scale) => [
    ...head.map((each) => sectionOf(mrkdwn(each, scaled(600, scale)))),
    ...(lines.length > 0 ? [sectionOf(mrkdwnLines(lines, scaled(slackBudget.section, scale)))] : []),
    ...(details === undefined || form === 'short' ? [] : details(scale)),
    ...footOf(pushed),
    ...(lines.length > 0 || form === 'short' ? [contextOf(contextLine(message, []))] : []),
  ]);
  return { text, blocks, broadcast };
}

/** An earlier version did not note from when on a target is told. */
function isOpeningOf(notes: readonly IncidentNote[], { isFirstReply }: MessageContext): boolean {
  return isFirstReply === true || notes.some(({ kind }) => kind === 'opened');
}

/** Whom the message at the head of the thread did not mention. */
function newlyPushedBy(isOpening: boolean, { inThreadOf }: MessageContext): string {
  return isOpening ? pushedBy(inThreadOf?.newMentions ?? []) : '';
}

function footOf(words: string): readonly Block[] {
  return words === '' ? [] : [contextOf(words)];
}

function headOf({ headline }: Message, whose: string): readonly string[] {
  return whose === '' ? [] : [`${whose}${headline}`];
}

function isAloudIn({ inThreadOf }: MessageContext): boolean {
  return inThreadOf?.isToldAloud === true;
}

/** In a thread of several incidents, whose reply it is. */
function whoseWords({ name, place }: Message, { inThreadOf }: MessageContext): string {
  return inThreadOf === undefined ? '' : `${name} ${place}: `;
}

/** Shown in the channel too, for people who do not follow the thread. */
function isLoud(occasion: Occasion): boolean {
  return occasion === 'escalated' || occasion === 'reopened' || occasion === 'unattended';
}

export function fitting(build: (scale: number) => readonly Block[]): readonly Block[] {
  for (const scale of scales) {
    const blocks = build(scale);
    if (JSON.stringify(blocks).length <= slackBudget.total) return blocks;
  }
  return [];
}

function fullBlocks(message: Message, news: readonly string[], now: Date, scale: number): readonly Block[] {
  const { facts, chain, state } = message;
  const open =
    state === 'RESOLVED'
      ? []
      : [
          ...(chain.length === 0
            ? []
            : [
                orderedList(
                  'Chain of causes',
                  chain.slice(0, 6).map((link) => middle(link, scaled(300, scale))),
                ),
              ]),
          ...doThis(message, scale),
        ];
  const fields = facts.length === 0 ? [] : [fieldsOf(message, scale)];
  const buttons = state === 'RESOLVED' ? [] : actionBlocks(message);
  const age = facts.some(({ label }) => /\bfor$/i.test(label)) ? '' : ageOf(message);
  // Remedies before details: on a phone the facts alone fill a page.
  return [
    headerBlock(message),
    whySection(message, age, scale),
    ...newsSection(news, scale),
    ...open,
    ...fields,
    ...buttons,
    ...footerBlocks(message, now, scale),
  ];
}

function shortBlocks(message: Message, news: readonly string[], now: Date, scale: number): readonly Block[] {
  const remedies = message.state === 'RESOLVED' ? [] : doThis(message, scale);
  return [
    headerBlock(message),
    whySection(message, ageOf(message), scale),
    ...newsSection(news, scale),
    ...remedies,
    ...footerBlocks(message, now, scale),
  ];
}

function newsOf({ state }: Incident, notes: readonly IncidentNote[], now: Date): readonly string[] {
  if (state === 'ok') return [];
  const all = escalationsOf(notes);
  const shown = lastOf(all, newsAtMost);
  const more = all.length - shown.length;
  return [
    ...shown.map(({ at, text }) => `${clockTime(at, now)}  ${safeLine(text, 600)}`),
    ...(more > 0 ? [`and ${more} more before`] : []),
  ];
}

function newsSection(news: readonly string[], scale: number): readonly Block[] {
  if (news.length === 0) return [];
  return [sectionOf(`*So far*\n${mrkdwnLines(news, scaled(slackBudget.section - 20, scale))}`)];
}

/** The whole message as plain text, for the forms without blocks. */
function plainWords(message: Message, news: readonly string[], limit: number): string {
  const { state, why: reason, remedies, notices, name } = message;
  const [remedy] = remedies;
  const before = [
    summaryLine(message),
    `${state === 'RESOLVED' ? 'What ended it' : 'Why'}: ${reason}`,
    ...(remedy === undefined ? [] : [`Do this: ${remedy.title} (${remedy.risk})`]),
  ];
  const after = [name, ...(message.attention === undefined ? [] : [message.attention]), ...notices].join(' · ');
  const told = cutLines(news, limit - [...before, after].join('\n').length - 1);
  const command = remedy?.command !== undefined && remedy.harmless ? [remedy.command] : [];
  const complete = [...before, ...told, ...command, after].join('\n');
  return mrkdwn(complete.length <= limit ? complete : [...before, ...told, after].join('\n'), limit);
}

/** Those who joined stand first in each. */
function cutLines(lines: readonly string[], limit: number): readonly string[] {
  const lengths = lines.map(({ length }) => Math.min(length, plainNewsAtMost) + 1);
  const share = Math.max(plainNewsAtLeast, fairShare(lengths, limit) - 1);
  return lines.map((line) => beginning(line, Math.min(share, plainNewsAtMost)));
}

export function escapedLine(words: string, limit: number): string {
  return mrkdwn(safeLine(words, limit), limit);
}

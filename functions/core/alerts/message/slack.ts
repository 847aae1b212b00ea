import { clockTime, duration, secondsBetween } from '../../text/durations.ts';
import { middle, safeLine } from '../../text/safe-text.ts';
import type { Incident, IncidentNote, Occasion } from '../incident.ts';
import { buttonsFor } from '../slack-buttons.ts';
import { codeSpan, mrkdwn } from './escape.ts';
import { composeMessage, type Message, type MessageContext, type MessageRemedy, summaryLine } from './message.ts';
import {
  type Actions,
  type Block,
  contextOf,
  type Header,
  markup,
  orderedList,
  plainText,
  preformatted,
  type Section,
  sectionOf,
} from './slack-blocks.ts';

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

/** Own limits, well below Slack's: the sum of all blocks is limited to about 13,200 characters, which is documented
 *  nowhere. */
const slackBudget = {
  blocks: 14,
  total: 8000,
  text: 150,
  header: 150,
  section: 2800,
  field: 300,
  plain: 1000,
} as const;

/** Fractions of the full lengths, tried until the sum fits. */
const scales = [1, 0.6, 0.35, 0.18] as const;

/** The incident's message in the channel: always the complete current state. */
export function slackMessage(incident: Incident, context: MessageContext, rung: MessageForm = 'full'): SlackForm {
  const message = composeMessage(incident, context);
  const text = escapedLine(summaryLine(message), slackBudget.text);
  switch (rung) {
    case 'full':
      return { text, blocks: fitting((scale) => fullBlocks(message, context.now, scale)), broadcast: false };
    case 'short':
      return { text, blocks: fitting((scale) => shortBlocks(message, context.now, scale)), broadcast: false };
    case 'section':
      return { text, blocks: [sectionOf(mrkdwn(plainWords(message), slackBudget.section))], broadcast: false };
    case 'text':
      return { text: mrkdwn(plainWords(message), slackBudget.plain), blocks: [], broadcast: false };
    default:
      return rung satisfies never;
  }
}

/** A reply in the thread: what happened since the last one, oldest first; at the opening, the evidence. Undefined:
 *  nothing to add. */
export function slackReply(
  incident: Incident,
  notes: readonly IncidentNote[],
  context: MessageContext,
  rung: MessageForm = 'full',
): SlackForm | undefined {
  const message = composeMessage(incident, context);
  const news = notes.filter(({ kind }) => kind !== 'opened');
  const lines = news.map((note) => `${clockTime(note.at, context.now)}  ${safeLine(note.text, 600)}`);
  const details = notes.length > news.length ? detailsOf(message) : undefined;
  const last = news.at(-1);
  if (last === undefined && details === undefined) return undefined;
  const broadcast = isLoud(context.occasion);
  const text = escapedLine(last?.text ?? `Evidence for ${message.name}`, slackBudget.text);
  if (rung === 'section' || rung === 'text') {
    const words = [...lines, ...(details === undefined ? [] : message.evidence)].join('\n');
    return { text: mrkdwn(words === '' ? text : words, slackBudget.plain), blocks: [], broadcast };
  }
  const blocks = fitting((scale) => [
    ...(lines.length > 0 ? [sectionOf(mrkdwn(lines.join('\n'), scaled(slackBudget.section, scale)))] : []),
    ...(details === undefined || rung === 'short' ? [] : details(scale)),
    ...(lines.length > 0 || rung === 'short' ? [contextOf(contextLine(message, []))] : []),
  ]);
  return { text, blocks, broadcast };
}

/** Shown in the channel too, for people who do not follow the thread. */
function isLoud(occasion: Occasion): boolean {
  return occasion === 'escalated' || occasion === 'reopened' || occasion === 'unattended';
}

function fitting(build: (scale: number) => readonly Block[]): readonly Block[] {
  for (const scale of scales) {
    const blocks = build(scale);
    if (JSON.stringify(blocks).length <= slackBudget.total) return blocks;
  }
  return [];
}

function scaled(limit: number, scale: number): number {
  return Math.floor(limit * scale);
}

function fullBlocks(message: Message, now: Date, scale: number): readonly Block[] {
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
  const buttons = state === 'RESOLVED' ? [] : actions(message);
  const age = facts.some(({ label }) => /\bfor$/i.test(label)) ? '' : ageOf(message);
  // Remedies before details: on a phone the facts alone fill a page.
  return [header(message), why(message, age, scale), ...open, ...fields, ...buttons, ...footer(message, now, scale)];
}

function shortBlocks(message: Message, now: Date, scale: number): readonly Block[] {
  const remedies = message.state === 'RESOLVED' ? [] : doThis(message, scale);
  return [header(message), why(message, ageOf(message), scale), ...remedies, ...footer(message, now, scale)];
}

const lights = { critical: '🔴', high: '🔴', warning: '🟠', info: '🔵' } as const;

function light({ state, severity }: Message): string {
  switch (state) {
    case 'FIRING':
      return lights[severity];
    case 'RECOVERING':
      return '🟡';
    case 'RESOLVED':
      return '🟢';
    default:
      return state satisfies never;
  }
}

function header(message: Message): Header {
  const { state, subject, kind, lasting } = message;
  const parts = [`${light(message)} ${state}`, subject, kind, ...(state === 'RESOLVED' ? [lasting] : [])];
  return { type: 'header', text: plainText(middle(parts.join(' · '), slackBudget.header)) };
}

/** After the end the header says how long it lasted. */
function ageOf({ state, lasting }: Message): string {
  return state === 'RESOLVED' ? '' : ` (${lasting})`;
}

function why(message: Message, age: string, scale: number): Section {
  const label = message.state === 'RESOLVED' ? '*What ended it*' : '*Why*';
  const others = message.also.map((each) => `• ${mrkdwn(each, scaled(300, scale))}`);
  const reason = `${label}  ${mrkdwn(message.why, scaled(1200, scale))}`;
  return sectionOf([`${bold(message.headline, 300)}${age}`, reason, ...others].join('\n'));
}

/** Asterisks inside would end the bold part. */
function bold(words: string, limit: number): string {
  return `*${mrkdwn(words.replaceAll('*', '∗'), limit)}*`;
}

function fieldsOf({ facts }: Message, scale: number): Section {
  const fields = facts.map(({ label, value }) => {
    const name = `${bold(label, 60)}\n`;
    return markup(`${name}${mrkdwn(value, Math.max(20, scaled(slackBudget.field, scale) - name.length))}`);
  });
  return { type: 'section', fields };
}

const digits = ['①', '②', '③'] as const;

function doThis({ remedies }: Message, scale: number): readonly Block[] {
  const shown = remedies.slice(0, digits.length).map((remedy, index) => ({ remedy, digit: digits[index] ?? '•' }));
  if (shown.length === 0) return [];
  const lines = shown.map(
    ({ digit, remedy }) => `${digit} ${mrkdwn(remedy.title, scaled(240, scale))} (${remedy.risk}, ${remedy.who})`,
  );
  const more = remedies.length > shown.length ? ['_More in the thread._'] : [];
  const commands = whole(
    shown.map(({ digit, remedy }) => commandLines(digit, remedy)),
    scaled(1800, scale),
  );
  return [sectionOf(['*Do this*', ...lines, ...more].join('\n')), ...(commands === '' ? [] : [preformatted(commands)])];
}

/** Only commands that can be undone without an outage are ready to copy; the rest are in the thread. */
function commandLines(digit: string, { command, undo, harmless }: MessageRemedy): readonly string[] {
  if (command === undefined || !harmless) return [];
  return [`# ${digit}`, command, ...(undo === undefined ? [] : [`# ${digit} undo`, undo])];
}

/** What would crowd the message: evidence, and every remedy with its command. Undefined: nothing. */
function detailsOf({ evidence, remedies }: Message): ((scale: number) => readonly Block[]) | undefined {
  if (evidence.length === 0 && remedies.length === 0) return undefined;
  const commands = remedies.map(({ title, risk, command, undo }) => [
    `# ${title} (${risk})`,
    ...(command === undefined ? [] : [command]),
    ...(undo === undefined ? [] : ['# undo', undo]),
  ]);
  return (scale) => [
    ...titled('*Evidence*', middle(evidence.slice(0, 20).join('\n'), scaled(3000, scale))),
    ...titled('*Remedies*', whole(commands, scaled(3000, scale))),
  ];
}

function titled(title: string, words: string): readonly Block[] {
  return words === '' ? [] : [sectionOf(title), preformatted(words)];
}

/** As many groups of lines as fit, none of them cut: half a command does something else. */
function whole(groups: readonly (readonly string[])[], limit: number): string {
  let words = '';
  for (const group of groups.filter(({ length }) => length > 0)) {
    const longer = words === '' ? group.join('\n') : `${words}\n\n${group.join('\n')}`;
    if (longer.length <= limit) words = longer;
  }
  return words;
}

/** Buttons, then links. */
function actions({ link, buttons, number, seq }: Message): readonly Block[] {
  const elements = [...(buttons ? buttonsFor({ number, seq }) : []), ...pageButton(link)];
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

function pageButton(link: string | undefined): Actions['elements'] {
  if (link === undefined || !isWebLink(link)) return [];
  const button = {
    type: 'button',
    text: plainText('Open the status page'),
    url: encodeURI(link),
    action_id: 'status',
  } as const;
  return [button];
}

/** A Slack button takes http and https only, at most 3,000 characters. */
function isWebLink(link: string): boolean {
  return /^https?:\/\/[^\s|<>]+$/.test(link) && encodeURI(link).length <= 3000;
}

function footer(message: Message, now: Date, scale: number): readonly Block[] {
  const opened = message.openedAt === undefined ? [] : [`opened ${dateToken(message.openedAt, now)}`];
  const notices = message.notices.map((notice) => `⚠ ${mrkdwn(notice, scaled(400, scale))}`);
  const taken = message.attention === undefined ? [] : [`✋ ${mrkdwn(message.attention, scaled(400, scale))}`];
  const minded = [...taken, ...notices];
  return [contextOf(contextLine(message, opened)), ...(minded.length === 0 ? [] : [contextOf(minded.join('\n'))])];
}

function contextLine(message: Message, more: readonly string[]): string {
  const { name, confidence, evidenceReadAt, product, state } = message;
  const read = evidenceReadAt === undefined ? [] : [`evidence read ${evidenceReadAt}`];
  const sure = state === 'RESOLVED' ? [] : [confidence];
  return [codeSpan(name), ...causeText(message), ...sure, ...read, ...more, mrkdwn(product, 80)].join(' · ');
}

/** `P3: too few healthy pods`, as a link if a page explains it. */
function causeText({ cause }: Message): readonly string[] {
  if (cause === undefined) return [];
  const words = mrkdwn(`${cause.code}: ${cause.title}`, 80);
  return [cause.link !== undefined && isWebLink(cause.link) ? `<${encodeURI(cause.link)}|${words}>` : words];
}

/** Shown in the reader's time zone, with UTC for clients that cannot. Built from numbers only. */
function dateToken(instant: string, now: Date): string {
  const seconds = Math.floor(Date.parse(instant) / 1000);
  if (!Number.isFinite(seconds)) return 'at an unknown time';
  const ago = duration(secondsBetween(instant, now));
  return `<!date^${seconds}^{date_short_pretty} {time}|${clockTime(instant, now)}> (${ago} ago)`;
}

/** The whole message as plain text, for the forms without blocks. */
function plainWords(message: Message): string {
  const { state, why: reason, remedies, notices, name } = message;
  const [remedy] = remedies;
  const before = [
    summaryLine(message),
    `${state === 'RESOLVED' ? 'What ended it' : 'Why'}: ${reason}`,
    ...(remedy === undefined ? [] : [`Do this: ${remedy.title} (${remedy.risk})`]),
  ];
  const after = [name, ...(message.attention === undefined ? [] : [message.attention]), ...notices].join(' · ');
  const command = remedy?.command !== undefined && remedy.harmless ? [remedy.command] : [];
  const complete = [...before, ...command, after].join('\n');
  if (complete.length <= slackBudget.plain) return complete;
  return middle([...before, after].join('\n'), slackBudget.plain);
}

function escapedLine(words: string, limit: number): string {
  return mrkdwn(safeLine(words, limit), limit);
}

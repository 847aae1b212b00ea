import { clockTime, duration, secondsBetween } from '../../text/durations.ts';
import { ifGiven } from '../../text/if-given.ts';
import { middle, safeHeadline } from '../../text/safe-text.ts';
import { unique } from '../../text/unique.ts';
import { approvalButtons, buttonsFor, steerMenu } from '../slack-buttons.ts';
import { codeSpan, mrkdwn } from './escape.ts';
import type { Message, MessageRemedy } from './message.ts';
import {
  type Actions,
  type Block,
  contextOf,
  type Header,
  markup,
  plainText,
  preformatted,
  type Section,
  sectionOf,
} from './slack-blocks.ts';
import { scaled, slackBudget } from './slack-budget.ts';

/** Id of a person in Slack. */
const slackPerson = /^[UW][A-Z0-9]{6,20}$/;

const lights = { critical: '🔴', high: '🔴', warning: '🟠', info: '🔵' } as const;

export function light({ state, severity }: Pick<Message, 'state' | 'severity'>): string {
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

export function headerBlock(message: Message): Header {
  const { state, severity, place, kind, lasting } = message;
  const isOver = state === 'RESOLVED';
  const parts = [
    `${light(message)} ${state}`,
    ...(isOver ? [] : [severity]),
    place,
    kind,
    ...(isOver ? [lasting] : []),
  ];
  return { type: 'header', text: plainText(safeHeadline(parts.join(' · '), slackBudget.header)) };
}

/** After the end the header says how long it lasted. */
export function ageOf({ state, lasting }: Message): string {
  return state === 'RESOLVED' ? '' : ` (${lasting})`;
}

export function whySection(message: Message, age: string, scale: number): Section {
  const label = message.state === 'RESOLVED' ? '*What ended it*' : '*Why*';
  const others = message.also.map((each) => `• ${mrkdwn(each, scaled(300, scale))}`);
  const reason = `${label}  ${mrkdwn(message.why, scaled(1200, scale))}`;
  return sectionOf([`${bold(message.headline, 300)}${age}`, reason, ...others].join('\n'));
}

/** Asterisks inside would end the bold part. */
export function bold(words: string, limit: number): string {
  return `*${mrkdwn(words.replaceAll('*', '∗'), limit)}*`;
}

export function fieldsOf({ facts }: Message, scale: number): Section {
  const fields = facts.map(({ label, value }) => {
    const name = `${bold(label, 60)}\n`;
    return markup(`${name}${mrkdwn(value, Math.max(20, scaled(slackBudget.field, scale) - name.length))}`);
  });
  return { type: 'section', fields };
}

const digits = ['①', '②', '③'] as const;

export function doThis({ remedies }: Message, scale: number): readonly Block[] {
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
export function detailsOf({ evidence, remedies }: Message): ((scale: number) => readonly Block[]) | undefined {
  if (evidence.length === 0 && remedies.length === 0) return undefined;
  const commands = remedies.map(({ title, risk, command, undo }) => [
    `# ${title} (${risk})`,
    ...ifGiven(command),
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
export function actionBlocks(message: Message): readonly Block[] {
  const { link, buttons, mayFreeze, approval, steered, number } = message;
  const asked = approval === undefined ? [] : approvalButtons(number, approval);
  const elements = [
    ...asked,
    ...(buttons ? buttonsFor(message, mayFreeze) : []),
    ...steerMenu(message, steered),
    ...pageButton(link),
  ];
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

export function pageButton(link: string | undefined): Actions['elements'] {
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

export function footerBlocks(message: Message, now: Date, scale: number): readonly Block[] {
  const opened = message.openedAt === undefined ? [] : [`opened ${dateToken(message.openedAt, now)}`];
  const notices = message.notices.map((notice) => `⚠ ${mrkdwn(notice, scaled(400, scale))}`);
  const taken = message.attention === undefined ? [] : [`✋ ${mrkdwn(message.attention, scaled(400, scale))}`];
  const links = linksLine(message);
  const pushed = pushedBy(message.mentions);
  const minded = [...(pushed === '' ? [] : [pushed]), ...(links === '' ? [] : [links]), ...taken, ...notices];
  return [contextOf(contextLine(message, opened)), ...(minded.length === 0 ? [] : [contextOf(minded.join('\n'))])];
}

/** People in one line; a message of many incidents must not call half a company. */
const mostPeople = 10;

/** `Pushed by <@U0123456789>`, each person once. An id of anything but a person, such as `!channel`, is left out. */
export function pushedBy(mentions: readonly string[]): string {
  const ids = unique(mentions).filter((id) => slackPerson.test(id));
  const people = ids.slice(0, mostPeople).map((id) => `<@${id}>`);
  const more = ids.length > people.length ? ` and ${ids.length - people.length} more` : '';
  return people.length === 0 ? '' : `Pushed by ${people.join(', ')}${more}`;
}

/** `<url|worker in the console> · ...`. */
function linksLine({ links }: Message): string {
  return links
    .filter(({ url }) => isWebLink(url))
    .map(({ label, url }) => `<${url}|${mrkdwn(label.replaceAll('|', ' '), 120)}>`)
    .join(' · ');
}

export function contextLine(message: Message, more: readonly string[]): string {
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

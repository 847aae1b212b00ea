import { listed } from '../../text/phrases.ts';
import { safeHeadline, safeLine } from '../../text/safe-text.ts';
import { unique } from '../../text/unique.ts';
import { byNeed } from '../by-need.ts';
import type { Incident } from '../incident.ts';
import type { StateWord } from '../incident-words.ts';
import { acknowledgeButton } from '../slack-buttons.ts';
import { composeMessage } from './compose-message.ts';
import { codeSpan, mrkdwn } from './escape.ts';
import type { Message, MessageContext } from './message.ts';
import { escapedLine, fitting, type MessageForm, type SlackForm } from './slack.ts';
import { type Block, contextOf, plainText, type Section, sectionOf } from './slack-blocks.ts';
import { scaled, slackBudget } from './slack-budget.ts';
import { bold, light, pageButton, pushedBy } from './slack-parts.ts';

/** Several incidents in one message. */
export interface JointContent {
  readonly why: 'many' | 'fleet';
  /** At least two. */
  readonly members: readonly Incident[];
  /** Of one cause on several clusters: all of them that still fire have it. */
  readonly hasOneCause: boolean;
  /** That the message shows the incident it is rendered for is not enough. */
  readonly isToldAloud: boolean;
  /** Whom its reply mentions, because the message had been posted without them. */
  readonly newMentions: readonly string[];
}

/** Incidents with a block and a button of their own; the others share one. */
const mostBlocks = 8;

/** The message of several incidents: what they have in common, and each as it is now. */
export function slackJoint(
  { members, ...of }: Pick<JointContent, 'why' | 'members' | 'hasOneCause'>,
  context: MessageContext,
  form: MessageForm,
): SlackForm {
  const messages = byNeed(members).map((each) => composeMessage(each, context));
  const title = titleOf(of, messages);
  const text = escapedLine(summaryOf(title, messages), slackBudget.text);
  switch (form) {
    case 'full':
      return { text, blocks: fitting((scale) => blocksOf(title, of, messages, scale)), broadcast: false };
    case 'short':
      return { text, blocks: fitting((scale) => shortBlocks(title, messages, scale)), broadcast: false };
    case 'section':
      return { text, blocks: [sectionOf(linesIn(messages, slackBudget.section))], broadcast: false };
    case 'text':
      return { text: linesIn(messages, slackBudget.plain), blocks: [], broadcast: false };
    default:
      return form satisfies never;
  }
}

interface Title {
  readonly state: StateWord;
  readonly light: string;
  /** `7 alerts within a minute`. */
  readonly words: string;
  /** Of the worst. */
  readonly severity: Message['severity'];
  /** The cluster, if it is one. */
  readonly where: readonly string[];
  /** Of the worst, with its place where it is not that of all. */
  readonly headline: string;
}

/** Why they are in one message. */
type Common = Pick<JointContent, 'why' | 'hasOneCause'>;

function titleOf({ why, hasOneCause }: Common, messages: readonly Message[]): Title {
  const [worst] = messages;
  const state = worst?.state ?? 'RESOLVED';
  const names = unique(messages.map(({ cluster }) => cluster));
  const clusters = names.length;
  const shared = worst === undefined ? '' : ` · ${worst.kind}`;
  const whose = why === 'many' || hasOneCause ? '' : `${worst?.place}: `;
  return {
    state,
    light: worst === undefined ? '' : light(worst),
    severity: worst?.severity ?? 'info',
    where: clusters === 1 ? names : [],
    words:
      why === 'fleet'
        ? `${hasOneCause ? '' : 'began with '}one cause on ${clusters} clusters${shared}`
        : `${messages.length} alerts at once`,
    headline: `${whose}${worst?.headline ?? ''}`,
  };
}

/** What a phone shows: the worst of them, and how many. */
function summaryOf({ state, words, headline }: Title, messages: readonly Message[]): string {
  const places = listed(unique(messages.map(({ place }) => place)), 3);
  return safeHeadline(`${state} ${words}: ${headline} (${places})`, slackBudget.text);
}

function blocksOf(
  title: Title,
  { why, hasOneCause }: Common,
  messages: readonly Message[],
  scale: number,
): readonly Block[] {
  const [worst] = messages;
  const alone = messages.slice(0, mostBlocks);
  const rest = messages.slice(mostBlocks);
  const common = why === 'fleet' && title.state !== 'RESOLVED' ? worst : undefined;
  return [
    header(title),
    sectionOf(standing(messages)),
    ...(common === undefined ? [] : [causeSection(common, hasOneCause, scale)]),
    ...alone.map((each) => sectionWith(each, hasOneCause ? common?.headline : undefined, scale)),
    ...(rest.length === 0 ? [] : [sectionOf(linesIn(rest, scaled(slackBudget.section, scale)))]),
    ...footer(messages),
  ];
}

function shortBlocks(title: Title, messages: readonly Message[], scale: number): readonly Block[] {
  return [
    header(title),
    sectionOf(standing(messages)),
    sectionOf(linesIn(messages, scaled(slackBudget.section, scale))),
    ...footer(messages),
  ];
}

function header({ state, light: lamp, words, severity, where }: Title): Block {
  const parts = [`${lamp} ${state}`, ...(state === 'RESOLVED' ? [] : [severity]), ...where, words];
  return { type: 'header', text: plainText(safeHeadline(parts.join(' · '), slackBudget.header)) };
}

/** `5 firing, 1 recovering, 2 resolved`. */
function standing(messages: readonly Message[]): string {
  const states = ['FIRING', 'RECOVERING', 'RESOLVED'] as const;
  return states
    .map((state) => ({ state, count: messages.filter((each) => each.state === state).length }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${count} ${state.toLowerCase()}`)
    .join(', ');
}

/** Of all, or of the worst, which is named. Its remedies name objects of one cluster: their commands are in the thread,
 *  for each. */
function causeSection(message: Message, isOfAll: boolean, scale: number): Section {
  const { name, place, headline, why, remedies } = message;
  const [first] = remedies;
  const doThis =
    first === undefined ? [] : [`*Do this*  ${mrkdwn(first.title, scaled(240, scale))} (${first.risk}, ${first.who})`];
  const whose = isOfAll ? '' : `${codeSpan(name)} ${bold(place, 120)}: `;
  return sectionOf(
    [`${whose}${bold(headline, 200)}`, `*Why*  ${mrkdwn(why, scaled(900, scale))}`, ...doThis].join('\n'),
  );
}

function sectionWith(message: Message, common: string | undefined, scale: number): Section {
  const section = sectionOf(lineOf(message, common, scale));
  return message.buttons && message.attention === undefined
    ? { ...section, accessory: acknowledgeButton(message) }
    : section;
}

/** Which, where and for how long; then what, unless all have it in common. */
function lineOf(message: Message, common: string | undefined, scale = 1): string {
  const { name, place, headline, lasting, state, why, attention } = message;
  const isOver = state === 'RESOLVED';
  const what = headline === common ? [] : [mrkdwn(headline, scaled(160, scale))];
  const end = isOver ? [mrkdwn(why, scaled(150, scale))] : [];
  const taken = attention === undefined ? [] : [`✋ ${mrkdwn(safeLine(attention, 200), scaled(200, scale))}`];
  const first = `${light(message)} ${codeSpan(name)} ${bold(place, 120)} · ${isOver ? 'over after ' : ''}${lasting}`;
  return [first, ...what, ...end, ...taken].join('\n');
}

/** As many lines as fit, none of them cut. */
function linesIn(messages: readonly Message[], limit: number): string {
  const lines: string[] = [];
  const room = limit - 60;
  for (const message of messages) {
    const line = lineOf(message, undefined);
    if ([...lines, line].join('\n').length > room) break;
    lines.push(line);
  }
  const left = messages.length - lines.length;
  return [...lines, ...(left === 0 ? [] : [`and ${left} more: see the status page`])].join('\n');
}

function footer(messages: readonly Message[]): readonly Block[] {
  const [first] = messages;
  if (first === undefined) return [];
  const links = pageButton(first.link);
  const pushed = pushedBy(messages.flatMap(({ mentions }) => mentions));
  return [
    ...(links.length === 0 ? [] : [{ type: 'actions', elements: links } as const]),
    ...(pushed === '' ? [] : [contextOf(pushed)]),
    contextOf(`Each has its own number, and its evidence in the thread · ${mrkdwn(first.product, 80)}`),
  ];
}

/** The few Slack blocks in use, as in the Block Kit reference; a test checks them against Slack's own types. */

export interface PlainText {
  readonly type: 'plain_text';
  readonly text: string;
  readonly emoji: boolean;
}

/** Markup. `verbatim`: nothing in it becomes a link or a mention. */
export interface Mrkdwn {
  readonly type: 'mrkdwn';
  readonly text: string;
  readonly verbatim: boolean;
}

export interface Header {
  readonly type: 'header';
  readonly text: PlainText;
}

export interface Section {
  readonly type: 'section';
  readonly text?: Mrkdwn;
  readonly fields?: Mrkdwn[];
  /** Beside the text. */
  readonly accessory?: Button;
}

export interface Context {
  readonly type: 'context';
  readonly elements: Mrkdwn[];
}

export interface RichTextRun {
  readonly type: 'text';
  readonly text: string;
  readonly style?: { readonly bold: true };
}

/** Rich text has no markup: its text is shown as it is. */
export interface RichText {
  readonly type: 'rich_text';
  readonly elements: (RichTextSection | RichTextList | RichTextPreformatted)[];
}

export interface RichTextSection {
  readonly type: 'rich_text_section';
  readonly elements: RichTextRun[];
}

export interface RichTextList {
  readonly type: 'rich_text_list';
  readonly style: 'ordered' | 'bullet';
  readonly elements: RichTextSection[];
}

export interface RichTextPreformatted {
  readonly type: 'rich_text_preformatted';
  readonly elements: RichTextRun[];
}

/** Link buttons and buttons that send a request. */
export interface Actions {
  readonly type: 'actions';
  readonly elements: (Button | SelectMenu)[];
}

export interface Button {
  readonly type: 'button';
  readonly text: PlainText;
  readonly action_id: string;
  readonly url?: string;
  readonly value?: string;
  readonly style?: 'primary';
}

export interface SelectMenu {
  readonly type: 'static_select';
  readonly placeholder: PlainText;
  readonly action_id: string;
  readonly options: { readonly text: PlainText; readonly value: string }[];
  /** What Slack asks before it sends the choice. */
  readonly confirm?: {
    readonly title: PlainText;
    readonly text: PlainText;
    readonly confirm: PlainText;
    readonly deny: PlainText;
  };
}

export type Block = Header | Section | Context | RichText | Actions;

export function plainText(text: string): PlainText {
  return { type: 'plain_text', text, emoji: false };
}

/** `escaped`: everything from outside has already been escaped. */
export function markup(escaped: string): Mrkdwn {
  return { type: 'mrkdwn', text: escaped, verbatim: true };
}

export function sectionOf(escaped: string): Section {
  return { type: 'section', text: markup(escaped) };
}

export function contextOf(escaped: string): Context {
  return { type: 'context', elements: [markup(escaped)] };
}

export function orderedList(title: string, items: readonly string[]): RichText {
  const elements = items.map((text) => runOf({ type: 'text', text }));
  const head = runOf({ type: 'text', text: title, style: { bold: true } });
  return { type: 'rich_text', elements: [head, { type: 'rich_text_list', style: 'ordered', elements }] };
}

function runOf(run: RichTextRun): RichTextSection {
  return { type: 'rich_text_section', elements: [run] };
}

export function preformatted(text: string): RichText {
  return { type: 'rich_text', elements: [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }] };
}

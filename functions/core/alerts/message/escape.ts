import { middle, safeLine } from '../../text/safe-text.ts';

/** Escapes for Slack's mrkdwn, and keeps a lone backtick from opening a code span. */
function escapeMrkdwn(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const ticks = escaped.split('`').length - 1;
  return ticks % 2 === 0 && !escaped.includes('```') ? escaped : escaped.replaceAll('`', "'");
}

/** A name as inline code in mrkdwn. */
export function codeSpan(text: string): string {
  return `\`${escapeMrkdwn(text.replaceAll('`', "'"))}\``;
}

/** Escaped for mrkdwn and at most `limit` characters long, entities included. */
export function mrkdwn(text: string, limit: number): string {
  return shrinking(text, limit, escapeMrkdwn);
}

/** Shortens the raw text until its escaped form fits, so that no entity is cut. */
function shrinking(text: string, limit: number, escaped: (text: string) => string): string {
  let room = limit;
  let fitting = escaped(middle(text, room));
  while (fitting.length > limit && room > 0) {
    room -= Math.max(1, Math.ceil((fitting.length - limit) / 6));
    fitting = escaped(middle(text, Math.max(0, room)));
  }
  return fitting;
}

/** One header line: printable ASCII, without a line break that could start another header. */
export function headerValue(text: string, limit = 400): string {
  return safeLine(text, limit).replace(/[^\x20-\x7E]/g, '?');
}

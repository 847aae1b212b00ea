import { beginning, middle, safeLine } from '../../text/safe-text.ts';

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
export function mrkdwn(text: string, limit: number, cut = middle): string {
  return shrinking(text, limit, { escaped: escapeMrkdwn, cut });
}

/** Such lines, together at most `limit` characters long. Long ones share what the short ones leave, and are cut at
 *  their ends: who joined stands first. */
export function mrkdwnLines(lines: readonly string[], limit: number): string {
  const share = fairShare(
    lines.map((line) => escapeMrkdwn(line).length + 1),
    limit + 1,
  );
  return lines.map((line) => mrkdwn(line, share - 1, beginning)).join('\n');
}

/** How long each may be so that all have room. */
export function fairShare(lengths: readonly number[], limit: number): number {
  let [room, left] = [limit, lengths.length];
  for (const length of lengths.toSorted((a, b) => a - b)) {
    if (length * left > room) return Math.floor(room / left);
    room -= length;
    left -= 1;
  }
  return limit;
}

/** Shortens the raw text until its escaped form fits, so that no entity is cut. */
function shrinking(
  text: string,
  limit: number,
  { escaped, cut }: { readonly escaped: (text: string) => string; readonly cut: typeof middle },
): string {
  let room = limit;
  let fitting = escaped(cut(text, room));
  while (fitting.length > limit && room > 0) {
    room -= Math.max(1, Math.ceil((fitting.length - limit) / 6));
    fitting = escaped(cut(text, Math.max(0, room)));
  }
  return fitting;
}

/** One header line: printable ASCII, without a line break that could start another header. */
export function headerValue(text: string, limit = 400): string {
  return safeLine(text, limit).replace(/[^\x20-\x7E]/g, '?');
}

/** Plain text in columns: mail is read in terminals and quoted. */

/** Widest line of a text part. */
export const columns = 76;

/** Columns of a code point in a terminal: 2 for East Asian wide characters and emoji, 0 for combining marks. */
function widthOf(point: string): number {
  const code = point.codePointAt(0) ?? 0;
  if (/\p{M}/u.test(point)) return 0;
  const wide =
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd);
  return wide ? 2 : 1;
}

export function width(text: string): number {
  let sum = 0;
  for (const point of text) sum += widthOf(point);
  return sum;
}

export interface Indent {
  /** Before the first line. */
  readonly first: string;
  /** Before the others. */
  readonly rest: string;
}

/** Breaks at spaces, and inside a word only if it is wider than a line. */
export function wrap(text: string, { first, rest }: Indent, atMost: number = columns): readonly string[] {
  const lines: string[] = [];
  let line = '';
  const room = () => atMost - width(lines.length === 0 ? first : rest);
  const push = (full: string) => lines.push(`${lines.length === 0 ? first : rest}${full}`);
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (width(longer) <= room()) {
      line = longer;
      continue;
    }
    if (line !== '') push(line);
    line = word;
    while (width(line) > room()) {
      const piece = fitting(line, room());
      push(piece);
      line = line.slice(piece.length);
    }
  }
  if (line !== '' || lines.length === 0) push(line);
  return lines;
}

/** The longest prefix that fits, at least one code point. */
function fitting(text: string, room: number): string {
  let taken = '';
  let used = 0;
  for (const point of text) {
    used += widthOf(point);
    if (used > room && taken !== '') break;
    taken += point;
  }
  return taken;
}

/** Widest line of what a command says. */
const terminalColumns = 100;

/** Lines of a terminal: prose is broken at spaces and goes on further in; a command stays whole, to be copied. */
export function wrapLines(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => (width(line) <= terminalColumns || isCommand(line) ? [line] : wrapLine(line)))
    .join('\n');
}

function isCommand(line: string): boolean {
  return /^\s*(?:undo: )?(?:poolkeeper|oc|kubectl|argocd|curl) /.test(line);
}

/** What follows `first` on its line, and goes on below it; a command stays whole. */
export function hangingLines(first: string, text: string): readonly string[] {
  if (width(first) + width(text) <= terminalColumns || isCommand(text)) return [`${first}${text}`];
  return wrap(text, { first, rest: ' '.repeat(width(first)) }, terminalColumns);
}

function wrapLine(line: string): readonly string[] {
  const indent = ' '.repeat(line.length - line.trimStart().length);
  return wrap(line, { first: indent, rest: `${indent}  ` }, terminalColumns);
}

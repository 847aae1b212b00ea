import { hide, lineBreak } from './masked.ts';
import { isSecretInput, maskCommand } from './secret-programs.ts';

/** The lines of a text without what its commands are given as a secret: as options, through a pipe, or by a here
 *  document. As many lines as before. */
export function maskCommands(lines: readonly string[]): readonly string[] {
  const shown: string[] = [];
  while (shown.length < lines.length) {
    const from = shown.length;
    const command = commandAt(lines, from);
    const afterwards = hereDocumentsAt(lines, from + command.count, command.text);
    if (isSecretGroup(command.text)) hideGroup(shown, indentOf(lines[from] ?? ''));
    const masked = maskCommand(command.text).split(lineBreak);
    for (const [index, line] of masked.entries()) shown.push(`${line}${command.endings[index] ?? ''}`);
    for (let at = shown.length; at < afterwards; at += 1) shown.push(hide(lines[at] ?? ''));
  }
  return shown;
}

/** `done | chpasswd`, `} > /root/.pgpass`: a group of commands ends here, whose output is secret. */
function isSecretGroup(command: string): boolean {
  return /^\s*(?:done|fi|esac|[})])\s*[|>]/.test(command) && isSecretInput(command);
}

/** Most lines of such a group. */
const mostGrouped = 100;

/** The lines before the end of a group that are deeper than it. */
function hideGroup(shown: string[], indent: number): void {
  for (let at = shown.length - 1; at >= Math.max(0, shown.length - mostGrouped); at -= 1) {
    const line = shown[at] ?? '';
    if (line.trim() !== '' && indentOf(line) <= indent) return;
    shown[at] = hide(line);
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** Lines that belong together. */
interface Command {
  /** Its lines with a break between them. */
  readonly text: string;
  /** How each of them ends, which is no part of the command. */
  readonly endings: readonly string[];
  readonly count: number;
}

/** Most lines of one command. */
const mostLines = 200;

/** The command that begins in a line, and goes on in those after it. Comments between them end none, as systemd has
 *  it. */
function commandAt(lines: readonly string[], from: number): Command {
  if (!isContinued(lines, from)) return { text: lines[from] ?? '', endings: [], count: 1 };
  let to = from;
  let isOpen = isContinued(lines, from);
  while (isOpen && to - from < mostLines) {
    to += 1;
    isOpen = isContinued(lines, to) || (/^\s*[#;]/.test(lines[to] ?? '') && to + 1 < lines.length);
  }
  const own = lines.slice(from, to + 1);
  const endings = own.map((line) => (isEscaped(line) ? '\\' : ''));
  const text = own.map((line, index) => line.slice(0, line.length - (endings[index] ?? '').length)).join(lineBreak);
  return { text, endings, count: own.length };
}

/** The line end is escaped, or a pipe waits for what reads from it. What `&&` and the like divide are commands of their
 *  own. */
function isContinued(lines: readonly string[], at: number): boolean {
  const [line = '', next] = [lines[at], lines[at + 1]];
  if (next === undefined) return false;
  if (isEscaped(line)) return !/(?:&&|\|\||;|\{|\bdo|\bthen)\s*$/.test(ending(line)) && !/^\s*(?:&&|\|\|)/.test(next);
  return line.endsWith('|') && !/(?:[|:]|[:-]\s)\|$/.test(line) && !line.includes('<<');
}

function isEscaped(line: string): boolean {
  return line.endsWith('\\') && !line.endsWith('\\\\');
}

/** The last words before the backslash. */
function ending(line: string): string {
  return line.slice(-20, -1);
}

const hereDocument = /(?<!<)<<-?[ \t]{0,9}\\?["']?([^\s"'<>|;&()\\]{1,64})/g;

/** Most here documents of one command, and lines after it in which one is looked for that goes to another command. */
const mostHereDocuments = 5;
const nearLines = 500;

/** Where the here documents end that a command reads a secret from; `from` if there are none. One whose end is missing
 *  takes the rest of the text. */
function hereDocumentsAt(lines: readonly string[], from: number, command: string): number {
  const words = hereWords(command);
  if (words.length === 0) return from;
  if (isSecretInput(command)) return endOf(lines, from, words);
  // `cat <<EOF |`: what reads it comes behind the end.
  if (!command.trimEnd().endsWith('|')) return from;
  const near = lines.slice(from, from + nearLines);
  const end = endOf(near, 0, words);
  return isSecretInput(`${command}${near[end + 1] ?? ''}`) ? from + end : from;
}

/** What ends the here documents of a command. Within `((` and `))` it is a shift of bits. */
function hereWords(command: string): readonly string[] {
  if (!command.includes('<<')) return [];
  return [...command.matchAll(hereDocument)].slice(0, mostHereDocuments).flatMap(({ index, 1: word = '' }) => {
    const before = command.slice(0, index);
    return before.lastIndexOf('((') > before.lastIndexOf('))') ? [] : [word];
  });
}

/** The line that ends the last of them. */
function endOf(lines: readonly string[], from: number, words: readonly string[]): number {
  let at = from - 1;
  for (const word of words) {
    at += 1;
    while (at < lines.length && lines[at]?.trim() !== word) at += 1;
  }
  return at;
}

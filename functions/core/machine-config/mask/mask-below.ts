import { isSecretPath } from '../secret-file.ts';
import { hide, masked } from './masked.ts';
import { isSecretName } from './secret-name.ts';

/** The lines of a text without the values that stand in other lines than their names: blocks, lists, elements, and
 *  pairs of `name:` and `value:`. As many lines as before. */
export function maskBelow(lines: readonly string[]): readonly string[] {
  const shown = [...lines];
  const values = secretValues(lines);
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const value = values.get(at);
    if (value !== undefined) shown[at] = `${value}${masked}`;
    const end = value === undefined ? endOfSecret(lines, at) : endOfBlock(lines, at, columnOf(line), false);
    for (let below = at + 1; below < end; below += 1) shown[below] = hide(lines[below] ?? '');
    // The only line of a value may be a name itself, if the value is missing.
    at = end === at + 2 ? at + 1 : end;
  }
  return shown;
}

const setting =
  /^(\s*(?:-\s+)?)(?:\{\s*)?(?:(?:export|local|readonly|declare|typeset)\s+(?:-\w{1,5}\s+)?)?["']?([^\s"':=]{1,100})["']?\s*([:=])\s*(.*)$/;

/** A line that ends with an option, and goes on: in a command, or in a list of arguments. */
const flag =
  /(?:^|[\s"'[])(--?[A-Za-z][A-Za-z0-9_.-]{0,60})["']?\s*[,\\]$|^\s*-\s+["']?(--?[A-Za-z][A-Za-z0-9_.-]{0,60})["']?$/;

/** The line behind the last one that belongs to the secret whose name this line has; the next one if it has none. */
function endOfSecret(lines: readonly string[], at: number): number {
  const line = (lines[at] ?? '').trimEnd();
  const element = line.endsWith('>') ? secretElement.exec(line)?.[1] : undefined;
  if (element !== undefined) return endOfElement(lines, at, element);
  const [, lead = '', name = '', sign = '', value = ''] = /[:=]/.test(line) ? (setting.exec(line) ?? []) : [];
  const mayBeList = sign === ':' && !/webhooks$/i.test(name);
  if (isSecretName(name)) return endOfValue(lines, at, { column: lead.length, mayBeList, value });
  const [, option, argument] = line.includes('-') ? (flag.exec(line) ?? flag.exec(withoutComment(line)) ?? []) : [];
  const given = option ?? argument;
  const isValue =
    given !== undefined && isSecretName(given) && !/^\s*(?:-\s+)?["']?(?:-\S|$)/.test(lines[at + 1] ?? '');
  return at + (isValue ? 2 : 1);
}

interface Opening {
  /** Of the name. */
  readonly column: number;
  /** In YAML what begins in the same column may be a list of values. Webhooks of Kubernetes are a list of settings. */
  readonly mayBeList: boolean;
  /** What of the value stands in the line of the name. */
  readonly value: string;
}

function endOfValue(lines: readonly string[], at: number, { column, mayBeList, value: written }: Opening): number {
  // Three quotes, as TOML has them, end like one.
  const value = /^(?:"""|''')/.test(written) ? written.slice(2) : written;
  if (/^\\$|[^\s\\]\\$/.test(value)) {
    let end = at + 1;
    while (lines[end]?.endsWith('\\')) end += 1;
    return Math.min(lines.length, end + 1);
  }
  const closing = closings[value.charAt(0)];
  const isQuote = closing === '"' || closing === "'";
  if (closing !== undefined && !(isQuote ? value : withoutComment(value)).includes(closing, 1)) {
    const end = endOfBrackets(lines, at, column, closing);
    if (end !== undefined) return end;
    if (!isQuote) return endOfBlock(lines, at, column, false);
  }
  if (/^(?:[!&]\S{1,60}\s*)?(?:["']|[|>][-+\d]{0,2}|)\s*(?:#.*)?$/.test(value))
    return endOfBlock(lines, at, column, mayBeList);
  // One word may go on below, deeper than its name.
  return /^[^\s"'([{]\S*$/.test(value) ? endOfBlock(lines, at, column, false) : at + 1;
}

/** The line before ` #`, without blanks at its end. */
function withoutComment(line: string): string {
  const [text = ''] = line.split(/\s#/, 1);
  return text.trimEnd();
}

/** Everything deeper belongs to a block, and of a list in YAML what begins in the same column. */
function endOfBlock(lines: readonly string[], at: number, column: number, mayBeList: boolean): number {
  let end = at + 1;
  for (; end < lines.length; end += 1) {
    const line = lines[end] ?? '';
    const indent = indentOf(line);
    const isInside = indent > column || (mayBeList && indent === column && /^-(?:\s|$)/.test(line.slice(indent)));
    if (line.trim() !== '' && !isInside) break;
  }
  return end;
}

const closings: Readonly<Record<string, string | undefined>> = { '(': ')', '[': ']', '{': '}', '"': '"', "'": "'" };

/** Lines in which the end is looked for. */
const nearLines = 200;

/** Undefined: it is not to be found. A quote ends anywhere in a line, a bracket no deeper than the name. */
function endOfBrackets(lines: readonly string[], at: number, column: number, closing: string): number | undefined {
  const last = Math.min(lines.length, at + nearLines);
  for (let end = at + 1; end < last; end += 1) {
    const line = lines[end] ?? '';
    const text = line.trim();
    const isQuote = closing === '"' || closing === "'";
    if (isQuote ? text.includes(closing) : isLastItem(text, closing)) return end + 1;
    if (!isQuote && text.startsWith(closing) && indentOf(line) <= column) return end;
  }
  return undefined;
}

/** `word)`, `"word"],`: the last item of a list, with its end behind it. */
function isLastItem(text: string, closing: string): boolean {
  const item = /^[^()[\]{}]+([)\]])[,;]?$/.exec(text);
  return item?.[1] === closing;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** An element whose text stands in lines of its own, as OpenVPN has it. */
const secretElement = /^\s*<((?:http-proxy|auth)-user-pass|password|passwd|passphrase|secret|token|pkcs12)>$/i;

/** The line that ends it; the next one if there is none. */
function endOfElement(lines: readonly string[], at: number, name: string): number {
  const near = lines.slice(at + 1, at + nearLines).findIndex((line) => line.trim() === `</${name}>`);
  return at + 1 + Math.max(near, 0);
}

/** Lines with a name, those with the value of one, and which names are secret: a name and a value in YAML, JSON and
 *  XML, the path and the content of a file, as cloud-init has it. */
const pairs: readonly {
  readonly name: RegExp;
  readonly value: RegExp;
  readonly isSecret: (name: string) => boolean;
}[] = [
  {
    name: /^\s*(?:[-{]\s*)?["']?(?:name|key)["']?\s*:\s*["']?([^\s"',{}]{1,100})["']?[\s,}\]]*(?:\s#.*)?$/i,
    value: /^(\s*(?:[-{]\s*)?["']?value["']?\s*:\s*)(?=\S)/i,
    isSecret: isSecretName,
  },
  {
    name: /^\s*<(?:name|key)>\s*([^\s<>]{1,100})\s*<\/(?:name|key)>\s*$/i,
    value: /^(\s*<value>)(?=\S|$)/i,
    isSecret: isSecretName,
  },
  {
    name: /^\s*(?:[-{]\s*)?["']?path["']?\s*:\s*["']?([^\s"',{}]{1,200})["']?[\s,}\]]*(?:\s#.*)?$/i,
    value: /^(\s*(?:[-{]\s*)?["']?content["']?\s*:\s*)(?=\S)/i,
    isSecret: isSecretPath,
  },
];

/** Where the name and the value of one pair are looked for around each other. */
const pairLines = 10;

/** The lines with the value of a pair whose name says that it is secret, and what of them is before the value. */
function secretValues(lines: readonly string[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const [at, line] of lines.entries()) {
    if (!/\b(?:name|key|path)\b/i.test(line)) continue;
    for (const pair of pairs) {
      const name = pair.name.exec(line)?.[1];
      const value = name !== undefined && pair.isSecret(name) ? valueBeside(lines, at, pair.value) : undefined;
      if (value !== undefined) found.set(value, pair.value.exec(lines[value] ?? '')?.[1] ?? '');
    }
  }
  return found;
}

/** The line of the value in the same item. */
function valueBeside(lines: readonly string[], name: number, valueLine: RegExp): number | undefined {
  const column = columnOf(lines[name] ?? '');
  let first = name;
  while (name - first < pairLines && !isFirst(lines[first] ?? '', column) && !isOutside(lines[first - 1], column))
    first -= 1;
  let end = name + 1;
  while (end - name < pairLines && !isFirst(lines[end] ?? '', column) && !isOutside(lines[end], column)) end += 1;
  const value = lines.slice(first, end).findIndex((line) => columnOf(line) === column && valueLine.test(line));
  return value < 0 ? undefined : first + value;
}

/** Before the first line, behind the last one, or in what is around the item. */
function isOutside(line: string | undefined, column: number): boolean {
  return line === undefined || (line.trim() !== '' && columnOf(line) < column);
}

/** An item begins here: what is on the other side of this line belongs to another one. */
function isFirst(line: string, column: number): boolean {
  return /^\s*-\s/.test(line) && columnOf(line) <= column;
}

/** Where the text of a line begins, behind the mark of an item or object. */
function columnOf(line: string): number {
  return /^\s*(?:-\s+|\{\s*)?/.exec(line)?.[0].length ?? 0;
}

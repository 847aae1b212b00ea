import { enterShell, isCalculating } from './shell-frames.ts';
import { finishCommand, finishWord, put, type Reading, shellLimits } from './shell-reading.ts';

/** Between single quotes everything is itself. */
export function readQuoted(reading: Reading): void {
  const end = reading.text.indexOf("'", reading.at);
  const text = reading.text.slice(reading.at, end < 0 ? undefined : end);
  reading.at = end < 0 ? reading.text.length : end + 1;
  for (const char of text) if (char === '\n') reading.line += 1;
  put(reading, text.slice(0, shellLimits.word));
}

/** `;`, `&`, `|` and redirections. */
export function readOperator(reading: Reading, char: string): void {
  const next = reading.text.charAt(reading.at);
  if (char === '<' || char === '>') readAngle(reading, char);
  else if (char === '&' && next === '>') finishWord(reading);
  else {
    if (next === char || (char === '|' && next === '&')) reading.at += 1;
    finishCommand(reading, char === '|' && next !== '|');
  }
}

/** Where something is calculated, it compares or shifts. */
function readAngle(reading: Reading, char: '<' | '>'): void {
  if (!isCalculating(reading)) {
    readRedirection(reading, char);
    return;
  }
  finishWord(reading);
  if (reading.text.charAt(reading.at) === char) reading.at += 1;
}

/** `>`, `>>`, `>|`, `>&`, `<`, `<<`, `<<-`, `<<<`. */
function readRedirection(reading: Reading, char: '<' | '>'): void {
  const { text, at } = reading;
  // `2>`: the number is no argument.
  if (/^\d$/.test(reading.word ?? '')) reading.word = undefined;
  finishWord(reading);
  const [next, after] = [text.charAt(at), text.charAt(at + 1)];
  // `<(...)` and `>(...)` run a command of their own.
  if (next === '(') {
    put(reading, '$');
    return;
  }
  if (char === '>') {
    reading.at += ['>', '|', '&'].includes(next) ? 1 : 0;
    reading.next = next === '&' ? 'source' : 'target';
    return;
  }
  reading.next = next !== '<' ? 'source' : after === '<' ? 'here-string' : 'here-document';
  reading.at += next !== '<' ? 0 : after === '<' || after === '-' ? 2 : 1;
}

/** `$NAME` and `${NAME}` where it was set to a plain text, `${NAME:-text}` also where it was not; `$(...)` is a shell
 *  of its own. */
export function readVariable(reading: Reading): void {
  const { text, at, variables } = reading;
  if (text.charAt(at) === '(') {
    reading.at += 1;
    put(reading, '');
    enterShell(reading, ')');
    return;
  }
  const found = /^(?:\{([A-Za-z_]\w{0,63}|\d)(?::?-([^$`"'\\{}]{0,256}))?\}|([A-Za-z_]\w{0,63}))/.exec(
    text.slice(at, at + 330),
  );
  const value = variables.get(found?.[1] ?? found?.[3] ?? '') ?? found?.[2];
  if (found === null || value === undefined || value.length > reading.expandable) {
    put(reading, '$');
    skipBraces(reading);
    return;
  }
  reading.expandable -= value.length;
  reading.at += found[0].length;
  put(reading, value);
}

/** `${NAME%)}`: what stands in braces is no syntax of the shell around them. One with a command in it is read on. */
function skipBraces(reading: Reading): void {
  const rest = reading.text.slice(reading.at, reading.at + 330);
  const [braces] = /^\{(?:\\[^\n]|'[^'\n]*'|"[^"\\$`\n]*"|\$\{[^{}$`"'\\\n]*\}|\$(?!\()|[^{}$`"'\\\n])*\}/.exec(
    rest,
  ) ?? [''];
  if (braces === '') return;
  reading.at += braces.length;
  put(reading, braces);
}

/** The lines after the one that announces them. */
export function readHereDocuments(reading: Reading): void {
  for (const { end, draft } of reading.hereDocuments) draft.input = readUntil(reading, end);
  reading.hereDocuments = [];
}

function readUntil(reading: Reading, end: string): string {
  const start = reading.at;
  while (reading.at < reading.text.length) {
    const from = reading.at;
    const newline = reading.text.indexOf('\n', from);
    const to = newline < 0 ? reading.text.length : newline;
    reading.at = to + 1;
    reading.line += 1;
    if (to - from < end.length + 50 && reading.text.slice(from, to).trim() === end)
      return reading.text.slice(start, from);
  }
  reading.isCut = true;
  return reading.text.slice(start);
}

import { enterShell, finishListLine, leaveShell } from './shell-frames.ts';
import {
  type Command,
  finishCommand,
  finishWord,
  newDraft,
  newReading,
  put,
  type Reading,
  shellLimits,
} from './shell-reading.ts';
import { readHereDocuments, readOperator, readQuoted, readVariable } from './shell-tokens.ts';

/** Most characters of one text that are read. */
const longestText = 256_000;

/** The simple commands of a shell script, in order. No shell: quotes, separators, substitutions, redirections, here
 *  documents and variables that were set to a plain text are known, nothing else. Every character is looked at once
 *  and nothing is run; beyond the limit of commands nothing is read. */
export function shellCommands(text: string): readonly Command[] {
  return readShell(text).commands;
}

/** The same, with whether something of the text was not looked at. */
export function readShell(text: string): Pick<Reading, 'commands' | 'isCut'> {
  const reading = newReading(text.slice(0, longestText));
  while (reading.at < reading.text.length && reading.commands.length < shellLimits.commands) {
    const char = reading.text.charAt(reading.at);
    reading.at += 1;
    if (reading.isQuoted) stepQuoted(reading, char);
    else step(reading, char);
  }
  finishCommand(reading);
  return { ...reading, isCut: reading.isCut || reading.commands.length >= shellLimits.commands };
}

function step(reading: Reading, char: string): void {
  if (/[\s#]/.test(char)) stepBlank(reading, char);
  else if (/[();&|<>]/.test(char)) stepOperator(reading, char);
  else if (char === "'") readQuoted(reading);
  else if (char === '"') {
    reading.isQuoted = true;
    put(reading, '');
  } else stepAnywhere(reading, char);
}

function stepBlank(reading: Reading, char: string): void {
  if (char === '#') {
    if (reading.word === undefined) skipComment(reading);
    else put(reading, char);
    return;
  }
  if (char !== '\n') {
    finishWord(reading);
    return;
  }
  const list = reading.frames.at(-1)?.list;
  if (list === undefined) finishCommand(reading);
  else finishListLine(reading, list);
  reading.line += 1;
  readHereDocuments(reading);
}

function stepOperator(reading: Reading, char: string): void {
  if (char === '(') {
    if (/^[A-Za-z_]\w{0,63}\+?=$/.test(reading.word ?? '')) {
      enterShell(reading, ')', []);
      return;
    }
    if (/^\s{0,8}\)/.test(reading.text.slice(reading.at, reading.at + 10))) {
      defineFunction(reading);
      return;
    }
    // What comes is a command of its own.
    if (reading.word !== undefined || reading.draft.words.length > 0) finishCommand(reading);
    enterShell(reading, ')');
  } else if (char === ')') leaveShell(reading, ')');
  else readOperator(reading, char);
}

/** `name() {` starts nothing. */
function defineFunction(reading: Reading): void {
  reading.at = reading.text.indexOf(')', reading.at) + 1;
  reading.word = undefined;
  reading.draft = newDraft();
}

function stepQuoted(reading: Reading, char: string): void {
  if (char === '"') reading.isQuoted = false;
  else if (char === '\n') {
    reading.line += 1;
    put(reading, char);
  } else stepAnywhere(reading, char);
}

/** What means the same between double quotes and outside of them. */
function stepAnywhere(reading: Reading, char: string): void {
  if (char === '\\') readEscaped(reading);
  else if (char === '$') readVariable(reading);
  else if (char !== '`') put(reading, char);
  else if (reading.frames.at(-1)?.closing === '`') leaveShell(reading, '`');
  else {
    put(reading, '');
    enterShell(reading, '`');
  }
}

function readEscaped(reading: Reading): void {
  const next = reading.text.charAt(reading.at);
  reading.at += 1;
  if (next === '\n') reading.line += 1;
  else put(reading, reading.isQuoted && !'"\\$`'.includes(next) ? `\\${next}` : next);
}

function skipComment(reading: Reading): void {
  const end = reading.text.indexOf('\n', reading.at);
  reading.at = end < 0 ? reading.text.length : end;
}

import { type Frame, finishCommand, finishWord, newDraft, put, type Reading, shellLimits } from './shell-reading.ts';

/** Most characters of one calculation. */
const longestCalculation = 200;

/** `((` was read, and its two ends stand together: it calculates. Otherwise it is a subshell within another one. */
function isCalculation({ text, at }: Reading): boolean {
  if (text.slice(at - 2, at) !== '((') return false;
  const rest = text.slice(at, at + longestCalculation);
  let open = 2;
  for (let index = 0; index < rest.length; index += 1) {
    const char = rest.charAt(index);
    open += char === '(' ? 1 : char === ')' ? -1 : 0;
    if (open === 1) return rest.charAt(index + 1) === ')';
  }
  return false;
}

/** Within `((` and `))`, where `<<` shifts bits. */
export function isCalculating({ frames }: Reading): boolean {
  return frames.some(({ calculates }) => calculates);
}

/** A subshell or substitution begins; the outer command waits. Too deep, it only separates. */
export function enterShell(reading: Reading, closing: Frame['closing'], list?: string[]): void {
  const { draft, word, next, isQuoted, cases } = reading;
  if (reading.frames.length >= shellLimits.frames) {
    finishCommand(reading);
    return;
  }
  reading.frames.push({ closing, draft, word, next, isQuoted, cases, list, calculates: isCalculation(reading) });
  reading.draft = newDraft(draft.words.length === 0 ? draft.piped : undefined);
  reading.word = undefined;
  reading.next = 'argument';
  reading.isQuoted = false;
  reading.cases = 0;
}

/** It ends, and the outer command goes on with what it says in its place. */
export function leaveShell(reading: Reading, closing: Frame['closing']): void {
  // It may be `esac`.
  finishWord(reading);
  if (reading.cases > 0 && closing === ')') {
    dropPattern(reading);
    return;
  }
  const frame = reading.frames.at(-1);
  const { words } = reading.draft;
  if (frame?.list === undefined) finishCommand(reading);
  else finishList(reading, frame.list);
  if (frame?.closing !== closing) return;
  reading.frames.pop();
  reading.cases = frame.cases;
  reading.draft = frame.draft;
  reading.word = frame.word;
  reading.next = frame.next;
  reading.isQuoted = frame.isQuoted;
  if (frame.word !== undefined) put(reading, saidBy(words));
}

/** Where a program is; of everything else it cannot be known. */
function saidBy([program = '', ...args]: readonly string[]): string {
  const isAsked = program === 'which' || /^(?:command -v|type -P)$/.test(`${program} ${args[0]}`);
  return (isAsked ? args.at(-1) : undefined) ?? '$';
}

/** The words of one line of a list may be run later, as may all together, and each that holds a whole command. */
export function finishListLine(reading: Reading, list: string[]): void {
  finishWord(reading);
  list.push(...reading.draft.words.slice(0, shellLimits.words - list.length));
  finishCommand(reading);
}

function finishList(reading: Reading, list: string[]): void {
  finishListLine(reading, list);
  // Of what begins with an argument the program is not known.
  const whole = /^(?:-|\w+=)/.test(list[0] ?? '') ? ['array', ...list] : list;
  for (const words of [whole, ...list.filter((word) => /\s/.test(word)).map((word) => [word])]) {
    reading.draft.words.push(...words);
    finishCommand(reading);
  }
}

/** `start|reboot)` of a `case` names no program. */
function dropPattern(reading: Reading): void {
  let before = reading.draft.piped;
  while (before !== undefined && reading.commands.at(-1) === before) {
    reading.commands.pop();
    before = before.piped;
  }
  reading.word = undefined;
  reading.draft = newDraft();
}

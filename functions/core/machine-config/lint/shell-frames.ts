import { type Frame, finishCommand, newDraft, put, type Reading, shellLimits } from './shell-reading.ts';

/** A subshell or substitution begins; the outer command waits. Too deep, it only separates. */
export function enterShell(reading: Reading, closing: Frame['closing'], isList = false): void {
  const { draft, word, next, isQuoted } = reading;
  if (reading.frames.length >= shellLimits.frames) {
    finishCommand(reading);
    return;
  }
  reading.frames.push({ closing, draft, word, next, isQuoted, isList });
  reading.draft = newDraft(draft.words.length === 0 ? draft.piped : undefined);
  if (isList) reading.draft.words.push('=');
  reading.word = undefined;
  reading.next = 'argument';
  reading.isQuoted = false;
}

/** It ends, and the outer command goes on with what cannot be known in its place. */
export function leaveShell(reading: Reading, closing: Frame['closing']): void {
  const frame = reading.frames.at(-1);
  if (frame === undefined && closing === ')') {
    dropPattern(reading);
    return;
  }
  finishCommand(reading);
  if (frame?.closing !== closing) return;
  reading.frames.pop();
  reading.draft = frame.draft;
  reading.word = frame.word;
  reading.next = frame.next;
  reading.isQuoted = frame.isQuoted;
  if (frame.word !== undefined) put(reading, '$');
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

import { type Frame, finishCommand, newDraft, put, type Reading, shellLimits } from './shell-reading.ts';

/** A subshell or substitution begins; the outer command waits. Too deep, it only separates. */
export function enterShell(reading: Reading, closing: Frame['closing']): void {
  const { draft, word, next, isQuoted } = reading;
  if (reading.frames.length >= shellLimits.frames) {
    finishCommand(reading);
    return;
  }
  reading.frames.push({ closing, draft, word, next, isQuoted });
  reading.draft = newDraft(draft.words.length === 0 ? draft.piped : undefined);
  reading.word = undefined;
  reading.next = 'argument';
  reading.isQuoted = false;
}

/** It ends, and the outer command goes on with what cannot be known in its place. */
export function leaveShell(reading: Reading, closing: Frame['closing']): void {
  finishCommand(reading);
  const frame = reading.frames.at(-1);
  if (frame?.closing !== closing) return;
  reading.frames.pop();
  reading.draft = frame.draft;
  reading.word = frame.word;
  reading.next = frame.next;
  reading.isQuoted = frame.isQuoted;
  if (frame.word !== undefined) put(reading, '$');
}

import { appendFile } from 'node:fs/promises';
import type { Logger } from '../../functions/ports/telemetry.ts';
import { describeError } from '../../functions/shell/describe-error.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** Log lines for a terminal or a file: time, level, message, fields. No debug lines. */
export function lineLogger(write: (line: string) => void, now: () => Date): Logger {
  const line =
    (level: Level) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
      const said = Object.entries(fields).map(([name, value]) => `${name}=${valueText(value)}`);
      write([now().toISOString().slice(11, 23), level.padEnd(5), message, ...said].join(' '));
    };
  return { debug: () => {}, info: line('info'), warn: line('warn'), error: line('error') };
}

/** Appends lines in order, one write at a time. Write errors are ignored: a log that cannot be written must not stop
 *  anything. */
export function fileWriter(path: string): (line: string) => void {
  let turn: Promise<unknown> = Promise.resolve();
  return (line) => {
    turn = turn.then(() => appendFile(path, `${line}\n`)).catch(() => undefined);
  };
}

function valueText(value: unknown): string {
  if (value instanceof Error) return JSON.stringify(describeError(value));
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
}

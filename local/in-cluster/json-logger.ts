import type { Logger } from '../../functions/ports/telemetry.ts';
import { describeError } from '../../functions/shell/describe-error.ts';

type Level = 'debug' | 'info' | 'warn' | 'error';

/** One JSON object a line, for the log of a pod. No debug lines. */
export function jsonLogger(write: (line: string) => void, now: () => Date): Logger {
  const line =
    (level: Level) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
      write(JSON.stringify({ time: now().toISOString(), level, message, ...fields }, loggable));
  return { debug: () => {}, info: line('info'), warn: line('warn'), error: line('error') };
}

function loggable(_key: string, value: unknown): unknown {
  return value instanceof Error ? describeError(value) : value;
}

import { BadInput, Misconfigured, Transient } from '../core/text/errors.ts';
import { redact } from '../core/text/safe-text.ts';

export interface ErrorDescription {
  readonly name: string;
  readonly message?: string;
  readonly kind?: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/** Longest text of a foreign error that is logged, characters. SDK messages carry whole response bodies. */
const foreignTextAtMost = 300;
/** Causes of causes that are followed. */
const depthAtMost = 4;

/** What of an error may be logged: an allow-list. SDK errors carry requests, responses and headers as properties,
 *  and the message of a JSON SyntaxError quotes the text it could not read, which here may be a body. Credentials in
 *  a message go. */
export function describeError(error: Error, depth = 0): ErrorDescription {
  const cause = error.cause instanceof Error && depth < depthAtMost ? describeError(error.cause, depth + 1) : undefined;
  return {
    name: error.name,
    ...messageOf(error),
    ...(error instanceof Transient ? { kind: error.kind } : {}),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(depth === 0 && !isOurs(error) ? { stack: framesOf(error) } : {}),
    ...(cause === undefined ? {} : { cause }),
  };
}

function messageOf(error: Error): { readonly message?: string } {
  if (error instanceof SyntaxError) return {};
  return { message: redact(isOurs(error) ? error.message : error.message.slice(0, foreignTextAtMost)) };
}

function isOurs(error: Error): boolean {
  return error instanceof BadInput || error instanceof Transient || error instanceof Misconfigured;
}

/** Where it happened, without the message that V8 puts in front. */
function framesOf(error: Error): string {
  const lines = (error.stack ?? '').split('\n');
  return lines.filter((line) => /^\s+at /.test(line)).join('\n');
}

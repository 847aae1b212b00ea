import { BadInput, Misconfigured, Transient } from '../core/text/errors.ts';
import { given } from '../core/text/given.ts';
import { redact } from '../core/text/safe-text.ts';

export interface ErrorDescription {
  readonly name: string;
  readonly message?: string;
  readonly kind?: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

/** Characters of a foreign error text that are logged. SDK messages contain whole response bodies. */
const foreignTextAtMost = 300;
/** Nested causes that are included. */
const depthAtMost = 4;

/** The loggable part of an error: an allow-list. SDK errors have requests, responses and headers as properties, and the
 *  message of a JSON SyntaxError quotes the text it could not parse, which here may be a body. Credentials in a message
 *  are removed. */
export function describeError(error: Error, depth = 0): ErrorDescription {
  const cause = error.cause instanceof Error && depth < depthAtMost ? describeError(error.cause, depth + 1) : undefined;
  return {
    name: error.name,
    ...messageOf(error),
    ...(error instanceof Transient ? { kind: error.kind } : {}),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(depth === 0 && !isOurs(error) ? { stack: framesOf(error) } : {}),
    ...given({ cause }),
  };
}

function messageOf(error: Error): { readonly message?: string } {
  if (error instanceof SyntaxError) return {};
  return { message: redact(isOurs(error) ? error.message : error.message.slice(0, foreignTextAtMost)) };
}

function isOurs(error: Error): boolean {
  return error instanceof BadInput || error instanceof Transient || error instanceof Misconfigured;
}

/** The stack frames, without the message that V8 puts in front. */
function framesOf(error: Error): string {
  const lines = (error.stack ?? '').split('\n');
  return lines.filter((line) => /^\s+at /.test(line)).join('\n');
}

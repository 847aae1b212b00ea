import { Transient } from '../../core/text/errors.ts';
import { foreignMessage } from '../../core/text/foreign-text.ts';

/** Translates a connection error: without an answer nothing is known. */
export function unreachable(call: { readonly method: string; readonly path: string }, cause: unknown): Transient {
  return new Transient(`${call.method} ${call.path}: ${foreignMessage(reasonOf(cause))}`, {
    kind: 'unreachable',
    cause,
  });
}

/** The innermost message: a wrapping error says less. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'the connection failed';
  if (cause.name === 'TimeoutError') return 'no complete answer in time';
  if (cause.cause instanceof Error) return reasonOf(cause.cause);
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return reasonOf(cause.errors[0]);
  return cause.message === '' ? cause.name : cause.message;
}

import * as z from 'zod';
import { Transient } from '../../core/text/errors.ts';
import { foreignMessage } from '../../core/text/foreign-text.ts';
import type { RawAnswer } from './answer.ts';

/** The body of an answer by which the API server refuses. Source: apimachinery meta/v1 Status. */
const Status = z.object({
  kind: z.literal('Status'),
  message: z.string().catch(''),
  reason: z.string().catch(''),
  details: z
    .object({ name: z.string().catch(''), retryAfterSeconds: z.number().optional().catch(undefined) })
    .catch({ name: '' })
    .optional(),
});

/** Characters of the API server's text that are kept. */
const messageLimit = 500;

/** Whether the API server itself says that the named object does not exist. A 404 without the object's name means that
 *  the kind is not served, or that a proxy answered. */
export function isAbsence(answer: RawAnswer): boolean {
  const status = Status.safeParse(answer.body);
  if (answer.status !== 404 || !status.success) return false;
  return status.data.reason === 'NotFound' && (status.data.details?.name ?? '') !== '';
}

/** Translates an answer that is not a success. The message has verb, path and the API server's text, stripped of
 *  credentials: it ends up in logs, in the table and in messages. */
export function refusal(call: { readonly method: string; readonly path: string }, answer: RawAnswer): Transient {
  const status = Status.safeParse(answer.body);
  const said = status.success ? foreignMessage(status.data.message, messageLimit) : '';
  const message = `${call.method} ${call.path}: ${answer.status}${said === '' ? '' : `, ${said}`}`;
  const asked = status.success ? status.data.details?.retryAfterSeconds : undefined;
  return new Transient(message, {
    kind: kindOf(call.method, answer),
    isAnswered: true,
    retryAfterSeconds: asked ?? headerSeconds(answer.headers['retry-after']),
  });
}

/** Whether a list failed because the API server does not serve its kind. */
export function isUnserved({ message }: Transient): boolean {
  return /: 404\b/.test(message);
}

/** What was listed; `otherwise` where the API server does not serve the kind. */
export async function unlessUnserved<T, Otherwise>(list: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> {
  try {
    return await list;
  } catch (cause) {
    if (cause instanceof Transient && isUnserved(cause)) return otherwise;
    throw cause;
  }
}

/** Whether a write failed because of what was to be written, or because its namespace is not there. */
export function isRefusedObject({ message }: Transient): boolean {
  return /: (?:400|404|422)\b/.test(message);
}

function kindOf(method: string, answer: RawAnswer): Transient['kind'] {
  if (answer.status >= 500) return 'unreachable';
  switch (answer.status) {
    case 401:
    case 403:
      return 'forbidden';
    case 404:
      // The object existed when it was read: someone deleted it since.
      return method === 'PATCH' && isAbsence(answer) ? 'conflict' : 'unknown';
    case 409:
      return 'conflict';
    case 410: // The continue token of the list has expired; the next pass starts again.
    case 429:
      return 'busy';
    default:
      return 'unknown';
  }
}

/** Kubernetes sends whole seconds, never dates. */
function headerSeconds(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

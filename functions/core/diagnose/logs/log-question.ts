import * as z from 'zod';
import type { Asked } from '../../findings/unread.ts';
import { mcoNamespace } from '../questions.ts';

/** Lines, bytes and seconds of a log that are read: a failing daemon repeats itself each minute. */
const bounds = { tailLines: '200', limitBytes: `${128 * 1024}`, sinceSeconds: `${2 * 3600}` };

/** A log of one line that happens to be JSON comes parsed. */
const LogText = z.unknown().transform((body) => (typeof body === 'string' ? body : JSON.stringify(body)));

/** The end of a log, which nobody but {@link ./read-log.ts} asks for: the right to is opt-in, and what comes must
 *  not be kept as it is. */
export function logOf(pod: string, container: string): Asked<string> {
  return {
    question: {
      path: `/api/v1/namespaces/${mcoNamespace}/pods/${encodeURIComponent(pod)}/log`,
      query: { container, ...bounds },
      form: 'text',
    },
    what: `the log of ${container}`,
    shape: LogText,
  };
}

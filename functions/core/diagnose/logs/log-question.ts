import * as z from 'zod';
import type { Asked } from '../../findings/unread.ts';
import { mcoNamespace } from '../../openshift/machine-config-operator.ts';

/** How many lines, bytes and seconds of a log are read: a failing daemon repeats its error each minute. */
const bounds = { tailLines: '200', limitBytes: `${128 * 1024}`, sinceSeconds: `${2 * 3600}` };

/** Undoes the parsing of a log that happens to be one line of JSON. */
const LogText = z.unknown().transform((body) => (typeof body === 'string' ? body : JSON.stringify(body)));

/** Asks for the end of a container's log. Used by read-log.ts alone: the right to read logs is opt-in, and their text
 *  must not be kept as it is. */
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

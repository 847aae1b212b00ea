import * as z from 'zod';
import type { Asked } from '../../findings/unread.ts';
import { mcoNamespace } from '../../openshift/machine-config-operator.ts';

/** How many lines, bytes and seconds of a log are read: a failing daemon repeats its error each minute. */
const bounds = { tailLines: '200', limitBytes: `${128 * 1024}`, sinceSeconds: `${2 * 3600}` };

/** Undoes the parsing of a log that happens to be one line of JSON. */
const LogText = z.unknown().transform((body) => (typeof body === 'string' ? body : JSON.stringify(body)));

/** How much is read of the start of a log, where the daemon says what the node has booted. */
const startBounds = { limitBytes: `${64 * 1024}` };

/** Asks for the start of a container's log. The kubelet keeps the newest 10 MB: of a long log it is another place. */
export function logStartOf(pod: string, container: string): Asked<string> {
  const { question, what, shape } = logOf(pod, container);
  return { question: { ...question, query: { container, ...startBounds } }, what: `the start of ${what}`, shape };
}

/** Asks for the end of a container's log. Used in this folder alone: the right to read logs is opt-in, and their text
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

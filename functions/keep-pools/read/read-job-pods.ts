import { maskLines } from '../../core/machine-config/mask.ts';
import { type JobPod, jobPods } from '../../core/openshift/job.ts';
import type { ObjectReader } from '../../ports/cluster.ts';

/** Pods of a Job that are looked at. */
const podsAtMost = '20';
/** Bytes of a log. */
const logBytes = 4096;

/** The pods of a Job, oldest first; empty: there are none, or they cannot be read. */
export async function readJobPods(namespace: string, job: string, reader: ObjectReader): Promise<readonly JobPod[]> {
  const query = { labelSelector: `job-name=${job}`, limit: podsAtMost };
  const list = await reader.read({ path: podsPath(namespace), query });
  return list.kind === 'found' ? jobPods(list.body) : [];
}

/** The end of what a pod printed, without what looks like a secret: a shell that traces itself prints what it calls
 *  programs with. No line is cut before that: the cause is at its end. Empty: it printed nothing, or its log cannot be
 *  read. */
export async function readLogEnd(
  namespace: string,
  pod: string,
  { reader, lines }: { readonly reader: ObjectReader; readonly lines: number },
): Promise<string> {
  const log = await reader.read({
    path: `${podsPath(namespace)}/${encodeURIComponent(pod)}/log`,
    query: { tailLines: String(lines), limitBytes: String(logBytes) },
    form: 'text',
  });
  return log.kind === 'found' && typeof log.body === 'string'
    ? maskLines(inWholeWords(log.body), logBytes).join('\n')
    : '';
}

/** What is in no address: behind it another word begins. */
const betweenWords = [' ', '\n', '"', "'"] as const;

/** A log that has as many bytes as are read may end within a word: an address of which the `@` behind its password was
 *  not read. */
function inWholeWords(log: string): string {
  if (Buffer.byteLength(log) < logBytes) return log;
  return log.slice(0, Math.max(...betweenWords.map((each) => log.lastIndexOf(each))) + 1);
}

function podsPath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
}

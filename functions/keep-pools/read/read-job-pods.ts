import { type JobPod, jobPods } from '../../core/openshift/job.ts';
import type { ObjectReader } from '../../ports/cluster.ts';

/** Pods of a Job that are looked at. */
const podsAtMost = '20';
/** Bytes of a log. */
const logBytes = '4096';

/** The pods of a Job, oldest first; empty: there are none, or they cannot be read. */
export async function readJobPods(namespace: string, job: string, reader: ObjectReader): Promise<readonly JobPod[]> {
  const query = { labelSelector: `job-name=${job}`, limit: podsAtMost };
  const list = await reader.read({ path: podsPath(namespace), query });
  return list.kind === 'found' ? jobPods(list.body) : [];
}

/** The end of what a pod printed, as it is: with credentials. Empty: it printed nothing, or its log cannot be read. */
export async function readLogEnd(
  namespace: string,
  pod: string,
  { reader, lines }: { readonly reader: ObjectReader; readonly lines: number },
): Promise<string> {
  const log = await reader.read({
    path: `${podsPath(namespace)}/${encodeURIComponent(pod)}/log`,
    query: { tailLines: String(lines), limitBytes: logBytes },
    form: 'text',
  });
  return log.kind === 'found' && typeof log.body === 'string' ? log.body : '';
}

function podsPath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
}

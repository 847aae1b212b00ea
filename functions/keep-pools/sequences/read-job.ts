import { type CheckJob, judgeJob, runsAgainAt } from '../../core/sequences/check-job.ts';
import type { GateVerdict } from '../../core/sequences/judge-gate.ts';
import { memberOf } from '../../core/sequences/plan.ts';
import { isPast } from '../../core/text/instant.ts';
import type { ClusterPorts } from '../keep-ports.ts';

export interface JobLook {
  readonly intervalSeconds: number;
  /** It was open at the last look: a Job that is gone was removed after it had succeeded. */
  readonly wasOpen: boolean;
  /** False: nothing is written. */
  readonly mayRun: boolean;
  readonly now: Date;
}

/** Asks a Job, and runs it where there is none, or where it failed an interval ago. Throws Transient. */
export async function readJob(
  { namespace, name, manifest }: CheckJob,
  { reader, writer }: ClusterPorts,
  { intervalSeconds, wasOpen, mayRun, now }: JobLook,
): Promise<GateVerdict> {
  const path = `/apis/batch/v1/namespaces/${encodeURIComponent(namespace)}/jobs/${encodeURIComponent(name)}`;
  const found = await reader.read({ path, query: {} });
  if (found.kind === 'failed')
    return found.isForbidden === true
      ? { kind: 'refused', value: `forbidden to read its check: ${found.why}` }
      : { kind: 'unseen', value: `its check could not be read: ${found.why}` };
  if (found.kind === 'absent') {
    if (wasOpen) return { kind: 'open', value: 'its check succeeded' };
    if (mayRun) await writer?.apply(path, manifest, 'write');
    return { kind: 'closed', value: mayRun ? 'its check was started' : 'its check has not run yet' };
  }
  const seen = judgeJob(found.body, '');
  if (seen.failedAt === undefined) return seen.verdict;
  const { verdict } = judgeJob(found.body, await logOf(namespace, name, reader));
  if (mayRun && isPast(runsAgainAt(seen.failedAt, intervalSeconds), now)) await writer?.remove(path);
  return verdict;
}

/** Lines of the log that are kept with the step. */
const logLines = 5;

/** Empty: there is none, or it cannot be read. */
async function logOf(namespace: string, job: string, reader: ClusterPorts['reader']): Promise<string> {
  const pods = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
  const list = await reader.read({
    path: pods,
    query: { labelSelector: `job-name=${job}`, limit: '5' },
    form: 'metadata',
  });
  const items = list.kind === 'found' ? memberOf(list.body, 'items') : undefined;
  const names = (Array.isArray(items) ? items : []).map((pod) => memberOf(memberOf(pod, 'metadata'), 'name'));
  const name = names.findLast((each) => typeof each === 'string');
  if (typeof name !== 'string') return '';
  const log = await reader.read({
    path: `${pods}/${encodeURIComponent(name)}/log`,
    query: { tailLines: String(logLines), limitBytes: '4096' },
    form: 'text',
  });
  return log.kind === 'found' && typeof log.body === 'string' ? log.body : '';
}

import { mappingAt, textAt } from '../../core/openshift/member.ts';
import { type CheckJob, judgeCheck, runsAgainAt } from '../../core/sequences/check-job.ts';
import type { GateVerdict } from '../../core/sequences/judge-gate.ts';
import type { CheckRun } from '../../core/sequences/record.ts';
import { isPast } from '../../core/text/instant.ts';
import { readJobPods, readLogEnd } from '../read/read-job-pods.ts';
import type { SequenceCluster } from './sequence-ports.ts';

export interface JobLook {
  readonly intervalSeconds: number;
  /** The Job that was run for it, as it is recorded; undefined: none was. */
  readonly known: CheckRun | undefined;
  /** It was open at the last look of a version that did not record its Jobs. */
  readonly wasOpen: boolean;
  /** False: nothing is written. */
  readonly mayRun: boolean;
  readonly now: Date;
}

/** What a check says, and its Job as it is to be recorded; undefined: none. */
export interface JobRead {
  readonly verdict: GateVerdict;
  readonly run: CheckRun | undefined;
}

const succeeded = { kind: 'open', value: 'its check succeeded' } as const;

/** Asks the Job that was run, and runs it where none was, or where it failed an interval ago. Whoever may create Jobs
 *  there can make one of its name: only the one that was recorded when it was made counts. Throws Transient. */
export async function readJob(job: CheckJob, { reader, writer }: SequenceCluster, look: JobLook): Promise<JobRead> {
  const { namespace, name, manifest, of } = job;
  const { known, wasOpen, mayRun } = look;
  const jobs = `/apis/batch/v1/namespaces/${encodeURIComponent(namespace)}/jobs`;
  const path = `${jobs}/${encodeURIComponent(name)}`;
  const found = await reader.read({ path, query: {} });
  if (found.kind === 'failed') return { verdict: unreadJob(found), run: known };
  // A Job that is gone was removed after it had succeeded.
  if (known?.of === of && known.succeeded === true) return { verdict: succeeded, run: known };
  if (found.kind === 'absent') {
    if (wasOpen) return { verdict: succeeded, run: { uid: '', of, succeeded: true } };
    if (!mayRun) return { verdict: { kind: 'closed', value: 'its check has not run yet' }, run: known };
    const uid = uidOf(await writer?.create(jobs, manifest));
    return { verdict: { kind: 'closed', value: 'its check was started' }, run: { uid, of } };
  }
  const run = { uid: uidOf(found.body), of };
  const isOurs = known?.uid === run.uid && known.of === of;
  if (isOurs) return readOwn(found.body, { job, path, run }, { reader, writer }, look);
  if (wasOpen && judgeCheck(found.body, '').verdict.kind === 'open')
    return { verdict: succeeded, run: { ...run, succeeded: true } };
  if (mayRun) await writer?.remove(path, run.uid);
  return {
    verdict: { kind: 'closed', value: 'its check runs anew: the Job that is there is not of this run' },
    run: undefined,
  };
}

async function readOwn(
  body: unknown,
  { job, path, run }: { readonly job: CheckJob; readonly path: string; readonly run: CheckRun },
  { reader, writer }: Pick<SequenceCluster, 'reader' | 'writer'>,
  { intervalSeconds, mayRun, now }: JobLook,
): Promise<JobRead> {
  const seen = judgeCheck(body, '');
  if (seen.verdict.kind === 'open') return { verdict: seen.verdict, run: { ...run, succeeded: true } };
  if (seen.failedAt === undefined) return { verdict: seen.verdict, run };
  const { verdict } = judgeCheck(body, await logOf(job.namespace, job.name, reader));
  const isDue = mayRun && isPast(runsAgainAt(seen.failedAt, intervalSeconds), now);
  if (isDue) await writer?.remove(path, run.uid);
  return { verdict, run: isDue ? undefined : run };
}

function unreadJob({
  why,
  isForbidden,
}: {
  readonly why: string;
  readonly isForbidden?: boolean | undefined;
}): GateVerdict {
  return isForbidden === true
    ? { kind: 'refused', value: `forbidden to read its check: ${why}` }
    : { kind: 'unseen', value: `its check could not be read: ${why}` };
}

function uidOf(job: unknown): string {
  return textAt(mappingAt(job, 'metadata'), 'uid')?.slice(0, 64) ?? '';
}

/** Lines of the log that are kept with the step. */
const logLines = 5;

/** Of its newest pod; empty: there is none, or it cannot be read. */
async function logOf(namespace: string, job: string, reader: SequenceCluster['reader']): Promise<string> {
  const newest = (await readJobPods(namespace, job, reader)).at(-1);
  return newest === undefined ? '' : readLogEnd(namespace, newest.name, { reader, lines: logLines });
}

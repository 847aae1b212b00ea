import { isRunning, type Operation } from '../argocd/application.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import type { Snapshot } from './snapshot.ts';

/** Field managers of `oc patch` and `kubectl patch`, from a terminal as from a Job. Source: kubectl pkg/cmd/patch. */
const byCommandLine = /^(?:kubectl|oc)(?:-patch)?$/;

/** Longest name or namespace that the API server accepts, characters. */
const longestName = 253;

/** The hooks in which pools are resumed. */
const resumingPhases: readonly string[] = ['PostSync', 'SyncFail'];

/** The hook Job that resumed a held pool, in words; undefined: a person did, as far as can be told. A Job by oc or
 *  kubectl looks like a person by its field manager, so that all of this must fit: the sync that holds the pool runs,
 *  a PostSync or SyncFail Job of it was started, and the write was made during that operation. The same Job does not
 *  resume twice: whoever resumes again is a person, and wins. */
export function resumedByHook(record: PoolRecord, pool: Pool, { applications }: Snapshot): string | undefined {
  const { manager = '', at } = pool.pausedBy ?? {};
  if (!byCommandLine.test(manager) || at === undefined) return undefined;
  const held = new Set(record.holds.map(({ id }) => id));
  const jobs = applications.flatMap((observed) => {
    if (observed.kind !== 'seen' || !held.has(syncHoldId(observed.application))) return [];
    const { operation, namespace, name } = observed.application;
    if (operation === undefined || !isRunning(operation) || Date.parse(at) < Date.parse(operation.startedAt)) return [];
    return resumingJobs(operation).map((job) => `${job}, a hook of ${namespace}/${name}`);
  });
  const [job] = jobs;
  return job === undefined || record.last?.by === job ? undefined : job;
}

function resumingJobs({ results }: Operation): readonly string[] {
  return results
    .filter(({ group, kind, hookType }) => group === 'batch' && kind === 'Job' && resumingPhases.includes(hookType))
    .map(({ namespace, name }) => `Job ${namespace.slice(0, longestName)}/${name.slice(0, longestName)}`);
}

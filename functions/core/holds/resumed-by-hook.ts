import { isRunning, type Operation } from '../argocd/application.ts';
import { syncHoldId } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import { secondsSince } from '../text/instant.ts';
import { asWord } from '../text/phrases.ts';
import type { Snapshot } from './snapshot.ts';

/** Field managers of `oc patch` and `kubectl patch`, from a terminal as from a Job. Source: kubectl pkg/cmd/patch. */
const byCommandLine = /^(?:kubectl|oc)(?:-patch)?$/;

/** Longest name or namespace that the API server accepts, characters. */
const longestName = 253;

/** The hooks in which pools are resumed. */
const resumingPhases: readonly string[] = ['PostSync', 'SyncFail'];

/** Resumes in a row that are taken for those of Jobs: whoever may write Applications can have any number of them claim
 *  such a Job. */
const believedAtMost = 2;
/** Seconds from one of them to the next that still follows it. */
const lately = 3600;

/** A hook Job that resumed a held pool. */
export interface ResumingHook {
  /** The hold of its Application. */
  readonly hold: string;
  readonly words: string;
}

/** The hook Job that resumed a held pool; undefined: a person did, as far as can be told. A Job by oc or kubectl looks
 *  like a person by its field manager, so that all of this must fit: the sync that holds the pool runs, a PostSync or
 *  SyncFail Job of it was started, and the write was made during that operation. It does not happen twice while an
 *  Application holds the pool, whatever Jobs its status names, nor a third time in a row for whichever Applications:
 *  whoever resumes again is a person, and wins. */
export function resumedByHook(
  record: PoolRecord,
  pool: Pool,
  { applications }: Snapshot,
  now: Date,
): ResumingHook | undefined {
  const { manager = '', at } = pool.pausedBy ?? {};
  if (!byCommandLine.test(manager) || at === undefined || hooksLately(record, now) >= believedAtMost) return undefined;
  const held = new Set(record.holds.flatMap(({ id, resumedAt }) => (resumedAt === undefined ? [id] : [])));
  const hooks = applications.flatMap((observed) => {
    if (observed.kind !== 'seen') return [];
    const hold = syncHoldId(observed.application);
    const { operation, namespace, name } = observed.application;
    if (!held.has(hold) || operation === undefined || !isRunning(operation)) return [];
    if (Date.parse(at) < Date.parse(operation.startedAt)) return [];
    return resumingJobs(operation).map((job) => ({ hold, words: `${job}, a hook of ${namespace}/${name}` }));
  });
  return hooks[0];
}

/** How often in a row the pool was paused again lately because of such a Job. */
export function hooksLately({ last }: PoolRecord, now: Date): number {
  return last !== undefined && secondsSince(last.at, now) < lately ? (last.hooks ?? 0) : 0;
}

/** For the record of what is done next: that a person resumed the pool, or that something else holds it, lets no Job be
 *  taken for the reason once more. */
export function hooksKept(record: PoolRecord, now: Date): { readonly hooks?: number } {
  const hooks = hooksLately(record, now);
  return hooks === 0 ? {} : { hooks };
}

function resumingJobs({ results }: Operation): readonly string[] {
  return results
    .filter(({ group, kind, hookType }) => group === 'batch' && kind === 'Job' && resumingPhases.includes(hookType))
    .map(
      ({ namespace, name }) => `Job ${asWord(namespace.slice(0, longestName))}/${asWord(name.slice(0, longestName))}`,
    );
}

import { type Application, type ApplicationRef, isSameApplication, leavesPause } from '../argocd/application.ts';
import { namedBy } from '../argocd/tracking.ts';
import { isOfPerson } from '../openshift/field-managers.ts';
import { fieldManager } from '../openshift/hold.ts';
import type { Pool } from '../openshift/pool.ts';
import { type PoolRecord, without } from '../openshift/pool-record.ts';
import { machineConfigGroup } from '../openshift/rendered-kinds.ts';
import { isEarlierSecond } from '../text/instant.ts';
import type { Snapshot } from './snapshot.ts';

/** Git pauses the pool as well, by a sync that has applied `spec.paused: true` since we paused it: the pause is Git's
 *  then, as if the sync had come before us. Undefined: it does not, or nobody can tell. */
export function pausedInGit(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord | undefined {
  const { appliedPausedBy } = pool;
  if (appliedPausedBy === undefined) return undefined;
  const at = now.toISOString();
  const since = record.pausedSince ?? at;
  const deployed = deployers(pool, snapshot);
  if (deployed.some(findsPause)) return undefined;
  const applied = deployed.filter((each) => hasApplied(each, pool, since));
  const [application] = applied;
  if (application === undefined) return undefined;
  const { namespace, name } = application;
  const by = appliedPausedBy.manager;
  const why = `Application ${namespace}/${name} has applied spec.paused: true from Git, so it stays paused`;
  return {
    ...without(record, 'release', 'pausedSince'),
    pause: 'foreign',
    pausedInGit: { by, at: since, applied: applied.map(refTo) },
    last: { did: 'left', at, why, by },
  };
}

function refTo({ argocd, namespace, name }: ApplicationRef): ApplicationRef {
  return { argocd, namespace, name };
}

/** Its syncs, or the last one, apply the pause that they find, so what they have applied says nothing of Git. */
function findsPause({ respectsIgnoreDifferences }: Application): boolean {
  return respectsIgnoreDifferences !== undefined;
}

/** The Applications that the mark on the pool names and that have it: more than one only where there are several
 *  Argo CDs, and then nobody can tell which of them has written what. What Git only contains (`OutOfSync`), none has
 *  written: an Application in another Argo CD may list the pool all the same. */
function deployers({ deployedBy, name }: Pool, { applications }: Snapshot): readonly Application[] {
  if (deployedBy === undefined) return [];
  const seen = applications.flatMap((each) => (each.kind === 'seen' ? [each.application] : []));
  return namedBy(deployedBy, seen, (each) => each).filter((each) => lists(each, name) || hasSynced(each, name));
}

function lists({ resources }: Application, pool: string): boolean {
  return resources.some((each) => isPool(each, pool) && each.status !== 'OutOfSync');
}

function hasSynced({ operation }: Application, pool: string): boolean {
  if (operation === undefined || operation.dryRun) return false;
  return operation.results.some((result) => isPool(result, pool) && result.status === 'Synced');
}

/** Since then, as Argo CD's part of the field shows, or the time of its write, if the pool is of this Application: a
 *  namesake in another Argo CD has written nothing. To apply by client-side apply what it has
 *  applied before writes nothing, and then its results tell, unless self-heal has come between: that syncs once more,
 *  within the same second, what Argo CD had not yet compared, and leaves only results of that. Shown on a real Argo CD
 *  3.2. */
function hasApplied(application: Application, { name, appliedPausedBy }: Pool, since: string): boolean {
  const { at: writtenAt, ownsField = false } = appliedPausedBy ?? {};
  const isSince = ownsField || (writtenAt !== undefined && !isEarlierSecond(writtenAt, since));
  if (isSince && lists(application, name)) return true;
  const { finishedAt } = application.operation ?? {};
  const isEarlier = finishedAt !== undefined && isEarlierSecond(finishedAt, since);
  return !isEarlier && hasSynced(application, name);
}

function isPool({ group, kind, name }: Readonly<Record<'group' | 'kind' | 'name', string>>, pool: string): boolean {
  return group === machineConfigGroup && kind === 'MachineConfigPool' && name === pool;
}

/** The record of a pool that Git paused. Server-side apply of a manifest that no longer says so leaves the pause where
 *  it is, to us, who have set it. A person who resumes it while it is held decides about our pause, too: or it would be
 *  paused again, and again be Git's, for as long as that sync runs. */
export function whileInGit(record: PoolRecord, pool: Pool, now: Date): PoolRecord {
  const { paused, pausedBy } = pool;
  const { pausedInGit: inGit } = record;
  if (inGit === undefined || (paused && pausedBy?.manager === inGit.by)) return record;
  const left = without(record, 'pausedInGit');
  if (!paused) return left.pause === 'foreign' && isOfPerson(pausedBy?.manager) ? { ...left, pause: 'ours' } : left;
  return pausedBy?.manager === fieldManager ? takenBack(left, 'Git no longer says that it is paused', now) : left;
}

/** The record of a pool that Git paused, whose Application by now applies the pause of this pool that it finds: what
 *  Git says has no effect any more, and Argo CD's part of the field would stay for ever. One sync that does so by
 *  itself ends nothing: the next one applies what Git says. Where several may have applied it, all must do so.
 *  Undefined: none of this is so. */
export function takenFromGit(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord | undefined {
  const { paused, pausedBy } = pool;
  const { pausedInGit: inGit } = record;
  if (inGit === undefined || !paused) return undefined;
  // With the note, a pause of ours is read as Argo CD's, since the time of the note. Any other is somebody else's.
  if (pausedBy?.manager !== inGit.by || pausedBy.at !== inGit.at) return undefined;
  const deployed = deployers(pool, snapshot);
  // A pass may read one Application alone, and in another Argo CD there may be one of the same name.
  const meant = inGit.applied?.map((noted) => deployed.find((each) => isSameApplication(each, noted))) ?? deployed;
  if (meant.length === 0 || !meant.every((each) => each !== undefined && leavesPause(each, pool.name)))
    return undefined;
  return takenBack(record, 'Argo CD no longer applies what Git says of the pause', now);
}

function takenBack(record: PoolRecord, why: string, now: Date): PoolRecord {
  const at = now.toISOString();
  return { ...without(record, 'pausedInGit'), pause: 'ours', pausedSince: at, last: { did: 'paused', at, why } };
}

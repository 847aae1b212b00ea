import { type Application, isRunning, isSyncing, type Operation, type OperationResult } from '../argocd/application.ts';
import { objectKey } from '../argocd/object-key.ts';
import type { Change } from '../openshift/manifest.ts';
import { hasPendingChange } from '../openshift/pool.ts';
import { isRendered, type ResourceName } from '../openshift/rendered-kinds.ts';
import type { Push } from '../routing/awaited-push.ts';
import { byName } from '../text/by-name.ts';
import { isEarlierSecond, isLaterSecond, plusSeconds } from '../text/instant.ts';
import {
  type AffectedPools,
  affectedPools,
  isMachineConfig,
  type LiveObjects,
  renderedResources,
} from './affected-pools.ts';
import { mayDiffer } from './may-differ.ts';
import { firstReached, headsByName } from './pools-of-managed.ts';

/** A push that the Application will sync, and what is new in it as far as known. */
export interface Pushed {
  readonly push: Push | undefined;
  readonly change: Change | undefined;
}

/** Pools that the push, or the running sync, may cause the MCO to roll. For an automated sync at the very commits that
 *  Argo CD has just compared, only what may have differed then, and what the sync has written since, can change:
 *  everything else is applied as it is. A manual sync may start before Argo CD has compared again, so everything
 *  counts; the same if a push is pending behind the sync, which then is of another commit. */
export function poolsAffectedBySync(application: Application, live: LiveObjects, pushed?: Pushed): AffectedPools {
  const change = pushed?.change;
  const touch = affectedPools(application, live, change);
  const written = writtenBySync(application, live);
  if (touch.isExact || written === undefined) return touch;
  if (pushed?.push !== undefined && !isSyncOf(pushed.push, application)) return touch;
  const narrowed = affectedPools(written, live, change);
  const others = touch.reasons.filter(({ pool }) => !narrowed.pools.includes(pool));
  const waiting = others.length === 0 ? [] : others.filter(mayWaitFor(application, live));
  if (waiting.length > 0) return withAll(touch, [...narrowed.pools, ...waiting.map(({ pool }) => pool)]);
  if (narrowed.pools.length > 0) return narrowed;
  return {
    ...narrowed,
    why: 'nothing that the Machine Config Operator renders is out of sync at the commit that it syncs',
  };
}

/** What waits for a paused pool may be what this very sync has written: Argo CD compares again while it applies, so
 *  that what it has just written is Synced, and says what it wrote only when it has applied all of a wave. Nothing in
 *  the status says when that was: `reconciledAt` is the begin of the last comparison with Git, and what follows an
 *  event of an object leaves it alone. Seen with Argo CD 3.2. What it says of hooks, and of other waves, says nothing
 *  about what reaches the pool. */
function mayWaitFor(application: Application, live: LiveObjects): (reason: { readonly pool: string }) => boolean {
  const { operation } = application;
  if (operation === undefined) return () => false;
  const applied = operation.results.filter(({ hookType }) => hookType === '');
  const reported = new Set(applied.map(objectKey));
  const rendered = renderedResources(application);
  const reached = firstReached(rendered, live);
  const reachedUnreported = firstReached(
    rendered.filter((resource) => !reported.has(objectKey(resource))),
    live,
  );
  return ({ pool: name }) => {
    const pool = byName(live.pools, name);
    if (pool === undefined || !pool.paused || !hasPendingChange(pool)) return false;
    return reached.has(name) ? reachedUnreported.has(name) : applied.length === 0;
  };
}

function withAll({ reasons, ...touch }: AffectedPools, names: readonly string[]): AffectedPools {
  const kept = reasons.filter(({ pool }) => names.includes(pool));
  return { ...touch, reasons: kept, pools: kept.map(({ pool }) => pool) };
}

/** The Application reduced to what its running sync writes or has written; undefined: unknown. */
export function writtenBySync(
  application: Application,
  live: Pick<LiveObjects, 'machineConfigs'>,
): Application | undefined {
  if (!isSyncing(application) || !isComparedAtSync(application)) return undefined;
  const { operation, resources } = application;
  const isOfEarlierAttempt = ofEarlierAttempt(operation, live);
  return {
    ...application,
    resources: resources.filter((each) => mayDiffer(each, application) || isOfEarlierAttempt(each)),
    operation: operation && {
      ...operation,
      results: operation.results.filter((each) => hasWritten(each) || isOfEarlierAttempt(each)),
    },
  };
}

/** Names of MachineConfigs of which it is to be known when they were written: an earlier attempt of the sync that runs
 *  may have. */
export function machineConfigsOfRetried(application: Application): readonly string[] {
  const { operation } = application;
  if (operation === undefined || operation.retryCount === 0 || !isSyncing(application)) return [];
  return renderedResources(application)
    .filter(isMachineConfig)
    .map(({ name }) => name);
}

/** Seconds by which Argo CD's clock may be ahead of the API server's here: what is written in them before the sync
 *  counts as written by it. */
const aheadAtMostSeconds = 60;

/** Whether an earlier attempt of a sync that is tried again may have written it. With each attempt Argo CD forgets what
 *  the one before reported, and that finds it as it is, or ends before it. Only of a MachineConfig it is known when it
 *  was written last. */
function ofEarlierAttempt(
  operation: Operation | undefined,
  { machineConfigs }: Pick<LiveObjects, 'machineConfigs'>,
): (resource: ResourceName) => boolean {
  if (operation === undefined || operation.retryCount === 0) return () => false;
  const since = plusSeconds(new Date(operation.startedAt), -aheadAtMostSeconds);
  const heads = headsByName(machineConfigs);
  return (resource) => {
    const at = isMachineConfig(resource) ? heads.get(resource.name)?.changedAt : undefined;
    return isRendered(resource) && (at === undefined || !isEarlierSecond(at, since));
  };
}

function isSyncOf({ revision }: Push, { operation }: Application): boolean {
  return revision !== undefined && (operation?.revisions.includes(revision) ?? false);
}

/** A sync that somebody starts may begin before Argo CD has compared again. */
function isComparedAtSync(application: Application): boolean {
  const { operation } = application;
  if (operation === undefined || operation.startedBy !== undefined || !isRunning(operation)) return false;
  return comparedAtSync(application);
}

/** Whether what the Application manages is shown as Argo CD compared it at the commits, and with the sources, of its
 *  operation. */
export function comparedAtSync({ sync, operation }: Pick<Application, 'sync' | 'operation'>): boolean {
  if (operation === undefined || !['Synced', 'OutOfSync'].includes(sync.status)) return false;
  if (operation.appliesOther === true) return false;
  const { revisions } = operation;
  const compared = new Set(sync.revisions);
  return (
    revisions.length > 0 && revisions.length === sync.revisions.length && revisions.every((each) => compared.has(each))
  );
}

/** Whether what the Application manages is shown as Argo CD compared it at the commits of its operation, or since that
 *  began. A person who starts a sync at once is faster than a comparison, and until there is one the status does not
 *  say what the sync brings. A later one may be of a later commit, but for a commit that the Application does not
 *  follow there is no better one. */
export function isComparedForSync({ sync, operation, reconciledAt }: Application): boolean {
  if (operation === undefined) return false;
  if (comparedAtSync({ sync, operation })) return true;
  const isCompared = ['Synced', 'OutOfSync'].includes(sync.status);
  return isCompared && reconciledAt !== undefined && isLaterSecond(reconciledAt, operation.startedAt);
}

/** Whether it may have left unchanged what it says to have applied: kubectl has one word for both, by server-side apply
 *  and by replace. Source: kubectl pkg/cmd/apply and pkg/cmd/replace. */
export function mayBeUnchanged({ message, status }: OperationResult): boolean {
  return status === 'Synced' && / (?:serverside-applied|replaced)(?:$|[ .(])/.test(message);
}

/** kubectl's own word for what it left unchanged. Source: gitops-engine pkg/sync, the message of a client-side
 *  apply. */
export function hasWritten({ message, status }: OperationResult): boolean {
  return status !== 'Synced' || !/ unchanged(?:$|[ .(])/.test(message);
}

/** Whether it has written the object, or an earlier attempt of it may have, which this one finds unchanged. */
export function mayHaveWritten({ retryCount }: Pick<Operation, 'retryCount'>, result: OperationResult): boolean {
  return retryCount > 0 || hasWritten(result);
}

/** What an operation, or an earlier attempt of it, may have written of what the MCO renders, also as a hook. */
export function renderedWritten({ results, retryCount }: Operation): readonly OperationResult[] {
  return results.filter(
    (each) => isRendered(each) && !unwrittenStatuses.includes(each.status) && mayHaveWritten({ retryCount }, each),
  );
}

const unwrittenStatuses: readonly string[] = ['SyncFailed', 'PruneSkipped'];

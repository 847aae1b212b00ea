import { type Application, isRunning, isSyncing, type OperationResult } from '../argocd/application.ts';
import type { Change } from '../openshift/manifest.ts';
import type { Push } from '../routing/awaited-push.ts';
import { type AffectedPools, affectedPools, type LiveObjects } from './affected-pools.ts';
import { mayDiffer } from './may-differ.ts';

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
  const written = writtenBySync(application);
  if (touch.isExact || written === undefined) return touch;
  if (pushed?.push !== undefined && !isSyncOf(pushed.push, application)) return touch;
  const narrowed = affectedPools(written, live, change);
  if (narrowed.pools.length > 0) return narrowed;
  return {
    ...narrowed,
    why: 'nothing that the Machine Config Operator renders is out of sync at the commit that it syncs',
  };
}

/** The Application reduced to what its running sync writes or has written; undefined: unknown. */
export function writtenBySync(application: Application): Application | undefined {
  if (!isSyncing(application) || !isComparedAtSync(application)) return undefined;
  const { operation, resources } = application;
  return {
    ...application,
    resources: resources.filter((each) => mayDiffer(each, application)),
    operation: operation && { ...operation, results: operation.results.filter(hasWritten) },
  };
}

function isSyncOf({ revision }: Push, { operation }: Application): boolean {
  return revision !== undefined && (operation?.revisions.includes(revision) ?? false);
}

function isComparedAtSync({ sync, operation }: Application): boolean {
  if (operation === undefined || operation.startedBy !== undefined || !isRunning(operation)) return false;
  if (!['Synced', 'OutOfSync'].includes(sync.status)) return false;
  const { revisions } = operation;
  return (
    revisions.length > 0 &&
    revisions.length === sync.revisions.length &&
    revisions.every((each) => sync.revisions.includes(each))
  );
}

/** kubectl's own word for what it left unchanged. Source: gitops-engine pkg/sync, the message of a client-side
 *  apply. */
function hasWritten({ message, status }: OperationResult): boolean {
  return status !== 'Synced' || !/ unchanged(?:$|[ .(])/.test(message);
}

import { type Application, isRunning, isSyncing, type OperationResult } from '../argocd/application.ts';
import type { Change } from '../openshift/manifest.ts';
import type { Push } from '../routing/awaited-push.ts';
import { type AffectedPools, affectedPools, type LiveObjects } from './affected-pools.ts';
import { mayDiffer } from './may-differ.ts';

/** A push that the Application is to sync, and what is new in it as far as that is known. */
export interface Pushed {
  readonly push: Push | undefined;
  readonly change: Change | undefined;
}

/** Which pools the push, or the sync that runs, may make the MCO roll. Of an automated sync at the very commits with
 *  which Argo CD has just compared the Application, only what may have differed then, and what it has written since,
 *  can change: everything else is applied as it stands. Whoever starts a sync by hand may do so before Argo CD has
 *  compared again, so that everything counts there; and so it does where a push waits behind the sync, which is then
 *  of another commit than the one that is asked about. */
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

/** The Application with nothing but what its running sync writes or has written; undefined: that is not known. */
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

/** kubectl's own word for what it left as it was. Source: gitops-engine pkg/sync, the message of a client-side
 *  apply. */
function hasWritten({ message, status }: OperationResult): boolean {
  return status !== 'Synced' || !/ unchanged(?:$|[ .(])/.test(message);
}

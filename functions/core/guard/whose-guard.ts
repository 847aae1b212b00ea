import { type Guard, holdOfGuard } from './guard-record.ts';
import { type GuardedCluster, isOfNamesake } from './guarded-cluster.ts';

/** What tells a guard of one cluster from those of another that is called by its name. */
export interface WhoseGuards extends GuardedCluster {
  /** Applications whose guards of another cluster of this name were those of this one before it was installed anew: ids
   *  of their sync holds. Absent: none. */
  readonly inherited?: ReadonlySet<string> | undefined;
  /** Applications that exist and deploy to no cluster of the configuration: ids of their sync holds. Absent: none. */
  readonly foreign?: ReadonlySet<string> | undefined;
}

/** @param argocd name of the instance that has its Application */
export function isOurs(argocd: string, guard: Guard, of: WhoseGuards): boolean {
  return guard.cluster === of.cluster && !isOthers(argocd, guard, of);
}

/** It is one of another cluster of this name, which another Poolkeeper keeps. One without an id may be that of an
 *  earlier version there: it is ours where its Application deploys to a cluster of ours, or is gone. While this cluster
 *  has no id that is known, its own have none either.
 *  @param argocd name of the instance that has its Application */
export function isOthers(argocd: string, guard: Guard, of: WhoseGuards): boolean {
  const hold = holdOfGuard(argocd, guard);
  if (isOfNamesake(guard, of)) return of.inherited?.has(hold) !== true;
  const { ids = [], foreign } = of;
  return guard.cluster === of.cluster && guard.clusterId === undefined && ids.length > 0 && foreign?.has(hold) === true;
}

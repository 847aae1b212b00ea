import { type ApplicationRef, type ObservedApplication, refOf } from '../../core/argocd/application.ts';
import { clusterOf } from '../../core/argocd/destination.ts';
import type { ClusterSettings } from '../../core/configuration/cluster.ts';
import { applicationOfGuard, holdOfGuard } from '../../core/guard/guard-record.ts';
import { guardsOfCluster } from '../../core/guard/open-guards.ts';
import type { RecordedGuard } from '../../core/holds/behind-guard.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { readProjects, usesGuards } from './read-projects.ts';

/** Guards of one cluster, as the AppProjects have them. */
export interface GuardsSeen {
  readonly guards: readonly RecordedGuard[];
  readonly refs: readonly ApplicationRef[];
}

export const noGuards: GuardsSeen = { guards: [], refs: [] };

/** The guards, whose Applications a tick reads: no operation shows that a guard holds back an automated sync. */
export async function readGuards(
  cluster: ClusterSettings,
  checkpoint: Checkpoint,
  ports: KeepPorts,
): Promise<GuardsSeen> {
  if (!usesGuards(cluster, checkpoint)) return noGuards;
  const { projects } = await readProjects(cluster.name, ports);
  const guards = guardsOfCluster(projects, cluster.name);
  return {
    guards: guards.map(({ argocd, guard }) => ({ argocd, guard, hold: holdOfGuard(argocd, guard) })),
    refs: guards.map(({ argocd, guard }) => ({ argocd, ...applicationOfGuard(guard) })),
  };
}

/** It was read because of its guard alone, and is not there, or deploys to another cluster now. */
export function isElsewhere(
  observed: ObservedApplication,
  {
    cluster,
    held,
    guarded,
  }: { readonly cluster: string; readonly held: ReadonlySet<string>; readonly guarded: ReadonlySet<string> },
  { configuration }: Pick<KeepPorts, 'configuration'>,
): boolean {
  const id = syncHoldId(refOf(observed));
  if (held.has(id) || !guarded.has(id)) return false;
  if (observed.kind === 'gone') return true;
  const settings = configuration.argocd.find(({ name }) => name === refOf(observed).argocd);
  return observed.kind === 'seen' && settings !== undefined && clusterOf(observed.application, settings) !== cluster;
}

import { type ApplicationRef, type ObservedApplication, refOf } from '../../core/argocd/application.ts';
import type { ClusterSettings } from '../../core/configuration/cluster.ts';
import type { AppProject } from '../../core/guard/app-project.ts';
import { applicationOfGuard, holdOfGuard } from '../../core/guard/guard-record.ts';
import type { GuardedCluster } from '../../core/guard/guarded-cluster.ts';
import { guardsOfCluster, guardsOfNamesakes, type PlacedGuard } from '../../core/guard/open-guards.ts';
import type { RecordedGuard } from '../../core/holds/behind-guard.ts';
import { syncHoldId } from '../../core/openshift/hold.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { onCluster } from './read-applications.ts';
import { readProjects, usesGuards } from './read-projects.ts';

/** Guards of one cluster, as the AppProjects have them. */
export interface GuardsSeen {
  readonly guards: readonly RecordedGuard[];
  readonly refs: readonly ApplicationRef[];
}

export const noGuards: GuardsSeen = { guards: [], refs: [] };

interface GuardsToRead {
  readonly settings: ClusterSettings;
  readonly known: KnownCluster;
  readonly checkpoint: Checkpoint;
}

/** A cluster as a pass knows it. */
export interface KnownCluster extends GuardedCluster {
  readonly ids: readonly string[];
  /** Guards with another id may be its own: it was installed anew and has not taken them over yet, nothing is stored of
   *  it, or its id is not known. */
  readonly inherits: boolean;
}

/** Guards that may be those of this cluster. */
export function guardsToRead(projects: readonly AppProject[], known: KnownCluster): readonly PlacedGuard[] {
  const own = guardsOfCluster(projects, known);
  return known.inherits ? [...own, ...guardsOfNamesakes(projects, known)] : own;
}

/** The guards, whose Applications a tick reads: no operation shows that a guard holds back an automated sync. */
export async function readGuards({ settings, known, checkpoint }: GuardsToRead, ports: KeepPorts): Promise<GuardsSeen> {
  if (!usesGuards(settings, checkpoint)) return noGuards;
  const { projects } = await readProjects(settings.name, ports);
  const guards = guardsToRead(projects, known);
  return {
    guards: guards.map(({ argocd, guard }) => ({ argocd, guard, hold: holdOfGuard(argocd, guard) })),
    refs: guards.map(({ argocd, guard }) => ({ argocd, ...applicationOfGuard(guard) })),
  };
}

/** It has a guard, and is not there, or deploys to another cluster now. */
export function isElsewhere(
  observed: ObservedApplication,
  { cluster, guarded }: { readonly cluster: string; readonly guarded: ReadonlySet<string> },
  ports: Pick<KeepPorts, 'configuration'>,
): boolean {
  return guarded.has(syncHoldId(refOf(observed))) && onCluster(observed, cluster, ports).kind === 'gone';
}

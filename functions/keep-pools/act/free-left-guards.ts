import { clusterOf } from '../../core/argocd/destination.ts';
import type { AppProject } from '../../core/guard/app-project.ts';
import { applicationOfGuard, type Guard } from '../../core/guard/guard-record.ts';
import { type GuardedCluster, isOfCluster } from '../../core/guard/guarded-cluster.ts';
import { withoutGuards } from '../../core/guard/left-guards.ts';
import { guardsOf } from '../../core/guard/open-guards.ts';
import { byName } from '../../core/text/by-name.ts';
import { Transient } from '../../core/text/errors.ts';
import { guardEntry } from '../../core/timeline/guard-entry.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { readApplication } from '../read/read-applications.ts';
import { usesGuards } from '../read/read-projects.ts';

type Ports = Pick<KeepPorts, 'configuration' | 'argocd' | 'timeline' | 'checkpoints' | 'logger' | 'clock'>;

const why = 'its cluster is no longer in poolkeeper.yaml, and nothing would open it';

/** Takes the guards of a cluster away that is not configured any more: their windows would hold back every sync for
 *  ever. Once: if it is kept by another Poolkeeper now, that one puts them back with its next sweep.
 *  @returns whether none of them is left */
export async function freeLeftGuards(cluster: GuardedCluster, ports: Ports): Promise<boolean> {
  const freed = await Promise.all(ports.configuration.argocd.map(({ name }) => freeIn(name, cluster, ports)));
  return freed.every(Boolean);
}

async function freeIn(argocd: string, of: GuardedCluster, ports: Ports): Promise<boolean> {
  try {
    const { items, unreadable } = await (await ports.argocd(argocd)).listProjects();
    const freed = [];
    for (const project of items) freed.push(await freeOf(project, of, ports));
    return unreadable.length === 0 && freed.every(Boolean);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const { cluster } = of;
    ports.logger.warn('guards of a cluster that was removed were not taken away', { cluster, why: cause.message });
    return false;
  }
}

async function freeOf(project: AppProject, of: GuardedCluster, ports: Ports): Promise<boolean> {
  if (project.record.kind === 'unreadable') return false;
  const all = guardsOf([project]).filter((guard) => isOfCluster(guard, of));
  const awaited = await Promise.all(all.map((guard) => isAwaited(project, guard, ports)));
  const left = all.filter((_, index) => awaited[index] === false);
  if (left.length > 0) {
    await (await ports.argocd(project.argocd)).writeGuards(project, withoutGuards(project, left));
    const { name, resourceVersion: version } = project;
    await ports.timeline.append(
      left.map((guard) => guardEntry(of.cluster, { did: 'freed', guard, why, project: name, version }, ports.clock())),
    );
  }
  return left.length === all.length;
}

/** Its cluster has another name now, under which it is not guarded yet; or that is not known. */
async function isAwaited(project: AppProject, guard: Guard, ports: Ports): Promise<boolean> {
  const { argocd, clusters } = ports.configuration;
  const settings = byName(argocd, project.argocd);
  const observed = await readApplication({ argocd: project.argocd, ...applicationOfGuard(guard) }, ports);
  if (observed.kind === 'unreadable') return true;
  if (observed.kind === 'gone' || settings === undefined) return false;
  const name = clusterOf(observed.application, settings);
  const now = byName(clusters, name);
  if (now === undefined || !usesGuards(now, {})) return false;
  return !guardsOf([project]).some((each) => each.application === guard.application && each.cluster === now.name);
}

import { type Application, isSyncing } from '../../core/argocd/application.ts';
import { clusterOf, clustersServedBy } from '../../core/argocd/destination.ts';
import type { ArgoCdSettings } from '../../core/configuration/configuration.ts';
import type { ObservedControllers } from '../../core/gates/gate.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { affectedPools } from '../../core/impact/affected-pools.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import type { KeepPorts } from '../keep-ports.ts';

/** What is looked at last before a pool resumes. */
export interface LastLook {
  readonly controllers: ObservedControllers;
  /** Applications that deploy to this cluster and sync now. */
  readonly syncing: readonly Application[];
}

interface Looking {
  readonly snapshot: Snapshot;
  readonly candidates: readonly Pool[];
  readonly ports: KeepPorts;
}

/** Where the application controllers run, what they sync, and whether a sync for this cluster has begun of which no
 *  event told: the dearest look, made only when nothing else keeps a pool. */
export async function readControllers(
  snapshot: Snapshot,
  candidates: readonly Pool[],
  ports: KeepPorts,
): Promise<LastLook> {
  const serving = ports.configuration.argocd.filter((each) => clustersServedBy(each).includes(snapshot.settings.name));
  try {
    const looks = await Promise.all(
      serving.map((settings) => lookAtInstance(settings, { snapshot, candidates, ports })),
    );
    const controllers = looks.flatMap((look) => look.controller ?? []);
    return { controllers: { kind: 'seen', controllers }, syncing: looks.flatMap((look) => look.syncing) };
  } catch (cause) {
    if (cause instanceof Transient) return { controllers: { kind: 'unreadable', why: cause.message }, syncing: [] };
    throw cause;
  }
}

async function lookAtInstance(settings: ArgoCdSettings, looking: Looking) {
  const { snapshot, ports } = looking;
  const argocd = await ports.argocd(settings.name);
  const isLocal = settings.cluster === snapshot.settings.name;
  const [on, applications] = await Promise.all([isLocal ? argocd.controllerNodes() : [], argocd.listApplications()]);
  const syncing = applications.filter(
    (application) => isSyncing(application) && clusterOf(application, settings) === snapshot.settings.name,
  );
  return {
    syncing,
    controller: isLocal ? await lookAtController(settings.name, on, applications, looking) : undefined,
  };
}

async function lookAtController(
  name: string,
  on: readonly string[],
  applications: readonly Application[],
  { snapshot, candidates, ports }: Looking,
) {
  const cluster = await ports.cluster(snapshot.settings.name);
  const watched = applications.filter(
    (application) => isSyncing(application) && affectedPools(application, snapshot).pools.length > 0,
  );
  const selectors = candidates.flatMap((pool) =>
    pool.nodeSelector === undefined ? [] : [{ pool, selector: pool.nodeSelector }],
  );
  const carrying = await Promise.all(
    selectors.map(async ({ pool, selector }) => {
      const nodes = await cluster.pools.listNodes(selector);
      return nodes.some((node) => on.includes(node.name)) ? [pool.name] : [];
    }),
  );
  return {
    argocd: name,
    pools: carrying.flat(),
    syncing: watched.map((application) => `${application.namespace}/${application.name}`),
  };
}

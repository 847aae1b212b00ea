import { type Application, isSyncing } from '../../core/argocd/application.ts';
import { clusterOf, clustersServedBy } from '../../core/argocd/destination.ts';
import type { ArgoCdSettings } from '../../core/configuration/argocd.ts';
import type { ControllerPlacement } from '../../core/gates/evidence.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { affectedPools } from '../../core/impact/affected-pools.ts';
import { membersOf } from '../../core/openshift/membership.ts';
import { Transient } from '../../core/text/errors.ts';
import { seen, unreadable } from '../../core/text/observed.ts';
import { mayServe } from '../route/may-serve.ts';
import type { EvidenceReading, GatheredEvidence } from './evidence-reader.ts';

/** Where the application controllers run, what they sync, and whether a sync for this cluster has begun without any
 *  event: the most expensive read, made only when nothing else keeps a pool paused. */
export async function readControllers(reading: EvidenceReading): Promise<GatheredEvidence> {
  const { snapshot, ports } = reading;
  const serving = ports.configuration.argocd.filter((each) => clustersServedBy(each).includes(snapshot.settings.name));
  try {
    const instances = await Promise.all(serving.map((settings) => readInstance(settings, reading)));
    const controllers = seen(
      instances.flatMap(({ controller }) => controller ?? []),
      reading.now,
    );
    return { ofPool: () => ({ controllers }), syncing: instances.flatMap(({ syncing }) => syncing) };
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    const controllers = unreadable(cause.message);
    return { ofPool: () => ({ controllers }) };
  }
}

/** Nothing of one that cannot be read and has nothing to do with the cluster. */
async function readInstance(settings: ArgoCdSettings, reading: EvidenceReading): Promise<InstanceRead> {
  try {
    return await readServing(settings, reading);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    if (await mayServe(settings, reading.snapshot.settings.name, reading.ports)) throw cause;
    return { syncing: [], controller: undefined };
  }
}

interface InstanceRead {
  readonly syncing: readonly Application[];
  readonly controller: ControllerPlacement | undefined;
}

async function readServing(settings: ArgoCdSettings, reading: EvidenceReading): Promise<InstanceRead> {
  const { snapshot, ports } = reading;
  const argocd = await ports.argocd(settings.name);
  const isLocal = settings.cluster === snapshot.settings.name;
  const [on, applications] = await Promise.all([isLocal ? argocd.controllerNodes() : [], argocd.listApplications()]);
  const syncing = applications.items.filter(
    (application) => isSyncing(application) && clusterOf(application, settings) === snapshot.settings.name,
  );
  return {
    syncing,
    controller: isLocal ? await placementOf(settings, on, applications.items, reading) : undefined,
  };
}

async function placementOf(
  settings: ArgoCdSettings,
  on: readonly string[],
  applications: readonly Application[],
  { snapshot, candidates, cluster }: EvidenceReading,
): Promise<ControllerPlacement> {
  const awaited = applications.filter(
    (application) => isSyncing(application) && isAwaited(application, settings, snapshot),
  );
  const selectors = candidates.flatMap((pool) =>
    pool.nodeSelector === undefined ? [] : [{ pool, selector: pool.nodeSelector }],
  );
  const carrying = await Promise.all(
    selectors.map(async ({ pool, selector }) => {
      const { items, unreadable } = await cluster.pools.listNodes(selector);
      // Pool worker selects the nodes of custom pools as well, and does not reboot them.
      const members = membersOf(pool, snapshot.pools, items);
      return [...members, ...unreadable].some((node) => on.includes(node.name)) ? [pool.name] : [];
    }),
  );
  return {
    argocd: settings.name,
    pools: carrying.flat(),
    syncing: awaited.map((application) => `${application.namespace}/${application.name}`),
  };
}

/** Whether the policy waits for its sync before the nodes of the controller reboot. */
function isAwaited(application: Application, settings: ArgoCdSettings, snapshot: Snapshot): boolean {
  const { name, policy } = snapshot.settings;
  switch (policy.waitForSyncs) {
    case 'all':
      return true;
    case 'cluster':
      return clusterOf(application, settings) === name;
    case 'pools':
      return affectedPools(application, snapshot).pools.length > 0;
    default:
      return policy.waitForSyncs satisfies never;
  }
}

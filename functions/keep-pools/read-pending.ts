import type { Application, ApplicationRef } from '../core/application.ts';
import type { Snapshot } from '../core/decide.ts';
import { clustersServedBy } from '../core/destination.ts';
import { Transient } from '../core/errors.ts';
import { mayDiffer } from '../core/impact/may-differ.ts';
import { renderedResources } from '../core/impact/touch.ts';
import { isEarlierSecond } from '../core/instant.ts';
import { hasPendingChange, type Pool } from '../core/pool.ts';
import type { Managed } from '../core/rendering/cause-of-render.ts';
import { isTemplateName } from '../core/rendering/cause-of-render.ts';
import type { MachineConfigContent } from '../core/rendering/machine-config.ts';
import { type PendingChange, pendingChange } from '../core/rendering/pending-change.ts';
import type { ClusterMemory } from '../ports.ts';
import type { ClusterPorts, KeepPorts } from './keep-ports.ts';
import { readApplications } from './read-applications.ts';
import { loadRoutes } from './stored-routes.ts';

/** Changes that wait or roll, by pool. */
export type Pending = Readonly<Record<string, PendingChange>>;

export interface PendingReading {
  readonly snapshot: Snapshot;
  readonly pools: readonly Pool[];
  readonly memory: ClusterMemory;
}

/** Pools whose change is read in one pass; the next pass reads the others. */
const poolsAtMost = 4;
/** MachineConfigs of a pool that are read because they may have changed. */
const suspectsAtMost = 12;
/** Applications that are read for who manages them. */
const applicationsAtMost = 30;

/** What waits for, or rolls over, the nodes of each pool. Each pair of rendered configs is read once and then remembered, so that a tick over
 *  a pool that rolls, or is paused for hours, reads nothing. What could not be read now is tried again by the next pass. */
export async function readPending(reading: PendingReading, cluster: ClusterPorts, ports: KeepPorts): Promise<Pending> {
  const { pools, memory } = reading;
  const waiting = pools.filter((pool) => hasPendingChange(pool) && pool.current.name !== '');
  const known = waiting.flatMap((pool) => {
    const found = memory.pending?.[pool.name];
    const isSame = found?.from === pool.current.name && found.to === pool.target.name;
    return isSame ? [[pool.name, found] as const] : [];
  });
  const fresh = waiting.filter(({ name }) => !known.some(([pool]) => pool === name)).slice(0, poolsAtMost);
  if (fresh.length === 0) return Object.fromEntries(known);
  try {
    const managed = await managedOn(reading.snapshot, ports);
    const circumstances = await cluster.renderings.readCircumstances();
    const read = await Promise.all(
      fresh.map(async (pool) => {
        const [rendered, suspects] = await readRendered(pool, cluster);
        return [pool.name, pendingChange({ pool, rendered, suspects, managed, circumstances })] as const;
      }),
    );
    return Object.fromEntries([...known, ...read]);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.info('what waits could not be read', { pools: fresh.map(({ name }) => name), why: cause.message });
    return Object.fromEntries(known);
  }
}

type Rendered = Parameters<typeof pendingChange>[0]['rendered'];

async function readRendered(
  pool: Pool,
  cluster: ClusterPorts,
): Promise<readonly [Rendered, readonly MachineConfigContent[]]> {
  const { renderings } = cluster;
  try {
    const contents = await renderings.readContents([pool.current.name, pool.target.name]);
    const [before, after] = [pool.current, pool.target].map(({ name }) => contents.find((each) => each.name === name));
    if (before === undefined || after === undefined) {
      const missing = before === undefined ? pool.current.name : pool.target.name;
      return [{ unread: `${missing} does not exist` }, []];
    }
    return [{ before, after }, await renderings.readContents(await suspectsIn(pool, before, cluster))];
  } catch (cause) {
    if (!(cause instanceof Transient) || cause.kind !== 'forbidden') throw cause;
    return [{ unread: 'Poolkeeper may not read MachineConfigs' }, []];
  }
}

/** MachineConfigs that were written since the nodes' config was rendered, from metadata alone. People's own before those that the MCO makes: when
 *  it makes all of them anew, the release says why. */
async function suspectsIn(
  pool: Pool,
  before: MachineConfigContent,
  { pools }: ClusterPorts,
): Promise<readonly string[]> {
  const heads = await pools.readMachineConfigs(pool.target.sources);
  const since = before.createdAt;
  const names = heads
    .filter(({ name, changedAt }) => {
      const isOld = changedAt !== undefined && since !== undefined && isEarlierSecond(changedAt, since);
      return !isOld || !pool.current.sources.includes(name);
    })
    .map(({ name }) => name);
  const made = names.filter(isTemplateName);
  return [...names.filter((name) => !made.includes(name)), ...made].slice(0, suspectsAtMost);
}

/** Which Applications of the cluster manage what the MCO reads: those that the pass has seen, and those that the routing tables name. */
async function managedOn(snapshot: Snapshot, ports: KeepPorts): Promise<readonly Managed[]> {
  const { name } = snapshot.settings;
  const serving = ports.configuration.argocd.filter((each) => clustersServedBy(each).includes(name));
  const tables = await Promise.all(serving.map((each) => loadRoutes(each.name, ports)));
  const refs: readonly ApplicationRef[] = tables
    .flatMap((table) => table?.routes ?? [])
    .filter((route) => route.cluster === name && route.renders)
    .map(({ ref }) => ref);
  const read = await readApplications(refs.slice(0, applicationsAtMost), snapshot.applications, ports);
  return [...snapshot.applications, ...read].flatMap((sight) =>
    sight.kind === 'seen' ? [managedBy(sight.application)] : [],
  );
}

function managedBy(application: Application): Managed {
  const { namespace, name, sync, resources } = application;
  return {
    application: `${namespace}/${name}`,
    revision: sync.revisions[0] ?? '',
    resources: renderedResources(application).map((each) => {
      const own = resources.find(({ kind, name: called }) => kind === each.kind && called === each.name);
      const { group, kind, name: resource } = each;
      return { group, kind, name: resource, differs: own !== undefined && mayDiffer(own, application) };
    }),
  };
}

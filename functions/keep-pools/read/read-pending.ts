import { mayBeReadLater, type ObservedApplication } from '../../core/argocd/application.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { managedBy } from '../../core/impact/managed-by.ts';
import type { Managed } from '../../core/machine-config/cause-of-render.ts';
import type { PendingChange } from '../../core/machine-config/pending-change.ts';
import { membersOf } from '../../core/openshift/membership.ts';
import type { Node } from '../../core/openshift/node.ts';
import { type OtherConfigs, otherConfigs } from '../../core/openshift/other-configs.ts';
import { hasPendingChange, type Pool } from '../../core/openshift/pool.ts';
import { Transient } from '../../core/text/errors.ts';
import { byTurns } from '../../core/text/rounds.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { knownApplications } from '../route/known-applications.ts';
import { readApplications } from './read-applications.ts';
import type { ReadNodes } from './read-nodes.ts';
import { readRenderedChange } from './read-rendered-change.ts';
import { whyUnread } from './why-unread.ts';

/** Changes that are pending or rolling out, by pool. */
export type Pending = Readonly<Record<string, PendingChange>>;

export interface PendingReading {
  readonly snapshot: Snapshot;
  readonly pools: readonly Pool[];
  readonly checkpoint: Checkpoint;
  /** Names of the pools whose nodes this pass reads in any case. */
  readonly needed: ReadonlySet<string>;
  /** Each pool's once in a pass. */
  readonly nodesOf: (pool: Pool) => Promise<ReadNodes>;
}

/** Pools whose change is read in one pass; the next pass reads the others. */
const poolsAtMost = 4;
/** Applications read at most to find out which one manages a change. */
const applicationsAtMost = 30;

/** The change that each pool's nodes wait for or roll out. Each pair of rendered configs is read once, with the nodes
 *  of the pool, as some may have a third one, and then kept in the checkpoint, so that a tick over a pool that rolls,
 *  or is paused for hours, reads nothing. What could not be read now is retried by the next pass. */
export async function readPending(reading: PendingReading, cluster: ClusterPorts, ports: KeepPorts): Promise<Pending> {
  const { pools, checkpoint } = reading;
  const waiting = pools.filter((pool) => hasPendingChange(pool) && pool.current.name !== '');
  const found = waiting.map(async (pool) => {
    const change = checkpoint.pending?.[pool.name];
    const isSame = change !== undefined && (await isStill(change, pool, reading));
    return isSame ? [[pool.name, change] as const] : [];
  });
  const known = (await Promise.all(found)).flat();
  const due = waiting.filter(({ name }) => !known.some(([pool]) => pool === name)).slice(0, poolsAtMost);
  const fresh = (await Promise.all(due.map((pool) => withOthers(pool, reading)))).flat();
  if (fresh.length === 0) return Object.fromEntries(known);
  try {
    const managed = await managedOn(reading.snapshot, ports);
    const circumstances = await cluster.renderings.readCircumstances();
    const read = fresh.map(async ({ pool, others }): Promise<readonly [string, PendingChange]> => {
      return [pool.name, await readRenderedChange(pool, { managed, circumstances, others }, cluster)];
    });
    return Object.fromEntries([...known, ...(await Promise.all(read))]);
  } catch (cause) {
    const why = whyUnread(cause, ports.logger);
    ports.logger.info('pending changes could not be read', { pools: fresh.map(({ pool }) => pool.name), why });
    return Object.fromEntries(known);
  }
}

/** It is between the same configs, and no node is known to have another one. */
async function isStill(
  { from, to, others = [] }: PendingChange,
  pool: Pool,
  reading: PendingReading,
): Promise<boolean> {
  if (from !== pool.current.name || to !== pool.target.name) return false;
  if (!reading.needed.has(pool.name)) return true;
  const { nodes } = await reading.nodesOf(pool);
  return nodes.kind !== 'seen' || namesAmong(nodes.value, pool, reading).names.every((name) => others.includes(name));
}

interface WithOthers {
  readonly pool: Pool;
  readonly others: OtherConfigs;
}

/** The pool with what else its nodes have; none: what changes for nodes that nobody has seen is not known. */
async function withOthers(pool: Pool, reading: PendingReading): Promise<readonly WithOthers[]> {
  const { nodes, unreadable } = await reading.nodesOf(pool);
  if (nodes.kind !== 'seen') return [];
  const { names, mayBeMore } = namesAmong(nodes.value, pool, reading);
  return [{ pool, others: { names, mayBeMore: mayBeMore || unreadable.length > 0 } }];
}

function namesAmong(nodes: readonly Node[], pool: Pool, { snapshot }: PendingReading): OtherConfigs {
  return otherConfigs(pool, membersOf(pool, snapshot.pools, nodes));
}

/** Which Applications of the cluster manage what the MCO reads: those that the pass has seen, and those that the
 *  routing tables name. Throws Transient when one of these cannot be read. */
async function managedOn(snapshot: Snapshot, ports: KeepPorts): Promise<readonly Managed[]> {
  const known = await knownApplications(snapshot.settings.name, ports);
  const rendering = known.filter(({ renders }) => renders).map(({ ref }) => ref);
  const refs = byTurns(rendering, ({ argocd, namespace }) => `${argocd}/${namespace}`);
  const read = await readApplications(refs.slice(0, applicationsAtMost), snapshot.applications, ports);
  const all = [...snapshot.applications, ...read];
  const homes = new Map(ports.configuration.argocd.map((each) => [each.name, each.controllerNamespace]));
  // The result is kept, so a failed read must not make an Application look as if it managed nothing.
  const unread = all.find((each) => isAwaited(each, homes));
  if (unread?.kind === 'unreadable') throw new Transient(unread.why);
  return all.flatMap((observed) =>
    observed.kind === 'seen' ? [managedBy(observed.application, homes.get(observed.application.argocd))] : [],
  );
}

/** It could not be read, and reading it again may help. One that cannot be parsed, or in a tenant's namespace that may
 *  not be read, counts as if it managed nothing, so that it hides no other's change; Argo CD's own namespace is no
 *  tenant's.
 *  @param homes namespace of each Argo CD, by its name */
function isAwaited(observed: ObservedApplication, homes: ReadonlyMap<string, string>): boolean {
  if (observed.kind !== 'unreadable' || observed.isForGood === true) return false;
  const { ref, isForbidden } = observed;
  return mayBeReadLater(observed) || (isForbidden === true && ref.namespace === homes.get(ref.argocd));
}

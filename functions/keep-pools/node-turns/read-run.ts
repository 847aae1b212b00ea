import { type GateView, isOutsideWindow } from '../../core/gates/gate-view.ts';
import { sequence } from '../../core/gates/sequence.ts';
import { wave } from '../../core/gates/wave.ts';
import { asInPool } from '../../core/node-turns/canary-nodes.ts';
import { type CanarySeen, nodesInOwnPools } from '../../core/node-turns/canary-run.ts';
import { poolsOfOthers } from '../../core/node-turns/pool-rollouts.ts';
import type { RunPlan } from '../../core/node-turns/run-plan.ts';
import type { ClosedGate, RunPool, RunQuestion } from '../../core/node-turns/run-question.ts';
import type { RunRecord } from '../../core/node-turns/run-record.ts';
import type { TurnNode } from '../../core/node-turns/turn-node.ts';
import { isManaged, settingsOf } from '../../core/openshift/managed-pools.ts';
import { listAt, mappingAt, textAt } from '../../core/openshift/member.ts';
import { isRequiredForUpgrade, isTrue, type Pool } from '../../core/openshift/pool.ts';
import { holdOfRun } from '../../core/openshift/pool-record.ts';
import { laterSteps } from '../../core/sequences/pool-steps.ts';
import { byName } from '../../core/text/by-name.ts';
import { Transient } from '../../core/text/errors.ts';
import { isPast, plusSeconds } from '../../core/text/instant.ts';
import type { ClusterPorts } from '../keep-ports.ts';
import type { WrittenPass } from '../pass-state.ts';
import { readGate } from '../sequences/read-gate.ts';
import { findAgain } from './find-again.ts';
import type { NodeGates } from './node-gates.ts';
import type { ObservedRuns } from './observe-runs.ts';
import { type ClosedGates, readCanary } from './read-canary.ts';
import { readTurnNodes } from './read-turn-nodes.ts';
import { readWork } from './read-work.ts';
import { whyNoNodeGoes } from './turn-gates.ts';

/** Everything that a look at a run needs. Throws Transient where it cannot be seen. */
export async function readRun(
  plan: RunPlan,
  { record: kept, missedSince }: { readonly record: RunRecord; readonly missedSince?: string | undefined },
  { observed, written }: { readonly observed: ObservedRuns; readonly written: WrittenPass },
): Promise<ReadRun> {
  const { cluster, ports, performed, snapshot } = written;
  const pools = performed.map(({ pool }) => pool);
  const read = await readTurnNodes({ ...snapshot, pools }, cluster);
  const refused = whyRefused(plan, read, observed);
  const layered = await layeredPools(cluster);
  const now = ports.clock();
  const isNew = missedSince !== undefined && !isPast(plusSeconds(new Date(missedSince), lostAfterSeconds), now);
  const isCanary = plan.run.mode === 'canary' || hasCanary(plan, observed) || kept.canary !== undefined;
  const canary = isCanary ? await readCanary(pools, layered, cluster, gatesOf(written)) : undefined;
  // It was of mode canary before: who had a turn by it has not another.
  const nodes = canary === undefined ? read.map((node) => asInPool(node, node.pool ?? '', kept.wasCanary)) : read;
  const own = canary === undefined ? nodes : nodesInOwnPools({ plan, nodes, record: kept }, canary);
  const found =
    missedSince === undefined
      ? undefined
      : await findAgain(plan, { pools, nodes: own, now }, { reader: cluster.reader, isNew });
  const record = found ?? kept;
  const [seen, controllers, targets] = await Promise.all([
    readWork(plan, record, cluster, ports),
    controllerNodes(plan.run.cluster, written),
    Promise.all(plan.pools.map((name) => runPool(name, { plan, pools, nodes: own, refused, layered }, written))),
  ]);
  const asked = targets.flatMap(({ pool: { name }, gates }) => (gates === undefined ? [] : [[name, gates] as const]));
  const queued = whyQueued(plan, observed);
  // Labels and selectors of pools that another run has are not written.
  const closed = (canary === undefined ? undefined : queued) ?? whyUpdating(observed);
  const gates = await closedGates(plan, written);
  const ownPools = targets.map(({ pool }) => pool);
  const question = { plan, record, nodes, pools: ownPools, seen, controllers, closed, queued, gates, now };
  return { question, canary, gates: new Map(asked) };
}

/** Seconds that a hold may stand without a record and without any Job of a turn: it is placed first. */
export const lostAfterSeconds = 600;

/** A look at a run. */
export interface ReadRun {
  readonly question: RunQuestion;
  /** Undefined: no node of it goes by a canary. */
  readonly canary: CanarySeen | undefined;
  /** What keeps the next node of each pool from going; absent: the pool is not paused by the run yet. */
  readonly gates: ReadonlyMap<string, NodeGates>;
}

/** It was of mode canary when it began. */
function hasCanary({ name }: RunPlan, { canaries }: ObservedRuns): boolean {
  return canaries === 'unseen' || canaries.some(({ state }) => state !== 'unreadable' && state.run === name);
}

function gatesOf({ performed }: WrittenPass): ClosedGates {
  return new Map(performed.map(({ pool, plan }) => [pool.name, plan.gates]));
}

/** Why the whole run is refused on this cluster; undefined: it is not. */
function whyRefused(
  { name }: RunPlan,
  nodes: readonly TurnNode[],
  { refused, refusedUnseen }: ObservedRuns,
): string | undefined {
  if (refusedUnseen !== undefined) throw new Transient(refusedUnseen);
  return refused.get(name) ?? (nodes.length === 1 ? 'the cluster has a single node' : undefined);
}

/** Pools whose nodes boot an image that is built for them: config and image would have to change together. */
export async function layeredPools({ reader }: ClusterPorts): Promise<ReadonlySet<string>> {
  for (const version of ['v1', 'v1alpha1']) {
    const path = `/apis/machineconfiguration.openshift.io/${version}/machineosconfigs`;
    const found = await reader.read({ path, query: { limit: '500' } });
    if (found.kind === 'failed')
      throw new Transient(found.why, { kind: found.isForbidden === true ? 'forbidden' : 'unknown' });
    if (found.kind === 'absent') continue;
    const names = listAt(found.body, 'items').flatMap(
      (each) => textAt(mappingAt(mappingAt(each, 'spec'), 'machineConfigPool'), 'name') ?? [],
    );
    return new Set(names);
  }
  return new Set();
}

interface OfRun {
  readonly plan: RunPlan;
  readonly pools: readonly Pool[];
  readonly nodes: readonly TurnNode[];
  readonly refused: string | undefined;
  readonly layered: ReadonlySet<string>;
}

interface AskedPool {
  readonly pool: RunPool;
  readonly gates: NodeGates | undefined;
}

async function runPool(name: string, of: OfRun, written: WrittenPass): Promise<AskedPool> {
  const pool = byName(of.pools, name);
  if (pool === undefined)
    return {
      pool: { name, target: '', isPaused: false, closed: undefined, refused: 'there is no such pool' },
      gates: undefined,
    };
  const refused = of.refused ?? whyPoolRefused(pool, of, written);
  const unpaused = whyNotPaused(pool, of.plan.name);
  const why = refused ?? unpaused;
  const gates = why === undefined ? await whyNoNodeGoes(pool, of.plan, written) : undefined;
  const closed = why ?? gates?.why;
  const hold = holdOfRun(pool, of.plan.name);
  return {
    pool: {
      ...{ name, target: pool.target.name, isPaused: unpaused === undefined, heldSince: hold?.since, closed, refused },
      ...(hold?.overruled !== undefined && !pool.paused ? { isResumed: true as const } : {}),
      after: poolsBefore(name, of, written),
      ...(gates?.closed.some(isOfOrder) === true ? { waitsForThem: true as const } : {}),
      isOutsideWindow: gates && isOutsideWindow(gates.closed, gates.why),
    },
    gates,
  };
}

/** The gates that keep an order among pools. */
function isOfOrder({ gate, unread }: GateView): boolean {
  return unread !== true && (gate === wave.name || gate === sequence.name);
}

/** Pools of the run that go before that one. A sequence counts before waves. */
function poolsBefore(
  name: string,
  { plan }: OfRun,
  { snapshot: { settings, sequenceSteps } }: WrittenPass,
): readonly string[] {
  const waveOf = (pool: string) => settingsOf(settings, pool).wave;
  const bySteps = sequenceSteps?.get(name)?.after ?? [];
  const later = laterSteps(name, sequenceSteps);
  const isByWave = (pool: string) => waveOf(pool) < waveOf(name) && !later.includes(pool);
  return plan.pools.filter((pool) => isByWave(pool) || bySteps.includes(pool));
}

function whyPoolRefused(pool: Pool, { layered, nodes }: OfRun, { snapshot }: WrittenPass): string | undefined {
  if (isRequiredForUpgrade(pool)) return 'cluster upgrades wait for it; its nodes have no turns';
  if (!isManaged(snapshot.settings, pool)) return 'Poolkeeper only observes it';
  if (layered.has(pool.name)) return 'its nodes boot an image that is built for it (MachineOSConfig)';
  const imaged = nodes.find((node) => node.pool === pool.name && isOfImage(node));
  if (imaged !== undefined) return `node ${imaged.name} boots, or is to boot, an image that was built for its pool`;
  return isTrue(pool, 'RenderDegraded') ? 'its config cannot be rendered' : undefined;
}

/** Its daemon changes config and image together. Where no MachineOSConfig names the pool any more, the node is still to
 *  get the image of the release. */
function isOfImage({ currentImage, desiredImage }: TurnNode): boolean {
  return (currentImage ?? desiredImage) !== undefined;
}

/** Why the pool does not count as paused by this run. */
function whyNotPaused(pool: Pool, run: string): string | undefined {
  const { record } = pool;
  const hold = holdOfRun(pool, run);
  if (hold === undefined) return 'it does not have the hold of the run yet';
  const pause = record.kind === 'record' ? record.record.pause : undefined;
  if (pause === 'foreign') return `${pool.pausedBy?.manager ?? 'somebody else'} has paused it`;
  if (hold.overruled !== undefined) return `${hold.overruled.by} has resumed it`;
  if (pause !== 'ours' || !pool.paused) return 'it is not paused yet';
  return pool.observedGeneration >= pool.generation ? undefined : 'the MCO has not confirmed its pause yet';
}

function whyQueued(plan: RunPlan, { rollouts }: ObservedRuns): string | undefined {
  const [other] = poolsOfOthers(plan, rollouts);
  return other && `it waits for run ${other.run}, which has pool ${other.pool}`;
}

function whyUpdating({ update }: ObservedRuns): string | undefined {
  if (update === 'none') return undefined;
  return update === 'under way'
    ? 'the cluster is being updated: nodes go when its control plane is done'
    : 'whether the cluster is being updated could not be read';
}

/** What the run waits for before each node. */
async function closedGates({ name, run }: RunPlan, { cluster, ports }: WrittenPass): Promise<readonly ClosedGate[]> {
  const closed: ClosedGate[] = [];
  for (const [index, each] of run.gates.entries()) {
    if (each.disabled) continue;
    const { timeoutSeconds, intervalSeconds, onTimeout } = each;
    const gate = {
      id: `gates/${index}`,
      of: name,
      cluster: run.cluster,
      wave: undefined,
      isBefore: true,
      anyOf: [each],
      timing: { timeoutSeconds, intervalSeconds, onTimeout },
    };
    const look = {
      gate,
      sequence: name,
      namespace: run.namespace,
      wasOpen: false,
      runs: undefined,
      attempt: 1,
      mayRun: false,
    };
    const reading = await readGate(look, cluster, ports);
    if (reading.kind === 'healthy') continue;
    // What may not be read, or cannot be judged, is not known to be closed either.
    const isUnseen = reading.kind !== 'unhealthy' && reading.isUnknownKind !== true;
    closed.push({ id: gate.id, why: reading.value, isUnseen, timeoutSeconds, onTimeout });
  }
  return closed;
}

/** Where application controllers of Argo CD run: each reboot there ends its syncs, so these nodes go last. */
async function controllerNodes(cluster: string, { ports }: WrittenPass): Promise<ReadonlySet<string>> {
  const local = ports.configuration.argocd.filter((each) => each.cluster === cluster);
  const nodes = await Promise.all(local.map(async ({ name }) => (await ports.argocd(name)).controllerNodes()));
  return new Set(nodes.flat());
}

import { type CanaryInUse, canariesInUse } from '../../core/node-turns/canary-in-use.ts';
import { canariesOn, canaryAnnotation, type FoundCanary } from '../../core/node-turns/canary-state.ts';
import { withFormerRules } from '../../core/node-turns/kept-plan.ts';
import {
  type PoolRollout,
  rolloutsOf,
  runsAtWork,
  runsHolding,
  withCanaries,
} from '../../core/node-turns/pool-rollouts.ts';
import { type RunPlan, runsOf } from '../../core/node-turns/run-plan.ts';
import { isUnfinished, type RunRecord } from '../../core/node-turns/run-record.ts';
import type { TurnNode } from '../../core/node-turns/turn-node.ts';
import { whyWholeRunRefused } from '../../core/node-turns/whole-run-refused.ts';
import { byName } from '../../core/text/by-name.ts';
import { Transient } from '../../core/text/errors.ts';
import type { ObjectReader } from '../../ports/cluster.ts';
import type { ClusterPorts, KeepPorts } from '../keep-ports.ts';
import { readUpdateOf } from '../read/read-version-update.ts';
import { endRemoved } from './ending-runs.ts';
import { withLiveRules } from './live-rules.ts';
import { hasRecord } from './load-run-record.ts';
import { type KeptRunPorts, type LoadedRun, loadRun } from './loaded-run.ts';
import { type PoolsOfNodes, readTurnNodes } from './read-turn-nodes.ts';

/** What a pass knows of the runs of its cluster. */
export interface ObservedRuns {
  /** In the order of the configuration. */
  readonly plans: readonly RunPlan[];
  readonly rollouts: ReadonlyMap<string, PoolRollout>;
  /** Of the runs that may be at work. */
  readonly records: ReadonlyMap<string, LoadedRun>;
  /** The version of the cluster is being updated; nothing begins then. */
  readonly update: 'under way' | 'none' | 'unseen';
  /** Why a run is carried out on none of its pools, by run. */
  readonly refused: ReadonlyMap<string, string>;
  /** Why that is not known of all runs; undefined: it is. */
  readonly refusedUnseen: string | undefined;
  /** What runs in mode canary have written and not put back. */
  readonly canaries: readonly FoundCanary[] | 'unseen';
}

interface Looking extends PoolsOfNodes {
  readonly cluster: string;
  /** All that is known of the cluster is read in this pass. */
  readonly swept: boolean;
}

/** Reads what decides whether a run holds its pools: nothing, as long as no pool has a change or a hold of a run; a
 *  sweep asks besides whether the cluster is being updated, which it is long before the pools are. Undefined: the
 *  cluster has no run. */
export async function observeRuns(
  { cluster, pools, unreadablePools, swept }: Looking,
  ports: Pick<KeepPorts, 'configuration' | 'cluster' | 'clock'>,
): Promise<ObservedRuns | undefined> {
  const configured = runsOf(ports.configuration.nodeTurns, cluster);
  const removed = runsHolding(pools).filter(({ run }) => !configured.some(({ name }) => name === run));
  const isNoted = pools.some((pool) => Object.hasOwn(pool.annotations, canaryAnnotation));
  if (configured.length === 0 && removed.length === 0 && !isNoted) return undefined;
  const ending = await endRemoved(removed, { cluster, pools }, ports);
  const unread = [...configured, ...ending.map(({ plan }) => plan)];
  const idle = runsAtWork(configured, pools);
  if (idle.length === 0 && ending.length === 0 && !isNoted && !(swept && unread.length > 0))
    return { plans: unread, rollouts: new Map(), records: new Map(), update: 'none', canaries: [], ...notAskedYet };
  const ofCluster = await ports.cluster(cluster);
  const { reader, nodeTurns } = ofCluster;
  const canaries = isNoted ? await readCanaries(nodeTurns) : [];
  const found = canaries === 'unseen' ? [] : canaries;
  const isOut = ({ name }: RunPlan) => found.some(({ state }) => state !== 'unreadable' && state.run === name);
  const atWork = configured.filter((plan) => idle.includes(plan) || isOut(plan));
  const [update, refusal, early] = await Promise.all([
    readUpdateOf(reader, ports.clock()),
    readRefused(configured, reader),
    Promise.all(atWork.map((plan) => loadRun(plan, pools, nodeTurns))),
  ]);
  const state = update.kind === 'seen' ? (update.value.kind === 'under way' ? 'under way' : 'none') : 'unseen';
  const atRest = configured.filter((plan) => !atWork.includes(plan));
  const late = await Promise.all(atRest.map((plan) => loadRun(plan, pools, nodeTurns)));
  const live = { reader, allowed: ports.configuration.nodeTurns?.jobs };
  const resolvedOf = (plan: RunPlan, loaded: LoadedRun | undefined) =>
    loaded === undefined ? [] : [withLiveRules(plan, loaded, live)];
  const resolved = await Promise.all([
    ...atWork.flatMap((plan, index) => resolvedOf(plan, early[index])),
    ...atRest.flatMap((plan, index) => {
      const loaded = late[index];
      return state === 'under way' || isLeftOpen(loaded) ? resolvedOf(plan, loaded) : [];
    }),
  ]);
  const withFormer = resolved.map(({ plan, loaded }) =>
    loaded.kind === 'record' ? withFormerRules(plan, loaded.record, live.allowed) : plan,
  );
  const plans = unread.map((plan) => byName(withFormer, plan.name) ?? plan);
  const records = new Map<string, LoadedRun>([
    ...resolved.map(({ plan, loaded }) => [plan.name, loaded] as const),
    ...ending.map(({ plan, loaded: each }) => [plan.name, each] as const),
  ]);
  const read = new Map(
    [...records].map(([name, each]) => [name, each.kind === 'record' ? each.record : ('unseen' as const)]),
  );
  const stored = new Set([...records].flatMap(([name, each]) => (isStored(each) ? [name] : [])));
  const question = { plans, pools, records: read, update: state, stored, refused: refusal.refused } as const;
  const first = rolloutsOf(question);
  const isLettingGo = [...first.values()].some(({ wants }) => wants === 'let go');
  const wanted = isLettingGo
    ? rolloutsOf({ ...question, nodes: await readNodes({ pools, unreadablePools }, ofCluster) })
    : first;
  const rollouts = withCanaries(wanted, canaries, pools);
  return { plans, rollouts, records, update: state, canaries, ...refusal };
}

/** Pools by which nodes of these runs go now. */
export function canariesOf(runs: ObservedRuns | undefined): ReadonlyMap<string, CanaryInUse> | undefined {
  if (runs === undefined || runs.canaries.length === 0) return undefined;
  // One that is missed is found again from what its run has left, which is after the pools are decided about.
  const records = [...runs.records].map(([name, loaded]) => {
    const isSeen = loaded.kind === 'record' && loaded.missedSince === undefined;
    return [name, isSeen ? loaded.record : ('unseen' as const)] as const;
  });
  return canariesInUse({ ...runs, records: new Map(records) });
}

/** As far as they were read. */
export function recordsSeen({ records }: ObservedRuns): readonly RunRecord[] {
  return [...records.values()].flatMap((loaded) => (loaded.kind === 'record' ? [loaded.record] : []));
}

/** Of a run that holds no pool: what its record says was begun and is not over, as where its pool was deleted. */
export function isLeftOpen(loaded: LoadedRun | undefined): boolean {
  return loaded?.kind === 'record' && isUnfinished(loaded.record);
}

function isStored(loaded: LoadedRun): boolean {
  return loaded.kind === 'record' && hasRecord(loaded.stored);
}

async function readNodes(pools: PoolsOfNodes, cluster: ClusterPorts): Promise<readonly TurnNode[] | 'unseen'> {
  try {
    return await readTurnNodes(pools, cluster);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return 'unseen';
  }
}

type Refusal = Pick<ObservedRuns, 'refused' | 'refusedUnseen'>;

const notAskedYet: Refusal = { refused: new Map(), refusedUnseen: 'not looked at in this pass' };

async function readRefused(plans: readonly RunPlan[], reader: ObjectReader): Promise<Refusal> {
  const version = await reader.read({ path: '/apis/config.openshift.io/v1/clusterversions/version', query: {} });
  if (version.kind === 'failed' && version.isForbidden !== true)
    return { refused: new Map(), refusedUnseen: version.why };
  const body = version.kind === 'found' ? version.body : undefined;
  const refused = plans.flatMap((plan) => {
    const why = whyWholeRunRefused(plan, body);
    return why === undefined ? [] : [[plan.name, why] as const];
  });
  return { refused: new Map(refused), refusedUnseen: undefined };
}

/** What is noted on pools, word for word. */
async function readCanaries(ports: KeptRunPorts): Promise<ObservedRuns['canaries']> {
  if (ports === undefined) return 'unseen';
  try {
    return canariesOn(await ports.canary.listFreshPools());
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    return 'unseen';
  }
}

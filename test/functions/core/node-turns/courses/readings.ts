import { defaultPoolSettings } from '../../../../../functions/core/configuration/cluster.ts';
import { type Evidence, noEvidence } from '../../../../../functions/core/gates/evidence.ts';
import type { Snapshot } from '../../../../../functions/core/holds/snapshot.ts';
import type { WorkSeen } from '../../../../../functions/core/node-turns/judge-turn.ts';
import type { RunPlan } from '../../../../../functions/core/node-turns/run-plan.ts';
import { isOver, type Turn } from '../../../../../functions/core/node-turns/run-record.ts';
import type { TurnNode } from '../../../../../functions/core/node-turns/turn-node.ts';
import type { Pool } from '../../../../../functions/core/openshift/pool.ts';
import { poolSteps } from '../../../../../functions/core/sequences/pool-steps.ts';
import { poolHealth } from '../../../../../functions/core/sequences/target-health.ts';
import { seen } from '../../../../../functions/core/text/observed.ts';
import { noImages } from '../../../../fakes/index.ts';
import { configOf, poolOf } from '../../gates/gated-fleet.ts';
import { aSnapshot } from '../../holds/a-snapshot.ts';
import { aTurnNode } from '../run-builder.ts';
import { mapped } from './changes.ts';
import { remembered } from './remembered.ts';
import { fleetPool, isBefore, isJob, type Scene, type State, type WorldNode } from './state.ts';

/** Pools as the cluster shows them, of pools and nodes that are alike: each pass asks for them many times. */
const shownOf = new WeakMap<State['pools'], WeakMap<State['nodes'], Map<string, Pool>>>();

/** The pool as the cluster shows it. */
export function poolShown(name: string, state: State): Pool {
  const ofPools = remembered(shownOf, state.pools, () => new WeakMap());
  const ofNodes = remembered(ofPools, state.nodes, () => new Map());
  return remembered(ofNodes, name, () => poolMade(name, state));
}

function poolMade(name: string, state: State): Pool {
  const pool = poolOf(name, fleetPool(name, state));
  return state.pools[name]?.isConfirmed === false ? { ...pool, observedGeneration: pool.generation - 1 } : pool;
}

export function poolsShown(state: State, { plan }: Scene): readonly Pool[] {
  return plan.pools.map((name) => poolShown(name, state));
}

export function nodesShown({ nodes }: State, { plan }: Scene): readonly TurnNode[] {
  return Object.entries(nodes).map(([name, node]) => nodeShown(name, node, plan));
}

export function nodeShown(name: string, node: WorldNode, { run }: RunPlan): TurnNode {
  const { pool, state, cordoned } = node;
  const currentConfig = configOf(pool, node.has);
  return aTurnNode(name, {
    pool,
    state,
    cordoned,
    currentConfig,
    desiredConfig: configOf(pool, node.wants),
    desiredDrain: `uncordon-${currentConfig}`,
    lastAppliedDrain: `uncordon-${currentConfig}`,
    labels: node.isKept ? { [run.holdLabel]: '' } : {},
    ready: state !== 'Working' && !node.isSilent,
    createdAt: new Date(node.born).toISOString(),
  });
}

/** The Jobs of the turns that are open, by node. */
export function jobsShown({ record, jobs }: State): ReadonlyMap<string, WorkSeen> {
  const open = Object.entries(record.turns).filter(([, turn]) => !isOver(turn));
  return new Map(open.map(([node, turn]) => [node, jobShown(node, turn, jobs)]));
}

function jobShown(node: string, turn: Turn, jobs: State['jobs']): WorkSeen {
  if (turn.step !== 'before' && turn.step !== 'after') return { kind: 'absent' };
  const { step: part, round, attempt } = turn;
  const rule = (part === 'after' ? turn.cleaned : turn.ran).at(-1);
  if (rule === undefined) return { kind: 'absent' };
  if (turn.succeeded === true) return { kind: 'complete', said: '' };
  switch (jobs.find((job) => isJob(job, { round, attempt, node, rule, part }))?.state) {
    case 'running':
      return { kind: 'running' };
    case 'hangs':
      return { kind: 'running', note: 'it is suspended' };
    case 'complete':
      return { kind: 'complete', said: '' };
    case 'failed':
      return { kind: 'failed', why: 'exit code 1' };
    default:
      return { kind: 'absent' };
  }
}

const { settings } = aSnapshot({ pools: [] });

/** All that holds and gates are judged by.
 *  @param pools where they are to be judged otherwise than the cluster shows them */
export function snapshotOf(
  state: State,
  scene: Scene,
  { rollouts, pools = poolsShown(state, scene) }: Partial<Pick<Snapshot, 'rollouts' | 'pools'>>,
): Snapshot {
  const { plan, waves = {}, sequence } = scene;
  return aSnapshot({
    settings: {
      ...settings,
      pools: mapped(state.pools, (_, name) => ({
        ...defaultPoolSettings,
        wave: waves[name] ?? defaultPoolSettings.wave,
      })),
    },
    pools,
    machineConfigs: plan.pools.map((name) => ({
      name: `99-${name}`,
      labels: { 'machineconfiguration.openshift.io/role': name },
    })),
    published: mapped(state.pools, ({ record }) => record),
    rollouts,
    evidence: new Map(plan.pools.map((name) => [name, evidenceOf(name, state, scene)])),
    ...(sequence === undefined ? {} : { sequenceSteps: poolSteps({ virt: sequence }, 'prod') }),
  });
}

/** All that gates may ask for. */
function evidenceOf(name: string, state: State, scene: Scene): Evidence {
  const before = scene.sequence === undefined ? [] : scene.plan.pools.filter((other) => isBefore(other, name, scene));
  const waitsFor = before.filter((other) => poolHealth(poolShown(other, state)).kind !== 'healthy');
  const isHealthy = poolHealth(poolShown(name, state)).kind === 'healthy';
  const poolsWaiting = isHealthy ? [] : scene.plan.pools.filter((other) => isBefore(name, other, scene));
  return {
    ...noEvidence,
    controllers: seen([]),
    drains: seen({ touched: 2, obstacles: [], unread: [] }),
    images: noImages,
    nodesBehind: seen([]),
    turn: seen({ mayGo: waitsFor.length === 0, why: 'lower steps are not healthy', waitsFor, poolsWaiting }),
    versionUpdate: seen({ kind: 'none' }),
  };
}

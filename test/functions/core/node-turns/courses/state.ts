import type { Sequence } from '../../../../../functions/core/configuration/sequence.ts';
import type { RunPlan } from '../../../../../functions/core/node-turns/run-plan.ts';
import type { RunProblem } from '../../../../../functions/core/node-turns/run-question.ts';
import { emptyRunRecord, type RunRecord, type Turn } from '../../../../../functions/core/node-turns/run-record.ts';
import { type FleetPool, restingPool } from '../../gates/gated-fleet.ts';

/** What is configured. */
export interface Scene {
  readonly plan: RunPlan;
  /** By pool; absent: all of wave 0. */
  readonly waves?: Readonly<Record<string, number>>;
  /** Of which both pools are steps. */
  readonly sequence?: Sequence;
}

export interface WorldPool extends Omit<FleetPool, 'nodes'> {
  /** The MCO has seen what was written last. */
  readonly isConfirmed: boolean;
}

export interface WorldNode {
  readonly pool: string;
  /** Versions of the config of its pool. */
  readonly has: number;
  readonly wants: number;
  readonly state: 'Done' | 'Working' | 'Degraded';
  readonly cordoned: boolean;
  /** A person wants it to be. */
  readonly isCordonWanted: boolean;
  readonly isKept: boolean;
  /** Its kubelet does not report. */
  readonly isSilent: boolean;
  /** The run has let it go, and it is not back. */
  readonly isLetGo: boolean;
  /** Milliseconds since 1970. */
  readonly born: number;
}

export interface JobId extends Pick<Turn, 'round' | 'attempt'> {
  readonly node: string;
  readonly rule: string;
  readonly part: 'before' | 'after';
}

export interface WorldJob extends JobId {
  /** `hangs`: it does not end, not even at its deadline. */
  readonly state: 'running' | 'complete' | 'failed' | 'deleted' | 'hangs';
  /** Milliseconds since 1970. */
  readonly since: number;
  /** A person has left out what was to clean up after it. */
  readonly isLeft: boolean;
}

/** What is so after some acts. */
export interface State {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly pools: Readonly<Record<string, WorldPool>>;
  readonly nodes: Readonly<Record<string, WorldNode>>;
  readonly record: RunRecord;
  /** In the order in which they were made. */
  readonly jobs: readonly WorldJob[];
  /** What people are told by the last look. */
  readonly told: readonly RunProblem[];
  /** What must never happen, and did. */
  readonly wrong: readonly string[];
}

/** A pass over the cluster. */
export interface Pass {
  /** What it has read, and what it writes to: other acts may have come between. */
  readonly read: State;
  readonly now: State;
  readonly scene: Scene;
}

export const minute = 60_000;
export const hour = 60 * minute;

export const freshNode = {
  has: 1,
  wants: 1,
  state: 'Done',
  cordoned: false,
  isCordonWanted: false,
  isKept: false,
  isSilent: false,
  isLetGo: false,
  born: 1,
} as const;

const { nodes: _, ...restingOne } = restingPool;
const resting: WorldPool = { ...restingOne, isConfirmed: true };

/** Two pools of two nodes, at rest. */
export function start({ plan }: Scene): State {
  const nodes = plan.pools.flatMap((pool) =>
    [1, 2].map((nth) => [`${pool.slice(0, 1)}${nth}`, { ...freshNode, pool }] as const),
  );
  return {
    at: Date.parse('2026-03-02T10:00:00Z'),
    pools: Object.fromEntries(plan.pools.map((pool) => [pool, resting])),
    nodes: Object.fromEntries(nodes),
    record: emptyRunRecord,
    jobs: [],
    told: [],
    wrong: [],
  };
}

/** Nothing but time and words is between them. */
export function isSame(a: State, b: State): boolean {
  return a.pools === b.pools && a.nodes === b.nodes && a.jobs === b.jobs && a.record === b.record;
}

export function membersOf(pool: string, { nodes }: State): readonly (readonly [string, WorldNode])[] {
  return Object.entries(nodes).filter(([, node]) => node.pool === pool);
}

/** The pool with its nodes, as the MCO counts them. */
export function fleetPool(name: string, state: State): FleetPool {
  const nodes = membersOf(name, state).map(([, { has, wants, state: is, cordoned }]) => ({
    has,
    failed: is === 'Degraded' ? wants : undefined,
    ...(cordoned || wants !== has ? { cordoned: true as const } : {}),
  }));
  return { ...(state.pools[name] ?? resting), nodes };
}

export function isFrozen(pool: string, { pools }: State): boolean {
  return pools[pool]?.record.holds.some(({ kind }) => kind === 'freeze') === true;
}

/** By its wave, or its step in the sequence. */
export function isBefore(other: string, name: string, { waves = {}, sequence }: Scene): boolean {
  const stepOf = (pool: string) => sequence?.steps[pool]?.wave ?? 0;
  return stepOf(other) < stepOf(name) || ((waves[other] ?? 0) < (waves[name] ?? 0) && stepOf(other) <= stepOf(name));
}

/** The node has the newest config of its pool. */
export function isUpdated({ pool, has, wants, state }: WorldNode, { pools }: State): boolean {
  const target = pools[pool]?.target;
  return has === target && wants === target && state === 'Done';
}

/** All nodes of the pool have its newest config. */
export function isDone(pool: string, state: State): boolean {
  return membersOf(pool, state).every(([, node]) => isUpdated(node, state));
}

/** Milliseconds since 1970, by which the Job is to have ended. */
export function deadlineOf({ rule, since }: WorldJob, { plan }: Scene): number {
  return since + (plan.rules.find(({ id }) => id === rule)?.rule.timeoutSeconds ?? 0) * 1000;
}

export function isJob(job: JobId, { round, attempt, node, rule, part }: JobId): boolean {
  const isOfTurn = job.round === round && job.attempt === attempt;
  return isOfTurn && job.node === node && job.rule === rule && job.part === part;
}

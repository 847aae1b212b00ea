import { type RunRequest, type Said, withRunRequest } from '../../../../../functions/core/node-turns/run-record.ts';
import type { PauseAuthor } from '../../../../../functions/core/openshift/pool.ts';
import { noted } from '../../gates/gated-fleet.ts';
import {
  deadlineOf,
  fleetPool,
  hour,
  type Scene,
  type State,
  type WorldJob,
  type WorldNode,
  type WorldPool,
} from './state.ts';

export function withPool(state: State, name: string, change: (pool: WorldPool) => WorldPool): State {
  const before = state.pools[name];
  if (before === undefined) return state;
  return withNoted(state, { ...state, pools: { ...state.pools, [name]: change(before) } });
}

export function withNode(state: State, name: string, node: WorldNode): State {
  return withNodes(state, { ...state.nodes, [name]: node });
}

export function withNodes(state: State, nodes: State['nodes']): State {
  return withNoted(state, { ...state, nodes });
}

/** What the MCO notes of its pools. */
function withNoted(before: State, after: State): State {
  const at = new Date(after.at).toISOString();
  const pools = mapped(after.pools, (pool, name) => {
    const { current, updatedSince } = noted(fleetPool(name, before), fleetPool(name, after), at);
    return current === pool.current && updatedSince === pool.updatedSince ? pool : { ...pool, current, updatedSince };
  });
  return { ...after, pools };
}

/** The MCO has seen what was written. */
export function confirmed(state: State): State {
  if (Object.values(state.pools).every(({ isConfirmed }) => isConfirmed)) return state;
  return { ...state, pools: mapped(state.pools, (pool) => ({ ...pool, isConfirmed: true })) };
}

/** Every running Job of the node ends so. */
export function withJobs(state: State, node: string, end: WorldJob['state']): State {
  const jobs = state.jobs.map((job) => (job.node === node && job.state === 'running' ? { ...job, state: end } : job));
  return { ...state, jobs };
}

/** Two hours later: Jobs that run have ended by their own deadline. */
export function afterHours(state: State, scene: Scene): State {
  const at = state.at + 2 * hour;
  const isLate = (job: WorldJob) => job.state === 'running' && at >= deadlineOf(job, scene);
  if (!state.jobs.some(isLate)) return { ...state, at };
  return { ...state, at, jobs: state.jobs.map((job) => (isLate(job) ? { ...job, state: 'failed' as const } : job)) };
}

/** Somebody asks something of the run. */
export function withAsked(state: State, request: (said: Said) => RunRequest): State {
  const said = { who: 'anna', why: 'decided', at: new Date(state.at).toISOString() };
  return { ...state, record: withRunRequest(state.record, request(said)) };
}

/** Who has written the pause of a pool. Kubernetes' clock counts whole seconds. */
export function authorOf(manager: string, { at }: State): PauseAuthor {
  return { manager, at: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z') };
}

export function mapped<One, Other>(
  all: Readonly<Record<string, One>>,
  change: (one: One, name: string) => Other,
): Readonly<Record<string, Other>> {
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, change(one, name)]));
}

import type { StuckAfter } from '../configuration/policy.ts';
import type { OwnPace } from '../impact/node-pace.ts';
import { type NodeRollout, type StepName, secondsOf } from '../openshift/node-rollout.ts';

/** The steps whose durations are recorded per pool. */
export const pacedSteps = ['pickup', 'drain', 'stage', 'reboot', 'uncordon'] as const satisfies readonly StepName[];
export type PacedStep = (typeof pacedSteps)[number];

/** Durations of the steps of a pool's nodes, seconds, newest last. */
export type Pace = Readonly<Record<PacedStep, readonly number[]>>;

export const noPace: Pace = { pickup: [], drain: [], stage: [], reboot: [], uncordon: [] };

/** Durations kept per step: enough for a 95th percentile, few enough to follow a pool that has changed. */
const kept = 50;
/** With fewer durations the policy applies. */
const enough = 8;
/** A step longer than this factor times the pool's own 95th percentile is stuck. */
const factor = 3;
/** Limit for a pool that has always been slow: after an hour of draining the MCO itself reports it. */
const ceilingFactor = 6;

/** Records a finished rollout. Others say nothing about the duration of a step. */
export function withRollout(pace: Pace, rollout: NodeRollout): Pace {
  if (rollout.ended?.how !== 'done') return pace;
  const added = pacedSteps.map((step) => {
    const seconds = secondsOf(rollout.steps[step] ?? {});
    return [step, seconds === undefined ? pace[step] : [...pace[step], Math.round(seconds)].slice(-kept)] as const;
  });
  return { ...pace, ...Object.fromEntries(added) };
}

/** When a step counts as stuck: by the policy, or later if the pool's own history shows that it is slow. */
export function stuckAfterOf(policy: StuckAfter, pace: Pace | undefined): StuckAfter {
  if (pace === undefined) return policy;
  const own = (floor: number, ...seconds: readonly (readonly number[])[]) => {
    const usual = Math.max(0, ...seconds.map((each) => usualOf(each) ?? 0));
    return Math.min(Math.max(floor, Math.ceil(factor * usual)), ceilingFactor * floor);
  };
  return {
    drainSeconds: own(policy.drainSeconds, pace.drain),
    applySeconds: own(policy.applySeconds, pace.stage),
    rebootSeconds: own(policy.rebootSeconds, pace.reboot),
    pickupSeconds: own(policy.pickupSeconds, pace.pickup, pace.uncordon),
  };
}

/** 95th percentile by nearest rank; undefined with too little history. */
function usualOf(seconds: readonly number[]): number | undefined {
  if (seconds.length < enough) return undefined;
  return percentile(seconds, 0.95);
}

/** Usual minutes per node of this pool, by the median of its steps; undefined with too little history. */
export function minutesPerNodeOf(pace: Pace): number | undefined {
  return nodePaceOf(pace)?.usual;
}

/** Minutes that a node of this pool is on its way, by its steps; undefined with too little history. */
export function nodePaceOf(pace: Pace | undefined): OwnPace | undefined {
  if (pace === undefined || pace.reboot.length < enough) return undefined;
  const sumOf = (secondsIn: (durations: readonly number[]) => number) =>
    Math.max(1, Math.ceil(pacedSteps.reduce((sum, step) => sum + secondsIn(pace[step]), 0) / 60));
  return {
    usual: sumOf(medianOf),
    slow: sumOf((durations) => percentile(durations, 0.9) ?? 0),
    rollouts: pace.reboot.length,
  };
}

/** The pools whose pace is known. */
export function nodePacesOf(paces: Readonly<Record<string, Pace>>): Readonly<Record<string, OwnPace>> {
  return Object.fromEntries(
    Object.entries(paces).flatMap(([pool, pace]) => {
      const own = nodePaceOf(pace);
      return own === undefined ? [] : [[pool, own] as const];
    }),
  );
}

/** By nearest rank. */
function percentile(seconds: readonly number[], rank: number): number | undefined {
  return seconds.toSorted((a, b) => a - b)[Math.ceil(rank * seconds.length) - 1];
}

function medianOf(seconds: readonly number[]): number {
  return seconds.toSorted((a, b) => a - b)[Math.floor(seconds.length / 2)] ?? 0;
}

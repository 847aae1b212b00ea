import type { Sequences } from '../configuration/sequence.ts';
import { planOf } from './plan.ts';

/** The step of a sequence that a pool is. */
export interface PoolStep {
  readonly sequence: string;
  /** `worker@prod`. */
  readonly id: string;
}

/** The pools of the cluster that are steps of lower waves of the same sequence as that pool. */
export function poolsOfLowerSteps(sequences: Sequences, cluster: string, pool: string): readonly string[] {
  return Object.entries(sequences ?? {}).flatMap(([name, sequence]) => {
    const own = planOf(name, sequence).steps.flatMap(({ target, wave = 0, cluster: on }) =>
      target.kind === 'pool' && on === cluster ? [{ name: target.name, wave }] : [],
    );
    const step = own.find((each) => each.name === pool);
    return step === undefined ? [] : own.filter(({ wave }) => wave < step.wave).map((each) => each.name);
  });
}

/** The steps that the pools of a cluster are, by pool: at most one each, or the configuration is refused. */
export function poolSteps(sequences: Sequences, cluster: string): ReadonlyMap<string, PoolStep> {
  const steps = new Map<string, PoolStep>();
  for (const [name, sequence] of Object.entries(sequences ?? {})) {
    for (const { id, target, cluster: on } of planOf(name, sequence).steps)
      if (target.kind === 'pool' && on === cluster) steps.set(target.name, { sequence: name, id });
  }
  return steps;
}

import type { Sequences } from '../configuration/sequence.ts';
import { planOf } from './plan.ts';

/** The step of a sequence that a pool is. */
export interface PoolStep {
  readonly sequence: string;
  /** `worker@prod`. */
  readonly id: string;
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

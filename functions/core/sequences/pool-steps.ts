import type { Sequences } from '../configuration/sequence.ts';
import { planOf } from './plan.ts';

/** The step of a sequence that a pool is. */
export interface PoolStep {
  readonly sequence: string;
  /** `worker@prod`. */
  readonly id: string;
  /** The pools of the cluster that are steps of lower waves; absent: none. */
  readonly after?: readonly string[];
}

/** The pools that are later steps than that one in its sequence. */
export function laterSteps(name: string, steps: ReadonlyMap<string, PoolStep> = new Map()): readonly string[] {
  return [...steps].flatMap(([other, { after = [] }]) => (after.includes(name) ? [other] : []));
}

/** The steps that the pools of a cluster are, by pool: at most one each, or the configuration is refused. */
export function poolSteps(sequences: Sequences, cluster: string): ReadonlyMap<string, PoolStep> {
  const steps = new Map<string, PoolStep>();
  for (const [sequence, rules] of Object.entries(sequences ?? {})) {
    const own = planOf(sequence, rules).steps.flatMap(({ id, target, wave = 0, cluster: on }) =>
      target.kind === 'pool' && on === cluster ? [{ id, name: target.name, wave }] : [],
    );
    for (const { id, name, wave } of own) {
      const after = own.filter((each) => each.wave < wave).map((each) => each.name);
      steps.set(name, { sequence, id, ...(after.length === 0 ? {} : { after }) });
    }
  }
  return steps;
}

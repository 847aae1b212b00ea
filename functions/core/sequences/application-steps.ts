import type { Sequences } from '../configuration/sequence.ts';
import { type Hold, syncHoldId } from '../openshift/hold.ts';
import { planOf } from './plan.ts';

/** Ids of the holds of Applications that are steps, of any sequence: another one may wait for this one.
 *  @param argocd the instance of those that name none */
export function applicationSteps(sequences: Sequences, argocd: string): ReadonlySet<string> {
  const steps = Object.entries(sequences ?? {}).flatMap(([name, sequence]) => planOf(name, sequence).steps);
  return new Set(
    steps.flatMap(({ target }) =>
      target.kind === 'application' ? [syncHoldId({ ...target, argocd: target.argocd ?? argocd })] : [],
    ),
  );
}

/** Whether the Application of that hold, or the one that writes it first, is such a step: it syncs in its turn. */
export function isOfStep({ id, via }: Hold, steps: ReadonlySet<string>): boolean {
  return steps.has(id) || (via !== undefined && steps.has(syncHoldId(via)));
}

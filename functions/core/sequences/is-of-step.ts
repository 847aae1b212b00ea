import { type Hold, syncHoldId } from '../openshift/hold.ts';

/** Whether the Application of that hold, or the one that writes it first, is such a step: it syncs in its turn. */
export function isOfStep({ id, via }: Hold, steps: ReadonlySet<string>): boolean {
  return steps.has(id) || (via !== undefined && steps.has(syncHoldId(via)));
}

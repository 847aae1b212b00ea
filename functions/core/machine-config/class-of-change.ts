import { roleLabel } from '../openshift/role-label.ts';
import { type Circumstances, classifyOwn, type Disruption } from './classify.ts';
import { facetsOf } from './facet.ts';
import { changedFacets, type FacetChange } from './facet-change.ts';
import type { MachineConfigContent } from './machine-config.ts';

/** One MachineConfig before and after, as in Git. At least one side exists. */
export interface MachineConfigChange {
  readonly before: MachineConfigContent | undefined;
  readonly after: MachineConfigContent | undefined;
}

/** Upper bound for the disruption of a change of one MachineConfig, from its two sides alone: the class from the whole
 *  rendered config is never higher, whatever else the pool merges. */
export function classOfChange(change: MachineConfigChange, circumstances: Circumstances = {}): Disruption {
  const source = change.after?.name ?? change.before?.name ?? '';
  return classifyOwn(ownChanges(change), { ...circumstances, source });
}

/** What differs in one MachineConfig. If its labels change it may enter or leave a pool, or move in the merge order:
 *  then everything in it counts, on either side. */
export function ownChanges({ before, after }: MachineConfigChange): readonly FacetChange[] {
  const old = before === undefined ? new Map() : facetsOf(before);
  const now = after === undefined ? new Map() : facetsOf(after);
  if (before === undefined || after === undefined || hasSameLabels(before, after)) return changedFacets(old, now);
  return [...changedFacets(old, new Map()), ...[...now.values()].map((facet) => ({ before: undefined, after: facet }))];
}

function hasSameLabels(before: MachineConfigContent, after: MachineConfigContent): boolean {
  const keys = new Set([...Object.keys(before.labels), ...Object.keys(after.labels), roleLabel]);
  return before.name === after.name && [...keys].every((key) => before.labels[key] === after.labels[key]);
}

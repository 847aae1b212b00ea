import { lockSlotsAtMost } from '../../core/configuration/fleet-lock.ts';
import { isMapping, type Path, type Problem, valueAt } from './problem.ts';

/** What the groups of machines have against each other. Looks at the data as written, as `checkReferences`. */
export function checkFleetLock(data: unknown): readonly Problem[] {
  const groups = valueAt(data, ['fleetLock', 'groups']);
  if (!isMapping(groups)) return [];
  const names = Object.keys(groups);
  if (names.length === 0) return [problem(['fleetLock', 'groups'], 'must have at least one group')];
  const slots = names.reduce((sum, name) => sum + slotsOf(groups[name]), 0);
  return slots <= lockSlotsAtMost
    ? []
    : [problem(['fleetLock', 'groups'], `has ${slots} slots; at most ${lockSlotsAtMost} are possible`)];
}

function slotsOf(group: unknown): number {
  const slots = isMapping(group) ? group['slots'] : undefined;
  return typeof slots === 'number' ? slots : 1;
}

function problem(path: Path, what: string): Problem {
  return { path, what, hint: undefined, at: 'key' };
}

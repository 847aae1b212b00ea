import { isMapping } from '../problem.ts';

/** `base` with what `changes` has; mappings key by key, everything else as a whole. Undefined changes nothing. */
export function merged(base: unknown, changes: unknown): unknown {
  if (changes === undefined) return base;
  if (!isMapping(base) || !isMapping(changes)) return changes;
  const changed = Object.entries(changes).map(([key, value]) => [key, merged(base[key], value)]);
  return { ...base, ...Object.fromEntries(changed) };
}

import { internalPaths, internalsKey } from './file/internals.ts';
import { type Path, type Problem, pathText, valueAt } from './problem.ts';

interface MovedKey {
  /** Where an earlier version had it. It still works there. */
  readonly from: Path;
  readonly to: Path;
}

/** The keys that could stand in this file at a place of an earlier version. */
export function movedKeys(data: unknown): readonly MovedKey[] {
  const clusters = valueAt(data, ['clusters']);
  const own = Array.isArray(clusters) ? clusters.map((_, index): Path => ['clusters', index, 'policy']) : [];
  return [['policy'], ...own].flatMap((policy) =>
    internalPaths.map((path) => ({ from: [...policy, ...path], to: [...policy, internalsKey, ...path] })),
  );
}

/** Those that do. They are read all the same. */
export function movedKeyWarnings(data: unknown): readonly Problem[] {
  return movedKeys(data)
    .filter(({ from }) => valueAt(data, from) !== undefined)
    .map(({ from, to }) => ({ path: from, what: `is now ${pathText(to)}`, hint: 'it still works here', at: 'key' }));
}

/** Those that stand at both places. */
export function movedKeyProblems(data: unknown): readonly Problem[] {
  return movedKeys(data)
    .filter(({ from, to }) => valueAt(data, from) !== undefined && valueAt(data, to) !== undefined)
    .map(({ from, to }) => ({ path: from, what: `is set as ${pathText(to)} too`, hint: 'keep that one', at: 'key' }));
}

import { internalPaths, internalsKey } from './file/internals.ts';
import { type Path, type Problem, pathText, valueAt } from './problem.ts';

interface MovedKey {
  /** Where an earlier version had it. It still works there. */
  readonly from: Path;
  readonly to: Path;
}

/** The keys that this file may have where an earlier version had them. */
export function movedKeys(data: unknown): readonly MovedKey[] {
  const clusters = valueAt(data, ['clusters']);
  const own = Array.isArray(clusters) ? clusters.map((_, index): Path => ['clusters', index, 'policy']) : [];
  return [['policy'], ...own].flatMap((policy) =>
    internalPaths.map((path) => ({ from: [...policy, ...path], to: [...policy, internalsKey, ...path] })),
  );
}

/** Warnings about those that it has there. They are read all the same. */
export function movedKeyWarnings(data: unknown): readonly Problem[] {
  return movedKeys(data)
    .filter(({ from }) => valueAt(data, from) !== undefined)
    .map(({ from, to }) => ({ path: from, what: `is now ${pathText(to)}`, hint: 'it still works here', at: 'key' }));
}

/** Problems with those that it has at both places. */
export function movedKeyProblems(data: unknown): readonly Problem[] {
  return movedKeys(data)
    .filter(({ from, to }) => valueAt(data, from) !== undefined && valueAt(data, to) !== undefined)
    .map(({ from, to }) => ({ path: from, what: `is set as ${pathText(to)} too`, hint: 'keep that one', at: 'key' }));
}

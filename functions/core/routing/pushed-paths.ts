import { type Effort, globMatches, literalFolder } from './glob.ts';
import { bytesOf, cleanPath, fromRoot } from './go-path.ts';
import type { PushedFiles } from './push.ts';

/** The changed files of one push, indexed for ten thousand lookups. Built once per push, in one pass over the files. */
export interface PushedPaths {
  readonly count: number;
  /** The changed files, as given. */
  readonly paths: readonly string[];
  /** Every changed file and its parent folders, from the root; the root is the empty text. */
  readonly touched: ReadonlySet<string>;
  /** Whether a file matches a Go pattern (bytes, beginning with a slash). `undefined`: given up, too much effort. */
  readonly matches: (pattern: string) => boolean | undefined;
}

/** Characters that the patterns of one push may be compared with in total: half a second. Beyond that everything counts
 *  as a match. A routing table may cost as much. */
export const effortAtMost = 15_000_000;

/** Undefined: unknown, so everything may have changed. */
export function pushedPaths(files: PushedFiles, effort: Effort = { left: effortAtMost }): PushedPaths | undefined {
  if (files.kind === 'unknown' || files.paths.length === 0) return undefined;
  const { paths } = files;
  const touched = new Set<string>(['']);
  for (const path of paths) {
    touch(touched, fromRoot(path));
    // Git has no such names, but the author of the message may write them.
    if (cleanPath(path) !== path) touch(touched, path);
  }
  const known = new Map<string, boolean | undefined>();
  let sorted: readonly string[] | undefined;
  return {
    count: paths.length,
    paths,
    touched,
    matches: (pattern) => {
      if (known.has(pattern)) return known.get(pattern);
      sorted ??= paths.map(rooted).sort();
      const answer = someMatch(pattern, sorted, effort);
      known.set(pattern, answer);
      return answer;
    },
  };
}

/** As patterns are compared with it: its bytes, beginning with a slash. */
export function rooted(path: string): string {
  return bytesOf(path.startsWith('/') ? path : `/${path}`);
}

/** Stops at a folder that is already present: then its parents are too. */
function touch(touched: Set<string>, path: string): void {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1)) {
    const part = path.slice(0, end);
    if (touched.has(part)) return;
    touched.add(part);
  }
}

function someMatch(pattern: string, sorted: readonly string[], effort: Effort): boolean | undefined {
  const folder = literalFolder(pattern);
  for (let at = firstFrom(folder, sorted); at < sorted.length; at += 1) {
    const name = sorted[at];
    if (name === undefined || !name.startsWith(folder)) return false;
    const answer = globMatches(pattern, name, effort);
    if (answer !== false) return answer;
  }
  return false;
}

/** Index of the first text that is not before this one. */
export function firstFrom(text: string, sorted: readonly string[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

import { firstFrom } from './pushed-paths.ts';

/** Things at paths of a repository, by folder: a push may have tens of thousands, and thousands of sources ask for
 *  those in theirs. A lookup costs what it finds, whatever the length of the path. Built once; all answers are in the
 *  order of `all`. The root is the empty text. */
export interface ByFolder<T> {
  readonly all: readonly T[];
  /** In the folder itself. */
  directlyIn(folder: string): readonly T[];
  /** In the folder or in one below it. */
  below(folder: string): readonly T[];
  countBelow(folder: string): number;
  /** The same, and at the path of the folder itself. */
  within(folder: string): readonly T[];
  countWithin(folder: string): number;
  /** At this path, or at that of a folder that it is in, the root aside. */
  atOrAbove(path: string): readonly T[];
}

export function byFolder<T>(all: readonly T[], pathOf: (each: T) => string): ByFolder<T> {
  // With a slash at the end, each is followed by all that is below it.
  const sorted = all
    .map((item, at) => ({ key: `${pathOf(item)}/`, at, item }))
    .sort((one, other) => (one.key === other.key ? one.at - other.at : one.key < other.key ? -1 : 1));
  const keys = sorted.map(({ key }) => key);
  let above: readonly (number | undefined)[] | undefined;
  let byParent: ReadonlyMap<string | undefined, readonly T[]> | undefined;

  function rangeOf(folder: string, first: string): readonly [number, number] {
    if (folder === '') return [0, keys.length];
    // A zero follows a slash.
    return [firstFrom(first, keys), firstFrom(`${folder}0`, keys)];
  }
  const rangeBelow = (folder: string) => rangeOf(folder, `${folder}/\0`);
  const rangeWithin = (folder: string) => rangeOf(folder, `${folder}/`);

  function take([from, to]: readonly [number, number]): readonly T[] {
    return to - from === all.length ? all : inOrder(sorted.slice(from, to));
  }

  return {
    all,
    directlyIn(folder) {
      byParent ??= Map.groupBy(all, (each) => parentOf(pathOf(each)));
      return byParent.get(folder) ?? [];
    },
    below: (folder) => take(rangeBelow(folder)),
    countBelow: (folder) => sizeOf(rangeBelow(folder)),
    within: (folder) => take(rangeWithin(folder)),
    countWithin: (folder) => sizeOf(rangeWithin(folder)),
    atOrAbove(path) {
      above ??= nearestAbove(keys);
      const asked = `${path}/`;
      // Whatever it is in is among those that the last key up to its own is in.
      let at: number | undefined = firstFrom(`${asked}\0`, keys) - 1;
      const shared = sharedLength(keys[at] ?? '', asked);
      const found: Placed<T>[] = [];
      for (; at !== undefined && at >= 0; at = above[at]) {
        const each = sorted[at];
        if (each !== undefined && each.key.length <= shared) found.push(each);
      }
      return inOrder(found);
    },
  };
}

/** Whether a path is below one of the folders. */
export function belowAnyOf(folders: readonly string[]): (path: string) => boolean {
  const all = byFolder(folders, (folder) => folder);
  const isRoot = folders.includes('');
  return (path) => isRoot || (path.includes('/') && all.atOrAbove(path.slice(0, path.lastIndexOf('/'))).length > 0);
}

/** Whether a path is below one of the folders, or is one of them or a folder that it is in. */
export function meetsAnyOf(folders: readonly string[]): (path: string) => boolean {
  const isBelow = belowAnyOf(folders);
  const all = byFolder(folders, (folder) => folder);
  return (path) => isBelow(path) || all.countWithin(path) > 0;
}

interface Placed<T> {
  readonly at: number;
  readonly item: T;
}

function inOrder<T>(placed: readonly Placed<T>[]): readonly T[] {
  return placed.toSorted((one, other) => one.at - other.at).map(({ item }) => item);
}

function sizeOf([from, to]: readonly [number, number]): number {
  return to - from;
}

/** A path that begins with a slash, which Git has not, is in no folder. */
function parentOf(path: string): string | undefined {
  const slash = path.lastIndexOf('/');
  if (slash === 0) return undefined;
  return slash < 0 ? '' : path.slice(0, slash);
}

/** For each of the sorted keys the nearest one before it that it begins with. */
function nearestAbove(keys: readonly string[]): readonly (number | undefined)[] {
  const open: number[] = [];
  return keys.map((key, at) => {
    for (let last = open.at(-1); last !== undefined && !key.startsWith(keys[last] ?? ''); last = open.at(-1))
      open.pop();
    const nearest = open.at(-1);
    open.push(at);
    return nearest;
  });
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

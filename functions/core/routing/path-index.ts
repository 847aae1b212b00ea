import type { PathRule, Pattern } from './generate-paths.ts';
import type { PushedPaths } from './pushed-paths.ts';

/** Sources that follow one revision of one repository, indexed by the files that change them: a push of few files needs
 *  as many lookups as it has files, however many sources there are, and a push of many files as many as there are
 *  sources. */
export interface PathIndex<Source> {
  add(source: Source, rule: PathRule): void;
  /** Calls back for each source that the files change, with the place or pattern that matched; more than once for some.
   *  Undefined paths: the files are unknown, and every source is changed by undefined. */
  changed(paths: PushedPaths | undefined, found: (source: Source, by: string | undefined) => void): void;
}

export function pathIndex<Source>(): PathIndex<Source> {
  const all: Source[] = [];
  const any: Source[] = [];
  const byPlace = new Map<string, Source[]>();
  /** By the folder that contains every match; the root if unknown. */
  const byFolder = new Map<string, { readonly pattern: Pattern; readonly source: Source }[]>();

  return {
    add(source, rule) {
      all.push(source);
      if (rule.kind === 'any') {
        any.push(source);
        return;
      }
      for (const place of rule.places) into(byPlace, place, source);
      for (const pattern of rule.patterns) into(byFolder, pattern.folder ?? '', { pattern, source });
    },

    changed(paths, found) {
      if (paths === undefined) {
        for (const source of all) found(source, undefined);
        return;
      }
      for (const source of any) found(source, undefined);
      eachShared(paths.touched, byPlace, (place, sources) => {
        for (const source of sources) found(source, place);
      });
      eachShared(paths.touched, byFolder, (_folder, globs) => {
        for (const { pattern, source } of globs) if (paths.matches(pattern.text) !== false) found(source, pattern.text);
      });
    },
  };
}

function into<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const there = map.get(key);
  if (there === undefined) map.set(key, [value]);
  else there.push(value);
}

/** Iterates over the smaller of the two. */
function eachShared<Value>(
  keys: ReadonlySet<string>,
  map: ReadonlyMap<string, Value>,
  each: (key: string, value: Value) => void,
): void {
  if (keys.size < map.size) {
    for (const key of keys) {
      const value = map.get(key);
      if (value !== undefined) each(key, value);
    }
    return;
  }
  for (const [key, value] of map) if (keys.has(key)) each(key, value);
}

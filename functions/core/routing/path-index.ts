import type { PathRule, Pattern } from './generate-paths.ts';
import type { PushedPaths } from './pushed-paths.ts';

/** Sources that follow one revision of one repository, found by the files that change them: a push of few files
 *  looks at as many places, however many sources there are, and a push of many files at as many as there are
 *  sources. */
export interface PathIndex<Source> {
  add(source: Source, rule: PathRule): void;
  /** Calls back for each source that the files change, by the place or pattern that they change it by; more than
   *  once for some. Undefined: the files are not known, and every source is changed by undefined. */
  changed(paths: PushedPaths | undefined, found: (source: Source, by: string | undefined) => void): void;
}

export function pathIndex<Source>(): PathIndex<Source> {
  const all: Source[] = [];
  const any: Source[] = [];
  const byPlace = new Map<string, Source[]>();
  /** By the folder in which every match lies; the root where that is not known. */
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

/** Goes through the smaller one of the two. */
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

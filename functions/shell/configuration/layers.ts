import { dirname, isAbsolute, join } from 'node:path';
import { isMapping, type Path, type Problem, valueAt } from './problem.ts';
import { readYaml, type YamlText } from './yaml-text.ts';

const extendsKey = 'extends';

/** One of the files that a configuration is made of. */
export interface Layer {
  /** For messages. */
  readonly source: string;
  readonly yaml: YamlText;
}

/** A problem with a file by itself. */
export interface LayerProblem {
  readonly layer: Layer;
  readonly problem: Problem;
}

/** Several files as one. */
export interface Layered {
  readonly data: unknown;
  /** The first is the lowest. */
  readonly layers: readonly Layer[];
  readonly problems: readonly LayerProblem[];
  /** The file in which what is at this path was written last, and where. What is missing belongs to the last file that
   *  has something around it. */
  writtenAt(path: Path): { readonly layer: Layer; readonly path: Path };
}

/** Lists whose entries are layered by their names; any other list of a later file replaces that of an earlier one. */
const namedLists: readonly Path[] = [['clusters'], ['argocd'], ['alerts', 'targets']];

/** The file with those that it extends below it. Mappings are layered key by key, named lists entry by entry; of
 *  everything else the last file that has it counts.
 *  @param readText throws when a file cannot be read; paths are relative to the file */
export function readLayers(own: Layer, readText: (path: string) => string): Layered {
  const { lower, layers, problems } = lowerLayers(own, readText);
  const top: Part = { layer: own, path: [], data: own.yaml.data };
  const [lowest, ...others] = [...lower, top];
  const root = others.reduce((below, above) => layered(below, above, []), lowest ?? top);
  return {
    data: root.data,
    layers: [...layers, own],
    problems,
    writtenAt: (path) => writtenAt(root, path),
  };
}

function lowerLayers(own: Layer, readText: (path: string) => string) {
  const names = valueAt(own.yaml.data, [extendsKey]);
  const lower: Part[] = [];
  const layers: Layer[] = [];
  const problems: LayerProblem[] = [];
  for (const [index, name] of (Array.isArray(names) ? names : []).entries()) {
    if (typeof name !== 'string') continue;
    try {
      const yaml = readYaml(readText(name));
      const layer = { source: join(dirname(own.source), name), yaml };
      const problem = layerProblem(yaml);
      layers.push(layer);
      if (problem !== undefined) problems.push({ layer, problem });
      else lower.push({ layer, path: [], data: movedTo(dirname(name), yaml.data ?? {}) });
    } catch (cause) {
      const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unreadable';
      const what = `cannot be read (${code})`;
      const problem: Problem = {
        path: [extendsKey, index],
        what,
        hint: 'the path is relative to this file',
        at: 'value',
      };
      problems.push({ layer: own, problem });
    }
  }
  return { lower, layers, problems };
}

function layerProblem({ data = null, broken }: YamlText): Problem | undefined {
  // What is broken is told as such.
  if (broken || data === null) return undefined;
  if (!isMapping(data)) return { path: [], what: 'must be a mapping of keys to values', hint: undefined, at: 'value' };
  if (!Object.hasOwn(data, extendsKey)) return undefined;
  return {
    path: [extendsKey],
    what: 'stands in a file that another one extends',
    hint: 'name all files in the last one, in their order',
    at: 'key',
  };
}

/** What is in a file, or in several. */
interface Part {
  /** The last file that has it, and where. */
  readonly layer: Layer;
  readonly path: Path;
  readonly data: unknown;
  /** Absent: all of it is of that file. */
  readonly parts?: ReadonlyMap<string | number, Part>;
}

function layered(below: Part, above: Part, place: Path): Part {
  if (isMapping(below.data) && isMapping(above.data)) {
    const keys = new Set([...Object.keys(below.data), ...Object.keys(above.data)]);
    const parts = new Map(
      [...keys].map((key) => [key, either(partAt(below, key), partAt(above, key), [...place, key])]),
    );
    const data = Object.fromEntries([...parts].map(([key, part]) => [key, part.data]));
    return { ...above, data, parts };
  }
  if (Array.isArray(below.data) && Array.isArray(above.data) && isNamed(place)) return byName(below, above, place);
  return above;
}

function either(below: Part | undefined, above: Part | undefined, place: Path): Part {
  if (below !== undefined && above !== undefined) return layered(below, above, place);
  return below ?? above ?? noPart(place);
}

/** A name that stands twice in one file stays twice in it, and is refused as that. */
function byName(below: Part, above: Part, place: Path): Part {
  const news = entriesOf(above);
  const taken = new Set<Part>();
  const changed = entriesOf(below).map((entry) => {
    const own = nameOf(entry);
    const change = news.find((each) => own !== undefined && !taken.has(each) && nameOf(each) === own);
    if (change === undefined) return entry;
    taken.add(change);
    return layered(entry, change, [...place, '*']);
  });
  const entries = [...changed, ...news.filter((each) => !taken.has(each))];
  return { ...above, data: entries.map(({ data }) => data), parts: new Map(entries.entries()) };
}

function isNamed(place: Path): boolean {
  return namedLists.some((list) => list.length === place.length && list.every((key, index) => key === place[index]));
}

function nameOf({ data }: Part): string | undefined {
  const name = valueAt(data, ['name']);
  return typeof name === 'string' ? name : undefined;
}

function entriesOf(list: Part): readonly Part[] {
  const length = Array.isArray(list.data) ? list.data.length : 0;
  return Array.from({ length }, (_, index) => partAt(list, index) ?? noPart([index]));
}

function partAt({ layer, path, data, parts }: Part, key: string | number): Part | undefined {
  if (parts !== undefined) return parts.get(key);
  const isThere = isMapping(data) ? Object.hasOwn(data, key) : Array.isArray(data) && Number(key) < data.length;
  return isThere ? { layer, path: [...path, key], data: valueAt(data, [key]) } : undefined;
}

function noPart(place: Path): never {
  throw new TypeError(`nothing is written at ${place.join('.')}`);
}

function writtenAt(root: Part, path: Path): { readonly layer: Layer; readonly path: Path } {
  let part = root;
  for (const [index, key] of path.entries()) {
    const next = part.parts?.get(key);
    if (next === undefined) return { layer: part.layer, path: [...part.path, ...path.slice(index)] };
    part = next;
  }
  return part;
}

/** Files that a lower one names are relative to that one. */
function movedTo(folder: string, data: unknown): unknown {
  const moved = (value: unknown): unknown =>
    typeof value === 'string' && value !== '' && !isAbsolute(value) ? join(folder, value) : value;
  const windows = (list: unknown) => entriesWith(list, (window) => changedAt(window, 'calendar', moved));
  return [
    (each: unknown) => changedAt(each, 'windows', windows),
    (each: unknown) =>
      changedAt(each, 'clusters', (list) =>
        entriesWith(list, (cluster) =>
          changedAt(changedAt(cluster, 'windows', windows), 'api', (api) => changedAt(api, 'caFile', moved)),
        ),
      ),
    (each: unknown) =>
      changedAt(each, 'argocd', (list) =>
        entriesWith(list, (argocd) => changedAt(argocd, 'relay', (relay) => changedAt(relay, 'caFile', moved))),
      ),
    (each: unknown) =>
      changedAt(each, 'nodeTurns', (section) => changedAt(section, 'files', (list) => entriesWith(list, moved))),
  ].reduce((whole, change) => change(whole), data);
}

function entriesWith(list: unknown, change: (entry: unknown) => unknown): unknown {
  return Array.isArray(list) ? list.map((entry: unknown) => change(entry)) : list;
}

function changedAt(value: unknown, key: string, change: (part: unknown) => unknown): unknown {
  return isMapping(value) && Object.hasOwn(value, key) ? { ...value, [key]: change(value[key]) } : value;
}

/** Values of a Helm chart: what YAML can say, without dates. */
export type Value = null | boolean | number | string | readonly Value[] | Values;

export interface Values {
  readonly [key: string]: Value;
}

/** Levels of maps and lists in a values file. The deepest of 116 public files has 14. */
const deepest = 64;

/** Parsed YAML as values; undefined: something in it is neither text, number, boolean, null, list nor map, or it is
 *  nested too deep. */
export function plainValue(data: unknown, depth = 0): Value | undefined {
  if (data === null || data === undefined) return null;
  if (typeof data === 'string' || typeof data === 'boolean') return data;
  if (typeof data === 'number') return data;
  if (typeof data !== 'object' || depth > deepest) return undefined;
  if (Array.isArray(data)) return listOf(data, depth);
  return mapOf(data, depth);
}

function listOf(data: readonly unknown[], depth: number): Value | undefined {
  const items = data.map((item) => plainValue(item, depth + 1));
  const whole = items.filter((item) => item !== undefined);
  return whole.length === items.length ? whole : undefined;
}

function mapOf(data: object, depth: number): Value | undefined {
  const entries: [string, Value][] = [];
  for (const [key, item] of Object.entries(data)) {
    const value = plainValue(item, depth + 1);
    if (value === undefined) return undefined;
    entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

export function isMap(value: Value | undefined): value is Values {
  return typeof value === 'object' && value !== null && !isList(value);
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** What stands at a path; undefined: nothing does. */
export function at(values: Value | undefined, ...path: readonly string[]): Value | undefined {
  let found: Value | undefined = values;
  for (const key of path) {
    if (!isMap(found) || !Object.hasOwn(found, key)) return undefined;
    found = found[key];
  }
  return found;
}

export function mapAt(values: Value | undefined, ...path: readonly string[]): Values {
  const found = at(values, ...path);
  return isMap(found) ? found : {};
}

export function listAt(values: Value | undefined, ...path: readonly string[]): readonly Value[] {
  const found = at(values, ...path);
  return isList(found) ? found : [];
}

/** As a template tests it: null, false, 0, empty text, an empty list and an empty map are false. The text `"false"` is
 *  true. */
export function isSet(value: Value | undefined): value is Exclude<Value, null> {
  if (isList(value)) return value.length > 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Text, numbers and booleans as text; undefined: nothing, a list or a map. */
export function textOf(value: Value | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? `${value}` : undefined;
}

/** The same, undefined for the empty text too. */
export function textAt(values: Value | undefined, ...path: readonly string[]): string | undefined {
  const text = textOf(at(values, ...path));
  return text === '' ? undefined : text;
}

/** Later values over earlier ones, as Helm merges `-f` files: maps by key and deep, all else replaced as a whole, null
 *  included. */
export function mergeValues(base: Values, over: Values): Values {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const before = merged.get(key);
    merged.set(key, isMap(before) && isMap(value) ? mergeValues(before, value) : value);
  }
  return Object.fromEntries(merged);
}

/** Values over the defaults of a chart. A null takes the default away. */
export function overDefaults(defaults: Values, values: Values): Values {
  const merged = new Map(Object.entries(values));
  for (const [key, fallback] of Object.entries(defaults)) {
    const given = merged.get(key);
    if (given === undefined) merged.set(key, fallback);
    else if (given === null) merged.delete(key);
    else if (isMap(given) && isMap(fallback)) merged.set(key, overDefaults(fallback, given));
  }
  return Object.fromEntries(merged);
}

/** A Helm parameter over values, as `--set` reads it: `true`, `false`, `null` and whole numbers get their type; `\.` is
 *  a dot within a key. */
export function setParameter(values: Values, name: string, text: string): Values {
  const path = name.split(/(?<!\\)\./).map((key) => key.replaceAll('\\.', '.'));
  const nested = path.reduceRight<Value>((inner, key) => ({ [key]: inner }), typed(text));
  return isMap(nested) ? mergeValues(values, nested) : values;
}

function typed(text: string): Value {
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  return /^(?:0|-?[1-9]\d{0,14})$/.test(text) ? Number(text) : text;
}

/** Keys of a map in the order in which a template ranges over them. */
export function sortedEntries(values: Values): readonly (readonly [string, Value])[] {
  return Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
}

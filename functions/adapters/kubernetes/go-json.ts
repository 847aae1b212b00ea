/** JSON as Go's encoding/json reads it into a struct: a key is a field whatever its case, and the same field twice is
 *  read over what the first one left. For what the API server keeps as free JSON and a Go program reads; everything
 *  else has passed a schema with exact names.
 *  Source: Go encoding/json, `foldName`, `object`; tried with Go 1.26. */

/** Deeper than any generator nests. What is below is dropped. */
const levelsAtMost = 40;

type Json = Readonly<Record<string, unknown>>;

/** The value with the given field names as they are written here. Keys that are none of them stay as they are.
 *  @param names fields of any struct in it */
export function asGoReads(value: unknown, names: readonly string[]): unknown {
  const byFold = new Map(names.map((name) => [folded(name), name]));
  return read(value, byFold, levelsAtMost);
}

function read(value: unknown, byFold: ReadonlyMap<string, string>, levels: number): unknown {
  if (Array.isArray(value)) return levels === 0 ? [] : value.map((each) => read(each, byFold, levels - 1));
  if (!isObject(value)) return value;
  const fields = new Map<string, unknown>();
  for (const [key, below] of levels === 0 ? [] : Object.entries(value)) {
    const name = byFold.get(folded(key)) ?? key;
    const next = read(below, byFold, levels - 1);
    fields.set(name, fields.has(name) ? readOver(fields.get(name), next) : next);
  }
  return Object.fromEntries(fields);
}

/** What is left of a field when it is read twice: objects and the items of lists are filled up, null empties a list or
 *  an object and leaves a text or a number. */
function readOver(first: unknown, second: unknown): unknown {
  if (second === null) return isObject(first) || Array.isArray(first) ? null : first;
  if (Array.isArray(first) && Array.isArray(second))
    return second.map((each, index) => (index < first.length ? readOver(first[index], each) : each));
  if (!isObject(first) || !isObject(second)) return second;
  const both = new Map(Object.entries(first));
  for (const [name, each] of Object.entries(second))
    both.set(name, both.has(name) ? readOver(both.get(name), each) : each);
  return Object.fromEntries(both);
}

/** Unicode has two letters beside ASCII's that fold to one of them: the Kelvin sign and the long s. */
function folded(key: string): string {
  return key
    .replace(/\u212A/g, 'k')
    .replace(/\u017F/g, 's')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Any value of a parsed document, without trust in its shape. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectAt(value: unknown, key: string): JsonObject {
  const found = isObject(value) ? value[key] : undefined;
  return isObject(found) ? found : {};
}

export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = isObject(value) ? value[key] : undefined;
  return Array.isArray(found) ? found : [];
}

export function textAt(value: unknown, key: string): string {
  const found = isObject(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : '';
}

export function textsAt(value: unknown, key: string): readonly string[] {
  return listAt(value, key).filter((each) => typeof each === 'string');
}

/** Deeper than any MachineConfig nests; deeper values are hostile and count as different and as set. */
const deepest = 64;

/** Not set: absent, null, an empty list or object. Go omits these when it writes JSON. An empty text is a value:
 *  `compression`, `source`, `contents` and most others of Ignition are pointers, whose empty texts are written, and
 *  differ for the MCO from none; newer ones render an empty `compression` as none. Source: ignition v2
 *  config/v3_4/types; machine-config-operator pkg/controller/common/helpers.go. */
export function isBlank(value: unknown, depth = deepest): boolean {
  if (value === undefined || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every((each) => isBlank(each, depth - 1));
}

/** The value without the empty texts in it, but for those of the fields to keep. */
export function withoutEmptyTexts(value: unknown, keep: readonly string[] = [], depth = deepest): unknown {
  if (depth === 0 || !isObject(value)) return value;
  const kept = Object.entries(value).filter(([key, each]) => each !== '' || keep.includes(key));
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutEmptyTexts(each, keep, depth - 1)]));
}

/** Same content. The order of keys does not matter, the order of lists does; a blank value equals none. */
export function isSame(left: unknown, right: unknown, depth = deepest): boolean {
  if (left === right) return true;
  if (depth === 0) return false;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((each, index) => isSame(each, right[index], depth - 1));
  if (isObject(left) && isObject(right)) {
    const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...keys].every((key) => isSame(left[key], right[key], depth - 1));
  }
  return isBlank(left, depth) && isBlank(right, depth);
}

/** Nothing stored in a cluster is nested deeper; deeper values count as different, so that no input can exhaust the
 *  stack. */
const deepest = 500;

/** Equal after parsing: key order, quotes, comments and anchors make no difference; the order in lists does. */
export function isSameContent(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (depth > deepest || !isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSameContent(a[key], b[key], depth + 1));
}

/** A mapping or a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

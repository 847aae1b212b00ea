/** A list of it; empty: it is undefined. */
export function ifGiven<Value>(value: Value | undefined): Value[] {
  return value === undefined ? [] : [value];
}

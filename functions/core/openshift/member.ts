/** An own member of a mapping, of which nothing is known; undefined: it is none, or has none of this name. */
export function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member as a mapping; empty where it is none. */
export function mappingAt(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = memberOf(value, key);
  return isMapping(found) ? Object.fromEntries(Object.entries(found)) : {};
}

/** The member as a list; empty where it is none. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = memberOf(value, key);
  return Array.isArray(found) ? found : [];
}

/** The member as text; undefined where it is none. */
export function textAt(value: unknown, key: string): string | undefined {
  const found = memberOf(value, key);
  return typeof found === 'string' ? found : undefined;
}

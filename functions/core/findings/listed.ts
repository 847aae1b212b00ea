/** A list parsed item by item: an invalid item hides no other. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly unreadable: readonly UnreadableItem[];
}

/** A list of nothing. */
export const nothingListed: Listed<never> = { items: [], unreadable: [] };

/** Why it could not be parsed, without the kind, which is said beside it. */
export function withoutKind(kind: string, why: string): string {
  const prefix = `${kind}: `;
  return why.startsWith(prefix) ? why.slice(prefix.length) : why;
}

/** An object that is there and could not be parsed. */
export interface UnreadableItem {
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  /** Empty if even the name is invalid. */
  readonly name: string;
  /** Which fields are invalid: `cannot be parsed at spec.source`. Quotes no value of the object. */
  readonly why: string;
}

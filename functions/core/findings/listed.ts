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

/** An object that is there and could not be parsed, or a namespace or a kind that could not be read. */
export interface UnreadableItem {
  readonly kind: string;
  /** Of an object of Argo CD: its instance. Two of them may have objects of one name, each in its own cluster. */
  readonly argocd?: string | undefined;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  /** Empty if even the name is invalid; `*`: all in this namespace, or all that were asked for of a cluster-scoped
   *  kind. */
  readonly name: string;
  /** Which fields are invalid: `cannot be parsed at spec.source`. Quotes no value of the object. */
  readonly why: string;
}

/** In the place of a name: nothing in this namespace, or of this kind, could be read. */
export const everyName = '*';

/** The items by their names: of a namespace that could not be listed, what was known there. */
export function namedItems(
  items: readonly UnreadableItem[],
  known: readonly { readonly ref: Pick<UnreadableItem, 'namespace' | 'name'> }[] = [],
): readonly UnreadableItem[] {
  return items.flatMap((item) => {
    if (item.name !== everyName) return [item];
    return known.flatMap(({ ref }) => (ref.namespace === item.namespace ? [{ ...item, name: ref.name }] : []));
  });
}

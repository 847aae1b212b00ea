/** How a run names a rule or a target. */
export interface PartReference {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** The key of the rule or target that a run means; undefined: there is none. A part without a namespace is in that of
 *  the run.
 *  @param parts the namespace that each part says it is in, by its key: `name`, or `namespace/name` */
export function partMeant(
  parts: ReadonlyMap<string, string | undefined>,
  reference: PartReference,
  namespaceOfRun: string,
): string | undefined {
  const wanted = reference.namespace ?? namespaceOfRun;
  return [...parts.keys()].find((key) => {
    const place = placeOfPart(key, parts.get(key), namespaceOfRun);
    return place.name === reference.name && place.namespace === wanted;
  });
}

/** Name and namespace of a rule or target, by its key and what it says itself. */
export function placeOfPart(
  key: string,
  namespace: string | undefined,
  namespaceOfRun: string,
): { readonly name: string; readonly namespace: string } {
  const slash = key.indexOf('/');
  const own = slash < 0 ? namespace : key.slice(0, slash);
  return { name: key.slice(slash + 1), namespace: own ?? namespaceOfRun };
}

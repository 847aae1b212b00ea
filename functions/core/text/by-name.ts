/** The first with that name; undefined: there is none. */
export function byName<Named extends { readonly name: string }>(
  all: readonly Named[],
  name: string | undefined,
): Named | undefined {
  return all.find((each) => each.name === name);
}

/** Without the members that are undefined. */
export function given<Members extends object>(
  members: Members,
): { readonly [Key in keyof Members]?: Exclude<Members[Key], undefined> } {
  const known = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as { [Key in keyof Members]?: Exclude<Members[Key], undefined> };
}

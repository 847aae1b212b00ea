/** The items of a list; none for anything else. */
export function itemsOf(body: unknown): readonly unknown[] {
  const items = typeof body === 'object' && body !== null && 'items' in body ? body.items : undefined;
  return Array.isArray(items) ? items : [];
}

/** The items of a list; empty for anything else. */
export function itemsOf(body: unknown): readonly unknown[] {
  const items = typeof body === 'object' && body !== null && 'items' in body ? body.items : undefined;
  return Array.isArray(items) ? items : [];
}

/** Each once, in the order in which it is first met. */
export function unique<Item>(items: Iterable<Item>): Item[] {
  return [...new Set(items)];
}

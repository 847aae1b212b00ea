/** What the work finds of each item, in their order, so many items at once. */
export async function inPieces<Item, Found>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<Found>,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    found.push(...(await Promise.all(items.slice(from, from + atOnce).map((item, at) => work(item, from + at)))));
  return found;
}

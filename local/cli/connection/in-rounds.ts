/** Calls at once. The time that a call may take begins before it has one of the few connections to an API server, and a
 *  day of runs can leave thousands of Jobs: called all at once, the last of them would end unanswered. */
const atOnce = 50;

/** What the work finds of each item, in their order, some items at once. */
export async function inRounds<Item, Found>(
  items: readonly Item[],
  work: (item: Item) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < items.length; from += atOnce)
    found.push(...(await Promise.all(items.slice(from, from + atOnce).map(work))).flat());
  return found;
}

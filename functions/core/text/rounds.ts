/** The first of each list, then the second of each, and so on: whoever has a long list hides none of others. */
export function roundsOf<T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] {
  const rounds: T[][] = [];
  for (const list of lists)
    for (const [at, item] of list.entries()) {
      const round = rounds[at] ?? [];
      if (round.length === 0) rounds.push(round);
      round.push(item);
    }
  return rounds;
}

/** The first of each owner, then the second of each, and so on, of those in the order given. */
export function byTurns<T>(items: readonly T[], ownerOf: (item: T) => string): readonly T[] {
  return roundsOf([...Map.groupBy(items, ownerOf).values()]).flat();
}

/** Each time another one is the first, so that one that takes all the time is not the end of the others.
 *  @param time one more each time */
export function fromAnother<T>(all: readonly T[], time: number): readonly T[] {
  const first = time % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
}

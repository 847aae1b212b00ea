/** Numbers that look random and are the same for the same seed (mulberry32). */
export interface Random {
  /** 0 <= x < 1. */
  next(): number;
  /** From 0 to `below`, whole. */
  below(below: number): number;
  chance(probability: number): boolean;
  pick<T>(of: readonly [T, ...T[]]): T;
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (of) => of[below(of.length)] ?? of[0],
  };
}

/** Names and ids that look random and are the same in every run with the same seed. */
export interface Random {
  /** A number in [0, 1). */
  fraction(): number;
  /** A version 4 UUID. */
  uid(): string;
  /** The five characters that Kubernetes appends to a `generateName`. */
  suffix(): string;
}

/** Kubernetes leaves out vowels and look-alikes, so that no words appear. */
const suffixLetters = 'bcdfghjklmnpqrstvwxz2456789';

export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  // mulberry32: small, fast and good enough for names.
  function fraction(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  function hex(length: number): string {
    return Array.from({ length }, () => Math.floor(fraction() * 16).toString(16)).join('');
  }

  return {
    fraction,
    uid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[Math.floor(fraction() * 4)]}${hex(3)}-${hex(12)}`,
    suffix: () =>
      Array.from({ length: 5 }, () => suffixLetters[Math.floor(fraction() * suffixLetters.length)]).join(''),
  };
}

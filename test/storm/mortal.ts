import type { Random } from '../random.ts';
import type { Turns } from './turns.ts';

/** What a process that is dead throws at each of its further effects. */
export class Died extends Error {
  override readonly name = 'Died';
}

/** Does one thing that leaves a mark, when it is its turn. */
export type Effect = <T>(what: string, act: () => T | Promise<T>) => Promise<T>;

/** Of all effects while the weather is bad. */
const deathRate = 0.01;

export interface Mortality {
  readonly turns: Turns;
  readonly random: Random;
  readonly isStormy: () => boolean;
  /** Hears of each effect, and of the one that was the last. */
  readonly counted: () => void;
  readonly died: (what: string) => void;
}

/** A process that may die before or after any of its effects: then nothing more comes of it. */
export function mortal({ turns, random, isStormy, counted, died }: Mortality): Effect {
  let dead = false;
  const die = (what: string): never => {
    dead = true;
    died(what);
    throw new Died();
  };
  return async (what, act) => {
    if (dead) throw new Died();
    counted();
    const dies = isStormy() && random.chance(deathRate) ? random.pick(['before', 'after'] as const) : undefined;
    return turns.take(() => {
      if (dead) throw new Died();
      if (dies === 'before') die(what);
      const answer = act();
      if (dies === 'after') die(what);
      return answer;
    });
  };
}

import { setImmediate } from 'node:timers/promises';
import type { Random } from '../random.ts';

/** Lets tasks go on one effect at a time, in an order that follows from the seed alone: between two effects of one
 *  worker anything of another may happen. */
export interface Turns {
  /** Waits for its turn, then acts. */
  take<T>(act: () => T | Promise<T>): Promise<T>;
  /** Runs the tasks until each has ended. */
  run(tasks: readonly (() => Promise<void>)[]): Promise<void>;
}

export function turnsOf(random: Random): Turns {
  const waiting: (() => void)[] = [];
  return {
    async take(act) {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return act();
    },
    async run(tasks) {
      let running = tasks.length;
      const ended = tasks.map((task) =>
        task().finally(() => {
          running -= 1;
        }),
      );
      while (running > 0) {
        // Everything that needs no turn has happened when this is over.
        await setImmediate();
        const [next] = waiting.splice(random.below(waiting.length), 1);
        if (next === undefined && running > 0) throw new Error('a task waits for something that is no turn');
        next?.();
      }
      await Promise.all(ended);
    },
  };
}

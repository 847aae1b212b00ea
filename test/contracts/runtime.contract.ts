import { describe, expect, test } from 'vitest';
import type { Runtime } from '../../functions/ports/time.ts';

export interface RuntimeLab {
  readonly runtime: Runtime;
  /** Lets the time pass until the task has ended. */
  run<T>(task: Promise<T>): Promise<T>;
}

/** What the functions may rely on, whatever they run on. */
export function runtimeContract(name: string, makeLab: () => RuntimeLab): void {
  describe(`${name} as the runtime of the functions`, () => {
    test.each(['sleep', 'backgroundSleep'] as const)('%s: of two waits the shorter ends first', async (kind) => {
      const { runtime, run } = makeLab();
      const ended: string[] = [];

      const waits = [
        runtime[kind](20).then(() => ended.push('long')),
        runtime[kind](1).then(() => ended.push('short')),
      ];
      await run(Promise.all(waits));

      expect(ended).toEqual(['short', 'long']);
    });

    test('the clock does not go back while something waits', async () => {
      const { runtime, run } = makeLab();
      const before = runtime.clock().getTime();

      await run(runtime.sleep(2));

      expect(runtime.clock().getTime()).toBeGreaterThanOrEqual(before);
    });

    test('a deadline ends once, with the error by which a lapse of time is told from a refusal', async () => {
      const { runtime, run } = makeLab();
      const signal = runtime.deadline(1);
      const wasOver = signal.aborted;
      let ends = 0;

      await run(
        new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            ends += 1;
            resolve();
          });
        }),
      );

      expect({ wasOver, isOver: signal.aborted, ends }).toEqual({ wasOver: false, isOver: true, ends: 1 });
      expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
    });

    test('who yields goes on after what was ready, and after those who yielded before', async () => {
      const { runtime, run } = makeLab();
      const went: string[] = [];

      const first = runtime.yieldToEventLoop().then(() => went.push('first'));
      const second = runtime.yieldToEventLoop().then(() => went.push('second'));
      const ready = Promise.resolve().then(() => went.push('ready'));
      await run(Promise.all([first, second, ready]));

      expect(went).toEqual(['ready', 'first', 'second']);
    });

    test('no id is given twice, and each fits where ids are written', () => {
      const { runtime } = makeLab();

      const ids = Array.from({ length: 1000 }, () => runtime.newId());

      expect(new Set(ids).size).toBe(1000);
      expect(ids.filter((id) => !/^[\w-]{1,64}$/.test(id))).toEqual([]);
    });

    test('chance is at least 0, below 1, and not always the same', () => {
      const { runtime } = makeLab();

      const drawn = Array.from({ length: 1000 }, () => runtime.random());

      expect(drawn.filter((each) => !(each >= 0 && each < 1))).toEqual([]);
      expect(new Set(drawn).size).toBeGreaterThan(900);
    });
  });
}

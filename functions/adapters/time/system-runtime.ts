import { randomUUID } from 'node:crypto';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Runtime } from '../../ports/time.ts';

/** Time, event loop and randomness of this process. Nothing else in `functions/` asks Node for them, which a test
 *  enforces. */
export const systemRuntime: Runtime = {
  clock: () => new Date(),
  sleep: (ms) => setTimeout(ms),
  backgroundSleep: (ms) => setTimeout(ms, undefined, { ref: false }),
  deadline: (ms) => AbortSignal.timeout(ms),
  yieldToEventLoop: () => setImmediate(),
  newId: () => randomUUID(),
  random: () => Math.random(),
};

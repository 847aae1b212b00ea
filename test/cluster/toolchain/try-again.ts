import { setTimeout as pause } from 'node:timers/promises';

export interface Attempts {
  readonly times: number;
  /** Waited before each further attempt, milliseconds. */
  readonly pauseMs: number;
  readonly onFailure: (cause: unknown, attempt: number) => void;
}

/** Does something that depends on the network until it succeeds, at most so many times; the last failure is the
 *  caller's. */
export async function tryAgain<T>(job: () => Promise<T>, attempts: Attempts): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await job();
    } catch (cause) {
      if (attempt >= attempts.times) throw cause;
      attempts.onFailure(cause, attempt);
      await pause(attempts.pauseMs);
    }
  }
}

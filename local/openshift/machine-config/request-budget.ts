import type { Pace } from '../pace.ts';

/** client-go's rate limit: a burst at once, then a fixed rate. It makes a sync of many nodes slow. */
export interface RequestBudget {
  /** Waits until one request may be made. */
  take(): Promise<void>;
}

export function createRequestBudget(
  pace: Pace,
  { perSecond, burst }: { readonly perSecond: number; readonly burst: number },
): RequestBudget {
  const start = pace.now();
  let tokens = burst;
  let countedMs = 0;
  return {
    take() {
      const nowMs = pace.elapsedMs(start);
      tokens = Math.min(burst, tokens + ((nowMs - countedMs) * perSecond) / 1000);
      countedMs = nowMs;
      tokens -= 1;
      return tokens >= 0 ? Promise.resolve() : pace.sleep((-tokens * 1000) / perSecond);
    },
  };
}

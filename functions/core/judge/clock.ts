import type { ObservedCluster } from './input.ts';
import { isNodeClock } from './wants-nodes.ts';

/** What has lasted over passes, by its key: kept for as long as it is asked for. */
export interface Clock {
  /** Since when; now if observed for the first time. */
  since(...key: readonly string[]): string;
  keep(key: string, at: string): void;
  keepAll(pool: string): void;
  readonly now: Date;
  /** As given. */
  readonly before: ObservedCluster['firstSeen'];
  firstSeen(): Readonly<Record<string, string>>;
}

/** As it was stored by the last pass. */
export function startClock({ firstSeen, now }: Pick<ObservedCluster, 'firstSeen' | 'now'>): Clock {
  const kept = new Map<string, string>();
  const known = new Map(Object.entries(firstSeen));
  return {
    now,
    before: firstSeen,
    since: (...parts) => {
      const key = parts.join('|');
      const since = known.get(key) ?? now.toISOString();
      kept.set(key, since);
      return since;
    },
    keep: (key, at) => {
      kept.set(key, at);
    },
    keepAll: (pool) => {
      for (const [key, since] of known) {
        if (isNodeClock(key, pool)) kept.set(key, since);
      }
    },
    firstSeen: () => Object.fromEntries(kept),
  };
}

import type { Looker } from '../../ports/cluster.ts';

/** A looker that asks nothing any more once it is late: whoever waits for the answers can go on without them. */
export function lookerUntil(isLate: () => boolean, looker: Looker, readAt: Date): Looker {
  return {
    look: async (question) =>
      isLate()
        ? { kind: 'failed', why: 'not asked: the answers before it took too long', readAt }
        : looker.look(question),
  };
}

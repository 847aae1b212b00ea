import type { RaceFacts } from '../../../../functions/core/races/judge-race.ts';

const since = '2026-03-02T10:00:00.000Z';

/** A pass that sees the pool of a push at ten, still held, and nothing of its sync. */
export function raceFacts(change: Pick<RaceFacts, 'pool' | 'now'> & Partial<RaceFacts>): RaceFacts {
  return {
    cluster: 'prod',
    hold: { id: 'sync/hub/openshift-gitops/nodes', since, pushedAt: since },
    isHeld: true,
    pauseGeneration: undefined,
    nodes: undefined,
    isApplicationRead: true,
    operation: undefined,
    hasApplied: false,
    isKeptWaiting: false,
    targetSeenBefore: undefined,
    unseenUntil: undefined,
    appliedAt: undefined,
    isUntimed: undefined,
    isOver: false,
    isResumed: false,
    isPausedStill: true,
    confirmWithinSeconds: 60,
    ...change,
  };
}

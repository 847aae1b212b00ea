/** How Poolkeeper decides. All times in seconds. Every default stands here, and on the status page. */
export interface Policy {
  /** How long a push is waited for as a sync. Default 15 min: Argo CD polls after at most 3 min, a refresh takes
   *  seconds. */
  readonly expectSyncWithinSeconds: number;
  /** Age of an operation after which it is called stuck. Default 1 h. The hold is kept: never resumed on age alone. */
  readonly syncAtMostSeconds: number;
  /** How long a failed sync holds before `onSyncFailure` is done. Default 1 h. */
  readonly failedAtMostSeconds: number;
  /** Total pause after which people are told whatever the reason. Default 4 h: pull-secret and (<= 4.12) CA rotation
   *  wait behind it. */
  readonly pausedAtMostSeconds: number;
  /** `keep`: stay paused and escalate. `resume`: let go. */
  readonly onSyncFailure: 'keep' | 'resume';
  /** A sync that the admission level refused and Argo CD does not try again by itself. `tell`: pause, and say so;
   *  somebody starts it.
   *  `restart`: pause, and start it again, once. */
  readonly onRefusedSync: 'tell' | 'restart';
  /** `respect`: a person who resumes a held pool wins. `enforce`: pause again. */
  readonly onOverride: 'respect' | 'enforce';
  /** How long a pause may wait for its confirmation before the sync is called unprotected. Default 60 s; the MCO
   *  needs 0 - 5 s when idle. */
  readonly confirmWithinSeconds: number;
  /** Quiet time after the end of a sync before its render counts as settled. Default 15 s: three render delays of 5
   *  s. */
  readonly renderSettleSeconds: number;
  /** How long a push waits to learn what it changes before its pools are paused by what the Application manages.
   *  Default 2 s: the MCO leaves 5 to 10 s, and Argo CD needs 1 to 10 s to begin. */
  readonly readChangeWithinSeconds: number;
  /** Every so many seconds a tick also lists the Applications, so that a sync is found with no event at all. Default
   *  5 min. */
  readonly sweepEverySeconds: number;
  /** Failed reads in a row after which a cluster counts as out of sight. Default 3. */
  readonly blindAfterMisses: number;
  /** Stuck times by phase of a node. Floors until the pool's own history is known. */
  readonly stuckAfter: StuckAfter;
  /** Incident life. */
  readonly alerting: AlertingPolicy;
}

export interface StuckAfter {
  /** Drain that does not end. Default 10 min, the MCO degrades the node after 1 h. */
  readonly drainSeconds: number;
  /** Files and OS being written. Default 20 min. */
  readonly applySeconds: number;
  /** Reboot. Default 15 min (30 min fits bare metal). */
  readonly rebootSeconds: number;
  /** The config daemon has not begun. Default 10 min. */
  readonly pickupSeconds: number;
}

export interface AlertingPolicy {
  /** How long a condition that may heal by itself must last before people hear of it. Default 2 min. */
  readonly holdDownSeconds: number;
  /** How long a condition must be gone before the incident is resolved. Default 5 min. */
  readonly keepFiringSeconds: number;
  /** A condition that returns within this time reopens the same incident. Default 30 min. */
  readonly reopenWithinSeconds: number;
  /** Least time between two edits that only refresh durations. Default 5 min. */
  readonly editEverySeconds: number;
  /** Reminders of an unacknowledged incident, measured from its opening; the last one repeats. */
  readonly reminderSeconds: { readonly critical: readonly number[]; readonly other: readonly number[] };
  /** This many openings and closings within `flapWindowSeconds` are flapping. Default 4 in 2 h. */
  readonly flapChanges: number;
  readonly flapWindowSeconds: number;
  /** Flapping ends after this much calm. Default 1 h. */
  readonly flapCalmSeconds: number;
}

const minute = 60;
const hour = 60 * minute;

export const defaultPolicy: Policy = {
  expectSyncWithinSeconds: 15 * minute,
  syncAtMostSeconds: hour,
  failedAtMostSeconds: hour,
  pausedAtMostSeconds: 4 * hour,
  onSyncFailure: 'keep',
  onRefusedSync: 'tell',
  onOverride: 'respect',
  confirmWithinSeconds: 60,
  renderSettleSeconds: 15,
  readChangeWithinSeconds: 2,
  sweepEverySeconds: 5 * minute,
  blindAfterMisses: 3,
  stuckAfter: {
    drainSeconds: 10 * minute,
    applySeconds: 20 * minute,
    rebootSeconds: 15 * minute,
    pickupSeconds: 10 * minute,
  },
  alerting: {
    holdDownSeconds: 2 * minute,
    keepFiringSeconds: 5 * minute,
    reopenWithinSeconds: 30 * minute,
    editEverySeconds: 5 * minute,
    reminderSeconds: {
      critical: [30 * minute, hour, 2 * hour, 4 * hour],
      other: [4 * hour, 24 * hour],
    },
    flapChanges: 4,
    flapWindowSeconds: 2 * hour,
    flapCalmSeconds: hour,
  },
};

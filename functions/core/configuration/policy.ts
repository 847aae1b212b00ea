import { count, hour, listOf, mapping, minute, oneOf, seconds, type Values } from './fields.ts';
import { GateTimeouts } from './gate-timeouts.ts';

/** How Poolkeeper decides, in two blocks that the file keeps apart (docs/decisions/0013-policy-in-two-blocks.md).
 *  Every default is here; the status page shows what is in force. */

const stuckTime = () => seconds(10, 12 * hour);

/** Floors, until the pool's own history is known. */
export const StuckAfter = mapping({
  /** The MCO degrades the node after 1 h. */
  drainSeconds: stuckTime()
    .default(10 * minute)
    .describe('A drain that does not end.'),
  applySeconds: stuckTime()
    .default(20 * minute)
    .describe('Writing files and OS.'),
  /** 30 min fits bare metal. */
  rebootSeconds: stuckTime()
    .default(15 * minute)
    .describe('A reboot.'),
  pickupSeconds: stuckTime()
    .default(10 * minute)
    .describe('The config daemon has not started.'),
});
export type StuckAfter = Values<typeof StuckAfter>;

/** What people tune: it depends on them, their machines and their Argo CD. */
const tuned = {
  /** 4 h: pull-secret and (<= 4.12) CA rotation wait behind a paused pool. */
  pausedAtMostSeconds: seconds(minute, 168 * hour)
    .default(4 * hour)
    .describe(
      'Total pause of a pool after which an alert is sent, whatever the reason; a wait of up to a week for its window aside.',
    ),
  /** The hold is kept: never resumed on age alone. */
  syncAtMostSeconds: seconds(minute, 168 * hour)
    .default(hour)
    .describe('Age of a running sync after which it is called stuck. The pool stays paused.'),
  /** 5 min: Argo CD compares every 3 min, and with a hold-down of 2 min and a tick a minute the alert is sent within 10
   *  min. */
  syncStillAtMostSeconds: seconds(minute, 24 * hour)
    .default(5 * minute)
    .describe(
      'How long a running sync may stay exactly as it is, or its Application without being compared by Argo CD, before an alert is sent. The pool stays paused.',
    ),
  failedAtMostSeconds: seconds(0, 168 * hour)
    .default(hour)
    .describe('How long a failed sync holds its pools before onSyncFailure applies.'),
  /** 15 min: Argo CD polls after at most 3 min, a refresh takes seconds. */
  expectSyncWithinSeconds: seconds(10, 24 * hour)
    .default(15 * minute)
    .describe('How long a hold waits for the sync of its push before it ends.'),
  onSyncFailure: oneOf('keep', 'resume', 'resume-after-approval')
    .default('keep')
    .describe(
      'After failedAtMost: keep the pool paused and escalate, resume it, or resume it once people have approved that (approve of the pool).',
    ),
  onRefusedSync: oneOf('tell', 'restart')
    .default('tell')
    .describe(
      'When level admission refused a sync that Argo CD does not retry: send an alert, or start it again once the pools are paused.',
    ),
  onOverride: oneOf('respect', 'enforce')
    .default('respect')
    .describe('When somebody else, a person or a program, resumes a held pool: respect it, or pause again.'),
  whenRolling: oneOf('finish', 'pause', 'refuse')
    .default('finish')
    .describe(
      'When a pool is to be paused in the middle of an earlier rollout. Nodes on their way always go on; finish: a handshake waits until they are done; pause: it waits for the pause only; refuse: a push pauses nothing until the rollout is over, and a handshake is turned down. Nodes that have failed their update are waited for by none, nor a rollout that they have stopped: the change may be what mends them.',
    ),
  duringUpgrade: oneOf('wait', 'go')
    .default('wait')
    .describe(
      'While the version of the cluster is being updated. wait: a paused pool with a change resumes afterwards, so that its nodes roll once for both; go: it resumes. Pools that the update waits for (master) resume in any case.',
    ),
  /** A week: the kubelet's CA is renewed at 80 % of its year, and nodes that miss it until the end are lost. */
  restYieldsWithinSeconds: seconds(hour, 90 * 24 * hour)
    .default(7 * 24 * hour)
    .describe(
      'Protection rest: how long before the first certificate of a pool expires it no longer rests paused, and passes windows, approvals, tickets and budgets. A freeze stays until its end.',
    ),
  /** A controller that reboots leaves every sync in the middle, whatever it syncs. */
  waitForSyncs: oneOf('all', 'cluster', 'pools')
    .default('all')
    .describe(
      'Which running syncs of an Argo CD are waited for before pools resume whose nodes run its application controller. all: every one; cluster: those to this cluster; pools: those that change its pools.',
    ),
  gates: GateTimeouts.prefault({}).describe(
    'What happens when a gate stays closed for too long. Without an entry an alert is sent after pausedAtMost; for window and fit after a week.',
  ),
  stuckAfter: StuckAfter.prefault({}).describe('After how long a node counts as stuck, by what it is doing.'),
};

const tunedAlerting = {
  /** Since the opening of an incident that nobody has acknowledged. */
  reminderSeconds: mapping({
    critical: rising()
      .default([30 * minute, hour, 2 * hour, 4 * hour])
      .describe('When to send reminders of a critical incident, counted from its opening. The last interval repeats.'),
    other: rising()
      .default([4 * hour, 24 * hour])
      .describe('The same for every other severity.'),
  })
    .prefault({})
    .describe('When to send reminders of an incident that is still open.'),
};

const alertingInternals = {
  holdDownSeconds: seconds(0, 6 * hour)
    .default(2 * minute)
    .describe('How long a condition that may heal by itself must last before an alert is sent.'),
  keepFiringSeconds: seconds(0, 24 * hour)
    .default(5 * minute)
    .describe('How long a condition must be gone before its incident is resolved.'),
  reopenWithinSeconds: seconds(0, 48 * hour)
    .default(30 * minute)
    .describe('A condition that returns within this time reopens the same incident.'),
  editEverySeconds: seconds(1, 6 * hour)
    .default(5 * minute)
    .describe('Minimum time between two edits of a message that only refresh its durations.'),
  flapChanges: count(2, 20).default(4).describe('This many openings and closings within flapWindow are flapping.'),
  flapWindowSeconds: seconds(minute, 48 * hour)
    .default(2 * hour)
    .describe('See flapChanges.'),
  flapCalmSeconds: seconds(minute, 48 * hour)
    .default(hour)
    .describe('Flapping ends after this long without a change.'),
};

export const AlertingPolicy = mapping({ ...tunedAlerting, ...alertingInternals });
export type AlertingPolicy = Values<typeof AlertingPolicy>;

const plainInternals = {
  /** The MCO needs 0 to 5 s when idle. */
  confirmWithinSeconds: seconds(1, 15 * minute)
    .default(minute)
    .describe(
      'How long a pause may wait for its confirmation before the sync is called unprotected, if nothing keeps it waiting.',
    ),
  /** Three render delays of 5 s. */
  renderSettleSeconds: seconds(0, 10 * minute)
    .default(15)
    .describe('Quiet time after the end of a sync before its render counts as settled.'),
  /** The MCO leaves 5 to 10 s, and Argo CD needs 1 to 10 s to begin. */
  readChangeWithinSeconds: seconds(0, 10)
    .default(2)
    .describe(
      'How long to wait for GitHub to say what a push changes. After that, the pools of everything the Application manages are paused.',
    ),
  sweepEverySeconds: seconds(1, hour)
    .default(5 * minute)
    .describe(
      'How often all Applications and nodes are listed, so that a sync, and a node in no pool, is found without any event.',
    ),
  /** A cluster has 20 pools at most that this is made for: no Application needs more. */
  poolsPerApplication: count(1, 1000)
    .default(20)
    .describe(
      'How many pools one Application may hold at once. For the others an alert is sent: its sync is not protected there.',
    ),
  blindAfterMisses: count(1, 100)
    .default(3)
    .describe('Failed reads in a row after which a cluster counts as out of sight.'),
};

/** What follows from how the MCO, GitHub and alerting behave. Nobody should need to change it; the file keeps it in
 *  `policy.internals`. */
export const PolicyInternals = mapping({
  ...plainInternals,
  alerting: mapping(alertingInternals).prefault({}).describe('The life of an incident.'),
});

/** Both blocks in one, as they are deployed. */
export const Policy = mapping({
  ...tuned,
  alerting: AlertingPolicy.prefault({}).describe('The life of an incident.'),
  ...plainInternals,
});
export type Policy = Values<typeof Policy>;

/** Seconds between ticks. */
export const tickSeconds = 60;

/** Seconds between sweeps: they come with ticks, and so no faster. */
export function sweepIntervalSeconds({ sweepEverySeconds }: Pick<Policy, 'sweepEverySeconds'>): number {
  return Math.max(tickSeconds, sweepEverySeconds);
}

export const defaultPolicy: Policy = Policy.parse({});

function rising() {
  const must = 'must be a list of 1 to 10 lengths of time, each longer than the one before';
  return listOf(seconds(minute, 168 * hour), must)
    .min(1, { error: must })
    .max(10, { error: must })
    .refine((list) => list.every((each, index) => index === 0 || each > (list[index - 1] ?? 0)), { error: must });
}

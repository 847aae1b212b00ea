/** A gauge of `GET /metrics`: what the tables said when it was asked for. */
export interface MetricDefinition {
  readonly name: string;
  /** The help text of the metric. */
  readonly help: string;
  readonly labels: readonly string[];
}

/** Every metric of `GET /metrics`, those first that keep their place longest where there is no room for all: what alert
 *  rules are about, then what explains it, and last what there is most of. The dashboard and the alert rules in
 *  docs/install use these names. Instants are seconds since 1970, so that ages are `time() - x`. All are gauges: the
 *  answer is made from the tables alone, and counts of what happened in between are in CloudWatch
 *  (functions/shell/metric-names.ts). */
export const definitions = {
  unread: {
    name: 'poolkeeper_unread',
    help: '1 while this part of the answer could not be read, or this metric has no room in it: what it names is absent.',
    labels: ['part'],
  },
  clusterSeen: {
    name: 'poolkeeper_cluster_seen',
    help: '1 while the cluster was read within the last three minutes, 0 while it was not.',
    labels: ['cluster'],
  },
  clusterRead: {
    name: 'poolkeeper_cluster_read_timestamp_seconds',
    help: 'When the cluster was last read. Absent: never.',
    labels: ['cluster'],
  },
  incidents: {
    name: 'poolkeeper_incidents',
    help: 'Incidents that are not resolved, by pool (* for the whole cluster), kind, severity and state: pending, firing, recovering.',
    labels: ['cluster', 'pool', 'kind', 'severity', 'state'],
  },
  sequences: {
    name: 'poolkeeper_sequence_state',
    help: '1 for the state of the sequence: not begun, running, done, paused or aborted.',
    labels: ['sequence', 'state'],
  },
  sequenceProblems: {
    name: 'poolkeeper_sequence_problems',
    help: 'Steps and gates of the sequence that people are told of.',
    labels: ['sequence'],
  },
  poolState: {
    name: 'poolkeeper_pool_state',
    help: '1 for the state of the rollout of the pool: degraded, updating, pending, updated, empty, unknown, or unreadable where the pool cannot be parsed: then it has no other metric.',
    labels: ['cluster', 'pool', 'state'],
  },
  poolWaitsSince: {
    name: 'poolkeeper_pool_waits_since_timestamp_seconds',
    help: 'Since when the pause of the pool has kept something back: the pause, or for a pool of level rest the change or the hold. Absent: it is not paused, or rests.',
    labels: ['cluster', 'pool'],
  },
  holdsOverdue: {
    name: 'poolkeeper_holds_overdue',
    help: 'Holds on the pool that are past their end.',
    labels: ['cluster', 'pool'],
  },
  raceLost: {
    name: 'poolkeeper_race_lost_timestamp_seconds',
    help: 'When the last race of the pool was lost, by verdict: late, unprotected. Absent: none was within a day.',
    labels: ['cluster', 'pool', 'verdict'],
  },
  gateClosedSince: {
    name: 'poolkeeper_gate_closed_since_timestamp_seconds',
    help: 'Since when the closed gate has kept something back, where that is known. Absent for a pool that rests.',
    labels: ['cluster', 'pool', 'gate'],
  },
  poolPaused: {
    name: 'poolkeeper_pool_paused',
    help: '1 while the pool is paused, by whose pause it is: ours, foreign, overridden or unclear. Absent: it is not paused, or cannot be parsed.',
    labels: ['cluster', 'pool', 'whose'],
  },
  poolPausedSince: {
    name: 'poolkeeper_pool_paused_since_timestamp_seconds',
    help: 'Since when the pool has been paused, where that is known.',
    labels: ['cluster', 'pool'],
  },
  poolPendingSince: {
    name: 'poolkeeper_pool_pending_since_timestamp_seconds',
    help: 'Since when a rendered config, an image, or nodes that have another config, have been pending. Absent: none are.',
    labels: ['cluster', 'pool'],
  },
  gateClosed: {
    name: 'poolkeeper_gate_closed',
    help: '1 for each gate that keeps the pool paused. Absent: it is open, or was not asked yet.',
    labels: ['cluster', 'pool', 'gate'],
  },
  holds: {
    name: 'poolkeeper_holds',
    help: 'Holds on the pool by kind: sync, manual, freeze, rollout.',
    labels: ['cluster', 'pool', 'kind'],
  },
  oldestHold: {
    name: 'poolkeeper_oldest_hold_timestamp_seconds',
    help: 'When the oldest hold on the pool began. Absent: there is none.',
    labels: ['cluster', 'pool'],
  },
  certificatesExpire: {
    name: 'poolkeeper_certificates_expire_timestamp_seconds',
    help: 'When the first certificate managed by the MCO expires, where the MCO reports it.',
    labels: ['cluster', 'pool'],
  },
  rolloutLeft: {
    name: 'poolkeeper_rollout_left_seconds',
    help: 'Until the rollout of the pool is done, at the pace of its last nodes. Absent: it does not roll, or too little is known.',
    labels: ['cluster', 'pool'],
  },
  races: {
    name: 'poolkeeper_races',
    help: 'Races on the status page, which are some of the last, by verdict: early, in time, late, unprotected, undecided, or none where no sync followed or applied anything, somebody resumed the pool before its end, or its nodes could not be read.',
    labels: ['cluster', 'pool', 'verdict'],
  },
  nodePace: {
    name: 'poolkeeper_node_pace_seconds',
    help: 'How long a node of the pool takes: half of its nodes (0.5), nine in ten (0.9) were faster.',
    labels: ['cluster', 'pool', 'quantile'],
  },
  poolMachines: {
    name: 'poolkeeper_pool_machines',
    help: 'Machines of the pool as its status counts them: all, ready, updated, unavailable, degraded.',
    labels: ['cluster', 'pool', 'count'],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricKey = keyof typeof definitions;

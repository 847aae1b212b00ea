import type { Metrics } from '../ports/telemetry.ts';

/** CloudWatch namespace of all figures. Dimensions are `environment` and `function` only: each further one is a further
 *  custom metric to pay for, so clusters and pools are log fields instead. */
export const metricNamespace = 'Poolkeeper';

/** Every figure that the functions write; alarms and dashboard use these names. */
export const metricNames = {
  /** Requests that got the answer they came for, also "dropped" and "not confirmed yet". */
  requestsAnswered: 'RequestsAnswered',
  /** Wrong or missing signature or token. */
  requestsUnauthorized: 'RequestsUnauthorized',
  /** Any other fault of the caller. */
  requestsRefused: 'RequestsRefused',
  /** Our fault or the world's: the caller got a 5xx. */
  requestsFailed: 'RequestsFailed',
  recordsHandled: 'RecordsHandled',
  /** Will be tried again, at last in the dead-letter queue. */
  recordsFailed: 'RecordsFailed',
  /** Counted in recordsFailed too: a message of our own that its own schema refuses is a defect. */
  recordsMalformed: 'RecordsMalformed',

  /** How the race of a sync against the machine config controller ended, once a race. */
  racesEarly: 'RacesEarly',
  racesInTime: 'RacesInTime',
  racesLate: 'RacesLate',
  racesUnprotected: 'RacesUnprotected',
  poolsPaused: 'PoolsPaused',
  poolsResumed: 'PoolsResumed',
  /** A person resumed a pool that was held. */
  poolsOverridden: 'PoolsOverridden',
  /** Holds on the pools of one cluster, at each pass over it. */
  holds: 'Holds',
  /** Of these, past the time they were given. */
  holdsOverdue: 'HoldsOverdue',
  /** Of the oldest hold on a cluster, milliseconds; 0 without holds. */
  oldestHoldAge: 'OldestHoldAge',
  /** Between the clock's tick and the work on it, milliseconds. */
  tickAge: 'TickAge',
  /** Ticks in a row at which a cluster could not be seen. */
  ticksMissed: 'TicksMissed',
  /** 1 for each tick whose cluster could not be seen, 0 for each other. */
  blindClusters: 'BlindClusters',
  /** Pushes that GitHub could not deliver, each counted when it is asked for again. */
  deliveriesLost: 'DeliveriesLost',
  deliveriesRedelivered: 'DeliveriesRedelivered',

  /** Pushes that went on to an Argo CD, once each: after the pause of their pools was confirmed, or without it
   *  because the wait was over. */
  relaysInOrder: 'RelaysInOrder',
  relaysLate: 'RelaysLate',
  /** Webhooks that an Argo CD answered with a refusal. */
  relaysRefused: 'RelaysRefused',
  /** How long a push was held back, milliseconds. */
  relayWait: 'RelayWait',
  /** Webhooks too large for a message; written by receive-github. */
  relaysTooLarge: 'RelaysTooLarge',

  /** Pull requests that were told what they would do, once a look. */
  previewsTold: 'PreviewsTold',
  /** Pull requests on which GitHub refuses our comment or status for good. */
  previewsRefused: 'PreviewsRefused',

  /** Clusters that nobody saw for ten minutes, whatever the reason; written by watch-ticks. */
  silentClusters: 'SilentClusters',

  /** A message stands as it should. */
  alertsDelivered: 'AlertsDelivered',
  /** It does not stand yet, or nobody knows, and will be tried again. */
  alertsDelayed: 'AlertsDelayed',
  /** The target refuses it for good or refuses every form. */
  alertsRefused: 'AlertsRefused',
} as const;

/** For places without CloudWatch. */
export const noMetrics: Metrics = { count: () => {}, milliseconds: () => {} };

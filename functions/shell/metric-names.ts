import type { Metrics } from '../ports/telemetry.ts';

/** CloudWatch namespace of all metrics. Dimensions are `environment` and `function` only: each further one is another
 *  custom metric to pay for, so clusters and pools are log fields instead. */
export const metricNamespace = 'Poolkeeper';

/** Every metric that the functions write; alarms and dashboard use these names. */
export const metricNames = {
  /** Requests answered as expected, including "dropped" and "not confirmed yet". */
  requestsAnswered: 'RequestsAnswered',
  /** Wrong or missing signature or token. */
  requestsUnauthorized: 'RequestsUnauthorized',
  /** Any other error of the caller. */
  requestsRefused: 'RequestsRefused',
  /** Our own or an outside failure: the caller got a 5xx. */
  requestsFailed: 'RequestsFailed',
  recordsHandled: 'RecordsHandled',
  /** Will be retried, and finally ends in the dead-letter queue. */
  recordsFailed: 'RecordsFailed',
  /** Counted in recordsFailed too: a message of our own that its own schema refuses is a defect. */
  recordsMalformed: 'RecordsMalformed',

  /** Verdict of the race of a sync against the machine config controller, once per race. */
  racesEarly: 'RacesEarly',
  racesInTime: 'RacesInTime',
  racesLate: 'RacesLate',
  racesUnprotected: 'RacesUnprotected',
  poolsPaused: 'PoolsPaused',
  poolsResumed: 'PoolsResumed',
  /** A person resumed a held pool. */
  poolsOverridden: 'PoolsOverridden',
  /** Holds on the pools of one cluster, at each pass. */
  holds: 'Holds',
  /** Of these, past their `until`. */
  holdsOverdue: 'HoldsOverdue',
  /** Milliseconds, of the oldest hold on a cluster; 0 without holds. */
  oldestHoldAge: 'OldestHoldAge',
  /** Milliseconds between the clock's tick and its pass. */
  tickAge: 'TickAge',
  /** Consecutive ticks at which a cluster could not be read. */
  ticksMissed: 'TicksMissed',
  /** 1 for each tick whose cluster could not be read, 0 for each other. */
  blindClusters: 'BlindClusters',
  /** Pushes that GitHub could not deliver, each counted when its redelivery is requested. */
  deliveriesLost: 'DeliveriesLost',
  deliveriesRedelivered: 'DeliveriesRedelivered',

  /** Pushes relayed to an Argo CD, once each: after the pause of their pools was confirmed, or without it because the
   *  wait was over. */
  relaysInOrder: 'RelaysInOrder',
  relaysLate: 'RelaysLate',
  /** Webhooks refused by an Argo CD. */
  relaysRefused: 'RelaysRefused',
  /** Milliseconds for which a push was held back. */
  relayWait: 'RelayWait',
  /** Webhooks too large for a message; written by receive-github. */
  relaysTooLarge: 'RelaysTooLarge',

  /** Previews posted on pull requests. */
  previewsTold: 'PreviewsTold',
  /** Pull requests on which GitHub permanently refuses our comment or status. */
  previewsRefused: 'PreviewsRefused',

  /** Clusters that were not read for ten minutes, whatever the reason; written by watch-ticks. */
  silentClusters: 'SilentClusters',

  /** A message is up to date. */
  alertsDelivered: 'AlertsDelivered',
  /** It is not up to date yet, or the outcome is unknown, and will be retried. */
  alertsDelayed: 'AlertsDelayed',
  /** The target refuses permanently or refuses every form. */
  alertsRefused: 'AlertsRefused',
} as const;

/** For environments without CloudWatch. */
export const noMetrics: Metrics = { count: () => {}, milliseconds: () => {} };

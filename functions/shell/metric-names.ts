import type { Metrics } from '../ports.ts';

/** CloudWatch namespace of all figures. Dimensions are `environment` and `function` only: each further one is a further
 *  custom metric to pay for, so clusters and pools are log fields instead. */
export const metricNamespace = 'Poolkeeper';

/** Every figure that the wrappers count; alarms and dashboard use these names. */
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
} as const;

/** For places without CloudWatch. */
export const noMetrics: Metrics = { count: () => {}, milliseconds: () => {} };

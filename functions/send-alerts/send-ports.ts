import type { AlertTarget, Configuration } from '../core/configuration.ts';
import type { AlertQueue, Clock, Incidents, Logger, Messenger, Metrics } from '../ports.ts';

/** What send-alerts reaches. */
export interface SendPorts {
  readonly configuration: Pick<Configuration, 'alerts' | 'clusters'>;
  readonly incidents: Incidents;
  /** For its own retries. */
  readonly alerts: AlertQueue;
  readonly messengerOf: (target: AlertTarget) => Messenger;
  readonly clock: Clock;
  /** 0 <= x < 1, for jitter. */
  readonly random: () => number;
  /** A name nobody else has, for claims. */
  readonly newOwner: () => string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Printed below every message: `poolkeeper 0.1.0`. */
  readonly product: string;
}

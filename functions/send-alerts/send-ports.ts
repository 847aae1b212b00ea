import type { AlertTarget } from '../core/configuration/alerts.ts';
import type { Configuration } from '../core/configuration/configuration.ts';
import type { Messenger } from '../ports/messages.ts';
import type { AlertQueue } from '../ports/queues.ts';
import type { Incidents, JointMessageLists, Paces } from '../ports/tables.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { Clock } from '../ports/time.ts';

/** The dependencies of send-alerts. */
export interface SendPorts {
  readonly configuration: Pick<Configuration, 'alerts' | 'clusters'> & Partial<Pick<Configuration, 'argocd'>>;
  readonly incidents: Incidents;
  readonly paces: Paces;
  readonly jointMessages: JointMessageLists;
  /** For its own retries. */
  readonly alerts: AlertQueue;
  readonly messengerOf: (target: AlertTarget) => Messenger;
  readonly clock: Clock;
  /** 0 <= x < 1, for jitter. */
  readonly random: () => number;
  /** A unique owner name for claims. */
  readonly newOwner: () => string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Printed below every message: `poolkeeper 0.1.0`. */
  readonly product: string;
}

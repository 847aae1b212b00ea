import { randomUUID } from 'node:crypto';
import type { IncidentDue } from '../events/index.ts';
import { messengersFor } from '../functions/adapters/messengers/messenger-for.ts';
import { smtpMessenger } from '../functions/adapters/messengers/smtp.ts';
import type { Configuration } from '../functions/core/configuration.ts';
import type { AlertQueue, Clock, Incidents, Logger, Metrics, Secrets } from '../functions/ports.ts';
import { sendAlerts } from '../functions/send-alerts/send.ts';
import { product } from '../functions/shell/product.ts';

export interface LocalSendingOptions {
  readonly configuration: Configuration;
  readonly secrets: Secrets;
  readonly incidents: Incidents;
  readonly alerts: AlertQueue;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Directory of the outbox. */
  readonly outbox: string;
  /** `smtp://user:password@host:port`; undefined = targets by SMTP cannot be served. */
  readonly smtpUrl: string | undefined;
}

/** send-alerts with the messengers of this machine: Slack, SMTP and the outbox. */
export function sendingLocally(options: LocalSendingOptions): (event: IncidentDue) => Promise<void> {
  const { secrets, clock, outbox, smtpUrl, ...ports } = options;
  const messengerOf = messengersFor({
    secrets,
    clock,
    outbox,
    smtp: smtpUrl === undefined ? undefined : (mail) => smtpMessenger({ url: smtpUrl, ...mail }),
  });
  return (event) =>
    sendAlerts(event, { ...ports, clock, messengerOf, random: Math.random, newOwner: randomUUID, product });
}

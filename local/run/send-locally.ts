import type { AlertWork } from '../../events/index.ts';
import { messengersFor } from '../../functions/adapters/messengers/messenger-for.ts';
import { smtpMessenger } from '../../functions/adapters/messengers/smtp.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import type { AlertQueue, WorkQueue } from '../../functions/ports/queues.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import type {
  Approvals,
  AskedRequests,
  Incidents,
  JointMessageLists,
  Paces,
  Timeline,
  Views,
} from '../../functions/ports/tables.ts';
import type { Logger, Metrics } from '../../functions/ports/telemetry.ts';
import type { Runtime } from '../../functions/ports/time.ts';
import { workOff } from '../../functions/send-alerts/work-off.ts';
import { product } from '../../functions/shell/product.ts';

export interface LocalSendingOptions {
  readonly configuration: Configuration;
  readonly secrets: Secrets;
  readonly incidents: Incidents;
  readonly paces: Paces;
  readonly jointMessages: JointMessageLists;
  readonly approvals: Approvals;
  readonly askedRequests: AskedRequests;
  readonly views: Views;
  readonly timeline: Timeline;
  readonly alerts: AlertQueue;
  readonly work: Pick<WorkQueue, 'send'>;
  readonly runtime: Pick<Runtime, 'clock' | 'deadline' | 'newId' | 'random'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Folder of the outbox. */
  readonly outbox: string;
  /** `smtp://user:password@host:port`; undefined: SMTP targets cannot be served. */
  readonly smtpUrl: string | undefined;
}

/** send-alerts with the messengers of this machine: Slack, SMTP and outbox. */
export function sendingLocally(options: LocalSendingOptions): (event: AlertWork) => Promise<void> {
  const { secrets, runtime, outbox, smtpUrl, ...ports } = options;
  const { clock, deadline, newId, random } = runtime;
  const messengerOf = messengersFor({
    secrets,
    clock,
    deadline,
    outbox,
    smtp: smtpUrl === undefined ? undefined : (mail) => smtpMessenger({ url: smtpUrl, ...mail }),
  });
  return (event) => workOff(event, { ...ports, clock, messengerOf, random, newOwner: newId, product });
}

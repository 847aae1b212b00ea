import type { Configuration } from '../core/configuration/configuration.ts';
import type { AttentionQueue, RequestQueue } from '../ports/queues.ts';
import type { Approvals, AskedRequests, Incidents, Replays, SequenceRequests, Timeline } from '../ports/tables.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { NewId } from '../ports/time.ts';
import type { SecretPorts } from '../shell/live-secret.ts';

/** `secret` is the signing secret. */
export interface ReceiveSlackPorts extends SecretPorts {
  readonly configuration: Pick<Configuration, 'alerts' | 'clusters'> & Partial<Pick<Configuration, 'nodeTurns'>>;
  readonly attention: AttentionQueue;
  /** For commands. */
  readonly requests: RequestQueue;
  readonly askedRequests: Pick<AskedRequests, 'save'>;
  readonly replays: Replays;
  readonly approvals: Pick<Approvals, 'save'>;
  /** The one whose message a sequence is steered from. */
  readonly incidents: Pick<Incidents, 'loadOne'>;
  readonly sequenceRequests: Pick<SequenceRequests, 'save'>;
  readonly timeline: Pick<Timeline, 'append'>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly newId: NewId;
}

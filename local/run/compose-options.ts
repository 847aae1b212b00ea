import type { PublishedEvent } from '../../events/index.ts';
import type { dynamoTables } from '../../functions/adapters/aws/dynamo-tables.ts';
import type { ClusterConnection } from '../../functions/adapters/kubernetes/connect.ts';
import type { Configuration } from '../../functions/core/configuration/configuration.ts';
import type { Secrets } from '../../functions/ports/secrets.ts';
import type { Logger, Metrics } from '../../functions/ports/telemetry.ts';
import type { LiveSecret } from '../../functions/shell/live-secret.ts';
import type { AcceleratedClock } from './accelerated-clock.ts';
import type { OpenTable } from './embedded-table.ts';

export type StoredTables = ReturnType<typeof dynamoTables>;

export interface ComposeOptions {
  readonly configuration: Configuration;
  /** By name of the cluster. */
  readonly connections: ReadonlyMap<string, ClusterConnection>;
  readonly secrets: Secrets;
  readonly table: OpenTable;
  readonly clock: AcceleratedClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Folder for the rendered messages of outbox targets. */
  readonly outbox: string;
  /** Server for mail targets by SMTP, as `smtp://user:password@host:port`. */
  readonly smtpUrl?: string | undefined;
  /** What readers of the status page must know. Without it everyone may read: loopback only. */
  readonly statusToken?: LiveSecret | undefined;
  /** Called with every published event. */
  readonly onPublished?: (events: readonly PublishedEvent[]) => void;
}

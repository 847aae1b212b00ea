import { isPast, plusSeconds, secondsSince } from '../core/text/instant.ts';
import type { Checkpoints } from '../ports/tables.ts';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import type { Clock } from '../ports/time.ts';
import { metricNames } from '../shell/metric-names.ts';

export interface WatchPorts {
  /** Names of the configured clusters. */
  readonly clusters: readonly string[];
  readonly checkpoints: Pick<Checkpoints, 'load'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Seconds without a successful read after which a cluster counts as silent: ten ticks, so that neither a deployment
 *  nor an API server restart triggers it. */
const silentAfterSeconds = 600;
/** Parallel reads: a thousand gets must not open a thousand connections. */
const atOnce = 25;

/** Dead-man's switch: was each cluster read recently? It shares only the table with what it watches: not the ticks,
 *  queues, keep-pools or messengers. Its metric feeds an alarm that treats missing data as breaching, so this function
 *  itself is watched too. Throws Transient if the table cannot be read; then no metric is written. */
export async function watchTicks({ clusters, checkpoints, clock, logger, metrics }: WatchPorts): Promise<void> {
  const now = clock();
  const silent: string[] = [];
  for (let first = 0; first < clusters.length; first += atOnce) {
    const looks = clusters.slice(first, first + atOnce).map(async (cluster) => {
      const seenAt = (await checkpoints.load(cluster))?.lastGoodReadAt;
      if (seenAt !== undefined && !isPast(plusSeconds(new Date(seenAt), silentAfterSeconds), now)) return;
      silent.push(cluster);
      const sinceSeconds = seenAt === undefined ? undefined : Math.round(secondsSince(seenAt, now));
      logger.warn('cluster is silent', { cluster, seenAt, sinceSeconds });
    });
    await Promise.all(looks);
  }
  metrics.count(metricNames.silentClusters, silent.length);
}

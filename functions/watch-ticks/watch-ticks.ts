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

/** Seconds without one good look after which a cluster counts as silent: ten ticks, so that neither a deployment nor
 *  an API server that restarts is taken for it. */
const silentAfterSeconds = 600;
/** Clusters asked about at once: a thousand gets must not open a thousand connections. */
const atOnce = 25;

/** The dead-man's look: was each cluster seen lately? It shares nothing with what it watches but the table: not the
 *  ticks, not the queues, not keep-pools, not the messengers. Its figure goes to an alarm for which silence is the
 *  worst answer, so this function itself is watched too. Throws Transient when the table cannot be read; then no
 *  figure is written. */
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

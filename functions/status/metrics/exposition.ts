import type { Gauge, OpenMetricsContentType } from 'prom-client';
import { definitions, type MetricDefinition } from './definitions.ts';
import type { Sample } from './samples-of.ts';

/** The samples as OpenMetrics, which Prometheus reads. */
export interface Exposition {
  readonly contentType: string;
  /** The text, encoded. */
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Bytes of an encoded answer. A Lambda function may answer with 6 MB of JSON, in which each three of these are four
 *  characters of base64, and there are headers besides. */
const roomBytes = 4_500_000;

/** Writes every metric, also those without a value, with its help text. Where there is no room for all, values of the
 *  last metrics are left out, of each metric all or none, and `poolkeeper_unread` names them. The library is loaded by
 *  the first call: most answers of this function are pages.
 *  @param encode what the scraper takes, as gzip */
export async function exposition(
  samples: readonly Sample[],
  encode: (text: string) => Promise<Uint8Array<ArrayBuffer>>,
): Promise<Exposition> {
  const { Gauge, openMetricsContentType, Registry } = await import('prom-client');
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(openMetricsContentType);
  const gauges = new Map<string, Gauge>();
  for (const [key, definition] of Object.entries<MetricDefinition>(definitions)) {
    const { name, help, labels } = definition;
    const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
    for (const { labels: values, value } of samples.filter(({ metric }) => metric === key)) gauge.set(values, value);
    gauges.set(name, gauge);
  }
  const { contentType } = registry;
  const whole = await encode(await registry.metrics());
  if (whole.length <= roomBytes) return { contentType, body: whole };

  let left = roomBytes;
  for (const [name, gauge] of gauges) {
    if (left >= 0) left -= (await encode(await registry.getSingleMetricAsString(name))).length;
    if (left >= 0) continue;
    gauge.reset();
    gauges.get(definitions.unread.name)?.set({ part: name }, 1);
  }
  return { contentType, body: await encode(await registry.metrics()) };
}

import type { OpenMetricsContentType } from 'prom-client';
import { definitions, type MetricDefinition } from './definitions.ts';
import type { Sample } from './samples-of.ts';

/** The samples as OpenMetrics text, which Prometheus reads. */
export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** Writes every metric, also those without a value, with its help text. The library is loaded by the first call: most
 *  answers of this function are pages. */
export async function exposition(samples: readonly Sample[]): Promise<Exposition> {
  const { Gauge, openMetricsContentType, Registry } = await import('prom-client');
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(openMetricsContentType);
  for (const [key, definition] of Object.entries<MetricDefinition>(definitions)) {
    const { name, help, labels } = definition;
    const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] });
    for (const { labels: values, value } of samples.filter(({ metric }) => metric === key)) gauge.set(values, value);
  }
  return { contentType: registry.contentType, text: await registry.metrics() };
}

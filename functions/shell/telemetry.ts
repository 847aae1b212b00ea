import { Logger as PowertoolsLogger } from '@aws-lambda-powertools/logger';
import { MetricUnit, Metrics as PowertoolsMetrics } from '@aws-lambda-powertools/metrics';
import type { Logger, Metrics } from '../ports/telemetry.ts';
import { describeError } from './describe-error.ts';
import type { LogFields } from './log-fields.ts';
import { metricNamespace } from './metric-names.ts';

/** Telemetry of a Lambda: JSON lines for people, EMF metrics for alarms. */
export interface Telemetry {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Every line that `run` writes has these fields; afterwards none does, whatever happened. For one thing at a time:
   *  the logger is shared by the whole container. */
  within<T>(fields: LogFields, run: () => Promise<T>): Promise<T>;
  /** Writes the metrics gathered so far; the wrappers call it once at the end of each invocation. */
  flush(): void;
}

/** Powertools behind our ports. `name` is the function's, e.g. `keep-pools`; the stage comes from POOLKEEPER_STAGE, the
 *  level from POWERTOOLS_LOG_LEVEL. Opened at module load, so that a failed cold start can log too. */
export function openTelemetry(name: string, env: NodeJS.ProcessEnv = process.env): Telemetry {
  const environment = env['POOLKEEPER_STAGE'] || 'unknown';
  const lines = new PowertoolsLogger({
    serviceName: name,
    environment,
    // Before Powertools' own rule, which prints every property of an error.
    jsonReplacerFn: (_key, value) => (value instanceof Error ? describeError(value) : value),
  });
  const figures = new PowertoolsMetrics({ namespace: metricNamespace });
  // Powertools adds a dimension `service`; with it these would not be the metrics that the alarms watch.
  figures.clearDefaultDimensions();
  figures.setDefaultDimensions({ environment, function: name });
  return {
    logger: {
      debug: (message, fields = {}) => lines.debug(message, fields),
      info: (message, fields = {}) => lines.info(message, fields),
      warn: (message, fields = {}) => lines.warn(message, fields),
      error: (message, fields = {}) => lines.error(message, fields),
    },
    metrics: {
      count: (metric, value = 1) => {
        figures.addMetric(metric, MetricUnit.Count, value);
      },
      milliseconds: (metric, value) => {
        figures.addMetric(metric, MetricUnit.Milliseconds, value);
      },
    },
    async within(fields, run) {
      lines.appendKeys({ ...fields });
      try {
        return await run();
      } finally {
        lines.removeKeys(Object.keys(fields));
      }
    },
    flush() {
      if (figures.hasStoredMetrics()) figures.publishStoredMetrics();
    },
  };
}

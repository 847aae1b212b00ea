import type { Context } from 'aws-lambda';
import { lazy } from './lazy.ts';
import type { Telemetry } from './telemetry.ts';

export interface ScheduledFunction<Ports> {
  readonly telemetry: Telemetry;
  /** Runs at cold start only. */
  readonly build: () => Promise<Ports>;
  readonly run: (ports: Ports) => Promise<void>;
}

/** A scheduled function as a Lambda. Failures are thrown, so that the function's error count increases; the next run
 *  comes anyway, and everything scheduled this way may run twice. */
export function scheduledFunction<Ports>({
  telemetry,
  build,
  run,
}: ScheduledFunction<Ports>): (event: unknown, context: Context) => Promise<void> {
  const ready = lazy(build);
  return (_event, context) =>
    telemetry.within({ invocation: context.awsRequestId }, async () => {
      try {
        await run(await ready());
      } catch (error) {
        telemetry.logger.error('run failed', { error });
        throw error;
      } finally {
        telemetry.flush();
      }
    });
}

import type { Logger, Metrics } from '../../functions/ports/telemetry.ts';
import type { NewId } from '../../functions/ports/time.ts';
import { requestIdOf, respond, type WebHandler } from '../../functions/shell/answer.ts';
import type { LogFields } from '../../functions/shell/log-fields.ts';
import { metricNames } from '../../functions/shell/metric-names.ts';
import type { Routes } from './local-server.ts';

/** Runs so much at once, and the rest in the order in which it came. */
export interface Turns {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** How much runs or waits. */
  count(): number;
}

export function turns(atOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    count: () => running + waiting.length,
    async run(work) {
      // Who is done hands its place over.
      if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}

interface Limit {
  readonly atOnce: number;
  /** Further requests that wait for their turn. */
  readonly waiting: number;
}

/** Waiting: a burst of GitHub's, of which none is to be lost. */
const usual: Limit = { atOnce: 20, waiting: 300 };

/** A handshake takes up to 28 s, and who asks gives up after 35 s: to wait for a turn before it would be in vain. */
const ofHandshake: Limit = { atOnce: 50, waiting: 0 };

export interface LimitPorts {
  readonly newId: NewId;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Each route with a limit of its own, as infra/settings.ts has it on AWS, so that a flood at one takes nothing from
 *  the others. What is beyond gets a 503, and asks again. */
export function withLimits(routes: Routes, ports: LimitPorts): Routes {
  return Object.fromEntries(
    Object.entries(routes).map(([route, handler]) => [
      route,
      within(route === '* /handshake' ? ofHandshake : usual, handler, ports),
    ]),
  );
}

function within({ atOnce, waiting }: Limit, handler: WebHandler, { newId, logger, metrics }: LimitPorts): WebHandler {
  const requests = turns(atOnce);
  return async (request) => {
    if (requests.count() < atOnce + waiting) return requests.run(() => handler(request));
    const requestId = requestIdOf(request.headers, newId);
    const refusal = { status: 503, reason: 'too many requests at once, try again' };
    metrics.count(metricNames.requestsRefused);
    logger.warn('request refused', { requestId, ...refusal } satisfies LogFields);
    return respond({ ...refusal, headers: { 'retry-after': '1' } }, requestId);
  };
}

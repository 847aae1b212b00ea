import type { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { PoolkeeperFunction } from '../constructs/poolkeeper-function.ts';
import type { QueueWithDeadLetters } from '../constructs/queue-with-dead-letters.ts';
import { fiveMinutes, oneMinute } from './evaluation.ts';

/** Sum of metrics, where one without data counts as 0: a metric that is published only when something happened must
 *  not make the whole sum missing. */
export function sum(metrics: readonly IMetric[], props: { label: string; period: Duration }): MathExpression {
  const usingMetrics = numbered(metrics);
  const terms = Object.keys(usingMetrics).map((id) => `FILL(${id}, 0)`);
  return new MathExpression({ expression: terms.join(' + '), usingMetrics, ...props });
}

/** Age of the oldest message while messages wait for a worker. A message that waits for its next attempt ages too, but
 *  is not visible: without this, one message that keeps failing would look like a backlog. */
export function ageWhileWaiting(queue: QueueWithDeadLetters): MathExpression {
  return new MathExpression({
    expression: 'IF(waiting > 0, oldest, 0)',
    label: queue.label,
    period: oneMinute,
    usingMetrics: { waiting: queue.waiting(oneMinute), oldest: queue.oldestAgeSeconds(oneMinute) },
  });
}

/** The slowest invocation of the period, as a percentage of its function's timeout. */
export function slowestPercentOfTimeout(functions: readonly PoolkeeperFunction[]): MathExpression {
  const shares = functions.map((fn, n) => `100 * m${n} / ${fn.timeout.toMilliseconds()}`);
  return new MathExpression({
    expression: `MAX([${shares.join(', ')}])`,
    label: '% of timeout',
    period: fiveMinutes,
    usingMetrics: numbered(functions.map((fn) => fn.slowestMs(fiveMinutes))),
  });
}

/** Ids as metric math needs them: m0, m1, ... */
function numbered(metrics: readonly IMetric[]): Record<string, IMetric> {
  return Object.fromEntries(metrics.map((metric, n) => [`m${n}`, metric]));
}

import type { MetricAlarm } from '../constructs/alarms.ts';
import type { Entry, PoolkeeperFunction } from '../constructs/poolkeeper-function.ts';
import type { Resources } from '../resources.ts';
import { fiveMinutes, once, persistently } from './evaluation.ts';
import { incidentAlarms } from './incidents.ts';
import { slowestPercentOfTimeout, sum } from './metric-math.ts';

/** Limits of AWS that are reached: concurrency, timeouts, throughput of the table, delivery of events. */
export function limitAlarms({ functions, table, events }: Resources): readonly MetricAlarm[] {
  const all = Object.values(functions);
  const { reads, writes } = table.throttles(fiveMinutes);
  return [
    {
      kind: 'metric',
      name: 'functions-throttled',
      impact: "No concurrency is left for a function, its own or the account's: webhooks fail and passes come late.",
      urgency: 'urgent',
      // An alarm takes at most ten metrics. Left out: previews, because their queue has an alarm when they are late,
      // Slack's buttons, because people press them again, and those whose callers ask again.
      metric: sum(
        without(all, 'preview-changes', 'receive-slack', 'fleet-lock', 'receive-callback').map((fn) =>
          fn.throttles(fiveMinutes),
        ),
        { label: 'throttled', period: fiveMinutes },
      ),
      breach: { above: 0 },
      ...persistently,
      missingData: 'fine',
    },
    {
      kind: 'metric',
      name: 'functions-near-timeout',
      impact: 'If it gets a little slower, passes or messages are cut off in the middle and start over.',
      urgency: 'soon',
      // An alarm takes at most ten metrics. Left out: the handshake, which waits for a confirmation as long as its
      // caller may wait, and three that make a few calls with timeouts of their own.
      metric: slowestPercentOfTimeout(without(all, 'handshake', 'receive-slack', 'fleet-lock', 'receive-callback')),
      breach: { above: 80 },
      ...persistently,
      missingData: 'fine',
    },
    {
      kind: 'metric',
      name: 'table-throttled',
      impact: 'Incidents, messages and the status page lag behind. Holds do not: the pools carry them.',
      urgency: 'soon',
      metric: sum([reads, writes], { label: 'throttled', period: fiveMinutes }),
      breach: { above: 0 },
      ...persistently,
      missingData: 'fine',
    },
    {
      kind: 'metric',
      name: 'told-lost',
      impact: 'Events could not even reach the dead-letter queue: subscribers never get them unless they are replayed.',
      urgency: 'soon',
      metric: sum(
        [events.everything.ruleName, ...incidentAlarms.map(({ name }) => name)].map((rule) =>
          events.lost(rule, fiveMinutes),
        ),
        { label: 'lost', period: fiveMinutes },
      ),
      breach: { above: 0 },
      ...once,
      missingData: 'fine',
    },
  ];
}

function without(
  functions: readonly PoolkeeperFunction[],
  ...entries: readonly Entry[]
): readonly PoolkeeperFunction[] {
  return functions.filter(({ entry }) => !entries.includes(entry));
}

import type { PublishedEvent, WorkEvent } from '../../../events/index.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import type { Verdict } from '../../core/races/race.ts';
import { isPast, secondsSince } from '../../core/text/instant.ts';
import type { Metrics } from '../../ports/telemetry.ts';
import { metricNames } from '../../shell/metric-names.ts';

/** A value of one metric. Its cluster and pools are in the log lines and on the bus: as dimensions each would be a
 *  custom metric to pay for. */
export type MetricValue =
  | { readonly name: string; readonly count: number }
  | { readonly name: string; readonly milliseconds: number };

/** What the metrics of a pass that could read its cluster are made of. */
export interface PassResult {
  /** What it published; if a pass dies before it publishes, the pass that catches up counts the events. */
  readonly events: readonly PublishedEvent[];
  /** Every pool of the cluster as the pass left it. */
  readonly pools: readonly Pool[];
  /** A tick of the clock, not a recheck a few seconds later: that would count a blind cluster twice a minute. */
  readonly isClockTick: boolean;
  readonly now: Date;
}

const racesBy: Readonly<Record<Verdict, string>> = {
  early: metricNames.racesEarly,
  'in time': metricNames.racesInTime,
  late: metricNames.racesLate,
  unprotected: metricNames.racesUnprotected,
};

/** Metrics of a pass. Sum the counts of events; read `Holds` and the ages as a maximum, because each pass writes those
 *  of one cluster. */
export function measurePass({ events, pools, isClockTick, now }: PassResult): readonly MetricValue[] {
  const holds = pools.flatMap(holdsOf);
  const ages = holds.map((hold) => Math.max(0, secondsSince(hold.since, now) * 1000));
  return [
    ...events.flatMap(valuesOf),
    { name: metricNames.holds, count: holds.length },
    { name: metricNames.holdsOverdue, count: holds.filter((hold) => isPast(hold.until, now)).length },
    { name: metricNames.oldestHoldAge, milliseconds: Math.max(0, ...ages) },
    ...(isClockTick ? [{ name: metricNames.ticksMissed, count: 0 }, blind(false)] : []),
  ];
}

/** Metrics of a pass that could not read its cluster. Holds are unknown then, so no metric of them is written. */
export function measureBlindPass({ isClockTick }: Pick<PassResult, 'isClockTick'>): readonly MetricValue[] {
  return isClockTick ? [blind(true)] : [];
}

/** `misses`: ticks in a row at which the cluster was not seen, this one included. */
export function measureMisses(misses: number): readonly MetricValue[] {
  return [{ name: metricNames.ticksMissed, count: misses }];
}

/** How old a tick of the clock was when work on it began; hints and rechecks say nothing about the clock. */
export function measureTick(event: WorkEvent, now: Date): readonly MetricValue[] {
  if (event.type !== 'poolkeeper.tick.v1' || event.data.why !== 'clock') return [];
  return [{ name: metricNames.tickAge, milliseconds: Math.max(0, secondsSince(event.time, now) * 1000) }];
}

/** Writes what a `measure...` function returned. */
export function writeMetrics(values: readonly MetricValue[], metrics: Metrics): void {
  for (const value of values) {
    if ('count' in value) metrics.count(value.name, value.count);
    else metrics.milliseconds(value.name, value.milliseconds);
  }
}

/** A cluster ticks once a minute, so the sum over a minute is the number of blind clusters. */
function blind(isBlind: boolean): MetricValue {
  return { name: metricNames.blindClusters, count: isBlind ? 1 : 0 };
}

function valuesOf(event: PublishedEvent): readonly MetricValue[] {
  switch (event.type) {
    case 'poolkeeper.race.decided.v1':
      return [{ name: racesBy[event.data.verdict], count: 1 }];
    case 'poolkeeper.pool.paused.v1':
      return [{ name: metricNames.poolsPaused, count: 1 }];
    case 'poolkeeper.pool.resumed.v1':
      return [{ name: metricNames.poolsResumed, count: 1 }];
    case 'poolkeeper.pool.overridden.v1':
      return [{ name: metricNames.poolsOverridden, count: 1 }];
    default:
      return [];
  }
}

import { earliest, latest } from '../../core/text/instant.ts';
import type { ClusterStatus, IncidentStatus, PoolStatus, SequenceStatus, Status } from '../status.ts';
import type { MetricKey } from './definitions.ts';

/** One value of one metric. */
export interface Sample {
  readonly metric: MetricKey;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What the status says, as values for Prometheus. What is unknown has no value. Neither has a cluster that was taken
 *  out of the configuration: the page shows it for a while as it was, here that would be taken for what is. */
export function samplesOf({ unread, clusters, incidents, sequences }: Status): readonly Sample[] {
  return [
    ...unread.map((part) => sample('unread', { part }, 1)),
    ...clusters.filter(({ configured }) => configured).flatMap(samplesOfCluster),
    ...samplesOfIncidents(incidents),
    ...sequences.flatMap(samplesOfSequence),
  ];
}

function sample(metric: MetricKey, labels: Sample['labels'], value: number): Sample {
  return { metric, labels, value };
}

function samplesOfCluster({ name: cluster, sight, readAt, pools, ...other }: ClusterStatus): readonly Sample[] {
  return [
    sample('clusterSeen', { cluster }, sight === 'seen' ? 1 : 0),
    ...at('clusterRead', { cluster }, readAt),
    ...pools.flatMap((pool) => samplesOfPool(cluster, pool)),
    ...(other.unreadablePools ?? []).map(({ name: pool }) =>
      sample('poolState', { cluster, pool, state: 'unreadable' }, 1),
    ),
  ];
}

function samplesOfPool(cluster: string, pool: PoolStatus): readonly Sample[] {
  const of = { cluster, pool: pool.name };
  const { pause, pace, minutesLeft } = pool;
  return [
    ...(pause === undefined ? [] : [sample('poolPaused', { ...of, whose: pause.whose }, 1)]),
    ...at('poolPausedSince', of, pause?.since),
    ...at('poolWaitsSince', of, waitsSince(pool)),
    sample('poolState', { ...of, state: pool.state }, 1),
    ...at('poolPendingSince', of, pool.pendingSince),
    ...machines(of, pool),
    ...(minutesLeft === undefined ? [] : [sample('rolloutLeft', of, minutesLeft * 60)]),
    ...(pace === undefined
      ? []
      : [
          sample('nodePace', { ...of, quantile: '0.5' }, pace.usualMinutes * 60),
          sample('nodePace', { ...of, quantile: '0.9' }, pace.slowMinutes * 60),
        ]),
    ...at('certificatesExpire', of, pool.certificatesExpire),
    ...samplesOfHolds(of, pool),
    ...samplesOfGates(of, pool),
    ...counted('races', pool.races, ({ verdict, endedAt }) => ({
      ...of,
      verdict: verdict ?? (endedAt === undefined ? 'undecided' : 'none'),
    })),
    ...(pool.lostRaces ?? []).flatMap(({ verdict, lastAt }) => at('raceLost', { ...of, verdict }, lastAt)),
  ];
}

/** How long a pool has rested before says nothing of the change, or the sync, that has come since. */
function waitsSince({ pause, protection, rests, pendingSince, holds }: PoolStatus): string | undefined {
  if (pause === undefined || rests === true) return undefined;
  if (protection !== 'rest') return pause.since;
  const standing = holds.filter(({ overruled }) => overruled === undefined);
  return earliest([pendingSince, ...standing.map(({ since }) => since)]) ?? pause.since;
}

function samplesOfGates(of: Sample['labels'], pool: PoolStatus): readonly Sample[] {
  const asked = pool.closedGates.filter(({ unread }) => unread !== true);
  return asked.flatMap(({ gate, since }) => [
    sample('gateClosed', { ...of, gate }, 1),
    ...(pool.rests === true || since === undefined
      ? []
      : at('gateClosedSince', { ...of, gate }, latest([since, waitsSince(pool)]))),
  ]);
}

function machines(of: Sample['labels'], { counts }: PoolStatus): readonly Sample[] {
  const { machines: all, ...others } = counts;
  return Object.entries({ all, ...others }).map(([count, value]) => sample('poolMachines', { ...of, count }, value));
}

function samplesOfHolds(of: Sample['labels'], { holds }: PoolStatus): readonly Sample[] {
  const overdue = holds.filter((hold) => hold.overdue).length;
  const oldest = holds.map(({ since }) => since).toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
  return [
    ...counted('holds', holds, ({ kind }) => ({ ...of, kind })),
    ...(holds.length === 0 ? [] : [sample('holdsOverdue', of, overdue)]),
    ...at('oldestHold', of, oldest),
  ];
}

function samplesOfIncidents(incidents: readonly IncidentStatus[]): readonly Sample[] {
  const current = incidents.filter(({ state }) => state !== 'resolved');
  return counted('incidents', current, ({ cluster, pool, kind, severity, state }) => ({
    cluster,
    pool,
    kind,
    severity,
    state,
  }));
}

function samplesOfSequence({ name: sequence, state, problems }: SequenceStatus): readonly Sample[] {
  return [sample('sequences', { sequence, state }, 1), sample('sequenceProblems', { sequence }, problems.length)];
}

function at(metric: MetricKey, labels: Sample['labels'], instant: string | undefined): readonly Sample[] {
  return instant === undefined ? [] : [sample(metric, labels, Date.parse(instant) / 1000)];
}

/** How many of these have the same labels. */
function counted<T>(metric: MetricKey, all: readonly T[], labelsOf: (each: T) => Sample['labels']): readonly Sample[] {
  const labelled = all.map(labelsOf);
  return [...Map.groupBy(labelled, (labels) => JSON.stringify(labels)).values()].flatMap((same) =>
    same[0] === undefined ? [] : [sample(metric, same[0], same.length)],
  );
}

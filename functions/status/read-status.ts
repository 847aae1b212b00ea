import { noLocks } from '../core/fleet-lock/locks.ts';
import type { RolloutQuery } from '../core/node-rollouts/rollout-query.ts';
import type { TimelineEntry } from '../core/timeline/view.ts';
import type { FleetLocks, Incidents, NodeRollouts, RunViews, SequenceViews, Timeline, Views } from '../ports/tables.ts';
import type { Logger } from '../ports/telemetry.ts';
import type { Clock, NewId } from '../ports/time.ts';
import type { LiveSecret } from '../shell/live-secret.ts';
import { buildStatus, type ShownConfiguration, timelineSearched, timelineShown } from './build-status.ts';
import type { ChangesTold } from './page/page.ts';
import type { Status } from './status.ts';

export interface StatusPorts {
  readonly views: Pick<Views, 'list'>;
  readonly incidents: Pick<Incidents, 'list'>;
  readonly timeline: Pick<Timeline, 'latest'>;
  readonly nodeRollouts: Pick<NodeRollouts, 'ended'>;
  /** Undefined: no sequence is shown. */
  readonly sequenceViews?: Pick<SequenceViews, 'list'> | undefined;
  /** Undefined: no run is shown. */
  readonly runViews?: Pick<RunViews, 'list'> | undefined;
  /** Undefined: no slot of a machine is shown. */
  readonly fleetLocks?: Pick<FleetLocks, 'load'> | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  /** Without it, the clusters are those with a stored view. */
  readonly configuration?: ShownConfiguration | undefined;
  /** Token that readers must send. Without it everyone may read: loopback only. */
  readonly token?: LiveSecret | undefined;
  /** What the page says above everything else; undefined, or none: nothing. */
  readonly notice?: (() => string | undefined) | undefined;
  /** Absent: nobody is told. */
  readonly changes?: (() => ChangesTold) | undefined;
  readonly logger?: Pick<Logger, 'warn' | 'error'> | undefined;
}

/** Reads only the tables, so a cluster that does not answer slows nothing down. What cannot be read is left out and
 *  named in `unread`. */
export async function readStatus(
  ports: StatusPorts,
  reboots: RolloutQuery,
  extent: 'shown' | 'whole' = 'shown',
): Promise<Status> {
  const {
    views,
    incidents,
    timeline,
    nodeRollouts,
    sequenceViews,
    runViews,
    fleetLocks,
    configuration,
    clock,
    logger,
  } = ports;
  const read = async <T>(what: string, from: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await from();
    } catch (error) {
      logger?.error('a part of the status could not be read', { reason: what, error });
      return undefined;
    }
  };
  const [seen, wrong, happened, ended, sequences, runs, locks] = await Promise.all([
    read('clusters', () => views.list()),
    read('incidents', () => incidents.list()),
    read('timeline', () => readTimeline(timeline, reboots.cluster)),
    read('reboots', () => nodeRollouts.ended(reboots)),
    read('sequences', async () => (await sequenceViews?.list()) ?? []),
    read('runs', async () => (await runViews?.list()) ?? []),
    read(
      'locks',
      async () => (configuration?.fleetLock === undefined ? undefined : await fleetLocks?.load()) ?? noLocks,
    ),
  ]);
  const only = reboots.cluster;
  return buildStatus({
    views: seen,
    incidents: wrong,
    timeline: happened,
    reboots: ended,
    sequences,
    runs,
    locks,
    configuration,
    only,
    extent,
    now: clock(),
  });
}

/** The newest entries of all clusters; for one cluster as many as may hold enough of its own, which others may crowd
 *  out. */
async function readTimeline(
  timeline: StatusPorts['timeline'],
  only: string | undefined,
): Promise<readonly TimelineEntry[]> {
  const newest = await timeline.latest(timelineShown);
  const isEnough = newest.length < timelineShown || newest.every(({ cluster }) => cluster === only);
  return only === undefined || isEnough ? newest : await timeline.latest(timelineSearched);
}

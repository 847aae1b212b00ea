import type { Incident } from '../../core/alerts/incident.ts';
import { isDue } from '../../core/alerts/plan-delivery.ts';
import { Transient } from '../../core/text/errors.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { timelineEntry } from '../../core/timeline/timeline-entry.ts';
import { emptyCheckpoint } from '../observe/observe.ts';
import type { FollowedPass } from '../pass-state.ts';
import { isPublished, settleIncidents } from './settle-incidents.ts';

/** Seconds. During a deployment another version of the configuration may still look at a cluster. */
const leftAloneSeconds = 1800;

const why = 'Its cluster is no longer in poolkeeper.yaml: what is so there is not known.';

/** With a sweep of the first cluster, ends the incidents of clusters that are not configured any more, and publishes
 *  what a last pass over them could not: no pass of theirs would. Last of all: nothing waits for it. */
export async function closeRemoved(pass: FollowedPass): Promise<void> {
  const { scope, observation, ports } = pass;
  const { clusters } = ports.configuration;
  if (!observation.swept || clusters[0]?.name !== scope.cluster.name) return;
  const configured = new Set(clusters.map(({ name }) => name));
  try {
    const left = (await ports.incidents.list()).filter(({ key }) => !configured.has(key.cluster));
    for (const [name, incidents] of Map.groupBy(left, ({ key }) => key.cluster)) await closeAll(name, incidents, pass);
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('incidents of clusters that were removed were not closed', { why: cause.message });
  }
}

/** In the order of a pass: a crash after the saves leaves marks behind by which the next sweep publishes the rest, a
 *  crash after the events repeats them under their old ids. */
async function closeAll(
  cluster: string,
  incidents: readonly Incident[],
  { scope, ports, now }: FollowedPass,
): Promise<void> {
  const stored = await ports.checkpoints.load(cluster);
  if (stored?.tickedAt !== undefined && secondsSince(stored.tickedAt, now) < leftAloneSeconds) return;
  // Without a checkpoint it is not known what of the past was published.
  const isLeft = (incident: Incident) =>
    incident.state !== 'ok' ||
    isDue(incident, ports.configuration.alerts, now) ||
    (stored !== undefined && !isPublished(incident, stored.toldIncidents));
  if (!incidents.some(isLeft)) return;
  const checkpoint = stored ?? emptyCheckpoint(cluster);
  const { events, told } = await settleIncidents(
    {
      settings: { name: cluster, policy: scope.cluster.policy },
      judgement: { troubles: [], unseen: [], firstSeen: {} },
      told: checkpoint.toldIncidents,
      removed: why,
      now,
    },
    ports,
  );
  if (events.length > 0) {
    await ports.timeline.append(events.map(timelineEntry));
    await ports.bus.publish(events);
  }
  await ports.checkpoints.save({ ...checkpoint, toldIncidents: told });
}

import { dueEvent } from '../../core/alerts/due-event.ts';
import { isDue } from '../../core/alerts/plan-delivery.ts';
import { incidentEvent } from '../../core/alerts/published.ts';
import { settle } from '../../core/alerts/settle.ts';
import { Transient } from '../../core/text/errors.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { timelineEntry } from '../../core/timeline/timeline-entry.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { FollowedPass } from '../pass-state.ts';

const source = '/poolkeeper/keep-pools';

/** Seconds. During a deployment another version of the configuration may still look at a cluster. */
const leftAloneSeconds = 1800;

const why = 'Its cluster is no longer in poolkeeper.yaml: what is so there is not known.';

/** With a sweep of the first cluster, ends the incidents of clusters that are not configured any more: no pass of
 *  theirs would. Last of all: nothing waits for it. */
export async function closeRemoved({ scope, observation, ports, now }: FollowedPass): Promise<void> {
  const { clusters } = ports.configuration;
  if (!observation.swept || clusters[0]?.name !== scope.cluster.name) return;
  const configured = new Set(clusters.map(({ name }) => name));
  try {
    const { alerts } = ports.configuration;
    // Also those of which only the message is owed: a sweep that ended them may have died before it asked for it.
    const left = (await ports.incidents.list()).filter((each) => each.state !== 'ok' || isDue(each, alerts, now));
    const removed = new Set(left.map(({ key }) => key.cluster).filter((name) => !configured.has(name)));
    for (const name of removed) await closeAll(name, scope.cluster.policy.alerting, { ports, now });
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('incidents of clusters that were removed were not closed', { why: cause.message });
  }
}

async function closeAll(
  cluster: string,
  policy: FollowedPass['scope']['cluster']['policy']['alerting'],
  { ports, now }: { readonly ports: KeepPorts; readonly now: Date },
): Promise<void> {
  const tickedAt = (await ports.checkpoints.load(cluster))?.tickedAt;
  if (tickedAt !== undefined && secondsSince(tickedAt, now) < leftAloneSeconds) return;
  const { changes, due } = settle({
    cluster,
    troubles: [],
    incidents: await ports.incidents.load(cluster),
    unseen: () => undefined,
    removed: () => why,
    policy,
    alerts: ports.configuration.alerts,
    now,
    numbers: [],
  });
  // Published first: if this dies in between, the next sweep repeats the events under their old ids.
  const events = changes.flatMap(({ told }) => (told === undefined ? [] : [incidentEvent(told, { source, now })]));
  if (events.length > 0) {
    await ports.timeline.append(events.map(timelineEntry));
    await ports.bus.publish(events);
  }
  for (const { incident } of changes) await ports.incidents.save(incident);
  for (const key of due) await ports.alerts.send(dueEvent(key, { source, about: '' }, now));
}

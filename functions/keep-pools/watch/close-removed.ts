import type { Incident } from '../../core/alerts/incident.ts';
import { isDue } from '../../core/alerts/plan-delivery.ts';
import type { Trouble, TroubleKey } from '../../core/findings/trouble.ts';
import { idsStored } from '../../core/guard/guarded-cluster.ts';
import { leftPauses } from '../../core/judge/left-pauses.ts';
import { Transient } from '../../core/text/errors.ts';
import { secondsSince } from '../../core/text/instant.ts';
import { timelineEntry } from '../../core/timeline/timeline-entry.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import { freeLeftGuards } from '../act/free-left-guards.ts';
import { emptyCheckpoint } from '../observe/observe.ts';
import type { FollowedPass } from '../pass-state.ts';
import { boundedPorts, looksAtMost } from '../sequences/bounded-ports.ts';
import { releaseOfRemoved } from '../sequences/release-orphans.ts';
import { isPublished, settleIncidents } from './settle-incidents.ts';

/** Seconds. During a deployment another version of the configuration may still look at a cluster. */
const leftAloneSeconds = 1800;

/** Seconds for which one cluster looks after those that were taken out, before it is the next one's turn: one of them
 *  may be out of sight for days. At least as long as the longest `sweepEvery`. */
const turnSeconds = 3600;

const why = 'Its cluster is no longer in poolkeeper.yaml: what is so there is not known.';

/** With a sweep of the cluster whose turn it is, ends the incidents of clusters that are not configured any more, takes
 *  their guards and the windows of their sequences away, tells which of their pools were left paused, and publishes
 *  what a last pass over them could not: no pass of theirs would. Last of all: nothing waits for it. */
export async function closeRemoved(pass: FollowedPass): Promise<void> {
  const { scope, observation, ports } = pass;
  const { clusters } = ports.configuration;
  const turn = Math.floor(pass.now.getTime() / 1000 / turnSeconds) % clusters.length;
  if (!observation.swept || clusters[turn]?.name !== scope.cluster.name) return;
  const configured = new Set(clusters.map(({ name }) => name));
  try {
    const [incidents, views] = await Promise.all([ports.incidents.list(), ports.views.list()]);
    const kept = views.filter(({ cluster }) => configured.has(cluster));
    const removed = views.filter(({ cluster }) => !configured.has(cluster));
    const troubles = removed.flatMap((view) => leftPauses(view, kept, pass.now));
    const left = incidents.filter(({ key }) => !configured.has(key.cluster));
    for (const name of new Set([...left, ...troubles].map(({ key }) => key.cluster))) {
      const isOf = ({ key }: { readonly key: TroubleKey }) => key.cluster === name;
      await closeAll(name, { incidents: left.filter(isOf), troubles: troubles.filter(isOf) }, pass);
    }
    for (const { cluster } of removed) {
      await freeGuards(cluster, pass);
      await freeWindows(cluster, pass);
    }
  } catch (cause) {
    if (!(cause instanceof Transient)) throw cause;
    ports.logger.warn('incidents of clusters that were removed were not closed', { why: cause.message });
  }
}

/** In the order of a pass: a crash after the saves leaves marks behind by which the next sweep publishes the rest, a
 *  crash after the events repeats them under their old ids. */
async function closeAll(
  cluster: string,
  { incidents, troubles }: { readonly incidents: readonly Incident[]; readonly troubles: readonly Trouble[] },
  { scope, ports, now }: FollowedPass,
): Promise<void> {
  const stored = await ports.checkpoints.load(cluster);
  if (isLookedAt(stored, now)) return;
  // Without a checkpoint it is not known what of the past was published.
  const isLeft = (incident: Incident) =>
    incident.state !== 'ok' ||
    isDue(incident, ports.configuration.alerts, now) ||
    (stored !== undefined && !isPublished(incident, stored.toldIncidents));
  if (troubles.length === 0 && !incidents.some(isLeft)) return;
  const checkpoint = stored ?? emptyCheckpoint(cluster);
  const { events, told, failure } = await settleIncidents(
    {
      settings: { name: cluster, policy: scope.cluster.policy },
      judgement: { troubles, unseen: [], firstSeen: {} },
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
  if (failure !== undefined) throw failure;
}

async function freeGuards(cluster: string, { ports, now }: FollowedPass): Promise<void> {
  const stored = await ports.checkpoints.load(cluster);
  if (stored?.guards !== true || isLookedAt(stored, now)) return;
  // Those with another id are of a cluster of this name that another Poolkeeper keeps.
  if (await freeLeftGuards({ cluster, ids: idsStored(stored) }, ports))
    await ports.checkpoints.save({ ...stored, guards: false });
}

async function freeWindows(cluster: string, { ports, now }: FollowedPass): Promise<void> {
  const stored = await ports.checkpoints.load(cluster);
  if (stored?.sequenceWindows === undefined || isLookedAt(stored, now)) return;
  const left = await releaseOfRemoved(cluster, stored.sequenceWindows, boundedPorts(ports, looksAtMost));
  await ports.checkpoints.save({ ...stored, sequenceWindows: left.length === 0 ? undefined : left });
}

function isLookedAt(stored: Checkpoint | undefined, now: Date): boolean {
  return stored?.tickedAt !== undefined && secondsSince(stored.tickedAt, now) < leftAloneSeconds;
}

import { afterBlindLook } from '../../core/holds/gate-clocks.ts';
import { judge } from '../../core/judge/judge.ts';
import { notAsked, unreadable } from '../../core/text/observed.ts';
import { timelineEntry } from '../../core/timeline/timeline-entry.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { emptyCheckpoint } from '../observe/observe.ts';
import { withoutLaterTimes } from '../observe/without-later-times.ts';
import { ownPart } from '../own-part.ts';
import { argocdsOf } from '../route/known-applications.ts';
import { isClockTick, type Scope } from '../route/scope.ts';
import { measureBlindPass, measureMisses, writeMetrics } from '../tell/measure.ts';
import { publish } from '../tell/publish.ts';
import { saveCheckpoint } from '../tell/save-checkpoint.ts';
import { readOverdueLocks } from './read-overdue-locks.ts';
import { settleIncidents } from './settle-incidents.ts';

/** A pass that could not read its cluster: no hold changes, no incident is resolved, and if it lasts it becomes an
 *  incident itself. */
export async function blind(scope: Scope, why: string, ports: KeepPorts): Promise<void> {
  const { cluster: settings } = scope;
  // First, because what follows needs the table, which may be unreachable too.
  writeMetrics(measureBlindPass({ isClockTick: isClockTick(scope) }), ports.metrics);
  const now = ports.clock();
  const stored = await ports.checkpoints.load(settings.name);
  const checkpoint = withoutLaterTimes(stored ?? emptyCheckpoint(settings.name), now);
  // Only ticks count as misses: a burst of hints within one bad second is no lasting outage.
  const misses = checkpoint.misses + (scope.maySweep ? 1 : 0);
  ports.logger.warn('cluster could not be read', { cluster: settings.name, why, misses });
  writeMetrics(measureMisses(misses), ports.metrics);
  const judgement = judge({
    cluster: settings.name,
    now,
    policy: settings.policy,
    pools: unreadable(why),
    everyNode: notAsked,
    rollouts: notAsked,
    known: notAsked,
    argocds: argocdsOf(settings.name, ports),
    breakGlass: notAsked,
    firstSeen: checkpoint.firstSeen,
    diagnoses: new Map(),
    applications: [],
    races: [],
    misses,
    lastGoodReadAt: checkpoint.lastGoodReadAt,
    unreadable: checkpoint.unreadable ?? [],
    sweep: scope.maySweep
      ? { since: checkpoint.sweptAt ?? checkpoint.sweepDueSince, triedUntil: checkpoint.tickedAt }
      : undefined,
    // They are in no cluster: who looks after them sees them also where it sees nothing else.
    overdueLocks: await readOverdueLocks(scope, ports),
  });
  const { events, told, failure } = await settleIncidents(
    { settings, judgement, told: checkpoint.toldIncidents, now },
    ports,
  );
  // What cannot be published is by the next pass, and keeps no misses from being counted.
  const unpublished = await publish({ entries: events.map(timelineEntry), events }, settings.name, ports);
  const toldIncidents = unpublished === undefined ? told : checkpoint.toldIncidents;
  const after = { ...checkpoint, misses, firstSeen: afterBlindLook(judgement.firstSeen, now), toldIncidents };
  await saveCheckpoint({ before: checkpoint, after, asked: [] }, scope, ports);
  const about = { cluster: settings.name };
  const show = () => showBlind({ settings, why, misses, checkpoint, now }, ports);
  await ownPart('storing what the page shows', about, show, ports);
  const lost = failure ?? unpublished;
  if (lost !== undefined) throw lost;
}

/** The page keeps the last view and says since when it has been stale. */
async function showBlind(
  {
    settings,
    why,
    misses,
    checkpoint,
    now,
  }: {
    readonly settings: Scope['cluster'];
    readonly why: string;
    readonly misses: number;
    readonly checkpoint: { readonly lastGoodReadAt: string | undefined };
    readonly now: Date;
  },
  { views }: KeepPorts,
): Promise<void> {
  const last = await views.load(settings.name);
  const since = last?.blind?.since ?? now.toISOString();
  await views.save({
    cluster: settings.name,
    readAt: last?.readAt ?? checkpoint.lastGoodReadAt ?? '',
    blind: { why, since, misses },
    pools: last?.pools ?? [],
    ...(last?.poolsLeftOut === undefined ? {} : { poolsLeftOut: last.poolsLeftOut }),
    ...(last?.unreadablePools === undefined ? {} : { unreadablePools: last.unreadablePools }),
    ...(last?.guards === undefined ? {} : { guards: last.guards }),
    ...(last?.operatorParts === undefined ? {} : { operatorParts: last.operatorParts }),
    ...(last?.ignoredAnnotations === undefined ? {} : { ignoredAnnotations: last.ignoredAnnotations }),
  });
}

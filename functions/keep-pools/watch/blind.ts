import { judge } from '../../core/judge/judge.ts';
import { notAsked, unreadable } from '../../core/text/observed.ts';
import { timelineEntry } from '../../core/timeline/timeline-entry.ts';
import type { KeepPorts } from '../keep-ports.ts';
import { emptyCheckpoint } from '../observe/observe.ts';
import { isClockTick, type Scope } from '../route/scope.ts';
import { measureBlindPass, measureMisses, note } from '../tell/measure.ts';
import { settleIncidents } from './settle-incidents.ts';

/** A pass that saw nothing: no hold changes, no incident is resolved, and when it lasts it becomes an incident
 *  itself. */
export async function blind(scope: Scope, why: string, ports: KeepPorts): Promise<void> {
  const { cluster: settings } = scope;
  // First: what follows needs the table, which may be out of sight as well.
  note(measureBlindPass({ isClockTick: isClockTick(scope) }), ports.metrics);
  const now = ports.clock();
  const memory = (await ports.checkpoints.load(settings.name)) ?? emptyCheckpoint(settings.name);
  // Only ticks count as misses: a burst of hints in one bad second is no lasting blindness.
  const misses = memory.misses + (scope.maySweep ? 1 : 0);
  ports.logger.warn('cluster could not be seen', { cluster: settings.name, why, misses });
  note(measureMisses(misses), ports.metrics);
  const judgement = judge({
    cluster: settings.name,
    now,
    policy: settings.policy,
    pools: unreadable(why),
    everyNode: notAsked,
    rollouts: notAsked,
    known: notAsked,
    breakGlass: notAsked,
    firstSeen: memory.firstSeen,
    diagnoses: new Map(),
    applications: [],
    races: [],
    misses,
    lastGoodReadAt: memory.lastGoodReadAt,
  });
  const { events, told } = await settleIncidents({ settings, judgement, told: memory.toldIncidents, now }, ports);
  if (events.length > 0) {
    await ports.timeline.append(events.map(timelineEntry));
    await ports.bus.publish(events);
  }
  await ports.checkpoints.save({ ...memory, misses, firstSeen: judgement.firstSeen, toldIncidents: told });
  await showBlind({ settings, why, misses, memory, now }, ports);
}

/** The page keeps what was seen last and says since when nothing new was. */
async function showBlind(
  {
    settings,
    why,
    misses,
    memory,
    now,
  }: {
    readonly settings: Scope['cluster'];
    readonly why: string;
    readonly misses: number;
    readonly memory: { readonly lastGoodReadAt: string | undefined };
    readonly now: Date;
  },
  { views }: KeepPorts,
): Promise<void> {
  const last = (await views.list()).find((view) => view.cluster === settings.name);
  const since = last?.blind?.since ?? now.toISOString();
  await views.save({
    cluster: settings.name,
    readAt: last?.readAt ?? memory.lastGoodReadAt ?? '',
    blind: { why, since, misses },
    pools: last?.pools ?? [],
  });
}

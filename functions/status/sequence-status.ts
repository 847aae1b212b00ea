import type { Configuration } from '../core/configuration/configuration.ts';
import type { Sequence } from '../core/configuration/sequence.ts';
import type { SequenceItemView } from '../core/sequences/sequence-view.ts';
import type { ShownSequence } from '../core/sequences/shown-sequence.ts';
import { secondsBetween } from '../core/text/durations.ts';
import { isPast } from '../core/text/instant.ts';
import { safeLine } from '../core/text/safe-text.ts';
import { isStale } from '../core/timeline/is-stale.ts';
import type { SequenceItemStatus, SequenceStatus } from './status.ts';

/** Seconds: three sweeps, each of which looks at everything. */
const staleAfterSeconds = 900;

const order: readonly SequenceStatus['state'][] = ['aborted', 'running', 'paused', 'not begun', 'done'];

/** Those of the configuration, if it is known: those with problems first, those that are done last. */
export function sequenceStatuses(
  views: readonly ShownSequence[],
  configuration: Pick<Configuration, 'sequences'> | undefined,
  now: Date,
): readonly SequenceStatus[] {
  const known = configuration?.sequences;
  const looked = new Set(views.map(({ sequence }) => sequence));
  return [
    ...views
      .filter(({ sequence }) => configuration === undefined || (known !== undefined && Object.hasOwn(known, sequence)))
      .map((view) => sequenceStatus(view, now)),
    ...Object.entries(known ?? {})
      .filter(([name]) => !looked.has(name))
      .map(([name, sequence]) => neverSeen(name, sequence)),
  ].toSorted((a, b) => need(a) - need(b) || a.name.localeCompare(b.name, 'en'));
}

/** Those that a sequence is taken on, and the one that keeps its record. */
export function clustersOf(
  { name, cluster, waves }: SequenceStatus,
  configuration: Pick<Configuration, 'sequences'> | undefined,
): readonly string[] {
  const { clusters = [], steps = {} } = configuration?.sequences?.[name] ?? {};
  const ofSteps = Object.values(steps).flatMap((step) => step.clusters);
  return [cluster, ...clusters, ...ofSteps, ...waves.flatMap(({ shown }) => shown.map((item) => item.cluster))];
}

function need({ problems, state }: SequenceStatus): number {
  return (problems.length > 0 ? 0 : order.length) + order.indexOf(state);
}

/** Of the configuration, and nobody has looked at it. */
function neverSeen(name: string, { description, clusters }: Sequence): SequenceStatus {
  const nothing = { waves: [], wavesOmitted: 0, problems: [], log: [] };
  return { name, description, cluster: clusters[0] ?? '', state: 'not begun', stale: true, ...nothing };
}

function sequenceStatus(view: ShownSequence, now: Date): SequenceStatus {
  const { sequence, description, cluster, state, said, readAt, wave, waves, wavesOmitted, problems, log } = view;
  const readAgeSeconds = ageSeconds(readAt, now);
  return {
    name: sequence,
    description: description === undefined ? undefined : safeLine(description, 200),
    cluster,
    state,
    said: said === undefined ? undefined : { who: safeLine(said.who, 200), why: safeLine(said.why, 300), at: said.at },
    readAt,
    readAgeSeconds,
    stale: isStale(readAt, now, staleAfterSeconds),
    wave,
    waves: waves.map((each) => ({ ...each, shown: each.shown.map((item) => itemStatus(item, now)) })),
    wavesOmitted,
    problems: problems.map((problem) => ({ ...problem, why: safeLine(problem.why, 300) })),
    log: log.map(({ at, item, what }) => ({ at, item, what: safeLine(what, 300) })),
  };
}

function itemStatus({ why, ...item }: SequenceItemView, now: Date): SequenceItemStatus {
  const { waitedSince, until, waitsFor } = item;
  return {
    ...item,
    what: safeLine(item.what, 300),
    value: safeLine(item.value, 300),
    waitedSeconds: waitedSince === undefined ? undefined : ageSeconds(waitedSince, now),
    overdue: until !== undefined && isPast(until, now),
    heldBy: why === undefined ? undefined : safeLine(why, 300),
    waitsFor: waitsFor === undefined ? undefined : [...waitsFor],
  };
}

function ageSeconds(since: string, now: Date): number {
  return Math.max(0, Math.floor(secondsBetween(since, now)));
}

import { cloudEvent, type PublishedEvent } from '../../../events/index.ts';
import { untouched } from '../../core/holds/untouched.ts';
import { joinedEvents, rolloutEvents } from '../../core/node-rollouts/node-events.ts';
import { emptyRecord } from '../../core/openshift/pool-record.ts';
import type { UnpausedSync } from '../../core/openshift/unpaused-sync.ts';
import { poolEvents } from '../../core/timeline/pool-events.ts';
import { renderedEvents } from '../../core/timeline/rendered-events.ts';
import { timelineEntry } from '../../core/timeline/timeline-entry.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { Performed } from '../act/perform.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { Observation } from '../observe/observe.ts';
import type { Scope } from '../route/scope.ts';
import { keepRollouts } from '../watch/follow-nodes.ts';
import type { Watched } from '../watch/watch.ts';
import type { RaceOutcome } from './run-races.ts';

/** How many deliveries of pushes are remembered for telling redeliveries from pushes. */
const pushesKept = 50;

export interface PassOutcome {
  readonly scope: Scope;
  readonly observation: Observation;
  readonly performed: readonly Performed[];
  readonly raced: RaceOutcome;
  /** Refused syncs that were started again. */
  readonly restarted: readonly PublishedEvent[];
  readonly troubles: Watched;
  /** Any MachineHealthCheck is paused by us. */
  readonly healthChecksPaused: boolean;
  /** Syncs that may go ahead without a pause. */
  readonly spared: readonly UnpausedSync[];
  readonly now: Date;
}

/** Tells what happened and then notes that it was told. In this order: a death between the two repeats events under
 *  their old ids, the other order would lose them. Answers with what was told. */
export async function saveCheckpoint(given: PassOutcome, ports: KeepPorts): Promise<readonly PublishedEvent[]> {
  const { observation, scope, troubles, now } = given;
  const events = [
    ...eventsOfPools(given),
    ...given.raced.events,
    ...given.restarted,
    ...troubles.events,
    ...rolloutEvents(troubles.followed?.ended ?? [], now),
    ...joinedEvents(scope.cluster.name, observation.checkpoint.pauses ?? {}, troubles.pauses, now),
    ...renderedEvents(
      scope.cluster.name,
      { before: observation.checkpoint.pending ?? {}, after: troubles.pending },
      now,
    ),
    ...nothingEvents(given),
  ];
  if (events.length > 0) {
    await ports.timeline.append(events.map(timelineEntry));
    await ports.bus.publish(events);
  }
  for (const race of given.raced.changed) await ports.races.save(race);
  await keepRollouts(troubles.followed, ports);
  const memory: Checkpoint = {
    ...observation.checkpoint,
    sweptAt: observation.swept ? now.toISOString() : observation.checkpoint.sweptAt,
    lastGoodReadAt: now.toISOString(),
    misses: 0,
    firstSeen: troubles.firstSeen,
    toldIncidents: troubles.toldIncidents,
    healthChecksPaused: given.healthChecksPaused,
    told: toldNow(given),
    pushes: pushesNow(scope, observation.checkpoint),
    following: followingNow(troubles, observation.checkpoint),
    pauses: troubles.pauses,
    ...noted(given),
  };
  const isFirst = await ports.checkpoints.save(memory);
  if (!isFirst) ports.logger.info('another pass over this cluster was faster', { cluster: scope.cluster.name });
  return events;
}

/** What mostly is not there is left out. */
function noted({ spared, troubles }: PassOutcome): Pick<Checkpoint, 'spared' | 'pending'> {
  return {
    spared: spared.length === 0 ? undefined : spared,
    pending: Object.keys(troubles.pending).length === 0 ? undefined : troubles.pending,
  };
}

function eventsOfPools({ performed, observation, scope, now }: PassOutcome): readonly PublishedEvent[] {
  return performed.flatMap(({ pool }) =>
    poolEvents({ cluster: scope.cluster.name, pool, told: observation.checkpoint.told[pool.name], now }),
  );
}

/** Why a push or a sync made nothing happen: told once an event, never by ticks, which would say it every minute. */
function nothingEvents({ performed, observation, scope, now }: PassOutcome): readonly PublishedEvent[] {
  if (scope.push === undefined) return [];
  const notes = performed.flatMap(({ plan }) => plan.notes.map((note) => ({ ...note, pool: plan.pool.name })));
  const cluster = scope.cluster.name;
  const alone = leftAloneEvents(observation, scope, now);
  const perPool = notes.map(({ about, why, pool }) =>
    cloudEvent({
      type: 'poolkeeper.decision.nothing.v1',
      id: `${cluster}/${pool}/nothing/${scope.eventId}/${about}`,
      source: '/poolkeeper/keep-pools',
      subject: `${cluster}/${pool}`,
      time: now,
      correlation: scope.eventId,
      data: { cluster, about: `${pool} by ${about}`, why },
    }),
  );
  return [...perPool, ...alone];
}

/** So many Applications that a push leaves alone are told one by one. */
const leftAloneTold = 10;

/** Applications that are concerned by the push and by which it reaches no pool. */
function leftAloneEvents(
  { leftAlone, snapshot }: Observation,
  { cluster, eventId }: Scope,
  now: Date,
): readonly PublishedEvent[] {
  const notes = [...leftAlone, ...untouched(snapshot)];
  const more = notes.length - leftAloneTold;
  const others = { about: `${more} more Applications`, why: 'the push reaches no pool by them' };
  return [...notes.slice(0, leftAloneTold), ...(more > 0 ? [others] : [])].map(({ about, why }) =>
    cloudEvent({
      type: 'poolkeeper.decision.nothing.v1',
      id: `${cluster.name}/nothing/${eventId}/${about}`,
      source: '/poolkeeper/keep-pools',
      subject: cluster.name,
      time: now,
      correlation: eventId,
      data: { cluster: cluster.name, about, why },
    }),
  );
}

function toldNow({ performed }: PassOutcome): Checkpoint['told'] {
  return Object.fromEntries(
    performed.flatMap(({ pool }) => {
      const record = pool.record.kind === 'record' ? pool.record.record : emptyRecord;
      return record.holds.length === 0 && record.last === undefined ? [] : [[pool.name, record]];
    }),
  );
}

/** Where nothing was followed, what was to be followed still is. */
function followingNow({ followed }: Watched, memory: Checkpoint): Checkpoint['following'] {
  return followed === undefined ? memory.following : [...new Set(followed.rollouts.open.map(({ pool }) => pool))];
}

function pushesNow({ push, eventId }: Scope, memory: Checkpoint): Checkpoint['pushes'] {
  if (push === undefined || memory.pushes.some((each) => each.delivery === eventId)) return memory.pushes;
  return [...memory.pushes, { revision: push.revision ?? '', at: push.at, delivery: eventId }].slice(-pushesKept);
}

import { cloudEvent, type PublishedEvent } from '../../../events/index.ts';
import { type IgnoredAnnotation, ignoredAnnotations } from '../../core/argocd/ignored-annotations.ts';
import type { GateView } from '../../core/gates/gate-view.ts';
import { idsToStore } from '../../core/guard/guarded-cluster.ts';
import { affectingNoPool } from '../../core/holds/affecting-no-pool.ts';
import { type GatedPool, gateClocksOf, gatedConfig, withGateClocks } from '../../core/holds/gate-clocks.ts';
import { gatesRunningOn } from '../../core/holds/gate-question.ts';
import type { PushNews } from '../../core/holds/push-news.ts';
import type { Followed } from '../../core/node-rollouts/follow.ts';
import { joinedEvents, rolloutEvents } from '../../core/node-rollouts/node-events.ts';
import { marksOf } from '../../core/node-rollouts/pool-mark.ts';
import {
  emptyRecord,
  holdsOf,
  holdsOfPeople,
  isLost,
  type PoolRecord,
  recordIn,
} from '../../core/openshift/pool-record.ts';
import { racesToFollow, racesToTell } from '../../core/races/choose-races.ts';
import type { Transient } from '../../core/text/errors.ts';
import { counted } from '../../core/text/phrases.ts';
import { unique } from '../../core/text/unique.ts';
import { entriesOfPass } from '../../core/timeline/entries-of-pass.ts';
import { guardEntry } from '../../core/timeline/guard-entry.ts';
import { healthCheckEntry } from '../../core/timeline/health-check-entry.ts';
import { poolEvents } from '../../core/timeline/pool-events.ts';
import { renderedEvents } from '../../core/timeline/rendered-events.ts';
import { syncRestarted } from '../../core/timeline/retry-events.ts';
import type { TimelineEntry } from '../../core/timeline/view.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import { type PerformedPool, whyStillLost } from '../act/write-pool.ts';
import { isUnasked, type KeptRuns } from '../node-turns/kept-runs.ts';
import type { Observation } from '../observe/observe.ts';
import { ownPart } from '../own-part.ts';
import type { WatchedPass } from '../pass-state.ts';
import { isClockTick, type Scope } from '../route/scope.ts';
import { type Claimed, claimRollouts, keepEnded } from '../watch/follow-nodes.ts';
import { publish } from './publish.ts';
import { pushesKept, saveCheckpoint } from './save-checkpoint.ts';

/** What was published. */
export interface Published {
  readonly events: readonly PublishedEvent[];
  /** Why not all of it was, or the races are not stored: the next pass publishes again what this one should have. */
  readonly failure: Transient | undefined;
}

/** Publishes what happened and then saves the checkpoint. In this order: a crash between the two repeats events under
 *  their old ids, the other order would lose them. What cannot be published keeps no clock of the checkpoint from
 *  running. Throws Transient when the checkpoint cannot be saved. */
export async function publishAndCheckpoint(pass: WatchedPass): Promise<Published> {
  const { observation, scope, ports, watched, now } = pass;
  const claimed = await claimRollouts(watched.followed, ports);
  const events = eventsOf(pass, claimed);
  const entries = [...entriesOfPass(events), ...healthCheckEntries(pass), ...guardEntries(pass)];
  const about = { cluster: scope.cluster.name };
  const unpublished = await publish({ entries, events }, scope.cluster.name, ports);
  const raced = await ownPart('storing the races', about, () => saveRaces(pass), ports);
  const areKept = unpublished === undefined && (await keepEnded(claimed, ports));
  const checkpoint: Checkpoint = {
    ...observation.checkpoint,
    sweptAt: observation.swept ? now.toISOString() : observation.checkpoint.sweptAt,
    lastGoodReadAt: now.toISOString(),
    misses: 0,
    tickedAt: isClockTick(scope) ? now.toISOString() : observation.checkpoint.tickedAt,
    firstSeen: {
      ...clocksOfUnreadable(observation),
      ...withGateClocks(
        watched.firstSeen,
        pass.performed.map((performed) => gatedPool(performed, pass)),
        { before: observation.checkpoint.firstSeen, now },
      ),
      ...gateClocksOf(observation.checkpoint.firstSeen, unaskedPools(pass)),
    },
    toldIncidents: watched.toldIncidents,
    healthChecksPaused: pass.healthChecksPaused,
    ...publishedRecords(pass),
    pushes: pushesNow(scope, observation.checkpoint),
    ...nodesFollowed(pass, areKept),
    races: racesFollowed(pass),
    untoldRaces: unpublished === undefined && pass.raced.failure === undefined ? undefined : untoldRaces(pass),
    pauses: watched.pauses,
    paces: watched.paces,
    ...rareFields(pass),
    ...(unpublished === undefined ? {} : asPublished(observation.checkpoint)),
  };
  const draft = { before: observation.checkpoint, after: checkpoint, asked: [...pass.runs.gates.keys()] };
  await saveCheckpoint(draft, scope, ports);
  return { events, failure: unpublished ?? raced.failure };
}

/** What the next pass tells apart from what it finds, to publish the difference. */
function asPublished({
  told,
  toldSteps,
  toldIncidents,
  pending,
  pauses,
}: Checkpoint): Pick<Checkpoint, 'told' | 'toldSteps' | 'toldIncidents' | 'pending' | 'pauses'> {
  return { told, toldSteps, toldIncidents, pending, pauses };
}

/** Races that are saved at once: whoever may start syncs can make any number of them change in one pass. */
const savedAtOnce = 20;

async function saveRaces({ raced: { changed }, ports: { races } }: WatchedPass): Promise<void> {
  for (let from = 0; from < changed.length; from += savedAtOnce)
    await Promise.all(changed.slice(from, from + savedAtOnce).map((race) => races.save(race)));
}

function eventsOf(pass: WatchedPass, { ended }: Claimed): readonly PublishedEvent[] {
  const { observation, scope, watched, now } = pass;
  const cluster = scope.cluster.name;
  const started = pass.retried.filter(({ outcome }) => outcome === 'started');
  return [
    ...eventsOfPools(pass),
    ...pass.raced.events,
    ...started.map(({ application }) => syncRestarted(scope.cluster, application, now)),
    ...watched.events,
    ...rolloutEvents(ended, now),
    ...joinedEvents(cluster, observation.checkpoint.pauses ?? {}, watched.pauses, now),
    ...renderedEvents(cluster, { before: observation.checkpoint.pending ?? {}, after: watched.pending }, now),
    ...nothingEvents(pass),
  ];
}

function healthCheckEntries({ scope, healthChecks, now }: WatchedPass): readonly TimelineEntry[] {
  return healthChecks.flatMap(({ plan, failure }) =>
    failure === undefined ? [healthCheckEntry(scope.cluster.name, plan, now)] : [],
  );
}

function guardEntries({ scope, guards, now }: WatchedPass): readonly TimelineEntry[] {
  return guards.changes.map((change) => guardEntry(scope.cluster.name, change, now));
}

/** Left out where empty, which is nearly always. */
function rareFields({
  unpaused,
  places,
  sequences,
  runs,
  watched,
  guards,
  observation,
  now,
}: WatchedPass): Partial<Checkpoint> {
  const { swept, checkpoint } = observation;
  const isFirstSweepDue = !swept && checkpoint.sweptAt === undefined;
  const ignored = ignoredNow(observation);
  return {
    ignoredAnnotations: ignored.length === 0 ? undefined : ignored,
    operatorParts: watched.operatorParts,
    places,
    sequencesDone: Object.keys(sequences.done).length === 0 ? undefined : sequences.done,
    sequencesUnseen: Object.keys(sequences.unseen).length === 0 ? undefined : sequences.unseen,
    runsUnseen: Object.keys(runs.unseen).length === 0 ? undefined : runs.unseen,
    sequenceRecords: sequences.records.length === 0 ? undefined : sequences.records,
    sequenceWindows: sequences.windows.length === 0 ? undefined : sequences.windows,
    guards: (guards.exist ?? checkpoint.guards) || undefined,
    ...idsToStore(guards.ids, { areTakenOver: guards.areTakenOver, before: checkpoint }),
    spared: unpaused.length === 0 ? undefined : unpaused,
    pending: Object.keys(watched.pending).length === 0 ? undefined : watched.pending,
    unreadable: watched.unreadable.length === 0 ? undefined : watched.unreadable,
    sweepDueSince: isFirstSweepDue ? (checkpoint.sweepDueSince ?? now.toISOString()) : undefined,
  };
}

/** By the last complete list of Applications. */
export function ignoredNow({ swept, snapshot, checkpoint }: Observation): readonly IgnoredAnnotation[] {
  return swept ? ignoredAnnotations(snapshot.applications) : (checkpoint.ignoredAnnotations ?? []);
}

/** From what was published last to what this pass read, and from there to what it wrote. What another pass wrote may
 *  not have been noted as published, if this one or a third was faster to store the checkpoint: what that pass began
 *  and this one ended is told all the same. */
function eventsOfPools({ performed, observation, scope, now }: WatchedPass): readonly PublishedEvent[] {
  const cluster = scope.cluster.name;
  return performed.flatMap(({ pool, plan, undated }) => {
    if (undated !== undefined) return [];
    const { told, toldSteps } = observation.checkpoint;
    const before = { published: told[pool.name], publishedSteps: toldSteps?.[pool.name] };
    const { record } = plan.pool;
    // A lost record says nothing of its own: what is put back in its place was neither released nor began anew.
    if (pool === plan.pool || record.kind !== 'record' || isLost(record))
      return poolEvents({ cluster, pool, ...before, now });
    return [
      ...poolEvents({ cluster, pool: plan.pool, ...before, now }),
      ...poolEvents({ cluster, pool, published: record.record, now }),
    ];
  });
}

/** Why a push changed nothing: published once per push and never by ticks, which would repeat it every minute. */
function nothingEvents({ performed, observation, scope, now }: WatchedPass): readonly PublishedEvent[] {
  if (scope.push === undefined) return [];
  const cluster = scope.cluster.name;
  const perPool = performed.flatMap(({ plan }) => {
    const pool = plan.pool.name;
    return firstNotes(plan.notes, `a push lists ${notesListed} for each pool`).map(({ about, why }) =>
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
  });
  return [...perPool, ...leftAloneEvents(observation, scope, now)];
}

/** Notes on one pool, and on all pools together, that get an event of their own at most: whoever can make up
 *  Applications can make up any number. */
const notesListed = 10;

function firstNotes(notes: PushNews['notes'], whyOthers: string): PushNews['notes'] {
  const more = notes.length - notesListed;
  const others = { about: counted(more, 'more Application'), why: whyOthers };
  return [...notes.slice(0, notesListed), ...(more > 0 ? [others] : [])];
}

/** Applications that the push concerns without affecting a pool. */
function leftAloneEvents(
  { leftAlone, snapshot }: Observation,
  { cluster, eventId }: Scope,
  now: Date,
): readonly PublishedEvent[] {
  const notes = [...leftAlone, ...affectingNoPool(snapshot)];
  return firstNotes(notes, 'the push affects no pool through them').map(({ about, why }) =>
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

function gatedPool(performed: PerformedPool, { observation: { snapshot }, runs, now }: WatchedPass): GatedPool {
  const { pool, plan } = performed;
  const isOfRun = runs.gates.has(pool.name) || isUnasked(pool, runs);
  return {
    pool: plan.pool.name,
    gated: gatedConfig(plan.pool, snapshot, now),
    gates: timedGates(performed, runs),
    runningOn: isOfRun ? [] : gatesRunningOn(plan, pool, snapshot, now),
  };
}

/** Gates whose clocks run: those that are closed, and those that stayed closed for too long and are skipped, for as
 *  long as something is still to pass them. */
function timedGates({ pool, plan }: PerformedPool, { gates }: KeptRuns): readonly GateView[] {
  const ofNode = gates.get(pool.name);
  if (ofNode !== undefined) return [...ofNode.closed, ...ofNode.skipped];
  return plan.gates.length === 0 ? [] : [...plan.gates, ...(plan.skipped ?? [])];
}

/** Pools of runs that were not asked about in this pass, and those whose gates were asked without their record. */
function unaskedPools({ performed, runs }: WatchedPass): readonly string[] {
  const unasked = performed.filter((each) => isUnasked(each.pool, runs) || whyStillLost(each) !== undefined);
  return unasked.map(({ pool }) => pool.name);
}

/** Of pools that cannot be parsed: all their clocks run on. */
function clocksOfUnreadable({ checkpoint, snapshot }: Observation): Checkpoint['firstSeen'] {
  const { unreadablePools = [] } = snapshot;
  if (unreadablePools.length === 0) return {};
  return Object.fromEntries(
    Object.entries(checkpoint.firstSeen).filter(([key]) => unreadablePools.some((pool) => key.startsWith(`${pool}|`))),
  );
}

/** A pool that cannot be parsed, may be older than what was published, or has lost its record for as long as that could
 *  not be put back, is as it was published. Of one that is gone, what people hold it for is kept: it may be made
 *  again. */
function publishedRecords({
  performed,
  observation: { checkpoint, snapshot },
  now,
}: WatchedPass): Pick<Checkpoint, 'told' | 'toldSteps'> {
  const names = new Set([...performed.map(({ pool }) => pool.name), ...(snapshot.unreadablePools ?? [])]);
  const gone = Object.entries(checkpoint.told).flatMap(([name, record]): readonly (readonly [string, PoolRecord])[] => {
    const holds = names.has(name) ? [] : holdsOfPeople(record, now);
    return holds.length === 0 ? [] : [[name, { ...emptyRecord, holds: [...holds] }]];
  });
  const undated = performed.flatMap((each) => (each.undated === undefined ? [] : [each.pool.name]));
  const unread = new Set([...(snapshot.unreadablePools ?? []), ...undated]);
  const asBefore = <T>(of: Readonly<Record<string, T>>) => Object.entries(of).filter(([name]) => unread.has(name));
  const steps = asBefore(checkpoint.toldSteps ?? {});
  const told = [
    ...gone,
    ...asBefore(checkpoint.told),
    ...performed.flatMap(({ pool }) => {
      if (unread.has(pool.name)) return [];
      const record = recordIn(pool);
      const isEmpty = record.holds.length === 0 && record.last === undefined && record.emergency === undefined;
      return isEmpty ? [] : [[pool.name, record] as const];
    }),
  ];
  return {
    told: Object.fromEntries(told),
    toldSteps: steps.length === 0 ? undefined : Object.fromEntries(steps),
  };
}

/** Which pools to look at again. If no nodes were followed in this pass, or what was found could not be stored, the
 *  next pass has to look again wherever this one had to. */
function nodesFollowed(
  { watched: { followed, marks }, performed, observation: { checkpoint, snapshot }, now }: WatchedPass,
  areKept: boolean,
): Pick<Checkpoint, 'following' | 'marks' | 'marksAt'> {
  const { following = [] } = checkpoint;
  const before = marksOf(checkpoint);
  const marksAt = now.toISOString();
  if (followed !== undefined && !areKept)
    return { following: unique([...following, ...openPools(followed)]), marks: before, marksAt };
  const all = { ...before, ...marks };
  const names = [...performed.map(({ pool }) => pool.name), ...(snapshot.unreadablePools ?? [])];
  return {
    following: followed === undefined ? checkpoint.following : openPools(followed),
    marks: Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))),
    marksAt,
  };
}

/** Those of holds are found by the records of the pools. */
function racesFollowed({ raced, performed, observation, now }: WatchedPass): Checkpoint['races'] {
  if (raced.failure !== undefined) return observation.checkpoint.races;
  const held = new Set(
    performed.flatMap(({ pool }) => holdsOf(pool).map(({ id, since }) => `${pool.name} ${since} ${id}`)),
  );
  const others = raced.races.filter(({ pool, since, hold }) => !held.has(`${pool} ${since} ${hold}`));
  const followed = racesToFollow(others, now).map(({ pool, hold, since }) => ({ pool, hold, since }));
  return followed.length === 0 ? undefined : followed;
}

/** Of those that could not be read, nothing was told. */
function untoldRaces({ raced, observation: { checkpoint } }: WatchedPass): Checkpoint['untoldRaces'] {
  const before = raced.failure === undefined ? [] : (checkpoint.untoldRaces ?? []);
  const untold = racesToTell([...before, ...raced.toTell]);
  return untold.length === 0 ? undefined : untold;
}

function openPools({ rollouts }: Followed): readonly string[] {
  return unique(rollouts.open.map(({ pool }) => pool));
}

function pushesNow({ push, eventId }: Scope, before: Checkpoint): Checkpoint['pushes'] {
  if (push === undefined || before.pushes.some((each) => each.delivery === eventId)) return before.pushes;
  return [...before.pushes, { revision: push.revision ?? '', at: push.at, delivery: eventId }].slice(-pushesKept);
}

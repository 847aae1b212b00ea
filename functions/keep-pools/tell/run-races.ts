import type { PublishedEvent } from '../../../events/index.ts';
import type { Application, Operation, OperationResult } from '../../core/argocd/application.ts';
import { type ProtectionLevel, protectionOf } from '../../core/configuration/protection.ts';
import { answers } from '../../core/holds/answers.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { appliedMachineConfigs, isMachineConfig } from '../../core/impact/affected-pools.ts';
import { hasWritten } from '../../core/impact/pools-affected-by-sync.ts';
import { marksOf } from '../../core/node-rollouts/pool-mark.ts';
import { applicationHeldBy } from '../../core/openshift/held-application.ts';
import type { Hold } from '../../core/openshift/hold.ts';
import { settingsOf } from '../../core/openshift/managed-pools.ts';
import { membersOf } from '../../core/openshift/membership.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import { isRendered } from '../../core/openshift/rendered-kinds.ts';
import { advanceRace, awaitsNodes, type RaceFacts } from '../../core/races/judge-race.ts';
import { isKeptWaiting } from '../../core/races/kept-waiting.ts';
import { isSettled, pauseNow, type Race, type RaceKey, raceKeyText } from '../../core/races/race.ts';
import { Transient } from '../../core/text/errors.ts';
import { earliest, isEarlierSecond, plusSeconds } from '../../core/text/instant.ts';
import { unique } from '../../core/text/unique.ts';
import { raceEvents } from '../../core/timeline/pool-events.ts';
import type { MachineConfigHead, Pools } from '../../ports/cluster.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { PerformedPool } from '../act/write-pool.ts';

export interface RaceInput {
  readonly snapshot: Snapshot;
  readonly performed: readonly PerformedPool[];
  readonly races: readonly Race[];
  readonly machineConfigs: readonly MachineConfigHead[];
  /** Of the last pass: with the records as published, a race that ended in a pass that crashed is judged by this
   *  one. */
  readonly checkpoint: Pick<
    Checkpoint,
    'told' | 'pending' | 'marks' | 'marksAt' | 'lastGoodReadAt' | 'sweptAt' | 'untoldRaces'
  >;
  readonly now: Date;
}

export interface RaceOutcome {
  /** Every race of the cluster as it stands now. */
  readonly races: readonly Race[];
  /** Those that this pass changed. They are stored only after their events were published: a crash between the two
   *  repeats events under their old ids, the other order would lose them. Where publishing fails, the checkpoint keeps
   *  which are still to be told. */
  readonly changed: readonly Race[];
  readonly events: readonly PublishedEvent[];
  /** Those that the events are about. */
  readonly toTell: readonly RaceKey[];
  /** Pools that are held and whose pause is not confirmed yet. */
  readonly unconfirmed: readonly string[];
  /** Why the races could not be read: none was followed. Absent: they were. */
  readonly failure?: Transient | undefined;
}

/** Of races that could not be read. What is known of them stays as it is; only the statistics wait for them. */
export function racesUnread(failure: Transient): RaceOutcome {
  return { races: [], changed: [], events: [], toTell: [], unconfirmed: [], failure };
}

/** Follows the race of each sync hold against the MCO: paused, confirmed, applied, targeted. Nodes are read once per
 *  race, right after the confirmation was observed. */
export async function runRaces(input: RaceInput, pools: Pools): Promise<RaceOutcome> {
  const outcomes = await Promise.all(input.performed.map((each) => racesOfPool(each, input, pools)));
  const changed = outcomes.flat().filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
  const changedKeys = new Set(changed.map(({ after }) => raceKeyText(after)));
  const kept = input.races.filter((race) => !changedKeys.has(raceKeyText(race)));
  const races = [...changed.map(({ after }) => after), ...kept];
  const told = toldOf({ races, changed }, input);
  return {
    races,
    changed: changed.map(({ after }) => after),
    events: told.flatMap(({ events }) => events),
    toTell: told.map(({ race: { pool, hold, since } }) => ({ pool, hold, since })),
    unconfirmed: unique(outcomes.flat().flatMap(({ after }) => (isUnconfirmed(after) ? [after.pool] : []))),
  };
}

/** What is told of each race that has changed, or of which the last passes could not tell what they found: of those
 *  everything, under the ids that it has in any case. */
function toldOf(
  { races, changed }: { readonly races: readonly Race[]; readonly changed: readonly Advanced[] },
  { checkpoint: { untoldRaces = [] }, now }: RaceInput,
) {
  const untold = new Set(untoldRaces.map(raceKeyText));
  const before = new Map(changed.map((each) => [raceKeyText(each.after), each.before]));
  const toTell = races.filter((race) => untold.has(raceKeyText(race)) || before.has(raceKeyText(race)));
  return toTell
    .map((race) => {
      const key = raceKeyText(race);
      return { race, events: raceEvents(untold.has(key) ? undefined : before.get(key), race, now) };
    })
    .filter(({ events }) => events.length > 0);
}

/** After the verdict, only a later pause is waited for. */
function isUnconfirmed(race: Race): boolean {
  return pauseNow(race).confirmedAt === undefined && (race.later !== undefined || !isSettled(race));
}

interface Advanced {
  readonly before: Race | undefined;
  readonly after: Race;
}

async function racesOfPool(
  { plan, pool }: PerformedPool,
  input: RaceInput,
  pools: Pools,
): Promise<readonly Advanced[]> {
  const held = holdsOf(pool).filter((hold) => hold.kind === 'sync');
  const before = [...holdsOf(plan.pool), ...(input.checkpoint.told[pool.name]?.holds ?? [])].filter(
    (hold) => hold.kind === 'sync',
  );
  const heldKeys = new Set(held.map(holdKey));
  const all = [
    ...held.map((hold) => ({ hold, isEnded: false })),
    ...firstOfEach([...before, ...openRaces(pool, input.races)])
      .filter((hold) => !heldKeys.has(holdKey(hold)))
      .map((hold) => ({ hold, isEnded: true })),
  ];
  if (all.length === 0) return [];

  const races = racesByHold(pool, input.races);
  const known = all.map((each) => ({
    ...each,
    before: races.get(holdKey(each.hold)),
    isHeld: !each.isEnded && each.hold.overruled === undefined,
    // A pool that was resumed in this very pass was paused until now: its race is judged as it was read.
    pool: each.isEnded ? plan.pool : pool,
    pauseGeneration: each.isEnded || plan.action.kind !== 'pause' ? undefined : pool.generation,
  }));
  const isNodeReadDue = known.some((each) => awaitsNodes(each.before, each));
  const read = isNodeReadDue ? await nodesOf(pool, input.snapshot.pools, pools) : undefined;
  return known.map(({ isEnded, before, ...each }) => {
    const operation = ownOperation({ hold: each.hold, isEnded, before }, input);
    const after = advanceRace(before, {
      cluster: input.snapshot.settings.name,
      ...each,
      nodes: read?.nodes,
      areNodesLacking: read?.areNodesLacking,
      ...appliedBy(operation, { before, isOver: isEnded || each.hold.phase === 'failed' }, input),
      isApplicationRead: applicationOf(each.hold, input.snapshot) !== undefined,
      isKeptWaiting: operation !== undefined && isKeptWaiting(operation, protectionIn(pool, input)),
      targetSeenBefore: operation && targetSeenBefore(pool, operation, input),
      unseenUntil: unseenUntil(each.hold, input),
      isResumed: isEnded ? isResumedByOthers(plan.pool) : each.hold.overruled !== undefined,
      isOver: isEnded || each.hold.phase === 'failed',
      isPausedStill: pool.paused,
      confirmWithinSeconds: input.snapshot.settings.policy.confirmWithinSeconds,
      now: input.now,
    });
    return { before, after };
  });
}

function protectionIn({ name }: Pool, { snapshot }: RaceInput): ProtectionLevel {
  return protectionOf(settingsOf(snapshot.settings, name));
}

/** As it was read: Poolkeeper's own resume takes its pause out of the record. */
function isResumedByOthers({ paused, record }: Pool): boolean {
  return !paused && record.kind === 'record' && record.record.pause === 'ours';
}

/** Seconds that a sweep may take from its list to the time that is noted for it. */
const sweepSeconds = 60;

/** A list during the hold says nothing about when its operation began. */
function unseenUntil({ since, pushedAt }: HoldOfRace, { checkpoint: { sweptAt } }: RaceInput): string | undefined {
  const begun = earliest([since, pushedAt]) ?? since;
  if (sweptAt === undefined || !isEarlierSecond(sweptAt, begun)) return undefined;
  return plusSeconds(new Date(sweptAt), -sweepSeconds);
}

/** The last look counts if it was before the operation began. */
function targetSeenBefore({ name }: Pool, { startedAt }: Operation, { checkpoint }: RaceInput): string | undefined {
  const { lastGoodReadAt, pending = {} } = checkpoint;
  if (lastGoodReadAt === undefined || !isEarlierSecond(lastGoodReadAt, startedAt)) return undefined;
  const mark = marksOf(checkpoint)[name];
  return pending[name]?.to ?? (mark?.isAtRest === true ? mark.config : undefined);
}

/** The nodes that the MCO updates with this pool. If they cannot be listed, the race stays unconfirmed and the next
 *  pass reads them again, as where one of them cannot be parsed and no other one is found to be missed. */
async function nodesOf(
  pool: Pool,
  all: readonly Pool[],
  pools: Pools,
): Promise<Pick<RaceFacts, 'nodes' | 'areNodesLacking'>> {
  if (pool.nodeSelector === undefined) return { nodes: [] };
  try {
    const { items, unreadable } = await pools.listNodes(pool.nodeSelector);
    return { nodes: membersOf(pool, all, items), areNodesLacking: unreadable.length > 0 || undefined };
  } catch (cause) {
    if (cause instanceof Transient) return { nodes: undefined };
    throw cause;
  }
}

/** The operation that this hold is about; undefined: none was seen, or the newest is an earlier or a later one. */
function ownOperation(
  {
    hold,
    isEnded,
    before,
  }: { readonly hold: HoldOfRace; readonly isEnded: boolean; readonly before: Race | undefined },
  { snapshot }: RaceInput,
): Operation | undefined {
  const operation = applicationOf(hold, snapshot)?.operation;
  if (operation === undefined) return undefined;
  // Self-heal often starts the same sync again a moment after the first: the hold continues with that one.
  const isSeen =
    before?.operation === operation.startedAt || (hold.startedAt === operation.startedAt && hold.phase !== 'expected');
  return isSeen || (isEnded && hold.kind === 'sync' && answers(operation, hold)) ? operation : undefined;
}

/** When Argo CD wrote the first MachineConfig since the first operation of the hold began; undefined when none was
 *  written since. Of what is deleted, or is another kind, no time is read; of what could not be read when the sync is
 *  over, none will be. */
function appliedBy(
  operation: Operation | undefined,
  { before, isOver }: { readonly before: Race | undefined; readonly isOver: boolean },
  { machineConfigs, snapshot }: RaceInput,
): Pick<RaceFacts, 'operation' | 'hasApplied' | 'appliedAt' | 'isUntimed'> {
  if (operation === undefined)
    return { operation: undefined, hasApplied: false, appliedAt: undefined, isUntimed: undefined };
  const names = appliedMachineConfigs(operation.results);
  const first = before?.operation ?? operation.startedAt;
  const isUnread =
    before?.appliedAt === undefined && names.some((name) => snapshot.unreadMachineConfigs?.has(name) === true);
  const written = machineConfigs.filter((head) => names.includes(head.name)).map((head) => head.changedAt);
  return {
    operation: operation.startedAt,
    hasApplied: operation.results.some((result) => isRendered(result)),
    isUntimed: operation.results.some(isWrittenUntimed) || (isOver && isUnread) || undefined,
    appliedAt: earliest(written.filter((at) => at !== undefined && !isEarlierSecond(at, first))),
  };
}

function isWrittenUntimed(result: OperationResult): boolean {
  const isTimed = isMachineConfig(result) && result.status === 'Synced';
  return isRendered(result) && !isTimed && ['Synced', 'Pruned'].includes(result.status) && hasWritten(result);
}

function applicationOf(hold: HoldOfRace, { applications }: Snapshot): Application | undefined {
  const observed = applicationHeldBy(hold.id, applications);
  return observed?.kind === 'seen' ? observed.application : undefined;
}

/** The race of each hold on the pool, by `holdKey`; of several the first. */
function racesByHold(pool: Pool, races: readonly Race[]): ReadonlyMap<string, Race> {
  const ofPool = races.filter((race) => race.pool === pool.name);
  return new Map(ofPool.toReversed().map((race) => [holdKey({ id: race.hold, since: race.since }), race]));
}

/** Of a race whose hold is gone, only the first three are known. */
type HoldOfRace = Pick<Hold, 'id' | 'since' | 'pushedAt'> & Partial<Hold>;

/** Races without a verdict whose hold is gone: their confirmation may still come. */
function openRaces(pool: Pool, races: readonly Race[]): readonly HoldOfRace[] {
  return races
    .filter((race) => race.pool === pool.name && !isSettled(race))
    .map(({ hold, since, pushedAt }) => ({ id: hold, since, pushedAt }));
}

function firstOfEach(holds: readonly HoldOfRace[]): readonly HoldOfRace[] {
  const firstAt = new Map(holds.map((hold, index) => [holdKey(hold), index] as const).toReversed());
  return holds.filter((hold, index) => firstAt.get(holdKey(hold)) === index);
}

/** Neither an id nor an instant has a line break. */
function holdKey({ id, since }: Pick<HoldOfRace, 'id' | 'since'>): string {
  return `${id}\n${since}`;
}

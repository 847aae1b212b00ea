import type { PublishedEvent } from '../../../events/index.ts';
import type { Application, Operation } from '../../core/argocd/application.ts';
import { answers } from '../../core/holds/answers.ts';
import type { Snapshot } from '../../core/holds/snapshot.ts';
import { appliedMachineConfigs } from '../../core/impact/affected-pools.ts';
import { type Hold, syncHoldId } from '../../core/openshift/hold.ts';
import type { Node } from '../../core/openshift/node.ts';
import type { Pool } from '../../core/openshift/pool.ts';
import type { PoolRecord } from '../../core/openshift/pool-record.ts';
import { holdsOf } from '../../core/openshift/pool-record.ts';
import { isRendered } from '../../core/openshift/rendered-kinds.ts';
import { advanceRace, isConfirmed, type RaceFacts } from '../../core/races/judge-race.ts';
import type { Race } from '../../core/races/race.ts';
import { Transient } from '../../core/text/errors.ts';
import { isEarlierSecond, latest } from '../../core/text/instant.ts';
import { raceEvents } from '../../core/timeline/pool-events.ts';
import type { MachineConfigHead, Pools } from '../../ports/cluster.ts';
import type { PerformedPool } from '../act/write-pool.ts';

export interface RaceInput {
  readonly snapshot: Snapshot;
  readonly performed: readonly PerformedPool[];
  readonly races: readonly Race[];
  readonly machineConfigs: readonly MachineConfigHead[];
  /** Records as last published: a race that ended in a pass that crashed is judged by this one. */
  readonly published: Readonly<Record<string, PoolRecord>>;
  readonly now: Date;
}

export interface RaceOutcome {
  /** Every race of the cluster as it stands now. */
  readonly races: readonly Race[];
  /** Those that this pass changed. They are stored only after their events were published: a crash between the two
   *  repeats events under their old ids, the other order would lose them. */
  readonly changed: readonly Race[];
  readonly events: readonly PublishedEvent[];
  /** Pools that are held and whose pause is not confirmed yet. */
  readonly unconfirmed: readonly string[];
}

/** Follows the race of each sync hold against the MCO: paused, confirmed, applied, targeted. Nodes are read once per
 *  race, right after the confirmation was observed. */
export async function runRaces(input: RaceInput, pools: Pools): Promise<RaceOutcome> {
  const outcomes = await Promise.all(input.performed.map((each) => racesOfPool(each, input, pools)));
  const changed = outcomes.flat().filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after));
  const kept = input.races.filter((race) => !changed.some(({ after }) => isSameRace(after, race)));
  return {
    races: [...changed.map(({ after }) => after), ...kept],
    changed: changed.map(({ after }) => after),
    events: changed.flatMap(({ before, after }) => raceEvents(before, after, input.now)),
    unconfirmed: [
      ...new Set(
        outcomes
          .flat()
          .flatMap(({ after }) =>
            after.confirmedAt === undefined && after.verdict === undefined && after.endedAt === undefined
              ? [after.pool]
              : [],
          ),
      ),
    ],
  };
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
  const before = [...holdsOf(plan.pool), ...(input.published[pool.name]?.holds ?? [])].filter(
    (hold) => hold.kind === 'sync',
  );
  const all = [
    ...held.map((hold) => ({ hold, isEnded: false })),
    ...firstOfEach([...before, ...openRaces(pool, input.races)])
      .filter((hold) => !held.some((each) => isSameHold(each, hold)))
      .map((hold) => ({ hold, isEnded: true })),
  ];
  if (all.length === 0) return [];

  const known = all.map((each) => ({ ...each, before: input.races.find((race) => isRaceOf(race, pool, each.hold)) }));
  const pauseGeneration = plan.action.kind === 'pause' ? pool.generation : undefined;
  const isNodeReadDue = known.some(
    ({ before }) => before?.confirmedAt === undefined && isConfirmed(pool, before?.pauseGeneration ?? pauseGeneration),
  );
  const nodes = isNodeReadDue ? await nodesOf(pool, pools) : undefined;
  return known.map(({ hold, isEnded, before }) => ({
    before,
    after: advanceRace(before, {
      cluster: input.snapshot.settings.name,
      hold,
      // A pool that was resumed in this very pass was paused until now: its race is judged as it was read.
      pool: isEnded ? { ...pool, paused: plan.pool.paused, record: plan.pool.record } : pool,
      pauseGeneration,
      nodes,
      ...appliedBy(ownOperation({ hold, isEnded, before }, input), before?.operation, input),
      isOver: isEnded || hold.phase === 'failed',
      isPausedStill: pool.paused,
      confirmWithinSeconds: input.snapshot.settings.policy.confirmWithinSeconds,
      now: input.now,
    }),
  }));
}

/** If the nodes cannot be read, the race stays unconfirmed and the next pass reads them again. */
async function nodesOf(pool: Pool, pools: Pools): Promise<readonly Node[] | undefined> {
  if (pool.nodeSelector === undefined) return [];
  try {
    const { items, unreadable } = await pools.listNodes(pool.nodeSelector);
    return unreadable.length === 0 ? items : undefined;
  } catch (cause) {
    if (cause instanceof Transient) return undefined;
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

/** When Argo CD wrote the last MachineConfig since the first operation of the hold began; undefined when none was
 *  written since. */
function appliedBy(
  operation: Operation | undefined,
  first: string | undefined,
  { machineConfigs }: RaceInput,
): Pick<RaceFacts, 'operation' | 'hasApplied' | 'appliedAt'> {
  if (operation === undefined) return { operation: undefined, hasApplied: false, appliedAt: undefined };
  const names = appliedMachineConfigs(operation.results);
  const written = machineConfigs.filter((head) => names.includes(head.name)).map((head) => head.changedAt);
  return {
    operation: operation.startedAt,
    hasApplied: operation.results.some((result) => isRendered(result)),
    appliedAt: latest(written.filter((at) => at !== undefined && !isEarlierSecond(at, first ?? operation.startedAt))),
  };
}

function applicationOf(hold: HoldOfRace, { applications }: Snapshot): Application | undefined {
  const observed = applications.find((each) => each.kind === 'seen' && syncHoldId(each.application) === hold.id);
  return observed?.kind === 'seen' ? observed.application : undefined;
}

function isRaceOf(race: Race, pool: Pool, hold: HoldOfRace): boolean {
  return race.pool === pool.name && race.hold === hold.id && race.since === hold.since;
}

/** Of a race whose hold is gone, only the first three are known. */
type HoldOfRace = Pick<Hold, 'id' | 'since' | 'pushedAt'> & Partial<Hold>;

/** Races without a verdict whose hold is gone: their confirmation may still come. */
function openRaces(pool: Pool, races: readonly Race[]): readonly HoldOfRace[] {
  return races
    .filter((race) => race.pool === pool.name && race.verdict === undefined && race.endedAt === undefined)
    .map(({ hold, since, pushedAt }) => ({ id: hold, since, pushedAt }));
}

function firstOfEach(holds: readonly HoldOfRace[]): readonly HoldOfRace[] {
  return holds.filter((hold, index) => holds.findIndex((each) => isSameHold(each, hold)) === index);
}

function isSameHold(a: HoldOfRace, b: HoldOfRace): boolean {
  return a.id === b.id && a.since === b.since;
}

function isSameRace(a: Race, b: Race): boolean {
  return a.pool === b.pool && a.hold === b.hold && a.since === b.since;
}

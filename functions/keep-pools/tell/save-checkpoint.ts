import { gateClocksOf } from '../../core/holds/gate-clocks.ts';
import { isGuardClock } from '../../core/judge/guard-clocks.ts';
import { firstUnreadable, unreadableKey } from '../../core/judge/unreadable-objects.ts';
import { isMisplacedClock } from '../../core/judge/wants-nodes.ts';
import type { UnpausedSync } from '../../core/openshift/unpaused-sync.ts';
import type { RaceKey } from '../../core/races/race.ts';
import { latest } from '../../core/text/instant.ts';
import { stable } from '../../core/text/stable.ts';
import { unique } from '../../core/text/unique.ts';
import type { Checkpoint } from '../../ports/tables.ts';
import type { KeepPorts } from '../keep-ports.ts';
import type { Scope } from '../route/scope.ts';

/** How many deliveries of pushes are stored to recognise redeliveries. */
export const pushesKept = 50;

/** What a pass has to store. */
export interface CheckpointDraft {
  /** As it was read. */
  readonly before: Checkpoint;
  readonly after: Checkpoint;
  /** Pools of runs that were asked what their next node waits for, which ticks do. */
  readonly asked: readonly string[];
}

/** Saves of a tick, or of a push, at most: each of them is lost only to another pass that was faster. Some ten
 *  milliseconds each. */
const savesAtMost = 20;

/** Stores the checkpoint. Whoever makes something happen on a cluster, be it a tenant, makes passes over it: what only
 *  ticks find out, and which push came, is put on what a faster pass has stored. The rest of a slower pass is dropped,
 *  because the faster one saw the same cluster. */
export async function saveCheckpoint(
  draft: CheckpointDraft,
  { cluster, maySweep, push }: Pick<Scope, 'cluster' | 'maySweep' | 'push'>,
  { checkpoints, logger }: Pick<KeepPorts, 'checkpoints' | 'logger'>,
): Promise<void> {
  const saves = maySweep || push !== undefined ? savesAtMost : 1;
  let next = draft.after;
  for (let save = 1; !(await checkpoints.save(next)); save += 1) {
    if (save === saves) {
      logger.info('another pass over this cluster was faster', { cluster: cluster.name, saves });
      return;
    }
    const stored = await checkpoints.load(cluster.name);
    next = stored === undefined ? { ...draft.after, version: 0 } : putOn(stored, draft);
  }
}

/** The checkpoint that a faster pass has stored, with what it could not know. */
function putOn(stored: Checkpoint, draft: CheckpointDraft): Checkpoint {
  const { before, after } = draft;
  const changed = <T>(of: (checkpoint: Checkpoint) => T): T => threeWay(of(before), of(after), of(stored));
  const unreadable = eachItem(draft, stored, (checkpoint) => checkpoint.unreadable, unreadableKey);
  const sweptAt = latest([stored.sweptAt, after.sweptAt]);
  const sweepDueSince = sweptAt === undefined ? (stored.sweepDueSince ?? after.sweepDueSince) : undefined;
  const named: { readonly [Field in keyof Required<Checkpoint>]: Checkpoint[Field] } = {
    cluster: stored.cluster,
    version: stored.version,
    // Every pass: of one moment, so from one pass.
    lastGoodReadAt: stored.lastGoodReadAt,
    told: stored.told,
    toldSteps: stored.toldSteps,
    pending: stored.pending,
    marks: stored.marks,
    marksAt: stored.marksAt,
    pauses: stored.pauses,
    // Ticks.
    tickedAt: latest([stored.tickedAt, after.tickedAt]),
    misses: changed(({ misses }) => misses),
    firstSeen: clocksAfter(stored, draft),
    sequencesDone: changed(({ sequencesDone }) => sequencesDone),
    sequencesUnseen: changed(({ sequencesUnseen }) => sequencesUnseen),
    runsUnseen: changed(({ runsUnseen }) => runsUnseen),
    sequenceRecords: changed(({ sequenceRecords }) => sequenceRecords),
    sequenceWindows: changed(({ sequenceWindows }) => sequenceWindows),
    // Ticks that sweep.
    sweptAt,
    sweepDueSince,
    ignoredAnnotations: changed(({ ignoredAnnotations }) => ignoredAnnotations),
    operatorParts: changed(({ operatorParts }) => operatorParts),
    // Whoever found or did it.
    unreadable: unreadable && firstUnreadable(unreadable),
    paces: changed(({ paces }) => paces),
    healthChecksPaused: changed(({ healthChecksPaused }) => healthChecksPaused),
    following: eachItem(draft, stored, (checkpoint) => checkpoint.following, stable),
    toldIncidents: eachKey(before.toldIncidents, after.toldIncidents, stored.toldIncidents),
    spared: eachItem(draft, stored, (checkpoint) => checkpoint.spared, keyOfUnpaused),
    races: eachItem(draft, stored, (checkpoint) => checkpoint.races, keyOfRace),
    untoldRaces: eachItem(draft, stored, (checkpoint) => checkpoint.untoldRaces, keyOfRace),
    guards: changed(({ guards }) => guards),
    clusterId: changed(({ clusterId }) => clusterId),
    guardIds: changed(({ guardIds }) => guardIds),
    places: changed(({ places }) => places),
    // Pushes.
    pushes: (eachItem(draft, stored, (checkpoint) => checkpoint.pushes, keyOfPush) ?? []).slice(-pushesKept),
  };
  return named;
}

function keyOfPush(push: Checkpoint['pushes'][number]): string {
  return push.delivery ?? stable(push);
}

function keyOfUnpaused({ hold, pool, revision }: UnpausedSync): string {
  return stable([hold, pool, revision]);
}

function keyOfRace({ pool, hold, since }: RaceKey): string {
  return stable([pool, hold, since]);
}

/** Those that only ticks start and end. The others are as the faster pass saw them. */
function clocksAfter(stored: Checkpoint, { before, after, asked }: CheckpointDraft): Checkpoint['firstSeen'] {
  const ofTicks = ({ firstSeen }: Checkpoint): Checkpoint['firstSeen'] => ({
    ...Object.fromEntries(Object.entries(firstSeen).filter(([key]) => isGuardClock(key) || isMisplacedClock(key))),
    ...gateClocksOf(firstSeen, asked),
  });
  const theirs = ofTicks(stored);
  const others = Object.entries(stored.firstSeen).filter(([key]) => theirs[key] === undefined);
  return { ...Object.fromEntries(others), ...eachKey(ofTicks(before), ofTicks(after), theirs) };
}

/** What this pass made of it, unless the faster one changed it too. */
function threeWay<T>(before: T, after: T, stored: T): T {
  return isSame(before, stored) ? after : stored;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && stable(a) === stable(b));
}

/** The same for each key on its own. */
function eachKey<T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
  stored: Readonly<Record<string, T>>,
): Readonly<Record<string, T>> {
  const mapOf = (record: Readonly<Record<string, T>>) => new Map(Object.entries(record));
  return Object.fromEntries(keyByKey(mapOf(before), mapOf(after), mapOf(stored)));
}

/** The same for each item of a list; undefined where none is left. */
function eachItem<T>(
  { before, after }: CheckpointDraft,
  stored: Checkpoint,
  of: (checkpoint: Checkpoint) => readonly T[] | undefined,
  keyOf: (item: T) => string,
): readonly T[] | undefined {
  const mapOf = (checkpoint: Checkpoint) => new Map((of(checkpoint) ?? []).map((item) => [keyOf(item), item] as const));
  const items = [...keyByKey(mapOf(before), mapOf(after), mapOf(stored)).values()];
  return items.length === 0 ? undefined : items;
}

function keyByKey<T>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
  stored: ReadonlyMap<string, T>,
): ReadonlyMap<string, T> {
  const keys = unique([...stored.keys(), ...after.keys()]);
  return new Map(
    keys.flatMap((key) => {
      const value = threeWay(before.get(key), after.get(key), stored.get(key));
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}

import {
  type Application,
  isSameApplication,
  isSyncing,
  type ObservedApplication,
  refOf,
} from '../argocd/application.ts';
import { refusedPoolsOf } from '../argocd/refused-sync.ts';
import type { GateQuestion } from '../gates/gate.ts';
import type { GateView } from '../gates/gate-view.ts';
import { isSickSinceResume } from '../gates/health.ts';
import { closedGates, warningsOf } from '../gates/index.ts';
import type { AffectedPools } from '../impact/affected-pools.ts';
import { poolsAffectedBySync } from '../impact/pools-affected-by-sync.ts';
import { fieldManager, type Hold, syncHoldId } from '../openshift/hold.ts';
import { isManaged, settingsOf } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import { emptyRecord, type PoolRecord, sameRecord } from '../openshift/pool-record.ts';
import type { Push } from '../routing/awaited-push.ts';
import { earliest, latest, plusSeconds } from '../text/instant.ts';
import { isForExpected, poolsOfExpected, setOfHold } from './new-applications/expected-application.ts';
import { holdForExpected, isCompared, waitForExpected } from './new-applications/expected-hold.ts';
import { runningUnpausedSync } from './skip-harmless/unpaused-sync.ts';
import type { Snapshot } from './snapshot.ts';
import { nextStep, nextTimedStep, released, type Step } from './sync-hold.ts';

/** What shall become of one pool: at most one patch, with its reason. */
export interface PoolPlan {
  readonly pool: Pool;
  readonly action: PoolAction;
  /** Why it does not resume: closed gates. Only of pools that are ours to resume and have no hold left. */
  readonly gates: readonly GateView[];
  /** Decisions to do nothing, for the timeline. */
  readonly notes: readonly { readonly about: string; readonly why: string }[];
}

export type PoolAction =
  | { readonly kind: 'none' }
  | { readonly kind: 'pause'; readonly record: PoolRecord; readonly why: string }
  | { readonly kind: 'record'; readonly record: PoolRecord; readonly why: string }
  | { readonly kind: 'resume'; readonly record: PoolRecord; readonly why: string };

/** Judges every pool of the snapshot. Pure and level-triggered: asked again of the world it made, it answers `none`. */
export function decide(snapshot: Snapshot, now: Date): readonly PoolPlan[] {
  return snapshot.pools.map((pool) => decidePool(pool, snapshot, now));
}

/** Judges one pool; asked again alone when another writer was faster. */
export function decidePool(pool: Pool, snapshot: Snapshot, now: Date): PoolPlan {
  if (pool.record.kind === 'unreadable') {
    return { pool, action: { kind: 'none' }, gates: [], notes: [{ about: pool.name, why: pool.record.why }] };
  }
  const before = pool.record.kind === 'record' ? pool.record.record : emptyRecord;
  const owned = settleOwnership(before, pool, snapshot, now);
  const { record, notes } = advanceHolds(owned, pool, snapshot, now);
  return { ...act(record, before, pool, snapshot, now), notes };
}

/** Whose pause is it now? People and other tools may have changed `spec.paused` since our last write. */
function settleOwnership(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): PoolRecord {
  const by = pool.pausedBy?.manager ?? 'somebody';
  switch (record.pause) {
    case 'ours':
      if (!pool.paused) return overridden(record, by, snapshot, now);
      return by === fieldManager || pool.pausedBy === undefined ? record : takenOver(record, by, now);
    case 'foreign':
      return pool.paused ? record : without(record, 'pause');
    case 'overridden':
      if (!pool.paused) return record;
      return takenOver(record, by, now);
    case undefined:
      return isOrphan(pool, snapshot) ? adopted(record, pool, snapshot, now) : record;
    default:
      return record.pause satisfies never;
  }
}

/** Paused under our name, and no record says so: somebody removed the annotation, or replaced the pool by a copy
 *  without it. */
function isOrphan(pool: Pool, { settings }: Snapshot): boolean {
  return pool.paused && pool.pausedBy?.manager === fieldManager && isManaged(settings, pool);
}

/** Taken back, so that it is not paused for ever with nobody to tell. What it was held for is not known any more: it
 *  stays held as long as a push may wait for its sync, in which time every Application is looked at more than once. */
function adopted(record: PoolRecord, pool: Pool, { settings }: Snapshot, now: Date): PoolRecord {
  const at = now.toISOString();
  const recovery: Hold = {
    id: 'manual/poolkeeper',
    kind: 'manual',
    who: 'Poolkeeper',
    why: 'its record was lost; it stays paused until every Application was looked at',
    since: at,
    until: plusSeconds(now, settings.policy.expectSyncWithinSeconds),
  };
  const holds = record.holds.length > 0 ? record.holds : [recovery];
  return {
    ...record,
    pause: 'ours',
    pausedSince: pool.pausedBy?.at ?? at,
    holds,
    last: { did: 'paused', at, why: recovery.why },
  };
}

function overridden(record: PoolRecord, by: string, snapshot: Snapshot, now: Date): PoolRecord {
  if (snapshot.settings.policy.onOverride === 'enforce' && record.holds.length > 0) return without(record, 'pause');
  const last = { did: 'overridden' as const, at: now.toISOString(), why: `${by} resumed the pool`, by };
  return { ...without(record, 'release', 'pausedSince'), pause: 'overridden', last };
}

function takenOver(record: PoolRecord, by: string, now: Date): PoolRecord {
  const last = { did: 'left' as const, at: now.toISOString(), why: `${by} has paused the pool`, by };
  return { ...without(record, 'release', 'pausedSince'), pause: 'foreign', last };
}

function without(
  record: PoolRecord,
  ...keys: readonly ('pause' | 'release' | 'pausedSince' | 'resumedAt')[]
): PoolRecord {
  const copy = { ...record };
  for (const key of keys) delete copy[key];
  return copy;
}

interface Advanced {
  readonly record: PoolRecord;
  readonly notes: PoolPlan['notes'];
}

/** Every hold takes its next step; Applications that sync, or will, add theirs. */
function advanceHolds(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): Advanced {
  const steps = [heldSteps, newSteps, expectedSteps]
    .flatMap((stepsOf) => stepsOf(record, pool, snapshot, now))
    .filter(isFirstHold)
    .map((each) => decidedByPerson(each, record));
  const holds = steps.flatMap(({ step }) => (step.kind === 'hold' ? [step.hold] : []));
  const notes = steps.flatMap(({ about, step }) => (step.kind === 'nothing' ? [{ about, why: step.why }] : []));
  const releases = steps.flatMap(({ step }) => (step.kind === 'release' ? [step] : []));
  if (releases.length === 0) return { record: { ...record, holds }, notes };

  const machineConfigs = [
    ...new Set([...(record.release?.machineConfigs ?? []), ...releases.flatMap((each) => each.machineConfigs)]),
  ];
  const why = inShort(releases.map((each) => each.why));
  const at = now.toISOString();
  // Argo CD's clock may run ahead of ours: nothing that was seen to have ended ends later than now.
  const ends = [record.release?.finishedAt, ...releases.map((each) => each.finishedAt ?? at)];
  const finishedAt = earliest([latest(ends), at]) ?? at;
  const release = { since: at, finishedAt, machineConfigs: machineConfigs.toSorted(), why };
  return { record: { ...record, holds, release }, notes };
}

/** Who was taken for new may have begun to sync since. */
function isFirstHold({ about, step }: NamedStep, index: number, all: readonly NamedStep[]): boolean {
  return step.kind !== 'hold' || all.findIndex((each) => each.step.kind === 'hold' && each.about === about) === index;
}

interface NamedStep {
  readonly about: string;
  readonly step: Step;
}

/** A failed sync keeps a pool until somebody decides. Who resumes the pool has decided: kept any longer, the hold
 *  would leave the pool without protection in every sync to come. */
function decidedByPerson(named: NamedStep, { pause, last }: PoolRecord): NamedStep {
  const { about, step } = named;
  if (pause !== 'overridden' || step.kind !== 'hold' || step.hold.phase !== 'failed') return named;
  return { about, step: { kind: 'release', why: `${last?.by ?? 'somebody'} resumed the pool`, machineConfigs: [] } };
}

function heldSteps(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): readonly NamedStep[] {
  return record.holds.map((hold) => {
    if (hold.kind !== 'sync') return { about: hold.id, step: nextTimedStep(hold, now) };
    const observed = snapshot.applications.find((each) => syncHoldId(refOf(each)) === hold.id);
    if (isForExpected(hold)) return { about: hold.id, step: expectedStep(hold, observed, { pool, snapshot, now }) };
    if (observed === undefined) return { about: hold.id, step: { kind: 'hold', hold } };
    const { policy } = snapshot.settings;
    const push = pushFor(hold, pool, observed, snapshot);
    const parent = parentIn(snapshot, push?.via ?? hold.via);
    return { about: hold.id, step: nextStep({ hold, observed, push, parent, policy, now }) };
  });
}

interface Here {
  readonly pool: Pool;
  readonly snapshot: Snapshot;
  readonly now: Date;
}

/** The next step of a hold for what nobody has seen so far. Once it is there and compared with Git it is held, or
 *  let go, like any other. */
function expectedStep(hold: Hold, observed: ObservedApplication | undefined, { pool, snapshot, now }: Here): Step {
  const { policy } = snapshot.settings;
  const push = snapshot.pushes.get(hold.id) ?? snapshot.expected?.find(({ id }) => id === hold.id)?.push;
  const parent = parentIn(snapshot, push?.via ?? hold.via);
  if (setOfHold(hold.id) !== undefined || observed?.kind === 'gone')
    return waitForExpected({ hold, push, parent, policy, now });
  if (observed === undefined) return { kind: 'hold', hold };
  if (observed.kind === 'unreadable') return nextStep({ hold, observed, push, parent, policy, now });
  const { application } = observed;
  if (isCompared(application) && !poolsAffectedBySync(application, snapshot).pools.includes(pool.name))
    return released(`Argo CD has compared ${hold.who}: the pool is not touched by it`);
  const step = nextStep({ hold, observed, push, parent, policy, now });
  return step.kind === 'hold' ? { kind: 'hold', hold: { ...step.hold, uid: application.uid } } : step;
}

/** The push as far as it is news to a hold: one that is known to change nothing for the pool leaves its hold as it
 *  is. What has failed is tried again by the sync of any commit. */
function pushFor(hold: Hold, pool: Pool, observed: ObservedApplication, snapshot: Snapshot): Push | undefined {
  const push = snapshot.pushes.get(hold.id);
  if (push === undefined || observed.kind !== 'seen') return push;
  const touch = poolsAffectedBySync(observed.application, snapshot, { push, change: snapshot.changes.get(hold.id) });
  if (touch.pools.includes(pool.name)) return withReason(push, touch, { pool, snapshot });
  return touch.isExact && hold.phase !== 'failed' ? undefined : push;
}

/** Longest reason that a hold carries, and longest of all that one push brings: the record, in which each stands
 *  twice, is one annotation of the pool, and the API server takes 256 KiB of annotations of an object. */
const reasonCharacters = { each: 300, all: 15_000, atLeast: 20 };

/** Why the push concerns the Application, and why it reaches the pool. */
function withReason(push: Push, touch: AffectedPools, { pool, snapshot }: Pick<Here, 'pool' | 'snapshot'>): Push {
  const reaches = touch.reasons.find((each) => each.pool === pool.name)?.why ?? touch.why;
  const words = [push.because, touch.isExact ? reaches : touch.why].filter((each) => each !== undefined && each !== '');
  const because = words.join('; ');
  return { ...push, because: inReason(because, snapshot) };
}

function inReason(because: string, { pushes, expected = [] }: Snapshot): string {
  const { each, all, atLeast } = reasonCharacters;
  const fair = Math.floor(all / Math.max(pushes.size + expected.length, 1));
  const most = Math.min(each, Math.max(fair, atLeast));
  return because.length > most ? `${because.slice(0, most - 1)}…` : because;
}

function parentIn({ parents }: Snapshot, via: Hold['via']): ObservedApplication | undefined {
  return via && parents.find((observed) => isSameApplication(refOf(observed), via));
}

function newSteps(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): readonly NamedStep[] {
  return snapshot.applications.flatMap((observed) => {
    const id = syncHoldId(refOf(observed));
    if (observed.kind !== 'seen' || record.holds.some((hold) => hold.id === id)) return [];
    const asked = snapshot.pushes.get(id);
    const touch = poolsAffectedBySync(observed.application, snapshot, {
      push: asked,
      change: snapshot.changes.get(id),
    });
    // What the API server wants paused is paused, whatever the change was taken for.
    if (!touch.pools.includes(pool.name) && !refusedPoolsOf(observed.application).includes(pool.name)) return [];
    const push = asked && withFear(withReason(asked, touch, { pool, snapshot }), pool, snapshot);
    const parent = parentIn(snapshot, push?.via);
    const { application } = observed;
    const step = sparing(
      nextStep({ hold: undefined, observed, push, parent, policy: snapshot.settings.policy, now }),
      { application, pool, push },
      snapshot,
    );
    if (step.kind === 'nothing' && push === undefined) return [];
    if (isManaged(snapshot.settings, pool)) return [{ about: id, step }];
    return step.kind === 'hold' ? [{ about: id, step: notManaged(pool, snapshot) }] : [];
  });
}

/** So many a pool is held for ahead of what is to come: that they share one annotation counts more than to have each
 *  of them. */
const expectedAtMost = 200;

/** Holds for what a push brings into being. */
function expectedSteps(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): readonly NamedStep[] {
  const { expected = [], settings } = snapshot;
  const steps = expected.flatMap((expectedApplication): readonly NamedStep[] => {
    const touch = poolsOfExpected(expectedApplication, snapshot);
    if (!touch.pools.includes(pool.name) || record.holds.some((hold) => hold.id === expectedApplication.id)) return [];
    const { because = '' } = withReason(expectedApplication.push, touch, { pool, snapshot });
    const step = holdForExpected(expectedApplication, because, settings.policy, now);
    if (isManaged(settings, pool)) return [{ about: expectedApplication.id, step }];
    return step.kind === 'hold' ? [{ about: expectedApplication.id, step: notManaged(pool, snapshot) }] : [];
  });
  return steps.slice(0, expectedAtMost);
}

interface Touching {
  readonly application: Application;
  readonly pool: Pool;
  readonly push: Push | undefined;
}

/** No hold for what certainly does nothing to the nodes, where the pool is to be paused for disruptive changes only. */
function sparing(step: Step, { application, pool, push }: Touching, snapshot: Snapshot): Step {
  if (step.kind !== 'hold') return step;
  const disruption = push === undefined ? undefined : snapshot.disruption?.ofPush.get(pool.name);
  const spared = runningUnpausedSync(application, pool, snapshot);
  const isOfPush = push === undefined || spared?.revision === push.revision;
  const isHarmless = disruption?.kind === 'none' && disruption.holds.includes(step.hold.id) && !isSyncing(application);
  const why = isHarmless ? disruption.why : isOfPush ? spared?.why : undefined;
  return why === undefined ? step : { kind: 'nothing', why: `${unpausedBecause}: ${why}` };
}

const unpausedBecause = 'pauseFor is disruptive, and this does nothing to the nodes';

/** Why a pool is paused although it is to be paused for disruptive changes only. */
function withFear(push: Push, pool: Pool, snapshot: Snapshot): Push {
  const disruption = snapshot.disruption?.ofPush.get(pool.name);
  if (disruption?.kind !== 'possible') return push;
  return { ...push, because: inReason(`${disruption.why}; ${push.because ?? ''}`, snapshot) };
}

function notManaged(pool: Pool, snapshot: Snapshot): Step {
  const isObserved = settingsOf(snapshot.settings, pool.name).protection === 'observe';
  const why = isObserved
    ? `pool ${pool.name} is only observed`
    : `pool ${pool.name} is required for upgrades and not opted in (manageRequired)`;
  return { kind: 'nothing', why };
}

type Acted = Pick<PoolPlan, 'pool' | 'action' | 'gates'>;

function act(record: PoolRecord, before: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): Acted {
  if (record.holds.length > 0) return { pool, action: keepHeld(record, before, snapshot, { pool, now }), gates: [] };
  if (record.pause === 'ours') return letGo(record, before, pool, snapshot, now);
  const settled = record.pause === undefined && before === emptyRecord ? before : left(record, before, now);
  return { pool, action: recordIfChanged(settled, before, 'nothing holds the pool any more'), gates: [] };
}

function keepHeld(
  record: PoolRecord,
  before: PoolRecord,
  snapshot: Snapshot,
  { pool, now }: { readonly pool: Pool; readonly now: Date },
): PoolAction {
  const why = inShort(record.holds.map((hold) => hold.why));
  // A pool that was taken from Poolkeeper's care while it was held is not paused again; its holds run out.
  if (record.pause !== undefined || !(pool.paused || isManaged(snapshot.settings, pool)))
    return recordIfChanged(record, before, why);
  if (pool.paused) {
    const by = pool.pausedBy?.manager ?? 'somebody';
    const last = { did: 'left' as const, at: now.toISOString(), why: `${by} had paused the pool already`, by };
    return recordIfChanged({ ...without(record, 'release'), pause: 'foreign', last }, before, why);
  }
  const at = now.toISOString();
  const resumedAt = isSickSinceResume(pool) ? (record.resumedAt ?? record.last?.at) : undefined;
  return {
    kind: 'pause',
    record: {
      ...without(record, 'release', 'resumedAt'),
      ...(resumedAt === undefined ? {} : { resumedAt }),
      pause: 'ours',
      pausedSince: at,
      last: { did: 'paused', at, why },
    },
    why,
  };
}

function letGo(record: PoolRecord, before: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): Acted {
  const question: GateQuestion = {
    pool,
    pools: snapshot.pools,
    settings: settingsOf(snapshot.settings, pool.name),
    settingsOf: (name) => settingsOf(snapshot.settings, name),
    release: record.release,
    machineConfigs: snapshot.machineConfigs,
    controllers: snapshot.controllers,
    drains: snapshot.drains,
    policy: snapshot.settings.policy,
    now,
  };
  const gates = closedGates(question);
  const released = record.release?.why ?? 'nothing holds the pool any more';
  if (gates.length > 0) return { pool, action: recordIfChanged(record, before, released), gates };
  const why = [released, ...warningsOf(question)].join('; ');
  return {
    pool,
    action: { kind: 'resume', record: { v: 1, holds: [], last: { did: 'resumed', at: now.toISOString(), why } }, why },
    gates,
  };
}

/** No hold is left on a pool that is not ours to resume: only our marks go. */
function left(record: PoolRecord, before: PoolRecord, now: Date): PoolRecord {
  if (before.holds.length === 0 && before.pause === undefined) return before;
  if (record.last !== undefined && record.last.at === now.toISOString()) return { v: 1, holds: [], last: record.last };
  const why = record.pause === 'foreign' ? 'our holds ended; the pause is not ours' : 'our holds ended';
  return { v: 1, holds: [], last: { did: 'left', at: now.toISOString(), why } };
}

function recordIfChanged(record: PoolRecord, before: PoolRecord, why: string): PoolAction {
  return sameRecord(record, before) ? { kind: 'none' } : { kind: 'record', record, why };
}

/** How many reasons are named; the holds themselves carry all of them. */
const reasonsNamed = 3;

/** How much of each. */
const shortCharacters = 180;

/** An annotation has room for 256 KiB in all, and a Kubernetes event for 1 KiB. */
function inShort(reasons: readonly string[]): string {
  const named = reasons
    .slice(0, reasonsNamed)
    .map((each) => (each.length > shortCharacters ? `${each.slice(0, shortCharacters - 1)}…` : each))
    .join('; ');
  const more = reasons.length - reasonsNamed;
  return more > 0 ? `${named}; and ${more} more` : named;
}

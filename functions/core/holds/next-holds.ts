import {
  type Application,
  isSameApplication,
  isSyncing,
  type ObservedApplication,
  refOf,
} from '../argocd/application.ts';
import { refusedPoolsOf } from '../argocd/refused-sync.ts';
import { protectionOf } from '../configuration/protection.ts';
import { poolsAffectedBySync } from '../impact/pools-affected-by-sync.ts';
import { type Hold, syncHoldId } from '../openshift/hold.ts';
import { isManaged, settingsOf } from '../openshift/managed-pools.ts';
import { isRolling, type Pool } from '../openshift/pool.ts';
import type { PoolRecord } from '../openshift/pool-record.ts';
import type { Push } from '../routing/awaited-push.ts';
import { earliest, latest } from '../text/instant.ts';
import { isForExpected, poolsOfExpected, setOfHold } from './new-applications/expected-application.ts';
import { holdForExpected, isCompared, waitForExpected } from './new-applications/expected-hold.ts';
import type { PoolPlan } from './plan.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import { inReason, inShort, withReason } from './reason.ts';
import { runningUnpausedSync } from './skip-harmless/unpaused-sync.ts';
import type { Snapshot } from './snapshot.ts';
import { released, type Step } from './step.ts';
import { nextStep, nextTimedStep } from './sync-hold.ts';

interface Advanced {
  readonly record: PoolRecord;
  readonly notes: PoolPlan['notes'];
}

/** Every hold takes its next step; Applications that sync, or will, add theirs. */
export function advanceHolds(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): Advanced {
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

/** The next step of a hold for what nobody has seen so far. Once it is there and compared with Git it is held, or
 *  let go, like any other. */
function expectedStep(
  hold: Hold,
  observed: ObservedApplication | undefined,
  { pool, snapshot, now }: PoolInSnapshot,
): Step {
  const { policy } = snapshot.settings;
  const push = snapshot.pushes.get(hold.id) ?? snapshot.expected.find(({ id }) => id === hold.id)?.push;
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
    if (!isManaged(snapshot.settings, pool))
      return step.kind === 'hold' ? [{ about: id, step: notManaged(pool, snapshot) }] : [];
    return [{ about: id, step: unlessRolling(step, application, { pool, snapshot }) }];
  });
}

/** Policy `whenRolling: refuse`: a push does not pause a pool in the middle of an earlier rollout. A sync that runs
 *  already is paused for: what rolls may be its own change. */
function unlessRolling(
  step: Step,
  application: Application,
  { pool, snapshot }: Pick<PoolInSnapshot, 'pool' | 'snapshot'>,
): Step {
  const isRefused = snapshot.settings.policy.whenRolling === 'refuse' && !isSyncing(application) && isRolling(pool);
  return isRefused && step.kind === 'hold'
    ? { kind: 'nothing', why: `pool ${pool.name} is rolling out ${pool.target.name}, and policy whenRolling is refuse` }
    : step;
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
  const disruption = push === undefined ? undefined : snapshot.disruption.ofPush.get(pool.name);
  const spared = runningUnpausedSync(application, pool, snapshot);
  const isOfPush = push === undefined || spared?.revision === push.revision;
  const isHarmless = disruption?.kind === 'none' && disruption.holds.includes(step.hold.id) && !isSyncing(application);
  const why = isHarmless ? disruption.why : isOfPush ? spared?.why : undefined;
  return why === undefined ? step : { kind: 'nothing', why: `${unpausedBecause}: ${why}` };
}

const unpausedBecause = 'pauseFor is disruptive, and this does nothing to the nodes';

/** Why a pool is paused although it is to be paused for disruptive changes only. */
function withFear(push: Push, pool: Pool, snapshot: Snapshot): Push {
  const disruption = snapshot.disruption.ofPush.get(pool.name);
  if (disruption?.kind !== 'possible') return push;
  return { ...push, because: inReason(`${disruption.why}; ${push.because ?? ''}`, snapshot) };
}

function notManaged(pool: Pool, snapshot: Snapshot): Step {
  const isObserved = !protectionOf(settingsOf(snapshot.settings, pool.name)).pauses;
  const why = isObserved
    ? `pool ${pool.name} is only observed`
    : `pool ${pool.name} is required for upgrades and not opted in (manageRequired)`;
  return { kind: 'nothing', why };
}

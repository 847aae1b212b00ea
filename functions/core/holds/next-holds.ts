import {
  type Application,
  isSameApplication,
  isSyncing,
  type ObservedApplication,
  refOf,
} from '../argocd/application.ts';
import { protectionOf } from '../configuration/protection.ts';
import { appliedMachineConfigs } from '../impact/affected-pools.ts';
import { nodesTogether } from '../impact/nodes-at-once.ts';
import { poolsAffectedBySync } from '../impact/pools-affected-by-sync.ts';
import { collectiveFor, isCollective } from '../openshift/collective-hold-id.ts';
import { scopeOfFreeze } from '../openshift/freeze.ts';
import { isGoingBack } from '../openshift/going-back.ts';
import { applicationHeldBy } from '../openshift/held-application.ts';
import { type Hold, syncHoldId } from '../openshift/hold.ts';
import { isManaged, refusingPools, settingsOf } from '../openshift/managed-pools.ts';
import { isRolling, type Pool } from '../openshift/pool.ts';
import type { PoolRecord, Release } from '../openshift/pool-record.ts';
import { poolSelects } from '../openshift/selector.ts';
import type { Push } from '../routing/awaited-push.ts';
import { given } from '../text/given.ts';
import { unique } from '../text/unique.ts';
import { affectedByExpected, affectedInSnapshot } from './affected-in-snapshot.ts';
import { writtenSince } from './answers.ts';
import { pushesIn } from './argocds-of-push.ts';
import { collectiveHolds, unrecordedFailure } from './collective-hold.ts';
import { frozenStep, missingFreezes, withThaws } from './freeze.ts';
import { overLimit } from './hold-limit.ts';
import { missedSyncs } from './missed-sync.ts';
import { isForExpected, setOfHold } from './new-applications/expected-application.ts';
import { holdForExpected, isCompared, waitForExpected } from './new-applications/expected-hold.ts';
import { asDecided } from './overruled.ts';
import type { PoolPlan } from './plan.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import { pushersOf, withPushers } from './pushers.ts';
import { cutReason, reasonsInShort, withReason } from './reason.ts';
import { holdsThatFit, machineConfigsThatFit } from './record-room.ts';
import { missingRollout, rolloutStep } from './rollout-hold.ts';
import { runningUnpausedSync } from './skip-harmless/unpaused-sync.ts';
import type { Snapshot } from './snapshot.ts';
import { released, type Step } from './step.ts';
import { nextStep, nextTimedStep } from './sync-hold.ts';
import { withMarkedWriter } from './with-both.ts';

interface Advanced {
  readonly record: PoolRecord;
  /** Ids of holders that may not hold this pool as well. */
  readonly overLimit: readonly string[];
  /** Ids of holds that the record has no room for. */
  readonly noRoom: readonly string[];
  readonly notes: PoolPlan['notes'];
  /** Why the pool is to be paused although no hold is left; absent: no sync without a hold has ended. */
  readonly missed?: string | undefined;
}

/** Takes the next step of every hold and adds holds for Applications that sync or will sync. */
export function advanceHolds(owned: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): Advanced {
  const record = withThaws(owned, snapshot, now);
  const kinds = [heldSteps, freezeSteps, rolloutSteps, newSteps, expectedSteps];
  const all = kinds.flatMap((stepsOf) => stepsOf(record, pool, snapshot, now));
  const steps = withFirstHolds(all).map(decidedByPersons(record, { pool, snapshot, now }));
  const wanted = steps.flatMap(({ step }) => (step.kind === 'hold' ? [step.hold] : []));
  const { fit, leftOut } = holdsThatFit(withPushers(wanted, record, pool, snapshot), record);
  const rest = collectiveHolds(record.holds, leftOut, snapshot.settings.policy, now);
  const holds = [...fit, ...rest];
  const beside: Omit<Advanced, 'record'> = {
    overLimit: steps.flatMap(({ about, isOverLimit }) => (isOverLimit === true ? [about] : [])),
    noRoom: leftOut.map(({ id }) => id),
    notes: [
      ...steps.flatMap(({ about, step }) => (step.kind === 'nothing' ? [{ about, why: step.why }] : [])),
      ...notesOf(leftOut),
    ],
  };
  const isRestOver = record.holds.some((hold) => isCollective(hold) && !rest.some(({ id }) => id === hold.id));
  const releases = [
    ...steps.flatMap(({ step }) => (step.kind === 'release' ? [step] : [])),
    ...(isRestOver ? [restOver] : []),
  ];
  const next = { ...record, holds };
  if (releases.length === 0) return { record: next, ...beside };

  const applied = [...(record.release?.machineConfigs ?? []), ...releases.flatMap((each) => each.machineConfigs)];
  const machineConfigs = [...machineConfigsThatFit(applied, mayBeAwaited(pool, snapshot))];
  const why = reasonsInShort(releases.map((each) => each.why));
  const at = now.toISOString();
  const isThawed = steps.some(({ about, step }) => step.kind === 'release' && scopeOfFreeze(about) !== undefined);
  const thawedAt = isThawed ? at : record.release?.thawedAt;
  const missed = releases.flatMap((each) => each.missed ?? []);
  const release: Release = {
    since: at,
    finishedAt: at,
    machineConfigs,
    why,
    ...pushersOf(record, { holds, missed }, pool, snapshot),
    ...afterFailed(record, steps),
    ...given({ thawedAt }),
  };
  return { record: { ...next, release }, ...beside, ...(missed.length > 0 ? { missed: why } : {}) };
}

/** Whether the pool may have to wait for the render of a MachineConfig: it is there, as far as is known. */
function mayBeAwaited(
  { machineConfigSelector, target }: Pool,
  { machineConfigs, unreadMachineConfigs: unread }: Snapshot,
): (name: string) => boolean {
  const there = machineConfigs.filter(({ labels }) => poolSelects(machineConfigSelector, labels));
  const names = new Set([...there.map(({ name }) => name), ...(unread?.keys() ?? [])]);
  for (const name of target.sources) names.delete(name);
  return (name) => names.has(name);
}

const restOver: Extract<Step, { readonly kind: 'release' }> = {
  kind: 'release',
  why: 'the record of the pool has had room for every hold for some time',
  machineConfigs: [],
};

/** Holds without room that are named one by one. */
const leftOutNamed = 10;

function notesOf(leftOut: readonly Hold[]): PoolPlan['notes'] {
  const why = 'the record of the pool has no room for its hold: it is held together with others';
  const more = leftOut.length - leftOutNamed;
  return [
    ...leftOut.slice(0, leftOutNamed).map(({ id }) => ({ about: id, why })),
    ...(more > 0 ? [{ about: `${more} more`, why }] : []),
  ];
}

/** One is enough to ask for an approval. */
const failedKept = 20;
/** Stands for those that are not kept by name: no sync ends it, only an approval. */
const moreFailed = 'more Applications';

/** Applications whose last sync failed and whose changes roll out only after an approval. One that syncs successfully
 *  afterwards is none any more; a push that no sync follows changes nothing. */
function afterFailed({ release }: PoolRecord, steps: readonly NamedStep[]): Pick<Release, 'afterFailed'> {
  const ended = steps.filter(({ step }) => step.kind === 'release');
  const isFailed = ({ step }: NamedStep) => step.kind === 'release' && step.needsApproval === true;
  const isOver = ({ step }: NamedStep) => step.kind === 'release' && step.endsFailure === true;
  const over = new Set(ended.filter(isOver).map(({ about }) => about));
  const before = (release?.afterFailed ?? []).filter((about) => !over.has(about));
  const failed = unique([...before, ...ended.filter(isFailed).map(({ about }) => about)]);
  if (failed.length === 0) return {};
  const named = failed.filter((about) => about !== moreFailed);
  return { afterFailed: failed.length > failedKept ? [...named.slice(0, failedKept - 1), moreFailed] : failed };
}

/** An Application that was expected to be created may already be syncing: its first hold counts. */
function withFirstHolds(all: readonly NamedStep[]): readonly NamedStep[] {
  const holds = all.filter(({ step }) => step.kind === 'hold');
  const first = new Map(holds.toReversed().map((each) => [each.about, each]));
  return all.filter((each) => each.step.kind !== 'hold' || first.get(each.about) === each);
}

interface NamedStep {
  readonly about: string;
  readonly step: Step;
  readonly isOverLimit?: boolean;
}

/** The steps by what people have decided. A failed sync holds a pool until a person decides, and resuming the pool is
 *  that decision. A program's resume is none of a failure that comes while the pool is paused again. */
function decidedByPersons({ holds, pause }: PoolRecord, { pool, snapshot, now }: PoolInSnapshot) {
  const before = new Map(holds.map((hold) => [hold.id, hold]));
  const together = holds.filter(isCollective);
  const pushes = pushesIn(snapshot);
  return (named: NamedStep): NamedStep => {
    const { about, step } = named;
    if (step.kind !== 'hold') return named;
    const observed = applicationHeldBy(about, snapshot.applications);
    const operation = observed?.kind === 'seen' ? observed.application.operation : undefined;
    const known = { before: before.get(about), together: collectiveFor(about, together) };
    const hold = asDecided(step.hold, known, { pool, operation, push: pushes.get(about), now });
    if (hold.overruled === undefined || hold.phase !== 'failed') return { ...named, step: { kind: 'hold', hold } };
    const { overruled, ...standing } = hold;
    if (overruled.byProgram === true && pause === 'ours') return { ...named, step: { kind: 'hold', hold: standing } };
    return { about, step: { kind: 'release', why: `${overruled.by} resumed the pool`, machineConfigs: [] } };
  };
}

function heldSteps(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): readonly NamedStep[] {
  const own = record.holds.filter((hold) => !isCollective(hold));
  return own.map((hold) => {
    if (hold.kind === 'freeze') return { about: hold.id, step: frozenStep(hold, record, snapshot, now) };
    if (hold.kind === 'rollout') return { about: hold.id, step: rolloutStep(hold, pool, snapshot, now) };
    if (hold.kind !== 'sync') return { about: hold.id, step: nextTimedStep(hold, now) };
    const observed = applicationHeldBy(hold.id, snapshot.applications);
    if (isForExpected(hold)) return { about: hold.id, step: expectedStep(hold, observed, { pool, snapshot, now }) };
    if (observed === undefined) return { about: hold.id, step: { kind: 'hold', hold } };
    const { policy } = snapshot.settings;
    const refusing = refusingPools(snapshot.settings);
    const push = withMarkedWriter(pushFor(hold, pool, observed, snapshot), observed);
    const parent = parentIn(snapshot, push?.via ?? hold.via);
    const step = nextStep({ hold, observed, push, parent, refusing, policy, now });
    return { about: hold.id, step: unlessAsked(step, hold, { record, observed }) };
  });
}

/** A sync of a part has ended, with no push awaited, while an approval is asked for what had failed: that goes on, and
 *  may have been given. */
function unlessAsked(
  step: Step,
  { id, phase, pushedAt }: Hold,
  { record, observed }: { readonly record: PoolRecord; readonly observed: ObservedApplication },
): Step {
  if (step.kind !== 'hold' || step.hold.phase !== 'failed' || phase === 'failed' || observed.kind !== 'seen')
    return step;
  const { operation } = observed.application;
  const isAsked = pushedAt === undefined && record.release?.afterFailed?.includes(id) === true;
  if (operation?.phase !== 'Succeeded' || !isAsked) return step;
  const machineConfigs = appliedMachineConfigs(operation.results);
  return { kind: 'release', why: step.hold.why, machineConfigs, needsApproval: true };
}

/** The freezes that other pools of the cluster carry for all. */
function freezeSteps(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): readonly NamedStep[] {
  return missingFreezes(record, pool, snapshot, now).map((hold) => ({ about: hold.id, step: { kind: 'hold', hold } }));
}

/** The hold of the run that takes the nodes of the pool one by one. */
function rolloutSteps(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): readonly NamedStep[] {
  const hold = missingRollout(record, pool, snapshot, now);
  if (hold === undefined) return [];
  return [
    { about: hold.id, step: isManaged(snapshot.settings, pool) ? { kind: 'hold', hold } : notManaged(pool, snapshot) },
  ];
}

/** The next step of a hold for an Application that was not there yet. Once it exists and Argo CD has compared it, it is
 *  held or released like any other. */
function expectedStep(
  hold: Hold,
  observed: ObservedApplication | undefined,
  { pool, snapshot, now }: PoolInSnapshot,
): Step {
  const { policy } = snapshot.settings;
  const refusing = refusingPools(snapshot.settings);
  const push = snapshot.pushes.get(hold.id) ?? snapshot.expected.find(({ id }) => id === hold.id)?.push;
  const parent = parentIn(snapshot, push?.via ?? hold.via);
  if (setOfHold(hold.id) !== undefined || observed?.kind === 'gone')
    return waitForExpected({ hold, push, parent, policy, now });
  if (observed === undefined) return { kind: 'hold', hold };
  if (observed.kind === 'unreadable') return nextStep({ hold, observed, push, parent, refusing, policy, now });
  const { application } = observed;
  const since = writtenSince({ parent, now }, hold);
  if (since === undefined && !isSyncing(application)) return waitForExpected({ hold, push, parent, policy, now });
  if (isCompared(application, since) && !poolsAffectedBySync(application, snapshot).pools.includes(pool.name))
    return released(`Argo CD has compared ${hold.who}: it does not affect the pool`);
  const step = nextStep({ hold, observed, push, parent, refusing, policy, now });
  return step.kind === 'hold' ? { kind: 'hold', hold: { ...step.hold, uid: application.uid } } : step;
}

/** The push, unless it is known to change nothing for the pool: then the hold stays as it is. A failed sync is retried
 *  by the sync of any commit, so for its hold every push counts. What a guard holds back is no push: it renews no hold
 *  that waits already, or one whose other pools cannot be held would never end. */
function pushFor(hold: Hold, pool: Pool, observed: ObservedApplication, snapshot: Snapshot): Push | undefined {
  const push = snapshot.pushes.get(hold.id);
  if (push === undefined || observed.kind !== 'seen') return push;
  if (push.behindGuard === true && hold.phase !== 'failed') return undefined;
  const { affected } = affectedInSnapshot(observed.application, snapshot);
  if (affected.pools.includes(pool.name)) return withReason(push, affected, { pool, snapshot });
  return affected.isExact && hold.phase !== 'failed' ? undefined : push;
}

function parentIn({ parents }: Snapshot, via: Hold['via']): ObservedApplication | undefined {
  return via && parents.find((observed) => isSameApplication(refOf(observed), via));
}

function newSteps(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): readonly NamedStep[] {
  const known = new Set(record.holds.map(({ id }) => id));
  const refusing = refusingPools(snapshot.settings);
  const unlessMissed = missedSyncs({ record, pool, snapshot, now });
  return snapshot.applications.flatMap((observed) => {
    const id = syncHoldId(refOf(observed));
    if (observed.kind !== 'seen' || known.has(id)) return [];
    const asked = snapshot.pushes.get(id);
    const { affected, refused } = affectedInSnapshot(observed.application, snapshot);
    // If admission refused the sync for this pool, it is paused whatever the change was predicted to do.
    const wanted = [...affected.pools, ...refused];
    if (!wanted.includes(pool.name)) return [];
    const pushed = asked && withPossibleDisruption(withReason(asked, affected, { pool, snapshot }), pool, snapshot);
    const push = withMarkedWriter(pushed, observed);
    const parent = parentIn(snapshot, push?.via);
    const { application } = observed;
    const failure = unrecordedFailure(application, record, snapshot.settings.policy, now);
    const step = unlessHarmless(
      nextStep({ hold: failure, observed, push, parent, refusing, policy: snapshot.settings.policy, now }),
      { application, pool, push },
      snapshot,
    );
    const late = unlessMissed(step, application, push);
    if (late !== step) return [withinLimit({ about: id, step: late }, wanted, { pool, snapshot })];
    if (step.kind !== 'hold' && push === undefined) return [];
    if (!isManaged(snapshot.settings, pool)) return leftAlone(id, step, pool, snapshot);
    const held = unlessRolling(withFailureLeft(id, step, record), application, { pool, snapshot });
    return [withinLimit({ about: id, step: held }, wanted, { pool, snapshot })];
  });
}

/** What its sync has left that failed before waits for an approval still: one of a part alone does not end that. */
function withFailureLeft(id: string, step: Step, { release }: PoolRecord): Step {
  if (step.kind !== 'hold' || release?.afterFailed?.includes(id) !== true) return step;
  return { kind: 'hold', hold: { ...step.hold, afterFailure: true } };
}

/** A pool that is not managed is held by nothing. */
function leftAlone(about: string, step: Step, pool: Pool, snapshot: Snapshot): readonly NamedStep[] {
  return step.kind === 'hold' ? [{ about, step: notManaged(pool, snapshot) }] : [];
}

/** The step as it is, or none where its holder holds, or would keep paused, as many pools as it may. */
function withinLimit(
  named: NamedStep,
  wanted: readonly string[],
  at: Pick<PoolInSnapshot, 'pool' | 'snapshot'>,
): NamedStep {
  const { step } = named;
  const pauses = step.kind === 'hold' || (step.kind === 'release' && step.missed !== undefined && !at.pool.paused);
  const via = step.kind === 'hold' ? step.hold.via : undefined;
  const why = pauses ? overLimit({ id: named.about, via }, wanted, at) : undefined;
  return why === undefined ? named : { about: named.about, step: { kind: 'nothing', why }, isOverLimit: true };
}

/** Its rollout does not go on by itself: as many nodes have failed as the MCO has in work at once. The push may bring
 *  what mends them. */
function hasStopped({ counts, maxUnavailable }: Pool): boolean {
  return counts.degraded >= nodesTogether(maxUnavailable, counts.machines);
}

/** Policy `whenRolling: refuse`: a push does not pause a pool in the middle of an earlier rollout. A sync that already
 *  runs still pauses it: the rollout may be its own change. */
function unlessRolling(
  step: Step,
  application: Application,
  { pool, snapshot }: Pick<PoolInSnapshot, 'pool' | 'snapshot'>,
): Step {
  const rolls = (isRolling(pool) || isGoingBack(pool)) && !hasStopped(pool);
  const isRefused = snapshot.settings.policy.whenRolling === 'refuse' && !isSyncing(application) && rolls;
  return isRefused && step.kind === 'hold'
    ? { kind: 'nothing', why: `pool ${pool.name} is rolling out ${pool.target.name}, and policy whenRolling is refuse` }
    : step;
}

/** Holds for Applications that a push will create. */
function expectedSteps(record: PoolRecord, pool: Pool, snapshot: Snapshot, now: Date): readonly NamedStep[] {
  const { expected = [], settings } = snapshot;
  return expected.flatMap((expectedApplication): readonly NamedStep[] => {
    const affected = affectedByExpected(expectedApplication, snapshot);
    if (!affected.pools.includes(pool.name) || record.holds.some((hold) => hold.id === expectedApplication.id))
      return [];
    const { because = '' } = withReason(expectedApplication.push, affected, { pool, snapshot });
    const step = holdForExpected(expectedApplication, because, settings.policy, now);
    const named = { about: expectedApplication.id, step };
    if (isManaged(settings, pool)) return [withinLimit(named, affected.pools, { pool, snapshot })];
    return step.kind === 'hold' ? [{ about: expectedApplication.id, step: notManaged(pool, snapshot) }] : [];
  });
}

interface PushedSync {
  readonly application: Application;
  readonly pool: Pool;
  readonly push: Push | undefined;
}

/** With `pauseFor: disruptive`, no hold for a change that certainly does nothing to the nodes. */
function unlessHarmless(step: Step, { application, pool, push }: PushedSync, snapshot: Snapshot): Step {
  if (step.kind !== 'hold') return step;
  const disruption = push === undefined ? undefined : snapshot.disruption.ofPush.get(pool.name);
  const unpaused = runningUnpausedSync(application, pool, snapshot);
  const isOfPush = push === undefined || unpaused?.revision === push.revision;
  const isHarmless = disruption?.kind === 'none' && disruption.holds.includes(step.hold.id) && !isSyncing(application);
  const why = isHarmless ? disruption.why : isOfPush ? unpaused?.why : undefined;
  return why === undefined ? step : { kind: 'nothing', why: `${unpausedBecause}: ${why}` };
}

const unpausedBecause = 'pauseFor is disruptive, and this does nothing to the nodes';

/** Adds why a pool with `pauseFor: disruptive` is paused. */
function withPossibleDisruption(push: Push, pool: Pool, snapshot: Snapshot): Push {
  const disruption = snapshot.disruption.ofPush.get(pool.name);
  if (disruption?.kind !== 'possible') return push;
  return { ...push, because: cutReason(`${disruption.why}; ${push.because ?? ''}`, snapshot) };
}

function notManaged(pool: Pool, snapshot: Snapshot): Step {
  const isObserved = !protectionOf(settingsOf(snapshot.settings, pool.name)).pauses;
  const why = isObserved
    ? `pool ${pool.name} is only observed`
    : `pool ${pool.name} is required for upgrades and not opted in (manageRequired)`;
  return { kind: 'nothing', why };
}

import type { Application, Operation } from '../argocd/application.ts';
import { appliedMachineConfigs } from '../impact/affected-pools.ts';
import { collectiveFor } from '../openshift/collective-hold-id.ts';
import { isOfPerson } from '../openshift/field-managers.ts';
import { syncHoldId } from '../openshift/hold.ts';
import { isManaged, settingsOf } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import { type PoolRecord, recordIn, standingHolds } from '../openshift/pool-record.ts';
import type { Push } from '../routing/awaited-push.ts';
import { isEarlierSecond, isLaterSecond, secondsSince } from '../text/instant.ts';
import { unique } from '../text/unique.ts';
import { lastSync } from './answers.ts';
import { stoodBefore } from './earlier-commits.ts';
import { openEmergency } from './emergency.ts';
import { respected } from './let-go.ts';
import { lateWithinSeconds } from './pause-again.ts';
import type { PoolAction } from './plan.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import { isPusherNoted, isUnknownNoted, notesPushers } from './pushers.ts';
import { machineConfigsWritten, reachOf, withinSeconds } from './reach-of-sync.ts';
import { askedFor } from './rendered-late.ts';
import type { Snapshot } from './snapshot.ts';
import type { Missed, Step } from './step.ts';

/** A sync that was over before anybody looked, as one of half a second at a cold start. A pause protects nothing of it
 *  any more, but if the pool has windows, approvals or another gate that decides about changes, they are asked before
 *  what the sync has brought rolls out. Otherwise the step as it is.
 *  @returns asked of each Application; what follows from the pool alone is found out once */
export function missedSyncs(of: PoolAndRecord): (step: Step, application: Application, push?: Push) => Step {
  let may: boolean | undefined;
  return (step, application, push) => {
    const over = step.kind === 'nothing' ? overUnseen(application, push, of) : undefined;
    if (over === undefined) return step;
    may ??= of.pool.paused ? isApproved(of.pool, of.record, of.snapshot) : mayPause(of);
    if (!may || !hasReached(application, over, of)) return step;
    const late = of.pool.paused ? 'anybody looked' : 'the pool could be paused for it';
    const why = `the sync of ${application.namespace}/${application.name} was over before ${late}`;
    return { kind: 'release', why, machineConfigs: appliedMachineConfigs(over.operation.results), missed: over.missed };
  };
}

/** Its last sync, where that has just ended and nothing was decided since. Who has pushed what waits is asked also
 *  where the push is delivered late. */
function overUnseen(application: Application, push: Push | undefined, of: PoolAndRecord): MissedSync | undefined {
  const operation = lastSync(application);
  if (operation === undefined) return undefined;
  if (isDecided(application, operation, undefined, of)) return undefined;
  const missed = ofPush(application, operation, push);
  const within = missed !== 'unpushed' && of.pool.paused ? lateWithinSeconds : withinSeconds;
  return isJustOver(operation, within, of.now) && isNew({ operation, missed }, of) ? { operation, missed } : undefined;
}

/** MachineConfigs of whose heads it is asked whether such a sync has changed them: none where no pool would be paused
 *  for it. */
export function machineConfigsOfMissed(
  applications: readonly Application[],
  pools: readonly Pool[],
  cluster: Pick<Snapshot, 'settings' | 'sequenceSteps'>,
  now: Date,
): readonly string[] {
  const operations = applications.flatMap((application) => lastSync(application) ?? []);
  const names = operations
    .filter((each) => isJustOver(each, withinSeconds, now))
    .flatMap((each) => machineConfigsWritten(each).map(({ name }) => name));
  if (names.length === 0) return [];
  const asking = pools.filter((pool) => {
    const record = recordIn(pool);
    return pool.paused ? isApproved(pool, record, cluster) : asksFirst(pool, record, cluster);
  });
  if (asking.length === 0) return [];
  const sourcesOf = (some: readonly Pool[]) => new Set(some.flatMap(({ target }) => target.sources));
  const [known, wanted] = [sourcesOf(pools), sourcesOf(asking)];
  return unique(names).filter((name) => wanted.has(name) || !known.has(name));
}

/** A pool, and its record before this step. */
type PoolAndRecord = PoolInSnapshot & { readonly record: PoolRecord };

interface MissedSync {
  readonly operation: Operation;
  readonly missed: Missed;
}

/** An end that is still to come would be newer than its own pause, and pause the pool again and again: the clock of
 *  Argo CD runs ahead, or somebody wrote it by hand. */
function isJustOver({ phase, finishedAt }: Operation, within: number, now: Date): boolean {
  if (phase !== 'Succeeded' || finishedAt === undefined) return false;
  const seconds = secondsSince(finishedAt, now);
  return seconds >= 0 && seconds <= within;
}

/** Of a pool that is paused already, who pushed is all that is new, whatever was decided since. */
function isNew({ operation, missed }: MissedSync, of: PoolAndRecord): boolean {
  const isPushed = missed !== 'unpushed' && of.pool.paused;
  const isUnknownNew = !isUnknownNoted(of.record);
  if (isPushed) return !isPusherNoted(of.record, of.snapshot, operation) || (missed === 'partly' && isUnknownNew);
  return (isUnknownNew || !of.pool.paused) && isUndecidedSince(operation.finishedAt, of);
}

/** Its hold has ended since, overruled: whoever resumed the pool has decided about it, however long it lasted. What has
 *  begun since that sync is another one; self-heal often applies once more what has just been applied, which that one
 *  has changed.
 *  @param changedAt when what it applies was last changed; undefined: not known */
function isDecided(application: Application, operation: Operation, changedAt: string | undefined, of: PoolAndRecord) {
  const { record, pool } = of;
  if (pool.paused) return false;
  const id = syncHoldId(application);
  const { startedAt, finishedAt } = operation;
  const ended = record.last?.ended?.find(({ hold }) => hold === id);
  // It may have had no room for a hold of its own.
  const together = collectiveFor(id, record.holds)?.overruled;
  if (ended === undefined) return together !== undefined && !isLaterSecond(startedAt, together.at);
  if (ended.startedAt === startedAt) return true;
  const isOver = (at: string | undefined) => at !== undefined && !isEarlierSecond(ended.at, at);
  if (ended.startedAt === undefined) return isOver(finishedAt);
  return isOver(changedAt) && changedAt !== undefined && isEarlierSecond(changedAt, startedAt);
}

/** What happened to the pool since then was decided with it. A pause has decided nothing of who pushed, and the end of
 *  a hold that did not keep the pool paused nothing of others. */
function isUndecidedSince(
  instant: string | undefined,
  { record: { last, release }, pool: { paused, pausedBy } }: PoolAndRecord,
): boolean {
  if (instant === undefined) return false;
  const resumedAt = !paused && isOfPerson(pausedBy?.manager) ? pausedBy?.at : undefined;
  const decidedAt = paused && last?.did === 'paused' ? undefined : last?.at;
  return [decidedAt, paused ? release?.since : undefined, resumedAt].every(
    (at) => at === undefined || isEarlierSecond(at, instant),
  );
}

/** By what it has changed, and not by all that its Application manages. Without a push nothing counts but what the
 *  MachineConfigs themselves say: whoever may write an Application may write what that says of its syncs. */
function hasReached(application: Application, { operation, missed }: MissedSync, of: PoolAndRecord): boolean {
  const reach = reachOf(application, operation, of);
  if (missed !== 'unpushed' && reach.said().has(of.pool.name)) return true;
  const changedAt = reach.changed().get(of.pool.name);
  return isUndecidedSince(changedAt, of) && !isDecided(application, operation, changedAt, of);
}

/** Of several sources, each of the others has to be where it was before. */
function ofPush(application: Application, operation: Operation, push: Push | undefined): Missed {
  const { revisions } = operation;
  if (push?.revision === undefined || !revisions.includes(push.revision)) return 'unpushed';
  const stood = stoodBefore(application, operation);
  const pushed = [push.revision, push.commit];
  const isAll = revisions.every((each, index) => pushed.includes(each) || each === stood[index]);
  return isAll ? 'pushed' : 'partly';
}

/** Nothing holds the pool, nobody has just decided about it, and something is to be asked. With `pauseFor: disruptive`,
 *  what does nothing to the nodes must not wait, and a sync does not say what it does. */
function mayPause({ record, pool, snapshot, now }: PoolAndRecord): boolean {
  if (pool.paused || standingHolds(record).length > 0) return false;
  if (openEmergency(record, now) !== undefined || respected(record, pool, now) !== undefined) return false;
  return asksFirst(pool, record, snapshot);
}

/** What waits in a pool that is paused for syncs is not approved by who pushed it, and who pushed what came last is one
 *  of them; so it is behind a sync that somebody has overruled, whose pushers are noted when it ends. Of a pool that
 *  nobody has pushed to, all that waits is taken for that of an unknown pusher anyway. */
function isApproved(pool: Pool, { pause, holds, release }: PoolRecord, cluster: Pick<Snapshot, 'settings'>): boolean {
  if (!pool.paused || pause !== 'ours' || !notesPushers(pool, cluster)) return false;
  return release !== undefined || holds.some(({ kind }) => kind === 'sync');
}

/** Of what is known of the pool without its holds. */
function asksFirst(
  pool: Pool,
  { release }: PoolRecord,
  { settings: cluster, sequenceSteps }: Pick<Snapshot, 'settings' | 'sequenceSteps'>,
): boolean {
  const settings = settingsOf(cluster, pool.name);
  if (settings.pauseFor === 'disruptive' || !isManaged(cluster, pool)) return false;
  const { windows = [], budget } = cluster;
  const asked = askedFor({ pool, settings, windows, budget, release, step: sequenceSteps?.get(pool.name) });
  return Object.keys(asked).length > 0;
}

/** The pause for such a sync: the pool goes on through its gates. */
export function pauseAfterMissed(record: PoolRecord, missed: string, now: Date): PoolAction {
  const at = now.toISOString();
  const why = `${missed}; it is paused now, so that its gates decide about what that brings`;
  const paused: PoolRecord = {
    ...record,
    pause: 'ours',
    pausedSince: at,
    last: { did: 'paused', at, why },
  };
  return { kind: 'pause', record: paused, why };
}

import type { Application, Operation, OperationResult } from '../argocd/application.ts';
import { decidesAlone } from '../argocd/pools-annotation.ts';
import { affectedPools, appliedMachineConfigs, renderedResources } from '../impact/affected-pools.ts';
import { hasWritten, mayBeUnchanged } from '../impact/pools-affected-by-sync.ts';
import { hasKnownPools } from '../impact/pools-of-managed.ts';
import { isOfPerson } from '../openshift/field-managers.ts';
import { isManaged, settingsOf } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import { type PoolRecord, without } from '../openshift/pool-record.ts';
import type { Push } from '../routing/awaited-push.ts';
import { isEarlierSecond, secondsSince } from '../text/instant.ts';
import { lastSync } from './answers.ts';
import { openEmergency } from './emergency.ts';
import { respected } from './let-go.ts';
import { degradedSince } from './pause-again.ts';
import type { PoolAction } from './plan.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import { askedFor } from './rendered-late.ts';
import type { Snapshot } from './snapshot.ts';
import type { Step } from './step.ts';

/** Seconds after the end of a sync in which a pause may still come before its rollout. The MCO leaves 5 to 10 s
 *  (facts measured on release 4.21), and a busy one some more. */
const withinSeconds = 30;

/** A push whose sync was over before anybody looked, as one of half a second at a cold start. A pause protects nothing
 *  of it any more, but if the pool has windows, approvals or another gate that decides about changes, they are asked
 *  before what the sync has brought rolls out. Otherwise the step as it is: without a push nobody would have paused the
 *  pool before, and what a sync says of itself is no reason to.
 *  @returns asked of each Application; what follows from the pool alone is found out once */
export function missedSyncs(of: PoolAndRecord): (step: Step, application: Application, push?: Push) => Step {
  let may: boolean | undefined;
  return (step, application, push) => {
    const operation = lastSync(application);
    if (step.kind !== 'nothing' || operation?.phase !== 'Succeeded' || !isJustOver(operation, of)) return step;
    if (!isOfPush(operation, push)) return step;
    may ??= mayPause(of);
    if (!may || !hasReached(application, operation, of)) return step;
    const why = `the sync of ${application.namespace}/${application.name} was over before the pool could be paused for it`;
    return { kind: 'release', why, machineConfigs: appliedMachineConfigs(operation.results), missed: true };
  };
}

/** A pool, and its record before this step. */
type PoolAndRecord = PoolInSnapshot & { readonly record: PoolRecord };

/** What happened to the pool since then was decided with it. An end that is still to come would be newer than its own
 *  pause, and pause the pool again and again: the clock of Argo CD runs ahead, or somebody wrote it by hand. */
function isJustOver({ finishedAt }: Operation, { record: { last }, pool: { pausedBy }, now }: PoolAndRecord): boolean {
  if (finishedAt === undefined) return false;
  const seconds = secondsSince(finishedAt, now);
  if (!(seconds >= 0 && seconds <= withinSeconds)) return false;
  const resumedAt = isOfPerson(pausedBy?.manager) ? pausedBy?.at : undefined;
  return [last?.at, resumedAt].every((at) => at === undefined || isEarlierSecond(at, finishedAt));
}

/** By what it has written, and not by all that its Application manages: what it may have left unchanged for another
 *  pool, or did not prune, is no reason to pause that one, nor is an object of which nobody knows whom it reaches, as
 *  one that it has deleted and that no pool lists any more. */
function hasReached(application: Application, operation: Operation, { pool, snapshot }: PoolInSnapshot): boolean {
  const isKnown = decidesAlone(application.named) ? () => true : hasKnownPools(snapshot);
  const results = operation.results.filter((each) => isWritten(each) && isKnown(each));
  const written = { ...application, resources: [], operation: { ...operation, results } };
  return renderedResources(written).length > 0 && affectedPools(written, snapshot).pools.includes(pool.name);
}

function isWritten(result: OperationResult): boolean {
  return hasWritten(result) && !mayBeUnchanged(result) && result.status !== 'PruneSkipped';
}

function isOfPush({ revisions }: Operation, push: Push | undefined): boolean {
  return push?.revision !== undefined && revisions.includes(push.revision);
}

/** Nobody has decided about the pool, and something is to be asked. With `pauseFor: disruptive`, what does nothing to
 *  the nodes must not wait, and a sync does not say what it does. */
function mayPause({ record, pool, snapshot, now }: PoolAndRecord): boolean {
  if (pool.paused || record.pause !== undefined || record.holds.length > 0) return false;
  if (openEmergency(record, now) !== undefined || respected(record, pool, now) !== undefined) return false;
  return asksFirst(pool, record, snapshot);
}

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
export function pauseAfterMissed(record: PoolRecord, pool: Pool, why: string, now: Date): PoolAction {
  const at = now.toISOString();
  const paused: PoolRecord = {
    ...without(record, 'resumedAt'),
    ...degradedSince(record, pool),
    pause: 'ours',
    pausedSince: at,
    last: { did: 'paused', at, why },
  };
  return { kind: 'pause', record: paused, why };
}

import type { Application, Operation, OperationResult } from '../argocd/application.ts';
import { decidesAlone } from '../argocd/pools-annotation.ts';
import { affectedPools, appliedMachineConfigs, isMachineConfig, renderedResources } from '../impact/affected-pools.ts';
import { hasWritten, mayBeUnchanged } from '../impact/pools-affected-by-sync.ts';
import { hasKnownPools } from '../impact/pools-of-managed.ts';
import { isOfPerson } from '../openshift/field-managers.ts';
import { isManaged, settingsOf } from '../openshift/managed-pools.ts';
import type { Pool } from '../openshift/pool.ts';
import { emptyRecord, type PoolRecord, without } from '../openshift/pool-record.ts';
import type { Push } from '../routing/awaited-push.ts';
import { isEarlierSecond, isLaterSecond, plusSeconds, secondsSince } from '../text/instant.ts';
import { lastSync } from './answers.ts';
import { openEmergency } from './emergency.ts';
import { respected } from './let-go.ts';
import { degradedSince } from './pause-again.ts';
import type { PoolAction } from './plan.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import { isPusherNoted, notesPushers } from './pushers.ts';
import { askedFor } from './rendered-late.ts';
import type { Snapshot } from './snapshot.ts';
import type { Step } from './step.ts';

/** Seconds after the end of a sync in which a pause may still come before its rollout. The MCO leaves 5 to 10 s
 *  (facts measured on release 4.21), and a busy one some more. */
const withinSeconds = 30;
/** Seconds by which the clock of the API server may be ahead of Argo CD's: both write whole seconds. */
const clocksApartSeconds = 1;
/** Seconds in which the MCO leaves a change alone, measured on release 4.21. Self-heal often syncs what a sync has just
 *  written once more, in 0.2 s, and then only that operation is shown. */
const healedWithinSeconds = 10;

/** A sync that was over before anybody looked, as one of half a second at a cold start. A pause protects nothing of it
 *  any more, but if the pool has windows, approvals or another gate that decides about changes, they are asked before
 *  what the sync has brought rolls out. Otherwise the step as it is.
 *  @returns asked of each Application; what follows from the pool alone is found out once */
export function missedSyncs(of: PoolAndRecord): (step: Step, application: Application, push?: Push) => Step {
  let may: boolean | undefined;
  return (step, application, push) => {
    const operation = lastSync(application);
    if (step.kind !== 'nothing' || operation === undefined || !isJustOver(operation, of.now)) return step;
    const missed = isOfPush(operation, push) ? 'pushed' : 'unpushed';
    if (!isNew({ operation, missed }, of)) return step;
    may ??= of.pool.paused ? isApproved(of.pool, of.record, of.snapshot) : mayPause(of);
    if (!may || !hasReached(application, { operation, missed }, of)) return step;
    const late = of.pool.paused ? 'anybody looked' : 'the pool could be paused for it';
    const why = `the sync of ${application.namespace}/${application.name} was over before ${late}`;
    return { kind: 'release', why, machineConfigs: appliedMachineConfigs(operation.results), missed };
  };
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
    .filter((each) => isJustOver(each, now))
    .flatMap((each) => machineConfigsWritten(each).map(({ name }) => name));
  if (names.length === 0) return [];
  const asking = pools.filter((pool) => {
    const record = recordOf(pool);
    return pool.paused ? isApproved(pool, record, cluster) : asksFirst(pool, record, cluster);
  });
  if (asking.length === 0) return [];
  const sourcesOf = (some: readonly Pool[]) => new Set(some.flatMap(({ target }) => target.sources));
  const [known, wanted] = [sourcesOf(pools), sourcesOf(asking)];
  return [...new Set(names)].filter((name) => wanted.has(name) || !known.has(name));
}

/** A pool, and its record before this step. */
type PoolAndRecord = PoolInSnapshot & { readonly record: PoolRecord };

interface MissedSync {
  readonly operation: Operation;
  readonly missed: 'pushed' | 'unpushed';
}

/** An end that is still to come would be newer than its own pause, and pause the pool again and again: the clock of
 *  Argo CD runs ahead, or somebody wrote it by hand. */
function isJustOver({ phase, finishedAt }: Operation, now: Date): boolean {
  if (phase !== 'Succeeded' || finishedAt === undefined) return false;
  const seconds = secondsSince(finishedAt, now);
  return seconds >= 0 && seconds <= withinSeconds;
}

/** Of a pool that is paused already, who pushed is all that is new of a push, whatever was decided since. */
function isNew({ operation, missed }: MissedSync, of: PoolAndRecord): boolean {
  if (of.pool.paused && missed === 'pushed') return !isPusherNoted(of.record, of.snapshot);
  return isUndecidedSince(operation.finishedAt, of);
}

/** What happened to the pool since then was decided with it. */
function isUndecidedSince(
  instant: string | undefined,
  { record: { last, release }, pool: { pausedBy } }: PoolAndRecord,
): boolean {
  if (instant === undefined) return false;
  const resumedAt = isOfPerson(pausedBy?.manager) ? pausedBy?.at : undefined;
  return [last?.at, release?.since, resumedAt].every((at) => at === undefined || isEarlierSecond(at, instant));
}

/** By what it has changed, and not by all that its Application manages. Without a push nothing counts but what the
 *  MachineConfigs themselves say: whoever may write an Application may write what that says of its syncs. */
function hasReached(application: Application, { operation, missed }: MissedSync, of: PoolAndRecord): boolean {
  const reach = reachOf(application, operation, of);
  if (missed === 'pushed' && reach.said().has(of.pool.name)) return true;
  return isUndecidedSince(reach.changed().get(of.pool.name), of);
}

/** Pools that a sync has reached. */
interface Reach {
  /** By what it says of itself. */
  readonly said: () => ReadonlySet<string>;
  /** By the MachineConfigs that it has changed, and when the last of them was written. */
  readonly changed: () => ReadonlyMap<string, string>;
}

/** Every pool asks it of every Application: it is found out once for a snapshot. */
function reachOf(
  application: Application,
  operation: Operation,
  { snapshot, now }: Pick<PoolInSnapshot, 'snapshot' | 'now'>,
): Reach {
  const ofApplications = ofSnapshots.get(snapshot) ?? new WeakMap<Application, Reach>();
  ofSnapshots.set(snapshot, ofApplications);
  const reach = ofApplications.get(application) ?? {
    said: once(() => saidBy(application, operation, snapshot)),
    changed: once(() => changedBy(application, operation, { snapshot, now })),
  };
  ofApplications.set(application, reach);
  return reach;
}

const ofSnapshots = new WeakMap<Snapshot, WeakMap<Application, Reach>>();

function once<Value>(find: () => Value): () => Value {
  let found: { readonly value: Value } | undefined;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}

/** What it may have left unchanged for another pool, or did not prune, is no reason to pause that one, nor is an object
 *  of which nobody knows whom it reaches, as one that it has deleted and that no pool lists any more. */
function saidBy(application: Application, operation: Operation, snapshot: Snapshot): ReadonlySet<string> {
  const isKnown = decidesAlone(application.named) ? () => true : hasKnownPools(snapshot);
  const said = operation.results.filter((each) => isWritten(each) && isKnown(each));
  return new Set(poolsReached(application, said, snapshot));
}

/** By MachineConfigs that it says to have applied, and whose newest write, by the API server's own note, came while it
 *  ran, or the sync that it heals, and lately. */
function changedBy(
  application: Application,
  operation: Operation,
  { snapshot, now }: Pick<PoolInSnapshot, 'snapshot' | 'now'>,
): ReadonlyMap<string, string> {
  const written = writtenAt(snapshot.machineConfigs);
  const isNow = isDuring(operation, now);
  const changed = Map.groupBy(machineConfigsWritten(operation), ({ name }) => written.get(name));
  const instants = [...changed.keys()].flatMap((at) => (at !== undefined && isNow(at) ? [at] : []));
  const reached = new Map<string, string>();
  for (const at of instants.toSorted((a, b) => Date.parse(a) - Date.parse(b)))
    for (const pool of poolsReached(application, changed.get(at) ?? [], snapshot)) reached.set(pool, at);
  return reached;
}

/** By these results alone. */
function poolsReached(
  application: Application,
  results: readonly OperationResult[],
  snapshot: Snapshot,
): readonly string[] {
  const { operation } = application;
  const written = { ...application, resources: [], operation: operation && { ...operation, results } };
  return renderedResources(written).length === 0 ? [] : affectedPools(written, snapshot).pools;
}

/** When each was written, by its name. Of those that were read again the first counts. */
function writtenAt(machineConfigs: Snapshot['machineConfigs']): ReadonlyMap<string, string | undefined> {
  const found =
    ofHeads.get(machineConfigs) ?? new Map(machineConfigs.toReversed().map(({ name, changedAt }) => [name, changedAt]));
  ofHeads.set(machineConfigs, found);
  return found;
}

const ofHeads = new WeakMap<Snapshot['machineConfigs'], ReadonlyMap<string, string | undefined>>();

function isDuring(operation: Operation, now: Date): (changedAt: string) => boolean {
  const { startedAt, finishedAt } = operation;
  if (finishedAt === undefined) return () => false;
  const start = isSelfHeal(operation) ? plusSeconds(new Date(startedAt), -healedWithinSeconds) : startedAt;
  const end = plusSeconds(new Date(finishedAt), clocksApartSeconds);
  return (changedAt) =>
    secondsSince(changedAt, now) <= withinSeconds &&
    !isEarlierSecond(changedAt, start) &&
    !isLaterSecond(changedAt, end);
}

/** Of some objects, and started by nobody. */
function isSelfHeal({ partial, startedBy }: Operation): boolean {
  return partial && startedBy === undefined;
}

/** There may be tens of thousands of results, and it is asked before they are read, too. */
function machineConfigsWritten(operation: Operation): readonly OperationResult[] {
  const found = known.get(operation) ?? operation.results.filter(mayHaveWritten(operation));
  known.set(operation, found);
  return found;
}

const known = new WeakMap<Operation, readonly OperationResult[]>();

/** What self-heal leaves unchanged may be what the sync before it has written. */
function mayHaveWritten(operation: Operation): (result: OperationResult) => boolean {
  const isHealed = isSelfHeal(operation);
  return (result) => isMachineConfig(result) && result.status === 'Synced' && (isHealed || hasWritten(result));
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
  if (pool.paused || record.holds.length > 0) return false;
  if (openEmergency(record, now) !== undefined || respected(record, pool, now) !== undefined) return false;
  return asksFirst(pool, record, snapshot);
}

/** What waits in a pool that is paused for syncs is not approved by who pushed it, and who pushed what came last is one
 *  of them. Of a pool that nobody has pushed to, all that waits is taken for that of an unknown pusher anyway. */
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

function recordOf({ record }: Pool): PoolRecord {
  return record.kind === 'record' ? record.record : emptyRecord;
}

/** The pause for such a sync: the pool goes on through its gates. */
export function pauseAfterMissed(record: PoolRecord, pool: Pool, missed: string, now: Date): PoolAction {
  const at = now.toISOString();
  const why = `${missed}; it is paused now, so that its gates decide about what that brings`;
  const paused: PoolRecord = {
    ...without(record, 'resumedAt'),
    ...degradedSince(record, pool),
    pause: 'ours',
    pausedSince: at,
    last: { did: 'paused', at, why },
  };
  return { kind: 'pause', record: paused, why };
}

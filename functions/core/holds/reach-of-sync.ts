import type { Application, Operation, OperationResult } from '../argocd/application.ts';
import { decidesAlone } from '../argocd/pools-annotation.ts';
import { affectedPools, isMachineConfig, renderedResources } from '../impact/affected-pools.ts';
import { hasWritten, mayBeUnchanged, mayHaveWritten } from '../impact/pools-affected-by-sync.ts';
import { hasKnownPools, headsByName } from '../impact/pools-of-managed.ts';
import { isEarlierSecond, isLaterSecond, plusSeconds, secondsSince } from '../text/instant.ts';
import { once } from '../text/once.ts';
import { oncePer } from '../text/once-per.ts';
import type { PoolInSnapshot } from './pool-in-snapshot.ts';
import type { Snapshot } from './snapshot.ts';

/** Seconds after the end of a sync in which a pause may still come before its rollout. The MCO leaves 5 to 10 s
 *  (facts measured on release 4.21), and a busy one some more. */
export const withinSeconds = 30;
/** Seconds by which the clock of the API server may be ahead of Argo CD's: both write whole seconds. */
const clocksApartSeconds = 1;
/** Seconds in which the MCO leaves a change alone, measured on release 4.21. Self-heal often syncs what a sync has just
 *  written once more, in 0.2 s, and then only that operation is shown. */
const healedWithinSeconds = 10;

/** Pools that a sync has reached. */
interface Reach {
  /** By what it says of itself. */
  readonly said: () => ReadonlySet<string>;
  /** By the MachineConfigs that it has changed, and when the last of them was written. */
  readonly changed: () => ReadonlyMap<string, string>;
}

/** Every pool asks it of every Application: it is found out once for a snapshot. */
export function reachOf(
  application: Application,
  operation: Operation,
  { snapshot, now }: Pick<PoolInSnapshot, 'snapshot' | 'now'>,
): Reach {
  const make = () => ({
    said: once(() => saidBy(application, operation, snapshot)),
    changed: once(() => changedBy(application, operation, { snapshot, now })),
  });
  return oncePer<Application, Reach>(make, reachesIn(snapshot))(application);
}

const reachesIn = oncePer((_: Snapshot) => new WeakMap<Application, Reach>(), new WeakMap());

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

/** When each was written, by its name. */
const writtenAt = oncePer(
  (heads: Snapshot['machineConfigs']) =>
    new Map([...headsByName(heads)].map(([name, { changedAt }]) => [name, changedAt])),
  new WeakMap(),
);

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
export function isSelfHeal({ partial, startedBy }: Operation): boolean {
  return partial && startedBy === undefined;
}

/** There may be tens of thousands of results, and it is asked before they are read, too. */
export const machineConfigsWritten = oncePer(
  (operation: Operation): readonly OperationResult[] => operation.results.filter(mayBeApplied(operation)),
  new WeakMap(),
);

/** What self-heal leaves unchanged may be what the sync before it has written. */
function mayBeApplied(operation: Operation): (result: OperationResult) => boolean {
  const isHealed = isSelfHeal(operation);
  return (result) =>
    isMachineConfig(result) && result.status === 'Synced' && (isHealed || mayHaveWritten(operation, result));
}

/** By what Argo CD says, it has certainly changed the object. */
export function isWritten(result: OperationResult): boolean {
  return hasWritten(result) && !mayBeUnchanged(result) && result.status !== 'PruneSkipped';
}

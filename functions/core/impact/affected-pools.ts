import { type Application, isSyncing, type ManagedResource, type OperationResult } from '../argocd/application.ts';
import { objectKey } from '../argocd/object-key.ts';
import { decidesAlone, type NamedPools, poolsAnnotation, whyIgnored } from '../argocd/pools-annotation.ts';
import type { Change } from '../openshift/manifest.ts';
import type { Pool } from '../openshift/pool.ts';
import { isRendered, machineConfigGroup, type ResourceName } from '../openshift/rendered-kinds.ts';
import { oncePer } from '../text/once-per.ts';
import { unique } from '../text/unique.ts';
import { builtObject, isManagedIn, isPlacedAsWritten } from './built-by-kustomize.ts';
import { mayDiffer } from './may-differ.ts';
import { type PoolReached, poolsOf } from './pools-of.ts';
import { firstReached, type LiveObjects } from './pools-of-managed.ts';
import { isSameContent } from './same-content.ts';

export type { LiveObjects } from './pools-of-managed.ts';

/** Pools that an Application's sync may cause the MCO to roll, and how this is known. */
export interface AffectedPools {
  readonly pools: readonly string[];
  readonly why: string;
  /** The first reason for each pool, in the order of the pools. */
  readonly reasons: readonly PoolReached[];
  /** The change itself is known, not only what the Application manages. */
  readonly isExact: boolean;
}

/** The single entry point from an Application to its affected pools. Never less than what Argo CD and the MCO will do,
 *  unless the configuration lets the Application's annotation say otherwise.
 *  Order of trust: a change that is fully known and is all that is new to the Application; else the kinds that it
 *  manages and that its operation wrote or pruned, with what is known of the change. The annotation adds to that, and
 *  takes away, as far as the configuration lets it. */
export function affectedPools(application: Application, live: LiveObjects, change?: Change): AffectedPools {
  const { named } = application;
  if (named !== undefined && decidesAlone(named))
    return { ...poolsAndReasons(reachedByName(named, live.pools)), why: whyNamed(named), isExact: true };
  const affected = affectedByContent(application, live, change);
  return named === undefined ? affected : withNamed(affected, named, live.pools);
}

function withNamed(affected: AffectedPools, named: NamedPools, pools: readonly Pool[]): AffectedPools {
  const ignored = whyIgnored(named);
  if (ignored !== undefined) return { ...affected, why: `${affected.why}; ${ignored}` };
  const kept = named.mayRemove ? affected.reasons.filter(({ pool }) => named.pools.includes(pool)) : affected.reasons;
  const added = named.mayAdd ? reachedByName(named, pools) : [];
  return {
    ...affected,
    ...poolsAndReasons(inPoolOrder([...kept, ...added], pools)),
    why: `${affected.why}; ${whyNamed(named)}`,
  };
}

function reachedByName(named: NamedPools, pools: readonly Pool[]): readonly PoolReached[] {
  return pools
    .filter(({ name }) => named.pools.includes(name))
    .map((pool) => ({ pool: pool.name, why: whyNamed(named) }));
}

function whyNamed({ text }: NamedPools): string {
  return `its annotation ${poolsAnnotation} says ${text}`;
}

function affectedByContent(application: Application, live: LiveObjects, change: Change | undefined): AffectedPools {
  if (change === undefined) return affectedByManaged(application, live);

  const known = poolsOfChange(change, live);
  const gap = whatIsNotKnown(application, change) ?? whatIsBuilt(application, change, live);
  if (gap === undefined) {
    const isOutOfSync = outOfSyncIn(application);
    const drifted = firstReached(renderedResources(application).filter(isOutOfSync), live);
    const reasons = inPoolOrder([...known, ...drifted.values()], live.pools);
    return { ...poolsAndReasons(reasons), why: exactWhy(change, reasons), isExact: true };
  }
  const managed = affectedByManaged(application, live);
  const reasons = inPoolOrder([...known, ...managed.reasons], live.pools);
  return { ...poolsAndReasons(reasons), why: `${gap}; ${managed.why}`, isExact: false };
}

/** Why a sync may write more than the change; undefined if it will not. */
function whatIsNotKnown(application: Application, { unknown, from, to }: Change): string | undefined {
  const [first] = unknown;
  if (first !== undefined) {
    const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : '';
    return `${first.path} cannot be evaluated (${first.why})${more}`;
  }
  if (isSyncing(application) && !isSyncOf(application, to)) return 'another sync of it is running';
  const { status, revisions } = application.sync;
  if (!['Synced', 'OutOfSync'].includes(status)) return 'Argo CD has not compared it with Git';
  if (from !== undefined && !revisions.some((revision) => from.includes(revision) || revision === to))
    return 'it may be at another commit than the one the change was compared with';
  return undefined;
}

/** What Kustomize may make something else of than its file says: it has another name, or reaches other pools, in the
 *  cluster. */
function whatIsBuilt(application: Application, { manifests }: Change, live: LiveObjects): string | undefined {
  const built = manifests.filter((each) => builtObject(each) !== undefined);
  if (built.length === 0) return undefined;
  const isManaged = isManagedIn(renderedResources(application));
  const other = built.find((each) => !isManaged(each) || !isPlacedAsWritten(each, live));
  const object = other && builtObject(other);
  return object && `Kustomize may make something else of ${object.kind} ${object.name}`;
}

function isSyncOf({ operation }: Application, commit: string | undefined): boolean {
  return operation?.revisions.some((revision) => revision === commit) ?? false;
}

/** Which resources of an Application a sync writes besides: what was out of sync before the push. */
export function outOfSyncIn(application: Application): (resource: ResourceName) => boolean {
  const differing = new Set(application.resources.filter((each) => mayDiffer(each, application)).map(objectKey));
  return (resource) => differing.has(objectKey(resource));
}

/** The pools that the changed objects affect. Besides a MachineConfig's own labels, the pools count that merge it now:
 *  a tool may have added labels. */
function poolsOfChange({ manifests }: Change, live: LiveObjects): readonly PoolReached[] {
  const listing = Map.groupBy(
    live.pools.flatMap(({ name, target }) => target.sources.map((source) => ({ pool: name, source }))),
    ({ source }) => source,
  );
  return manifests.flatMap((change) => {
    const { pools } = poolsOf(change, live);
    const object = change.after ?? change.before;
    if (object === undefined || !isMachineConfig(object)) return pools;
    if (isSameContent(change.before?.body, change.after?.body)) return pools;
    const listed = (listing.get(object.name) ?? []).filter(({ pool }) => !pools.some((each) => each.pool === pool));
    return [
      ...pools,
      ...listed.map(({ pool }) => ({ pool, why: `MachineConfig ${object.name} is changed: the pool merges it` })),
    ];
  });
}

/** By what the Application manages, whatever the change is. */
function affectedByManaged(application: Application, live: LiveObjects): AffectedPools {
  const rendered = renderedResources(application);
  if (rendered.length === 0)
    return {
      ...poolsAndReasons([]),
      why: 'it manages nothing that the Machine Config Operator renders',
      isExact: false,
    };

  const reasons = inPoolOrder([...firstReached(rendered, live).values()], live.pools);
  const names = rendered.slice(0, 3).map((resource) => `${resource.kind} ${resource.name}`);
  const more = rendered.length > names.length ? ` and ${rendered.length - names.length} more` : '';
  return { ...poolsAndReasons(reasons), why: `it manages ${names.join(', ')}${more}`, isExact: false };
}

function poolsAndReasons(reasons: readonly PoolReached[]): Pick<AffectedPools, 'pools' | 'reasons'> {
  return { pools: reasons.map(({ pool }) => pool), reasons };
}

/** One reason for each pool, the first, in the order of the pools. */
function inPoolOrder(reached: readonly PoolReached[], pools: readonly Pool[]): readonly PoolReached[] {
  const first = new Map<string, PoolReached>();
  for (const each of reached) if (!first.has(each.pool)) first.set(each.pool, each);
  return pools.flatMap(({ name }) => first.get(name) ?? []);
}

function exactWhy({ manifests }: Change, reasons: readonly PoolReached[]): string {
  const whys = unique(reasons.map(({ why }) => why));
  if (whys.length === 0)
    return manifests.length === 0
      ? 'the push changes no manifest of it'
      : 'the push changes nothing in it that the Machine Config Operator renders for a pool';
  const more = whys.length > 3 ? ` and ${whys.length - 3} more` : '';
  return `${whys.slice(0, 3).join('; ')}${more}`;
}

/** MachineConfigs whose labels must be read before their pools can be determined: no pool's render lists them. */
export function unplacedMachineConfigs(application: Application, pools: readonly Pool[]): readonly string[] {
  if (decidesAlone(application.named)) return [];
  const placed = new Set(pools.flatMap((pool) => pool.target.sources));
  return renderedResources(application)
    .filter((resource) => isMachineConfig(resource) && !placed.has(resource.name))
    .map((resource) => resource.name);
}

/** Resources rendered by the MCO that the Application manages, or that its operation wrote or pruned, also as a hook:
 *  whatever has the annotation of one is applied like the rest. */
export function renderedResources(application: Application): readonly ResourceName[] {
  return renderedOnce(application);
}

/** An Application may list tens of thousands, and every pool asks. */
const renderedOnce = oncePer(renderedBy, new WeakMap());

function renderedBy(application: Application): readonly ResourceName[] {
  const seen = new Map<string, ResourceName>();
  for (const resource of [...application.resources, ...(application.operation?.results ?? [])]) {
    if (isRendered(resource)) seen.set(objectKey(resource), resource);
  }
  return [...seen.values()];
}

export function isMachineConfig(resource: Pick<ManagedResource, 'group' | 'kind'>): boolean {
  return resource.group === machineConfigGroup && resource.kind === 'MachineConfig';
}

/** MachineConfigs that an operation applied: one rollout must cover them all. */
export function appliedMachineConfigs(results: readonly OperationResult[]): readonly string[] {
  return results.filter((result) => isMachineConfig(result) && result.status === 'Synced').map((result) => result.name);
}

import type { Application } from '../../argocd/application.ts';
import { objectKey } from '../../argocd/object-key.ts';
import type { ClusterSettings } from '../../configuration/cluster.ts';
import { protectionOf } from '../../configuration/protection.ts';
import { type AffectedPools, isMachineConfig, outOfSyncIn, renderedResources } from '../../impact/affected-pools.ts';
import { unknownOfBuilt } from '../../impact/built-by-kustomize.ts';
import { syncedFor } from '../../impact/changed-configs.ts';
import { joinChanges } from '../../impact/impact-on-cluster.ts';
import { isRenderedManifest } from '../../impact/pools-of.ts';
import { poolsOfManaged } from '../../impact/pools-of-managed.ts';
import { predictPools } from '../../impact/predict-impact.ts';
import { classOfChange, type MachineConfigChange } from '../../machine-config/class-of-change.ts';
import type { Circumstances } from '../../machine-config/classify.ts';
import { changedFacets, subjectOf, whatOf } from '../../machine-config/facet-change.ts';
import type { MachineConfigContent } from '../../machine-config/machine-config.ts';
import { merge, sourcesOf } from '../../machine-config/render-pool.ts';
import type { ClusterCircumstances, RenderSources } from '../../machine-config/render-sources.ts';
import { syncHoldId } from '../../openshift/hold.ts';
import { isManaged, settingsOf } from '../../openshift/managed-pools.ts';
import type { Change, ManifestChange } from '../../openshift/manifest.ts';
import { isAtRest, type Pool } from '../../openshift/pool.ts';
import type { ResourceName } from '../../openshift/rendered-kinds.ts';
import { fingerprint } from '../../text/fingerprint.ts';
import { noRoom } from '../../text/room.ts';
import { affectedInSnapshot } from '../affected-in-snapshot.ts';
import type { Snapshot } from '../snapshot.ts';
import type { PushDisruption } from './disruption-forecast.ts';

/** A push that may do nothing to the nodes of a pool, as far as is known without reading what the pool renders. */
export interface DisruptionQuestion {
  readonly pool: Pool;
  readonly change: Change;
  readonly holds: readonly string[];
}

export type Asked =
  | { readonly kind: 'ask'; readonly question: DisruptionQuestion }
  | { readonly kind: 'possible'; readonly why: string };

/** Pools with `pauseFor: disruptive` that the push affects, each with what to read to find out whether it disrupts
 *  them, or why that need not be read. Pure. */
export function disruptionQuestions(snapshot: Snapshot): ReadonlyMap<string, Asked> {
  if (snapshot.pushes.size === 0) return new Map();
  const { settings } = snapshot;
  const candidates = snapshot.pools.filter((pool) => mayStayUnpaused(settings, pool.name) && isManaged(settings, pool));
  if (candidates.length === 0) return new Map();
  const pushed = pushedApplications(snapshot);
  return new Map(
    candidates.flatMap((pool) => {
      const affecting = pushed.filter(({ affected }) => affected.pools.includes(pool.name));
      return affecting.length === 0 ? [] : [[pool.name, ask(pool, affecting, snapshot)] as const];
    }),
  );
}

export function mayStayUnpaused(settings: ClusterSettings, pool: string): boolean {
  return settingsOf(settings, pool).pauseFor === 'disruptive';
}

interface Pushed {
  readonly id: string;
  readonly application: Application;
  readonly change: Change | undefined;
  readonly affected: AffectedPools;
}

function pushedApplications(snapshot: Snapshot): readonly Pushed[] {
  return snapshot.applications.flatMap((observed) => {
    if (observed.kind !== 'seen') return [];
    const { application } = observed;
    const id = syncHoldId(application);
    const push = snapshot.pushes.get(id);
    if (push === undefined) return [];
    const change = snapshot.changes.get(id);
    return [{ id, application, change, affected: affectedInSnapshot(application, snapshot).affected }];
  });
}

function ask(pool: Pool, affecting: readonly Pushed[], snapshot: Snapshot): Asked {
  const why =
    riskInPool(pool, snapshot) ??
    riskInPolicy(snapshot) ??
    affecting.map((each) => riskInApplication(pool, each, snapshot)).find((risk) => risk !== undefined);
  if (why !== undefined) return { kind: 'possible', why };
  const change = joinChanges(affecting.flatMap((each) => each.change ?? []));
  const twice = firstRepeated(change.manifests.map(nameOf));
  if (twice !== undefined) return { kind: 'possible', why: `several files define ${twice}` };
  return { kind: 'ask', question: { pool, change, holds: affecting.map(({ id }) => id) } };
}

function firstRepeated(names: readonly string[]): string | undefined {
  const before = new Set<string>();
  return names.find((name) => before.size === before.add(name).size);
}

function nameOf({ before, after }: ManifestChange): string {
  const object = after ?? before;
  return object === undefined ? '' : `${object.kind} ${object.name}`;
}

function riskInPool(pool: Pool, { settings }: Snapshot): string | undefined {
  if (protectionOf(settingsOf(settings, pool.name)).refusesUnpaused)
    return 'protection level admission requires a pause';
  if (pool.paused) return 'it is paused already';
  return isAtRest(pool) && pool.observedGeneration >= pool.generation ? undefined : 'its nodes are not at rest';
}

const policyKind = 'MachineConfiguration';

/** The cluster's NodeDisruptionPolicy is no basis for a prediction while a sync is about to change it: with this push,
 *  in any Application that it concerns, or because it is already out of sync. */
function riskInPolicy({ changes, applications }: Snapshot): string | undefined {
  const seen = applications.flatMap((observed) => (observed.kind === 'seen' ? [observed.application] : []));
  const policies = seen.flatMap(({ resources }) => resources.filter(({ kind }) => kind === policyKind));
  const isChanged = [...changes.values()].some(({ manifests }) =>
    manifests.some(({ before, after }) => [before, after].some((side) => side?.kind === policyKind)),
  );
  if (isChanged || policies.some(({ status }) => status !== 'Synced'))
    return 'a NodeDisruptionPolicy is about to change';
  const hasNone = new Set(
    seen.flatMap((each) => (each.resources.some(({ kind }) => kind === policyKind) ? [] : [syncHoldId(each)])),
  );
  const [unknown] = [...changes].find(([id, { unknown: gaps }]) => gaps.length > 0 && !hasNone.has(id)) ?? [];
  return unknown && `what changes for ${unknown} is not known, and may be the NodeDisruptionPolicy`;
}

/** With the first Argo CD may delete and recreate an object; with the others, of Argo CD and of Helm, it does so before
 *  or after the others. */
const specialAnnotations = ['argocd.argoproj.io/sync-options', 'argocd.argoproj.io/hook', 'helm.sh/hook'] as const;

const waveAnnotation = 'argocd.argoproj.io/sync-wave';

/** What is nothing together may be something in between: a file that one MachineConfig takes over from another. */
function isInWaves({ manifests }: Change): boolean {
  const rendered = manifests.flatMap(({ before, after }) => after ?? before ?? []).filter(isRenderedManifest);
  return new Set(rendered.map(({ annotations }) => annotations[waveAnnotation] ?? '0')).size > 1;
}

function riskInApplication(
  pool: Pool,
  { id, application, change, affected }: Pushed,
  snapshot: Snapshot,
): string | undefined {
  const name = `${application.namespace}/${application.name}`;
  const { named } = application;
  if (named?.mayAdd === true && named.pools.includes(pool.name)) return `${name} names the pool itself`;
  if (!affected.isExact || change === undefined) return `it is unknown what changes for ${name}`;
  if (snapshot.pushes.get(id)?.revision === undefined) return `the sync of ${name} cannot be identified by a commit`;
  if (application.sources.length > 1) return `${name} has several sources`;
  const special = change.manifests.find(({ after }) =>
    specialAnnotations.some((key) => key in (after?.annotations ?? {})),
  );
  if (special !== undefined) return `${nameOf(special)} has Argo CD annotations that change how it is synced`;
  if (isInWaves(change)) return `${name} syncs it in several waves`;
  const isOutOfSync = outOfSyncIn(application);
  const drifted = renderedResources(application).find(
    (resource) =>
      isOutOfSync(resource) &&
      !isPartOf(change, resource) &&
      poolsOfManaged(resource, snapshot).some((each) => each.pool === pool.name),
  );
  return drifted && `${drifted.kind} ${drifted.name} of ${name} is out of sync as well`;
}

function isPartOf({ manifests }: Change, resource: ResourceName): boolean {
  const key = objectKey(resource);
  return manifests.some(({ before, after }) =>
    [before, after].some((side) => side !== undefined && objectKey(side) === key),
  );
}

/** What was read for one pool. */
export interface DisruptionReads {
  readonly sources: RenderSources;
  /** The pool's current rendered config; undefined: it does not exist. */
  readonly rendered: MachineConfigContent | undefined;
}

/** Each MachineConfig of a change is compared with each other. More than these in one push are not harmless. */
const manifestsAtMost = 100;

/** What the change does to the nodes: nothing, if all differences in the rendered config are known and the cluster's
 *  NodeDisruptionPolicy has action None for each of them. Reload and Restart are not nothing: they affect what runs on
 *  the node. */
export function disruptionOfPush(
  { pool, change, holds }: DisruptionQuestion,
  { sources, rendered }: DisruptionReads,
): PushDisruption {
  const possible = (why: string): PushDisruption => ({ kind: 'possible', why });
  const { policy, layeredPools, machineConfigs, isSingleNode } = sources;
  if (change.manifests.length > manifestsAtMost) return possible('it changes too many objects to compare them in time');
  if (policy === undefined) return possible('the NodeDisruptionPolicy of the cluster is unknown');
  if (layeredPools === undefined) return possible('it is unknown whether an image is built for it');
  if (rendered?.name !== pool.target.name) return possible(`its config ${pool.target.name} could not be read`);
  const gap = whatIsNotRendered(pool, machineConfigs, rendered);
  if (gap !== undefined) return possible(gap);
  const [built] = unknownOfBuilt(change, { pools: [pool], sources });
  if (built !== undefined) return possible(`${built.path}: ${built.why}`);

  const impact = predictPools({
    cluster: { name: '', pools: [pool], machineConfigs, policy, isSingleNode, layeredPools },
    change,
    // Nobody reads a description of it, and whoever may push could make it take minutes.
    room: noRoom,
  }).find((each) => each.pool === pool.name);
  if (impact === undefined) return possible('the change affects it in a way that is not predicted');
  const [worst] = impact.reasons;
  if (impact.class !== 'none' && impact.class !== undefined)
    return possible(`${worst?.what ?? 'the change'} means ${impact.class}`);
  const changes = change.manifests.flatMap((each) => syncedFor(pool, each, machineConfigs) ?? []);
  const isLayered = layeredPools.includes(pool.name);
  const alone = disruptiveAlone(changes, { policy, isSingleNode, isLayered });
  if (alone !== undefined) return possible(alone);
  if (impact.class === undefined) return possible(impact.why.slice(-1).join());
  return {
    kind: 'none',
    why: worst === undefined ? 'its rendered config does not change' : `${worst.what}: ${worst.why}`,
    holds,
    machineConfigs: change.manifests.flatMap(namesOf),
    circumstances: circumstancesMark(pool, sources),
  };
}

/** Differs once a change of the pool may be judged otherwise than before: by another NodeDisruptionPolicy, an image
 *  that is built for it, or as its cluster gets more nodes. */
export function circumstancesMark(
  { name }: Pick<Pool, 'name'>,
  { policy, layeredPools, isSingleNode }: ClusterCircumstances,
): string {
  return fingerprint(JSON.stringify([policy ?? null, layeredPools?.includes(name) ?? null, isSingleNode]));
}

/** What is nothing because another MachineConfig sets the same is something once that changes: with another part of
 *  this push, which may come later or not at all, with another push, or by hand. Undefined: whatever the others say,
 *  each of them does nothing. */
function disruptiveAlone(changes: readonly MachineConfigChange[], circumstances: Circumstances): string | undefined {
  const worst = changes.map((each) => classOfChange(each, circumstances)).find((each) => each.class !== 'none');
  const [reason] = worst?.reasons ?? [];
  return worst && `${reason?.what ?? 'the change'} is nothing only while other MachineConfigs set the same`;
}

function namesOf({ before, after }: ManifestChange): readonly string[] {
  const object = after ?? before;
  return object !== undefined && isMachineConfig(object) ? [object.name] : [];
}

/** The MCO fills these in from the release, where no MachineConfig sets them. */
const filledIn: readonly string[] = [
  'osImageURL osImageURL',
  'baseOSExtensionsContainerImage baseOSExtensionsContainerImage',
];

/** The first difference between the MachineConfigs and the rendered config: an earlier change is not rendered yet. */
function whatIsNotRendered(
  pool: Pool,
  machineConfigs: readonly MachineConfigContent[],
  rendered: MachineConfigContent,
): string | undefined {
  const sources = sourcesOf(pool, machineConfigs);
  const names = new Set(sources.map(({ name }) => name));
  const listed = new Set(pool.target.sources);
  const other = [...names, ...listed].find((name) => !(names.has(name) && listed.has(name)));
  if (other !== undefined) return `MachineConfig ${other} was added or removed and is not rendered yet`;
  const wanted = merge(sources);
  const difference = changedFacets(merge([rendered]), wanted)
    .flatMap((change) => subjectOf(change) ?? [])
    .find(({ key }) => wanted.has(key) || !filledIn.includes(key));
  return difference && `the MachineConfigs and the rendered config differ in ${whatOf(difference)}`;
}

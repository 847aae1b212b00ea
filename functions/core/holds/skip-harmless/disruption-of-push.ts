import type { Application } from '../../argocd/application.ts';
import { poolsAnnotation } from '../../argocd/pools-annotation.ts';
import { refusedPoolsOf } from '../../argocd/refused-sync.ts';
import type { ClusterSettings } from '../../configuration/cluster.ts';
import { protectionOf } from '../../configuration/protection.ts';
import { type AffectedPools, isMachineConfig, renderedResources } from '../../impact/affected-pools.ts';
import { joinChanges } from '../../impact/impact-on-cluster.ts';
import { mayDiffer } from '../../impact/may-differ.ts';
import { poolsAffectedBySync } from '../../impact/pools-affected-by-sync.ts';
import { poolsOfManaged } from '../../impact/pools-of-managed.ts';
import { predictImpact } from '../../impact/predict-impact.ts';
import { changedFacets, subjectOf, whatOf } from '../../machine-config/facet-change.ts';
import type { MachineConfigContent } from '../../machine-config/machine-config.ts';
import { merge, sourcesOf } from '../../machine-config/render-pool.ts';
import type { RenderSources } from '../../machine-config/render-sources.ts';
import { syncHoldId } from '../../openshift/hold.ts';
import { isManaged, settingsOf } from '../../openshift/managed-pools.ts';
import type { Change, ManifestChange } from '../../openshift/manifest.ts';
import { isAtRest, type Pool } from '../../openshift/pool.ts';
import type { Snapshot } from '../snapshot.ts';
import type { PushDisruption } from './disruption-forecast.ts';

/** A push that may do nothing to the nodes of a pool, as far as is known without a look at what the pool renders. */
export interface DisruptionQuestion {
  readonly pool: Pool;
  readonly change: Change;
  readonly holds: readonly string[];
}

export type Asked =
  | { readonly kind: 'ask'; readonly question: DisruptionQuestion }
  | { readonly kind: 'possible'; readonly why: string };

/** Pools that are to be paused for disruptive changes only and that the push touches, each with what must be read to
 *  tell the harm, or why none of it needs to be. Pure. */
export function disruptionQuestions(snapshot: Snapshot): ReadonlyMap<string, Asked> {
  if (snapshot.pushes.size === 0) return new Map();
  const { settings } = snapshot;
  const candidates = snapshot.pools.filter((pool) => mayStayUnpaused(settings, pool.name) && isManaged(settings, pool));
  if (candidates.length === 0) return new Map();
  const pushed = pushedApplications(snapshot);
  return new Map(
    candidates.flatMap((pool) => {
      const touching = pushed.filter(({ touch }) => touch.pools.includes(pool.name));
      return touching.length === 0 ? [] : [[pool.name, ask(pool, touching, snapshot)] as const];
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
  readonly touch: AffectedPools;
}

function pushedApplications(snapshot: Snapshot): readonly Pushed[] {
  return snapshot.applications.flatMap((observed) => {
    if (observed.kind !== 'seen') return [];
    const { application } = observed;
    const id = syncHoldId(application);
    const push = snapshot.pushes.get(id);
    if (push === undefined) return [];
    const change = snapshot.changes.get(id);
    return [{ id, application, change, touch: poolsAffectedBySync(application, snapshot, { push, change }) }];
  });
}

function ask(pool: Pool, touching: readonly Pushed[], snapshot: Snapshot): Asked {
  const why =
    fearOfPool(pool, snapshot) ??
    fearOfPolicy(snapshot) ??
    touching.map((each) => fearOfApplication(pool, each, snapshot)).find((fear) => fear !== undefined);
  if (why !== undefined) return { kind: 'possible', why };
  const change = joinChanges(touching.flatMap((each) => each.change ?? []));
  const twice = change.manifests.find(
    (one, index) => change.manifests.findIndex((each) => isSameChange(each, one)) < index,
  );
  if (twice !== undefined) return { kind: 'possible', why: `several files say what ${nameOf(twice)} is` };
  return { kind: 'ask', question: { pool, change, holds: touching.map(({ id }) => id) } };
}

function isSameChange(a: ManifestChange, b: ManifestChange): boolean {
  return nameOf(a) === nameOf(b);
}

function nameOf({ before, after }: ManifestChange): string {
  const object = after ?? before;
  return object === undefined ? '' : `${object.kind} ${object.name}`;
}

function fearOfPool(pool: Pool, { settings }: Snapshot): string | undefined {
  if (protectionOf(settingsOf(settings, pool.name)).refusesUnpaused) return 'the admission level wants it paused';
  if (pool.paused) return 'it is paused already';
  return isAtRest(pool) && pool.observedGeneration >= pool.generation ? undefined : 'its nodes are not at rest';
}

const policyKind = 'MachineConfiguration';

/** What the cluster asks for today is not what counts when a sync changes it: with this push, by any of the
 *  Applications that it concerns, or because it is out of sync already. */
function fearOfPolicy({ changes, applications }: Snapshot): string | undefined {
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

/** Argo CD may delete and make anew what has the one, and applies what has the other at another time. */
const specialAnnotations = ['argocd.argoproj.io/sync-options', 'argocd.argoproj.io/hook'] as const;

function fearOfApplication(
  pool: Pool,
  { id, application, change, touch }: Pushed,
  snapshot: Snapshot,
): string | undefined {
  const name = `${application.namespace}/${application.name}`;
  if (application.annotations[poolsAnnotation] !== undefined) return `${name} names the pool itself`;
  if (!touch.isExact || change === undefined) return `it is not known what changes for ${name}`;
  if (snapshot.pushes.get(id)?.revision === undefined) return `no commit tells the sync of ${name} from others`;
  if (application.sources.length > 1) return `${name} has several sources`;
  const special = change.manifests.find(({ after }) =>
    specialAnnotations.some((key) => key in (after?.annotations ?? {})),
  );
  if (special !== undefined) return `${nameOf(special)} asks for a sync of another kind`;
  if (refusedPoolsOf(application).includes(pool.name)) return `a sync of ${name} was refused`;
  const drifted = renderedResources(application).find(
    (resource) =>
      !isPartOf(change, resource) &&
      application.resources.some((each) => isSameObject(each, resource) && mayDiffer(each, application)) &&
      poolsOfManaged(resource, snapshot).some((each) => each.pool === pool.name),
  );
  return drifted && `${drifted.kind} ${drifted.name} of ${name} is out of sync as well`;
}

type Named = Readonly<Record<'kind' | 'name', string>>;

function isPartOf({ manifests }: Change, resource: Named): boolean {
  return manifests.some(({ before, after }) =>
    [before, after].some((side) => side !== undefined && isSameObject(side, resource)),
  );
}

function isSameObject(a: Named, b: Named): boolean {
  return a.kind === b.kind && a.name === b.name;
}

/** What was read for one pool. */
export interface DisruptionReads {
  readonly sources: RenderSources;
  /** The config that the pool has rendered now; undefined: it is not there. */
  readonly rendered: MachineConfigContent | undefined;
}

/** What the change does to the nodes: nothing, if the policy of the cluster says so of everything that will differ
 *  in the rendered config, and that is known. Reload and restart are something: they reach what runs on the node. */
export function disruptionOfPush(
  { pool, change, holds }: DisruptionQuestion,
  { sources, rendered }: DisruptionReads,
): PushDisruption {
  const fear = (why: string): PushDisruption => ({ kind: 'possible', why });
  const { policy, layeredPools, machineConfigs, isSingleNode } = sources;
  if (policy === undefined) return fear('the NodeDisruptionPolicy of the cluster is not known');
  if (layeredPools === undefined) return fear('it is not known whether an image is built for it');
  if (rendered?.name !== pool.target.name) return fear(`its config ${pool.target.name} could not be read`);
  const gap = whatIsNotRendered(pool, machineConfigs, rendered);
  if (gap !== undefined) return fear(gap);

  const impact = predictImpact({
    cluster: { name: '', pools: [pool], machineConfigs, policy, isSingleNode, layeredPools },
    applications: [],
    change,
  }).pools.find((each) => each.pool === pool.name);
  if (impact === undefined) return fear('the change reaches it in a way that is not predicted');
  const [worst] = impact.reasons;
  if (impact.class !== 'none')
    return fear(`${worst?.what ?? 'the change'} means ${impact.class ?? 'nobody knows what'}`);
  return {
    kind: 'none',
    why: worst === undefined ? 'its rendered config stays what it is' : `${worst.what}: ${worst.why}`,
    holds,
    machineConfigs: change.manifests.flatMap(namesOf),
  };
}

function namesOf({ before, after }: ManifestChange): readonly string[] {
  const object = after ?? before;
  return object !== undefined && isMachineConfig(object) ? [object.name] : [];
}

/** The MCO fills these in from the release, where no MachineConfig says them. */
const filledIn: readonly string[] = [
  'osImageURL osImageURL',
  'baseOSExtensionsContainerImage baseOSExtensionsContainerImage',
];

/** What the MachineConfigs say and the rendered config has not, or the other way round: whoever changed them is not
 *  done. */
function whatIsNotRendered(
  pool: Pool,
  machineConfigs: readonly MachineConfigContent[],
  rendered: MachineConfigContent,
): string | undefined {
  const sources = sourcesOf(pool, machineConfigs);
  const names = new Set(sources.map(({ name }) => name));
  const listed = new Set(pool.target.sources);
  const other = [...names, ...listed].find((name) => !(names.has(name) && listed.has(name)));
  if (other !== undefined) return `MachineConfig ${other} came or went and is not rendered yet`;
  const said = merge(sources);
  const difference = changedFacets(merge([rendered]), said)
    .flatMap((change) => subjectOf(change) ?? [])
    .find(({ key }) => said.has(key) || !filledIn.includes(key));
  return difference && `${whatOf(difference)} is not rendered as its MachineConfigs have it`;
}

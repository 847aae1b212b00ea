import { type Application, leavesPause } from '../argocd/application.ts';
import { leavesPruned } from '../argocd/application-spec.ts';
import { whyIgnored } from '../argocd/pools-annotation.ts';
import { ownChanges } from '../machine-config/class-of-change.ts';
import { describeChange } from '../machine-config/describe-change.ts';
import type { Warning } from '../machine-config/disruption.ts';
import type { ChangeLint } from '../machine-config/lint.ts';
import type { RenderSources } from '../machine-config/render-sources.ts';
import { type Change, type Manifest, type ManifestChange, manifestKey } from '../openshift/manifest.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import { machineConfigGroup } from '../openshift/rendered-kinds.ts';
import { given } from '../text/given.ts';
import { noRoom, type Room } from '../text/room.ts';
import { unique } from '../text/unique.ts';
import { affectedPools } from './affected-pools.ts';
import { unknownOfBuilt } from './built-by-kustomize.ts';
import { machineConfigChange } from './changed-configs.ts';
import type { ImpactCluster } from './impact-cluster.ts';
import { mostEntries } from './impact-on-pool.ts';
import type { PoolReached } from './pools-of.ts';
import type { LiveObjects } from './pools-of-managed.ts';
import { changesReaching, type ImpactQuestion, predictImpact, predictPools } from './predict-impact.ts';
import type { ClusterImpact } from './report.ts';
import { isObject } from './same-content.ts';

/** A cluster with everything needed to predict an impact on it. */
export interface SeenCluster {
  readonly name: string;
  readonly pools: readonly Pool[];
  readonly sources: RenderSources;
}

/** An Application of the cluster, and what a change brings to it. */
export interface Deployed {
  readonly application: Application;
  readonly change: Change;
}

/** What all clusters share that a change reaches: how much of it is looked at. The room is for what Git has. */
export interface SharedByClusters {
  readonly lint: ChangeLint;
  readonly room: Room;
}

/** Impact on a cluster of a change that has not landed yet, through all Applications that deploy it there. Unlike for a
 *  sync, existing drift is left out: the change does not bring it.
 *  @param forAnybody given if whoever opens a pull request may read it, not only somebody with access to the cluster */
export function impactOnCluster(
  seen: SeenCluster,
  brought: readonly Deployed[],
  forAnybody?: SharedByClusters,
): ClusterImpact {
  const deployed = brought.map(({ application, change }) => {
    return { application, change: { ...broughtBy(application, change), unknown: unknownThere(change, seen) } };
  });
  return predictImpact({
    cluster: impactCluster(seen),
    applications: deployed.map(({ application: { namespace, name } }) => `${namespace}/${name}`),
    change: joinChanges(deployed.map(({ change }) => change)),
    assumed: [
      ...deployed.flatMap((each) => assumedOf(each, seen)),
      ...deployed.flatMap(({ change, application }) => resumedBy(change, seen.pools, application)),
    ],
    isForAnybody: forAnybody !== undefined,
    lint: forAnybody?.lint,
    // What the MachineConfigs of the cluster contain is not shown to anybody, and how much it is does not show either:
    // impactOfGitAlone describes the change.
    room: forAnybody === undefined ? undefined : noRoom,
    noted: deployed.flatMap(annotationWarning).slice(0, mostAnnotations),
  });
}

/** Whether pools of the cluster are assumed because of what of the change cannot be judged. */
export function isAssumedOn(seen: SeenCluster, { application, change }: Deployed): boolean {
  const unknown = unknownThere(change, seen);
  return unknown.length > 0 && assumedOf({ application, change: { ...change, unknown } }, seen).length > 0;
}

function unknownThere(change: Change, seen: SeenCluster): Change['unknown'] {
  return [...change.unknown, ...unknownOfBuilt(change, seen)];
}

/** Pools that Git no longer pauses, or resumes whoever has paused them, and of which a change waits for that: a sync
 *  writes all that a manifest says, unless the Application leaves the pause as it finds it. */
export function resumedBy(
  { manifests }: Change,
  pools: readonly Pool[],
  application: Pick<Application, 'leavesPauseOf'> = {},
): readonly PoolReached[] {
  return manifests.flatMap(({ before, after }) => {
    const pool = pools.find(({ name }) => name === (after ?? before)?.name);
    if (pool === undefined || !hasPendingChange(pool) || leavesPause(application, pool.name)) return [];
    const isLetGo = isPool(before) && pausedIn(before) === true && pausedIn(after) !== true;
    const isResumed = pool.paused && isPool(after) && pausedIn(after) === false;
    if (!isLetGo && !isResumed) return [];
    return [{ pool: pool.name, why: `MachineConfigPool ${pool.name} is resumed: what waits on it rolls out` }];
  });
}

function isPool(manifest: Manifest | undefined): manifest is Manifest {
  return manifest?.group === machineConfigGroup && manifest.kind === 'MachineConfigPool';
}

function pausedIn(manifest: Manifest | undefined): unknown {
  const spec = manifest?.body['spec'];
  return isObject(spec) ? spec['paused'] : undefined;
}

/** Most annotations without effect that are named. */
const mostAnnotations = 20;

/** The remedy names neither project nor namespace: every reader of the repository may read it. */
function annotationWarning({ application: { namespace, name, named } }: Deployed): readonly Warning[] {
  const why = whyIgnored(named);
  if (why === undefined) return [];
  const remedy =
    'Remove the annotation, or list the Application in poolkeeper.yaml; poolkeeper doctor prints the entry';
  return [{ code: 'annotation-ignored', text: `${namespace}/${name}: ${why}`, remedy }];
}

/** The pools of the same from Git alone, as if the cluster had nothing else. They contain no content except that of the
 *  change. */
export function impactOfGitAlone(
  seen: SeenCluster,
  deployed: readonly Deployed[],
  { room }: SharedByClusters,
): Pick<ClusterImpact, 'pools'> {
  return { pools: predictPools({ ...gitAlone(seen, deployed), room }) };
}

/** Describes what the pools of Git alone are told with, one difference at each step: each is kept, and to mask them all
 *  takes too long for one piece. */
export function* describeAhead(
  seen: SeenCluster,
  deployed: readonly Deployed[],
  { room }: SharedByClusters,
): Generator<void> {
  for (const change of changesReaching(gitAlone(seen, deployed)))
    for (const difference of ownChanges(machineConfigChange(change)).slice(0, mostEntries)) {
      if (!room.isLeft()) return;
      describeChange(difference, { before: '', after: '' }, room);
      yield;
    }
}

function gitAlone(seen: SeenCluster, deployed: readonly Deployed[]): Pick<ImpactQuestion, 'cluster' | 'change'> {
  const { machineConfigs: _live, ...cluster } = impactCluster(seen);
  return { cluster, change: joinChanges(deployed.map(({ change }) => change)) };
}

export function impactCluster({ name, pools, sources }: SeenCluster): ImpactCluster {
  return {
    name,
    pools,
    machineConfigs: sources.machineConfigs,
    policy: sources.policy,
    isSingleNode: sources.isSingleNode,
    layeredPools: sources.layeredPools,
  };
}

/** The change with how the syncs of the Application bring it. */
function broughtBy(application: Application, change: Change): Change {
  const syncedBy = [`${application.argocd}/${application.namespace}/${application.name}`];
  const manifests = change.manifests.map((each): ManifestChange => {
    const { before, after } = each;
    const mayStay = after === undefined && before !== undefined && !isPruned(before, application);
    return { ...each, syncedBy, ...(mayStay ? { mayStay } : {}) };
  });
  return { ...change, manifests };
}

/** Whether a sync is sure to delete the object in its course. Source: argo-cd sync options. */
function isPruned({ annotations }: Manifest, { prunes }: Application): boolean {
  const options = annotations['argocd.argoproj.io/sync-options'] ?? '';
  return prunes === true && !options.split(',').some(leavesPruned);
}

/** Several Applications may deploy one folder: each change counts once. */
export function joinChanges(changes: readonly Change[]): Change {
  const manifests = new Map<string, ManifestChange>();
  for (const change of changes.flatMap((each) => each.manifests)) {
    const object = change.after ?? change.before;
    if (object === undefined) continue;
    const key = `${manifestKey(object)} ${change.files.join(' ')}`;
    const known = manifests.get(key);
    manifests.set(key, known === undefined ? change : joined(known, change));
  }
  const unknown = new Map(changes.flatMap((each) => each.unknown).map((each) => [`${each.path} ${each.why}`, each]));
  return { manifests: [...manifests.values()], unknown: [...unknown.values()] };
}

function joined(known: ManifestChange, { syncedBy, mayStay, ...same }: ManifestChange): ManifestChange {
  const by = known.syncedBy && syncedBy && unique([...known.syncedBy, ...syncedBy]);
  return { ...same, ...given({ syncedBy: by, mayStay: known.mayStay ?? mayStay }) };
}

/** Pools that the unknown part of the change may reach: those of everything that the Application manages, and those
 *  that its annotation adds. */
function assumedOf({ application, change }: Deployed, { pools, sources }: SeenCluster): readonly PoolReached[] {
  const { named } = application;
  if (named === undefined && change.unknown.length === 0) return [];
  const live: LiveObjects = { pools, machineConfigs: sources.machineConfigs, choosers: sources.choosers };
  const { reasons } = affectedPools(application, live);
  if (change.unknown.length > 0 || named === undefined) return reasons;
  return named.mayAdd ? reasons.filter(({ pool }) => named.pools.includes(pool)) : [];
}

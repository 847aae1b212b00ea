import { classOfChange, type MachineConfigChange, ownChanges } from '../machine-config/class-of-change.ts';
import { classOfKind } from '../machine-config/class-of-kind.ts';
import { type Circumstances, classify, type Disruption, rank, worstClass } from '../machine-config/classify.ts';
import { describeChange, describeMerged } from '../machine-config/describe-change.ts';
import type { DiffEntry, DisruptionReason, UpdateKind, Warning } from '../machine-config/disruption.ts';
import type { DisruptionPolicy } from '../machine-config/disruption-policy.ts';
import { changedFacets, type FacetChange, subjectOf, whatOf } from '../machine-config/facet-change.ts';
import { lintMachineConfig } from '../machine-config/lint.ts';
import {
  isMachineConfigManifest,
  type MachineConfigContent,
  machineConfigOfManifest,
} from '../machine-config/machine-config.ts';
import type { MergedFacet } from '../machine-config/merge-facets.ts';
import { merge, sourcesOf } from '../machine-config/render-pool.ts';
import { touching } from '../machine-config/touches.ts';
import { joinUpdates, updateKind } from '../machine-config/update-kind.ts';
import type { Change, ManifestChange } from '../openshift/manifest.ts';
import { pausingHookOf, pausingHookRemedy, pausingHookWords } from '../openshift/pausing-hook.ts';
import type { Pool } from '../openshift/pool.ts';
import { poolSelects } from '../openshift/selector.ts';
import { poolWarnings, type WarnedNode } from './pool-warnings.ts';
import { type PoolReached, poolsOf } from './pools-of.ts';
import type { ClusterImpact, PoolImpact } from './report.ts';

/** The fields of a pool that a prediction needs. */
export type ImpactPool = Pick<
  Pool,
  'name' | 'labels' | 'machineConfigSelector' | 'nodeSelector' | 'maxUnavailable' | 'counts'
>;

/** The fields of a cluster that a prediction needs; unknown values make the result worse, never better. */
export interface ImpactCluster {
  readonly name: string;
  readonly pools: readonly ImpactPool[];
  /** MachineConfigs of the cluster with their content; undefined if they may not be read: then only the two sides in
   *  Git count. */
  readonly machineConfigs?: readonly MachineConfigContent[] | undefined;
  /** Effective NodeDisruptionPolicy; undefined: the MCO's defaults. */
  readonly policy?: DisruptionPolicy | undefined;
  /** One node is control plane and worker (`Infrastructure` topology SingleReplica). */
  readonly isSingleNode?: boolean | undefined;
  /** Pools for which a MachineOSConfig builds images. */
  readonly layeredPools?: readonly string[] | undefined;
  /** For warnings of overlapping pools; undefined: only overlaps that the selectors prove. */
  readonly nodes?: readonly WarnedNode[] | undefined;
}

export interface ImpactQuestion {
  readonly cluster: ImpactCluster;
  /** Applications whose sync brings the change. */
  readonly applications: readonly string[];
  readonly change: Change;
  /** Pools that the unknown part of the change may reach, with the reason. */
  readonly assumed?: readonly PoolReached[] | undefined;
}

/** Most diff entries per pool; the rest are counted. */
const mostEntries = 100;

/** Predicts what a change does to the pools of a cluster: which are re-rendered, why, and the disruption of their
 *  nodes. Never less than the MCO will do, as far as the change and the cluster are known; otherwise the class is
 *  undefined and a reboot must be assumed. */
export function predictImpact({ cluster, applications, change, assumed = [] }: ImpactQuestion): ClusterImpact {
  const reached = change.manifests.map((each) => ({ change: each, ...reachedPools(each, cluster) }));
  const general = poolWarnings(cluster.pools, cluster.nodes);
  const world = worldOf(cluster, change.manifests);
  const pools = cluster.pools.flatMap((pool) => {
    const hits = reached.flatMap((each) =>
      each.pools.filter((hit) => hit.pool === pool.name).map((hit) => ({ change: each.change, why: hit.why })),
    );
    const guesses = assumed.filter((each) => each.pool === pool.name).map(({ why }) => why);
    if (hits.length === 0 && guesses.length === 0) return [];
    const warnings = general.filter((each) => each.pools.includes(pool.name));
    return [impactOnPool({ pool, cluster, world, hits, guesses, warnings })];
  });
  return {
    cluster: cluster.name,
    applications,
    pools,
    silent: reached.flatMap(({ change: each, silent }) => {
      const object = each.after ?? each.before;
      return silent === undefined || object === undefined
        ? []
        : [{ what: `${object.kind} ${object.name}`, why: silent }];
    }),
    unknown: change.unknown,
    warnings: uniqueWarnings([
      ...(cluster.policy === undefined && pools.some(({ update }) => update !== 'nothing') ? [policyUnknown] : []),
      ...lintAll(change.manifests, cluster.machineConfigs ?? []),
      ...hookWarnings(change.manifests),
    ]),
  };
}

/** The policy may be stricter than the defaults: then the disruption is worse than predicted. */
const policyUnknown: Warning = {
  code: 'policy-unknown',
  text: 'the NodeDisruptionPolicy of the cluster is unknown: the defaults of the Machine Config Operator are assumed',
  remedy: 'Let Poolkeeper read machineconfigurations.operator.openshift.io; before OpenShift 4.17 there is none',
};

/** The pools that the change reaches, and those that select the live object of that name: it may have drifted from
 *  Git. */
function reachedPools(
  change: ManifestChange,
  { pools, machineConfigs }: ImpactCluster,
): { readonly pools: readonly PoolReached[]; readonly silent: string | undefined } {
  const told = poolsOf(change, { pools });
  const object = change.after ?? change.before;
  if (object === undefined || !isMachineConfigManifest(object) || told.pools.length === 0)
    return { pools: told.pools, silent: told.silent };
  const live = machineConfigs?.find(({ name }) => name === object.name);
  const drifted = pools
    .filter(({ name }) => !told.pools.some((each) => each.pool === name))
    .filter((pool) => live !== undefined && poolSelects(pool.machineConfigSelector, live.labels))
    .map(({ name }) => ({
      pool: name,
      why: `the cluster has ${object.kind} ${object.name} with labels that this pool selects`,
    }));
  return { pools: [...told.pools, ...drifted], silent: told.silent };
}

/** The MachineConfigs before and after, as far as the change may affect them. */
interface World {
  readonly before: readonly MachineConfigContent[];
  readonly after: readonly MachineConfigContent[];
  /** Keys that a changed MachineConfig sets on either side. */
  readonly keys: ReadonlySet<string>;
}

/** Undefined if the cluster's MachineConfigs are unknown. Only those that set changed keys are examined: the rest of a
 *  rendered config does not change. */
function worldOf({ machineConfigs }: ImpactCluster, manifests: readonly ManifestChange[]): World | undefined {
  if (machineConfigs === undefined) return undefined;
  const changes = manifests.map(machineConfigChange);
  const changed = new Map(changes.flatMap((each) => names(each).map((name) => [name, each] as const)));
  if (changed.size === 0) return { before: [], after: [], keys: new Set() };

  const old = machineConfigs.filter(({ name }) => changed.has(name));
  const now = [...new Set(changed.values())].flatMap(({ after }) => after ?? []);
  const keys = keysBetween(old, now);
  const touches = touching(keys);
  const others = machineConfigs.filter((each) => !changed.has(each.name) && touches(each));
  return { before: [...others, ...old], after: [...others, ...now], keys };
}

/** Keys that differ between the old and new MachineConfigs of a name; all of them if it is added, removed or
 *  relabelled. */
function keysBetween(old: readonly MachineConfigContent[], now: readonly MachineConfigContent[]): ReadonlySet<string> {
  const byName = new Map(old.map((each) => [each.name, each]));
  const pairs: MachineConfigChange[] = now.map((after) => ({ before: byName.get(after.name), after }));
  const gone = old.filter(({ name }) => !now.some((each) => each.name === name));
  const all = [...pairs, ...gone.map((before) => ({ before, after: undefined }))];
  return new Set(all.flatMap(ownChanges).flatMap((each) => subjectOf(each)?.key ?? []));
}

function machineConfigChange({ before, after }: ManifestChange): MachineConfigChange {
  return { before: machineConfigOfManifest(before), after: machineConfigOfManifest(after) };
}

function names({ before, after }: MachineConfigChange): readonly string[] {
  return [before?.name, after?.name].filter((name) => name !== undefined);
}

interface PoolQuestion {
  readonly pool: ImpactPool;
  readonly cluster: ImpactCluster;
  readonly world: World | undefined;
  readonly hits: readonly { readonly change: ManifestChange; readonly why: string }[];
  readonly guesses: readonly string[];
  readonly warnings: readonly Warning[];
}

/** The effect of one kind of change on a pool. */
interface Part extends Disruption {
  readonly update: UpdateKind;
  readonly diff: readonly DiffEntry[];
  readonly why: readonly string[];
  readonly warnings: readonly Warning[];
}

function impactOnPool(question: PoolQuestion): PoolImpact {
  const { pool, cluster, hits, guesses } = question;
  const circumstances: Circumstances = {
    policy: cluster.policy,
    isSingleNode: cluster.isSingleNode,
    isLayered: cluster.layeredPools?.includes(pool.name),
  };
  const ofConfigs = hits.filter(({ change }) => names(machineConfigChange(change)).length > 0);
  const others = hits.filter((hit) => !ofConfigs.includes(hit));
  const parts = [
    ...(ofConfigs.length > 0 ? [machineConfigPart(question, ofConfigs, circumstances)] : []),
    ...others.map(({ change }): Part => ({ ...classOfKind(change, circumstances), diff: [], why: [], warnings: [] })),
  ];
  const reasons = parts.flatMap((part) => part.reasons).toSorted(worstFirst);
  return {
    pool: pool.name,
    why: [...hits.map(({ why }) => why), ...guesses, ...parts.flatMap(({ why }) => why)],
    machines: pool.counts.machines,
    maxUnavailable: pool.maxUnavailable ?? '1',
    class: guesses.length > 0 ? undefined : worstClass(parts.map((part) => part.class)),
    update: guesses.length > 0 ? 'unknown' : joinUpdates(parts.map((part) => part.update)),
    reasons,
    diff: parts.flatMap((part) => part.diff),
    warnings: uniqueWarnings([
      ...question.warnings.map(({ code, text, remedy }) => ({ code, text, remedy })),
      ...parts.flatMap((part) => part.warnings),
    ]),
  };
}

function worstFirst(left: DisruptionReason, right: DisruptionReason): number {
  return rank(right.class) - rank(left.class);
}

function machineConfigPart(question: PoolQuestion, hits: PoolQuestion['hits'], circumstances: Circumstances): Part {
  const changes = hits.map(({ change }) => machineConfigChange(change));
  return question.world === undefined
    ? unmergedPart(changes, circumstances)
    : mergedPart(question.pool, question.world, changes, circumstances);
}

/** The rendered config before and after, where it may differ. */
function mergedPart(
  pool: ImpactPool,
  world: World,
  changes: readonly MachineConfigChange[],
  circumstances: Circumstances,
): Part {
  const before = merge(sourcesOf(pool, world.before), world.keys);
  const after = merge(sourcesOf(pool, world.after), world.keys);
  const differences = changedFacets(before, after);
  return {
    ...classify(differences, circumstances),
    update: updateKind(differences),
    diff: boundedDiff(differences, describeMerged),
    why: differences.length === 0 ? ['its rendered config does not change'] : [],
    warnings: overriddenWarnings(changes, after),
  };
}

/** A changed MachineConfig sets something that a later one overrides, so it has no effect. */
function overriddenWarnings(
  changes: readonly MachineConfigChange[],
  merged: ReadonlyMap<string, MergedFacet>,
): readonly Warning[] {
  const own = new Set(changes.flatMap(({ after }) => after?.name ?? []));
  return [...merged.values()]
    .filter(({ kind, source, sources }) => isSingle(kind) && !own.has(source) && sources.some((each) => own.has(each)))
    .map((facet) => ({
      code: 'overridden',
      text: `${whatOf(facet)} of ${facet.sources.filter((each) => own.has(each)).join(', ')} is overridden by ${facet.source}, which is merged later`,
      remedy: `Give it a name that sorts after ${facet.source}, or remove it from one of them`,
    }));
}

/** Kinds of which the last one wins; the others accumulate. */
function isSingle(kind: MergedFacet['kind']): boolean {
  return kind === 'file' || kind === 'unit' || kind === 'kernelType' || kind === 'osImageURL';
}

/** Each MachineConfig by itself: the pool's other sources are unknown. */
function unmergedPart(changes: readonly MachineConfigChange[], circumstances: Circumstances): Part {
  const each = changes.map((change) => ({ change, own: ownChanges(change), ...classOfChange(change, circumstances) }));
  const own = each.flatMap((one) => one.own);
  return {
    class: worstClass(each.map((one) => one.class)),
    reasons: each.flatMap(({ reasons }) => reasons),
    update: updateKind(own),
    diff: each.flatMap(({ change, own: differences }) =>
      boundedDiff(differences, (difference) =>
        describeChange(difference, {
          before: difference.before === undefined ? '' : (change.before?.name ?? ''),
          after: difference.after === undefined ? '' : (change.after?.name ?? ''),
        }),
      ),
    ),
    why: ['the other MachineConfigs of the pool are unknown: assuming that nothing overrides the change'],
    warnings: [],
  };
}

function boundedDiff<C extends FacetChange>(
  changes: readonly C[],
  describe: (change: C) => DiffEntry,
): readonly DiffEntry[] {
  const shown = changes.slice(0, mostEntries).map(describe);
  if (changes.length <= mostEntries) return shown;
  const more: DiffEntry = {
    what: `${changes.length - mostEntries} more`,
    change: 'changed',
    lines: [],
    source: { before: '', after: '' },
    security: [],
  };
  return [...shown, more];
}

/** Warnings about the new state, not about what is removed. */
function lintAll(manifests: readonly ManifestChange[], live: readonly MachineConfigContent[]): readonly Warning[] {
  const after = manifests.flatMap((change) => machineConfigChange(change).after ?? []);
  return after.flatMap((config) => lintMachineConfig(config, { others: [...after, ...live] }));
}

/** Most hooks that are named; more than one pair for each pool is rare. */
const mostHooks = 20;

/** Hooks that stay, and pause or resume pools by themselves: two hands on one switch. */
function hookWarnings(manifests: readonly ManifestChange[]): readonly Warning[] {
  const warnings = manifests.flatMap(({ after, files }): readonly Warning[] => {
    const hook = after === undefined ? undefined : pausingHookOf(after);
    if (hook === undefined) return [];
    const text = `${pausingHookWords(hook)} (${files.join(', ')})`;
    return [{ code: 'pausing-hook', text, remedy: pausingHookRemedy(hook, files.join(', ')) }];
  });
  return warnings.slice(0, mostHooks);
}

function uniqueWarnings(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((each) => [`${each.code} ${each.text}`, each])).values()];
}

import type { Warning } from '../machine-config/disruption.ts';
import { type ChangeLint, changeLint } from '../machine-config/lint.ts';
import { isMachineConfigManifest } from '../machine-config/machine-config.ts';
import type { Change, Manifest, ManifestChange } from '../openshift/manifest.ts';
import { pausingHookOf, pausingHookRemedy, pausingHookWords } from '../openshift/pausing-hook.ts';
import { machineConfigGroup } from '../openshift/rendered-kinds.ts';
import { poolSelects } from '../openshift/selector.ts';
import type { Room } from '../text/room.ts';
import { changedConfigsOf, machineConfigChange } from './changed-configs.ts';
import type { ImpactCluster } from './impact-cluster.ts';
import { impactOnPool, uniqueWarnings } from './impact-on-pool.ts';
import { poolWarnings } from './pool-warnings.ts';
import { type PoolReached, poolsOf } from './pools-of.ts';
import type { ClusterImpact, PoolImpact } from './report.ts';
import { isObject, isSameContent } from './same-content.ts';

export interface ImpactQuestion {
  readonly cluster: ImpactCluster;
  /** Applications whose sync brings the change. */
  readonly applications: readonly string[];
  readonly change: Change;
  /** Pools that the unknown part of the change may reach, with the reason. */
  readonly assumed?: readonly PoolReached[] | undefined;
  /** Whoever reads it may not read what only the cluster has: warnings that depend on the content of its MachineConfigs
   *  would tell it, one guess after the other. Absent: they may. */
  readonly isForAnybody?: boolean | undefined;
  /** Shared by all clusters that the change reaches; absent: it is the only one. */
  readonly lint?: ChangeLint | undefined;
  /** Of what is described of it; absent: of everything. */
  readonly room?: Room | undefined;
  /** What is to be said of the Applications themselves. */
  readonly noted?: readonly Warning[] | undefined;
}

type PoolsQuestion = Pick<ImpactQuestion, 'cluster' | 'change' | 'assumed' | 'room'>;

/** Predicts what a change does to the pools of a cluster: which are re-rendered, why, and the disruption of their
 *  nodes. Never less than the MCO will do, as far as the change and the cluster are known; otherwise the class is
 *  undefined and a reboot must be assumed. */
export function predictImpact(asked: ImpactQuestion): ClusterImpact {
  const question = { ...asked, cluster: { ...asked.cluster, pools: paced(asked.cluster.pools, asked.change) } };
  const { cluster, applications, change, noted = [] } = question;
  const reached = reachedBy(question);
  const pools = poolsReached(question, reached);
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
      ...lintAll(change.manifests, question),
      ...hookWarnings(change.manifests),
      ...pacedWarnings(asked.cluster, cluster, pools),
      ...noted,
    ]),
  };
}

/** The pools with the `maxUnavailable` that the change gives them: it applies to what it rolls out. */
function paced(pools: ImpactCluster['pools'], { manifests }: Change): ImpactCluster['pools'] {
  const given = new Map(
    manifests.flatMap(({ before, after }) => {
      if (after?.group !== machineConfigGroup || after.kind !== 'MachineConfigPool') return [];
      const [was, is] = [before, after].map(maxUnavailableIn);
      return was === is ? [] : [[after.name, is] as const];
    }),
  );
  return pools.map((pool) => (given.has(pool.name) ? { ...pool, maxUnavailable: given.get(pool.name) } : pool));
}

function maxUnavailableIn(pool: Manifest | undefined): string | undefined {
  const { spec } = pool?.body ?? {};
  const value = isObject(spec) ? spec['maxUnavailable'] : undefined;
  return typeof value === 'number' || typeof value === 'string' ? `${value}` : undefined;
}

/** What is new of pools that nothing else of the change reaches. */
function pacedWarnings(
  now: ImpactCluster,
  { pools, nodes }: ImpactCluster,
  reached: ClusterImpact['pools'],
): readonly Warning[] {
  const changed = pools.filter((pool) => !now.pools.includes(pool) && !reached.some((each) => each.pool === pool.name));
  return poolWarnings(changed, nodes).filter(({ code }) => code.startsWith('max-unavailable'));
}

/** The same of the pools alone: what else is to be warned of takes far longer, and a pause does not ask for it. */
export function predictPools(question: PoolsQuestion): ClusterImpact['pools'] {
  return poolsReached(question, reachedBy(question));
}

/** The changes that reach a pool of the cluster. */
export function changesReaching({ change, cluster }: PoolsQuestion): readonly ManifestChange[] {
  return reachedBy({ change, cluster }).flatMap(({ pools, drifted, change: each }) =>
    pools.length === 0 && drifted.length === 0 ? [] : [each],
  );
}

interface Reached {
  readonly change: ManifestChange;
  readonly pools: readonly PoolReached[];
  /** What it does to these is not known: the labels that it has there may stay or go. */
  readonly drifted: readonly PoolReached[];
  readonly silent: string | undefined;
}

function reachedBy({ change, cluster }: Pick<ImpactQuestion, 'cluster' | 'change'>): readonly Reached[] {
  return change.manifests.map((each) => ({ change: each, ...reachedPools(each, cluster) }));
}

function poolsReached(
  { cluster, change, assumed = [], room }: PoolsQuestion,
  reached: readonly Reached[],
): ClusterImpact['pools'] {
  const general = poolWarnings(cluster.pools, cluster.nodes);
  const configs = changedConfigsOf(cluster, change.manifests);
  const isPolicyChanged = change.manifests.some(changesPolicy);
  return cluster.pools.flatMap((pool) => {
    const hits = reached.flatMap((each) =>
      each.pools.filter((hit) => hit.pool === pool.name).map((hit) => ({ change: each.change, why: hit.why })),
    );
    const guesses = [...assumed, ...reached.flatMap(({ drifted }) => drifted)]
      .filter((each) => each.pool === pool.name)
      .map(({ why }) => why);
    if (hits.length === 0 && guesses.length === 0) return [];
    const warnings = general.filter((each) => each.pools.includes(pool.name));
    const impact = impactOnPool({ pool, cluster, configs, hits, guesses, warnings, room });
    return [isPolicyChanged && impact.update !== 'nothing' ? underAnotherPolicy(impact) : impact];
  });
}

/** Whether it changes what later changes do to nodes. */
function changesPolicy({ before, after }: ManifestChange): boolean {
  const [old, now] = [before, after].map((side) => {
    if (side?.group !== 'operator.openshift.io' || side.kind !== 'MachineConfiguration') return undefined;
    const { spec } = side.body;
    return isObject(spec) ? spec['nodeDisruptionPolicy'] : undefined;
  });
  return !isSameContent(old, now);
}

/** The policy of the cluster predicts nothing for a change that brings another one: a reboot stays one, whichever
 *  comes first. */
function underAnotherPolicy(impact: PoolImpact): PoolImpact {
  if (impact.class === 'reboot') return impact;
  const why = 'the change brings another NodeDisruptionPolicy as well, which may apply to it';
  return { ...impact, class: undefined, why: [...impact.why, why] };
}

/** The policy may be stricter than the defaults: then the disruption is worse than predicted. */
const policyUnknown: Warning = {
  code: 'policy-unknown',
  text: 'the NodeDisruptionPolicy of the cluster is unknown: the defaults of the Machine Config Operator are assumed',
  remedy: 'Let Poolkeeper read machineconfigurations.operator.openshift.io; before OpenShift 4.17 there is none',
};

/** The pools that the change reaches, and those that select the live object of that name: it may have drifted from
 *  Git, and a sync leaves labels as they are that Git never had. */
function reachedPools(
  change: ManifestChange,
  { pools, machineConfigs }: ImpactCluster,
): Pick<Reached, 'pools' | 'drifted' | 'silent'> {
  const told = poolsOf(change, { pools });
  const object = change.after ?? change.before;
  if (object === undefined || !isMachineConfigManifest(object) || told.isSame === true)
    return { pools: told.pools, drifted: [], silent: told.silent };
  const live = machineConfigs?.find(({ name }) => name === object.name);
  const drifted = pools
    .filter(({ name }) => !told.pools.some((each) => each.pool === name))
    .filter((pool) => live !== undefined && poolSelects(pool.machineConfigSelector, live.labels))
    .map(({ name }) => ({
      pool: name,
      why: `the cluster has ${object.kind} ${object.name} with labels that this pool selects, and Git has not`,
    }));
  return { pools: told.pools, drifted, silent: drifted.length === 0 ? told.silent : undefined };
}

/** Warnings about the new state, not about what is removed. */
function lintAll(
  manifests: readonly ManifestChange[],
  { cluster: { machineConfigs = [] }, isForAnybody, lint = changeLint() }: ImpactQuestion,
): readonly Warning[] {
  const after = manifests.flatMap((change) => machineConfigChange(change).after ?? []);
  return lint.warningsOf(after, isForAnybody === true ? undefined : machineConfigs);
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
